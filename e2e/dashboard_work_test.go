package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/e2e/browsertest"
)

// What staff do in a day beside the morning.
func TestDashboard_Work(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	if first := regexp.MustCompile(`http://\S+`).FindString(p.logged()); !demoLink.MatchString(first) {
		t.Errorf("the first address that the server prints is %q, want the link to the dashboard", first)
	}
	run(t, "stock", "set", "demo", mangoPickle(t, p), "100", "--data", data)
	t.Run("calls", func(t *testing.T) { testCallOutcomes(t, p, data) })
	t.Run("an order by chat", func(t *testing.T) { testChatOrder(t, p, data) })
	t.Run("a shared message", func(t *testing.T) { testShared(t, p, data) })
	t.Run("booking over a weak network", func(t *testing.T) { testBookLost(t, p, data) })
	t.Run("Home and the table of orders", func(t *testing.T) { testHomeAndTable(t, p, data) })
}

// A buyer is called later, at a time that the shop has chosen, and an order that somebody else
// works on is left to them.
func testCallOutcomes(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	ids := placeOrders(t, p, 3)
	m.show("call/"+ids[0], ".outcomes")
	m.waitText(".callee", "Buyer A")
	number := fmt.Sprint(p.must(request{method: "GET", path: "/api/v1/orders/" + ids[0], tenant: "demo"}).at("orderNumber"))
	var links []string
	m.Eval(`[...document.querySelectorAll(".action-bar a, .call a[href*='/edit/']")].map((one) => decodeURIComponent(one.href))`, &links)
	for _, want := range []string{"tel:+8801711000000", "https://wa.me/8801711000000?text=", "#" + number, "/edit/" + ids[0]} {
		if !slices.ContainsFunc(links, func(link string) bool { return strings.Contains(link, want) }) {
			t.Errorf("got the links %q, want one with %s", links, want)
		}
	}
	m.Press("3")
	m.WaitVisible("#later .option")
	m.Fill("#later [name=note]", "In the office until six")
	m.Click("#later .option") // in an hour
	m.waitText(".toast", "call again")
	order := showOrder(t, data, ids[0])
	if due := order.Calls.DueAt; due == nil || time.Until(*due) < 55*time.Minute || time.Until(*due) > time.Hour || len(order.Notes) != 1 {
		t.Errorf("got %+v, want a call in an hour", order)
	}
	m.show("call/"+ids[1], ".outcomes")
	m.waitText(".callee", "Buyer B")
	m.Press("3")
	m.WaitVisible("#later form")
	m.Click("#later form .big") // without a time
	m.WaitVisible("#later .error")
	day := time.Now().Add(48 * time.Hour).Format(time.DateOnly)
	m.Eval(fmt.Sprintf(`(document.querySelector("#later [name=day]").value = %q,
		document.querySelector("#later [name=time]").value = "16:30", true)`, day), nil)
	m.Click("#later form .big")
	m.Wait(`!document.querySelector("dialog[open]")`)
	if due := showOrder(t, data, ids[1]).Calls.DueAt; due == nil || due.UTC().Format("2006-01-02 15:04") != day+" 10:30" {
		t.Errorf("got a call at %v, want 16:30 in Dhaka", due)
	}
	claimAs(t, m, p, data, ids[2])
	m.Eval(`(location.hash = "#/demo/home", true)`, nil)
	m.WaitVisible(".tiles")
	m.Eval(fmt.Sprintf(`(location.hash = "#/demo/call/%s", true)`, ids[2]), nil)
	m.Wait(`document.querySelector(".callee, .empty") && document.querySelector(".callee")?.innerText !== "Buyer C"`)
}

// An order that was agreed on in a chat has its discount with the reason, its advance and where it
// came from. Its address is copied and opened on a map, and it comes back by what is on its label.
func testChatOrder(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 422")
	m.show("new", "#text")
	for field, text := range map[string]string{
		"phoneNumber": "01715-000077", "name": "Salma Begum", "line1": "House 8, Road 2, Dhanmondi", "city": "Dhaka", "product": "mango pickle",
	} {
		m.Fill("#"+field, text)
	}
	m.WaitVisible("#products .option")
	m.Click("#products .option")
	m.waitText(".action-bar .total", "310")
	m.Click("[name=source][value=facebook]")
	m.Eval(`([...document.querySelectorAll("main details")].forEach((one) => { one.open = true }), true)`, nil)
	m.Fill("#discount", "৫০")
	m.WaitVisible("#reason")
	m.Click("#place") // without the reason
	m.Wait(`document.querySelector("#reason")?.ariaInvalid === "true"`)
	m.Fill("#reason", "Bought before")
	m.waitText(".action-bar .total", "260")
	m.Fill("#note", "Ring twice")
	m.Fill("#advance", "100")
	m.Click("[name=method][value=nagad]")
	m.waitText(".action-bar .total", "160") // to collect
	m.check("new-order-advance")
	m.Click("#place")
	m.WaitVisible("#reply")
	m.Click("#reply-done")
	m.WaitVisible(".money")
	var id string
	m.Eval(`location.hash.split("/").pop()`, &id)
	var order struct {
		Source, Note  string
		OrderNumber   int64
		StaffDiscount struct {
			Amount int64
			Reason string
		}
		Advances []struct {
			Amount struct{ Amount int64 }
			Method string
		}
		CashToCollect struct{ Amount int64 }
	}
	text := run(t, "order", "show", "demo", id, "--json", "--data", data)
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		t.Fatal(err)
	}
	if order.Source != "facebook" || order.Note != "Ring twice" ||
		order.StaffDiscount.Amount != 5000 || order.StaffDiscount.Reason != "Bought before" ||
		len(order.Advances) != 1 || order.Advances[0].Amount.Amount != 10000 || order.Advances[0].Method != "nagad" || order.CashToCollect.Amount != 16000 {
		t.Errorf("got %+v, want the discount, the advance and the rest to collect", order)
	}

	m.Eval(`(navigator.clipboard.writeText = async (text) => { window.copied = text }, true)`, nil)
	m.Click(".buyer-card .actions button")
	m.Wait(`window.copied === "Salma Begum\n+8801715000077\nHouse 8, Road 2, Dhanmondi\nDhaka"`)
	m.Wait(`[...document.querySelectorAll(".buyer-card a")].some((one) => decodeURIComponent(one.href).endsWith("House 8, Road 2, Dhanmondi, Dhaka"))`)

	// What was printed last is offered again.
	m.Inject(`if (top !== window) print = () => {}`)
	m.Reload()
	m.WaitVisible(".money")
	m.Press("p")
	m.WaitVisible("#print [value=invoice]")
	m.Click("#print [value=invoice]")
	m.Eval(`(() => {
		const size = document.querySelector("#size")
		size.value = "a5"
		return size.dispatchEvent(new Event("change", {bubbles: true}))
	})()`, nil)
	m.Click("#print form .primary")
	m.Wait(`!document.querySelector("#print")`)
	m.Press("p")
	m.Wait(`document.querySelector("#print [value=invoice]")?.checked && document.querySelector("#size").value === "a5"`)
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)

	// It is booked elsewhere; what the courier and staff know of it stands in its history.
	run(t, "order", "ship", "demo", id, "--courier", "courier_b", "--consignment", "DL-77-K", "--data", data)
	m.waitText(".order", "DL-77-K")
	testPapers(t, m, p, id)
	m.show("returns", "#shipment")
	m.Fill("#shipment", "DL-77-K")
	m.Press(browsertest.Enter)
	m.waitText("#shipment-order", fmt.Sprint("#", order.OrderNumber))
	m.waitText("#shipment-order", "Salma Begum")
	m.Click("#shipment-order .button.primary")
	m.waitText("#today", fmt.Sprint("#", order.OrderNumber))
	m.Wait(`document.activeElement.id === "shipment" && document.activeElement.value === ""`) // for the next one
}

// testPapers prints an order on every paper, and reads the browser's PDF.
func testPapers(t *testing.T, m *merchant, p *process, id string) {
	t.Helper()
	for _, paper := range []struct {
		of    string
		width int // in points
		want  []string
	}{
		{"label?size=100x150", 283, []string{"DL-77-K", "Salma Begum"}}, {"label?size=80mm", 227, []string{"DL-77-K", "Salma Begum"}},
		{"label?size=58mm", 164, []string{"DL-77-K", "Salma Begum"}}, {"invoice?size=80mm", 227, []string{"Receipt", "৳260"}},
		{"invoice?size=a4", 595, []string{"Invoice", "Salma Begum"}}, {"packing?size=a5", 420, []string{"Salma Begum", "Ring twice"}},
		{"picklist?size=a4", 595, []string{"Mango"}}, {"handover?size=a4", 595, []string{"DL-77-K", "Received by"}},
	} {
		m.Go(p.url + "/admin/v1/shops/demo/print/" + paper.of + "&lang=en&ids=" + id)
		pdf := readPDF(t, m.PDF())
		var width float64
		_, _ = fmt.Sscan(pdf.size, &width)
		all := strings.Join(pdf.text, "")
		if pdf.pages != 1 || width < float64(paper.width)-2 || width > float64(paper.width)+2 ||
			slices.ContainsFunc(paper.want, func(text string) bool { return !strings.Contains(all, text) }) {
			t.Errorf("%s: got %d pages of %s\n%s\nwant one of %d points with %q", paper.of, pdf.pages, pdf.size, all, paper.width, paper.want)
		}
		if strings.HasPrefix(paper.of, "label") &&
			!(slices.Contains(pdf.codes[0], "CODE-128:DL-77-K") && slices.Contains(pdf.codes[0], "QR-Code:DL-77-K")) {
			t.Errorf("%s: got the codes %q, want both of the consignment ID", paper.of, pdf.codes[0])
		}
	}
	m.Go(p.url + "/admin/#/demo/home")
	m.Wait(`document.querySelector(".wide #main h1")`)
}

// While the first responses to a booking of many are lost, it is booked once.
func testBookLost(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	ids := placeOrders(t, p, 4)
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/bulk/orders", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({action: "confirm", ids: %q.split(",")})}).then((response) => response.ok)`, strings.Join(ids, ",")), nil)
	m.show("book?id="+strings.Join(ids, "&id="), "#book:not(:disabled)")
	m.waitText("h1", "Book 4 shipments")
	m.waitText(".sums", "1,240") // of four times 310
	m.Eval(`(() => {
		const real = fetch
		let n = 0
		window.keys = []
		window.fetch = async (url, init) => {
			if (/bulk\/orders$/.test(url)) window.keys.push(init.headers["Idempotency-Key"])
			const response = await real(url, init)
			if (++n % 3 !== 0 && /bulk\/orders$/.test(url) && window.keys.length < 3) throw new TypeError("the response is lost")
			return response
		}
		return true
	})()`, nil)
	m.Click("#book")
	m.waitJob("4 done")
	var keys []string
	if m.Eval(`window.keys`, &keys); len(keys) < 2 || len(slices.Compact(keys)) != 1 || keys[0] == "" {
		t.Errorf("got the keys %q, want one, sent again", keys)
	}
	for _, id := range ids {
		if order := showOrder(t, data, id); len(order.Shipments) != 1 || order.Status != "processing" {
			t.Errorf("order %s: got %+v, want one shipment", id, order)
		}
	}
	m.Click("#print-handover")
	m.Wait(`document.querySelector("#print [value=handover]")?.checked`)
}

// Home has the figures of the shop, and the table of orders what staff decide by. Its keys do
// nothing while somebody types.
func testHomeAndTable(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 1280)
	ids := placeOrders(t, p, 3)
	run(t, "api", "demo", "recordCall", "--order-id", ids[0], "--outcome", "no_answer", "--data", data)
	for _, language := range []string{"en", "bn"} {
		m.use(language, "light")
		m.show("home", "#sales details")
		var differs []string
		m.Eval(`Promise.all(["summary", "counts/orders"].map((one) => fetch("/admin/v1/shops/demo/" + one).then((response) => response.json())))
			.then(([{today, last14}, counts]) => {
				const plain = (text) => text.replace(/[০-৯]/g, (digit) => digit.charCodeAt(0) - 0x9e6)
				const amount = (text) => Math.round(parseFloat(plain(text).replace(/[^\d.]/g, "")) * 100)
				const differs = []
				const same = (name, got, want) => {
					if (JSON.stringify(got) !== JSON.stringify(want)) differs.push(name + ": " + got + ", want " + want)
				}
				same("today", amount(document.querySelector("#sales .pay").innerText), today.sales.amount)
				document.querySelector("#sales details").open = true
				same("days", [...document.querySelectorAll("#sales tbody tr")]
					.map(({cells}) => [parseInt(plain(cells[1].innerText)), amount(cells[2].innerText)]),
					last14.toReversed().map((one) => [one.orders, one.sales.amount]))
				for (const tile of document.querySelectorAll(".tiles a[href*='view=']")) {
					const view = new URLSearchParams(tile.hash.split("?")[1]).get("view")
					same(view, parseInt(plain(tile.querySelector("b").innerText)), counts[view])
				}
				if (last14.length !== 14) differs.push(last14.length + " days")
				return differs
			})`, &differs)
		if len(differs) > 0 {
			t.Errorf("%s: Home differs from the summary: %q", language, differs)
		}
	}
	m.use("en", "light")
	m.show("orders?view=toConfirm", "[data-order]")
	m.waitOrders(ids)
	number := fmt.Sprint(p.must(request{method: "GET", path: "/api/v1/orders/" + ids[0], tenant: "demo"}).at("orderNumber"))
	for _, want := range []string{"#" + number, "Buyer A", "Dhaka", "৳310", "No answer", "Mango"} {
		m.waitText(fmt.Sprintf(`[data-order="%s"]`, ids[0]), want)
	}
	order := func(want string) {
		t.Helper()
		m.Wait(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders?view=toConfirm&%s&limit=20").then((response) => response.json()).then(({nodes}) =>
			nodes.map((row) => row._id).join() ===
				[...document.querySelectorAll("[data-order]")].slice(0, 20).map((row) => row.dataset.order).join())`, want))
	}
	for name, want := range map[string]string{"oldest": "sort=asc", "largest": "sortBy=total", "callDue": "sortBy=callDue"} {
		m.Eval(fmt.Sprintf(`(() => {
			const sort = document.querySelector(".chips select")
			sort.value = %q
			return sort.dispatchEvent(new Event("change", {bubbles: true}))
		})()`, name), nil)
		m.Wait(fmt.Sprintf(`location.hash.includes("order=%s")`, name))
		order(want)
	}
	// Typed letters are text.
	m.Eval(`(document.querySelector(".search input").focus(), true)`, nil)
	m.Press("gnc?")
	var typed string
	m.Eval(`document.querySelector(".search input").value + " " + location.hash.split("?")[0] + document.querySelectorAll("dialog").length`, &typed)
	if typed != "gnc? #/demo/orders0" {
		t.Errorf("got %q after letters were typed, want them in the field alone", typed)
	}
	// The call of the row that the keys are at.
	m.show("orders?view=toConfirm", "[data-order]")
	m.Eval(`(navigation.addEventListener("navigate", ({destination}) => { window.called = destination.url }), true)`, nil)
	m.AllowProblem("another host: tel:")
	m.keys("j")
	m.keys("l")
	m.Wait(`window.called?.startsWith("tel:+880")`)
}
