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

// merchant is a staff member of the demo shop at the dashboard.
type merchant struct{ *window }

var demoLink = regexp.MustCompile(`http://[^ ]+/admin/#/demo/link/[^ ]+`)

// openDashboard opens the dashboard in a window of that width, signed in by the link that the
// server has printed.
func openDashboard(t *testing.T, p *process, width int) *merchant {
	t.Helper()
	m := &merchant{openWindow(t, p, width)}
	m.shots = fmt.Sprintf("dashboard-%d-", width)
	if width < 600 {
		m.Resize(width, 760)
	}
	link := demoLink.FindString(p.logged())
	if link == "" {
		t.Fatalf("the server has printed no link to the dashboard:\n%s", p.logged())
	}
	m.Go(link)
	m.Wait(`document.querySelector(".wide #main h1")`)
	return m
}

// show opens a view, waits for what the selector names, and checks what everybody must be able to
// use.
func (m *merchant) show(view, selector string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(location.hash = "#/demo/%s", true)`, view), nil)
	m.AwaitEvents()
	m.Wait(fmt.Sprintf(`document.querySelector(%q) && !document.querySelector(".skeleton")`, selector))
	m.check(strings.Trim(notInName.ReplaceAllString(view, "-"), "-"))
}

// Click clicks the selected element. What it opens is there afterwards, if only as a skeleton: the
// address changes before the view, whose old links would still be found.
func (m *merchant) Click(selector string) {
	m.t.Helper()
	m.window.Click(selector)
	m.AwaitEvents()
}

// Press sends keys, as Click does with a click.
func (m *merchant) Press(keys string) {
	m.t.Helper()
	m.window.Press(keys)
	m.AwaitEvents()
}

// notInName matches what a picture's name has no place for: an ID, and what is not a letter.
var notInName = regexp.MustCompile(`[0-9A-Z]{16}|[0-9]+|[^a-zA-Z0-9]+`)

// check makes a picture, and fails the test for what not everybody can use.
func (m *merchant) check(name string) {
	m.t.Helper()
	// A dialog opens a moment after it is in the page. What turns while something is sent never ends.
	m.Wait(`[...document.querySelectorAll("dialog")].every((dialog) => dialog.open) &&
		document.getAnimations().every((a) => a.playState === "finished" || a.effect.getTiming().iterations === Infinity)`)
	m.Accessible(m.shots + name)
	m.Screenshot(m.shots + name)
	var wider bool
	if m.Eval(`document.documentElement.scrollWidth > innerWidth`, &wider); wider {
		m.t.Errorf("%s%s: the page is wider than the window", m.shots, name)
	}
}

// showMarked is show, and checks that what is in the other language has its lang attribute.
func (m *merchant) showMarked(view, selector string) {
	m.t.Helper()
	m.show(view, selector)
	var unmarked []string
	m.Eval(`(() => {
		const found = [], all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
		while (all.nextNode()) {
			const {data, parentElement: parent} = all.currentNode
			const [bangla, latin] = [/[\u0985-\u09b9]/.test(data), /[A-Za-z]{2}/.test(data)]
			if (bangla === latin || parent.closest("noscript, script, .rich")) continue
			if (parent.closest("[lang]").lang !== (bangla ? "bn" : "en")) found.push(parent.tagName + ": " + data.trim())
		}
		return found
	})()`, &unmarked)
	if len(unmarked) > 0 {
		m.t.Errorf("%s%s: got texts without their language %q", m.shots, view, unmarked)
	}
}

// waitOrders waits until the list has these orders.
func (m *merchant) waitOrders(ids []string) {
	m.t.Helper()
	for _, id := range ids {
		m.Wait(fmt.Sprintf(`document.querySelector('[data-order="%s"]')`, id))
	}
}

// use chooses language and colours, as stored on the device.
func (m *merchant) use(language, theme string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(localStorage.setItem("sf-language", %q), localStorage.setItem("sf-theme", %q), true)`, language, theme), nil)
	m.Reload()
	m.Wait(fmt.Sprintf(`document.documentElement.lang === %q && document.querySelector(".wide #main h1")`, language))
	m.shots = regexp.MustCompile(`-(en|bn)-$|-$`).ReplaceAllString(m.shots, "-"+language+"-")
}

// placeOrders places cash orders of different buyers, and returns their IDs.
func placeOrders(t *testing.T, p *process, n int) []string {
	t.Helper()
	id, _ := p.product("demo", "mango-pickle")
	ids := make([]string, n)
	for i := range ids {
		order := orderOf(id, 1)
		order["customer"] = map[string]any{"name": fmt.Sprintf("Buyer %c", 'A'+i), "phoneNumber": fmt.Sprintf("01711-0000%02d", i)}
		placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order})
		if ids[i] = placed.text("_id"); ids[i] == "" {
			t.Fatalf("got %d %s, want an order", placed.status, placed.body)
		}
	}
	return ids
}

// shownOrder is a part of what order show prints.
type shownOrder struct {
	Status               string
	Shipments            []struct{ Provider string }
	Customer             struct{ Name string }
	ShippingAddress      struct{ Line1 string }
	Damaged, Notes       []struct{}
	Tags                 []string
	CashToCollect, Total struct{ Amount int64 }
	Calls                struct {
		Count int
		DueAt *time.Time
	}
}

func showOrder(t *testing.T, data, id string) (order shownOrder) {
	t.Helper()
	if err := json.Unmarshal([]byte(run(t, "order", "show", "demo", id, "--json", "--data", data)), &order); err != nil {
		t.Fatal(err)
	}
	return order
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	t.Run("a morning on a phone", func(t *testing.T) {
		onlyWithAll(t)
		testMorning(t, p, data)
	})
	t.Run("live", func(t *testing.T) { testLive(t, p, data) })
	t.Run("a release", func(t *testing.T) {
		onlyWithAll(t)
		testRelease(t, p)
	})
	for _, walk := range []struct {
		name string
		test func(*testing.T, *process, string)
	}{
		{"many orders", testJobs}, {"buyer and prices", testBuyerAndPrices}, {"every screen", testScreens}, {"histories", testHistories},
		{"a weak network", testWeakNetwork}, {"sign-in", testSignIn}, {"the demo after a while", testDemoProof}, {"the session ends", testSessionEnds},
		{"second visit", testSecondVisit}, {"the list of orders", testOrderList}, {"the camera", testScan}, {"keyboard", testKeyboard},
		{"cash on Home", testHomeCash}, {"courier places", testCourierPlaces}, {"old address", testOldAddress}, {"delivered in part", testPartial},
		{"payments", testPayments}, {"money of an order", testMoney}, {"place and book", testPlaceAndBook},
	} {
		t.Run(walk.name, func(t *testing.T) {
			onlyWithAll(t)
			run(t, "stock", "set", "demo", mangoPickle(t, p), "100", "--data", data) // the walks before have ordered some of it
			walk.test(t, p, data)
		})
	}
}

// Home shows what each courier holds as the COD report has it.
func testHomeCash(t *testing.T, p *process, _ string) {
	for _, width := range some([]int{360, 1280}, 0, 1) {
		m := openDashboard(t, p, width)
		for _, language := range some([]string{"en", "bn"}, width/1280, 1) {
			m.use(language, "light")
			m.show("home", "#cash tbody tr")
			var differs []string
			m.Eval(`fetch("/admin/v1/shops/demo/cash").then((response) => response.json()).then(({couriers}) => {
				const bangla = (text) => text.replace(/[০-৯]/g, (digit) => digit.charCodeAt(0) - 0x9e6)
				const shown = [...document.querySelectorAll("#cash tbody tr")].map((row) => [...row.cells].slice(1)
					.map((cell) => Math.round(parseFloat(bangla(cell.innerText).replace(/[^\d.-]/g, "")) * 100)))
				const held = couriers.filter((one) => one.holding > 0 || one.payable.amount !== 0)
					.map((one) => [one.held.amount, one.oldestDays * 100, one.payable.amount])
				return JSON.stringify(shown) === JSON.stringify(held) && held.length > 0 ? [] : [JSON.stringify(shown), JSON.stringify(held)]
			})`, &differs)
			if len(differs) > 0 {
				t.Errorf("%d px, %s: Home shows %s, the report has %s", width, language, differs[0], differs[1])
			}
		}
	}
}

// Orders arrive, are selected, confirmed and booked; one comes back.
func testMorning(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	ids := placeOrders(t, p, 3)
	m.show("orders?view=toConfirm", "[data-order]")
	m.waitOrders(ids)
	// A long press chooses, and the tap that ends it does nothing.
	m.Eval(`document.querySelector("a.list-item").dispatchEvent(new PointerEvent("pointerdown", {bubbles: true, pointerType: "touch"}))`, nil)
	m.Wait(`document.querySelectorAll(".list-item.selected").length === 1`)
	m.Eval(`(document.querySelector(".list-item.selected").click(), true)`, nil)
	m.waitText("h1", "1 selected")
	m.Press(browsertest.Escape)
	m.WaitVisible("#select")
	m.Click("#select")
	m.WaitVisible("label.list-item")
	m.Eval(`([...document.querySelectorAll("label.list-item")].filter((l) => l.textContent.includes("Buyer ")).forEach((l) => l.click()), true)`, nil)
	m.waitText("h1", "3 selected")
	m.check("select")
	m.Click(".selection .button.primary")
	m.waitJob("3 done")
	m.check("confirmed")
	m.Click("#job a.primary") // the next step: book them
	m.waitText("h1", "Book 3 shipments")
	m.Wait(`[...document.querySelectorAll(".booking")].every((one) => / k?g$/.test(one.innerText.trim()))`) // what each weighs
	m.check("book")
	m.Click("#book:not(:disabled)")
	m.waitJob("3 done")
	for _, id := range ids {
		if order := showOrder(t, data, id); order.Status != "processing" || len(order.Shipments) != 1 {
			t.Errorf("order %s: got %+v, want one shipment", id, order)
		}
	}
	m.Click("#print-labels")
	m.waitText(".empty", "All of them are booked")
	testLabels(t, m, p, ids)
	m.show("orders?view=toHandOver", "[data-order]")
	m.waitOrders(ids)

	m.show("returns", "#shipment")
	m.Fill("#shipment", fmt.Sprint(p.must(request{method: "GET", path: "/api/v1/orders/" + ids[0], tenant: "demo"}).at("orderNumber")))
	m.Press(browsertest.Enter)
	m.WaitVisible("#shipment-order .button.primary")
	m.check("returned")
	m.Click("#some-damaged")
	m.waitText("#shipment-order", "All of it is back")
	m.Click("#shipment-order .stepper .icon-button:last-child")
	m.waitText("#shipment-order .button.primary", "Record the return")
	m.Click("#shipment-order .button.primary")
	m.waitText("main", "Recorded today")
	m.Wait(`fetch("/admin/v1/shops/demo/summary").then((response) => response.json()).then(({todo}) => // as many as the shop has counted
		todo.returnedToday > 0 && document.querySelector("#today h2 .quiet").innerText === String(todo.returnedToday) &&
		document.querySelectorAll("#today li").length === todo.returnedToday)`)
	if order := showOrder(t, data, ids[0]); order.Status != "returned" || len(order.Damaged) != 1 {
		t.Errorf("got %+v, want a returned order with a damaged unit", order)
	}
	// What nobody needs any more is folded.
	m.show("order/"+ids[0], ".buyer-card details:not([open])")
	m.Click(".buyer-card summary")
	m.WaitVisible(".buyer-card address")
	callBuyers(t, m, p, data)
}

// callBuyers works through the call queue: one buyer does not answer, one confirms.
func callBuyers(t *testing.T, m *merchant, p *process, data string) {
	ids := placeOrders(t, p, 3)
	testCallCount(m)
	m.show("home", ".tile.main .button")
	m.Click(".tile.main") // Confirm them
	m.WaitVisible(".outcomes")
	m.show("call/"+ids[1], ".outcomes")
	m.waitText(".call", "Perhaps the same order") // that of the morning, with the same phone number
	m.Click(".outcomes .button:nth-child(2)")
	m.waitText(".toast", "call again")
	m.Wait(`(() => { // the message lies above the buttons for the next buyer
		const message = document.querySelector(".toast"), buttons = document.querySelector(".action-bar.tall")
		return message && buttons && message.getBoundingClientRect().bottom <= buttons.getBoundingClientRect().top
	})()`)
	m.show("call/"+ids[0], ".outcomes")
	m.Press("3") // Later…
	m.WaitVisible("#later")
	m.check("later")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.keys("১") // as a Bangla keyboard types it
	m.waitText(".toast", "confirmed")
	m.show("call/"+ids[2], ".outcomes")
	m.Press("4")
	m.waitText(".toast", "wrong number")
	if third := showOrder(t, data, ids[2]); third.Status != "pending" || third.Calls.Count != 1 {
		t.Errorf("got %+v, want a pending order with a call to a wrong number", third)
	}
	first, second := showOrder(t, data, ids[1]), showOrder(t, data, ids[0])
	if first.Status != "pending" || first.Calls.Count != 1 || first.Calls.DueAt == nil {
		t.Errorf("got %+v, want a pending order with a call and the time of the next", first)
	}
	if second.Status != "confirmed" || second.Calls.Count != 1 {
		t.Errorf("got %+v, want an order that is confirmed by a call", second)
	}
	// What staff record about an order.
	m.show("order/"+ids[0], ".money")
	m.Fill("#text", "Wants a gift box")
	m.Press(browsertest.Enter)
	m.waitText(".timeline", "gift box")
	m.Click(".tags .button")
	m.Fill("#tags", "gift, fragile")
	m.Press(browsertest.Enter)
	m.waitText(".tags", "fragile")
	// Somebody else changes the tags while they are typed: both changes stay.
	m.Click(".tags .button")
	m.WaitVisible("#tags-dialog .chip")
	m.Eval(`([...document.querySelectorAll("#tags-dialog .chip")].find((b) => b.innerText.includes("fragile")).click(), true)`, nil)
	m.Fill("#tags", "Eid")
	run(t, "api", "demo", "setTags", "--order-id", ids[0], "--tags", "fragile", "--tags", "urgent", "--data", data)
	m.AllowProblem("status of 412")
	m.Press(browsertest.Enter)
	m.WaitVisible("#conflict")
	m.waitText("#conflict", "urgent")
	m.check("conflict-tags")
	if order := showOrder(t, data, ids[0]); strings.Join(slices.Sorted(slices.Values(order.Tags)), " ") != "fragile urgent" {
		t.Errorf("got the tags %q, want those of the other until the choice", order.Tags)
	}
	m.Click("#conflict .primary")
	m.Wait(`!document.querySelector("dialog[open]")`) // until then the dialog shows tags that are not saved
	m.waitText(".tags", "Eid")
	if order := showOrder(t, data, ids[0]); strings.Join(slices.Sorted(slices.Values(order.Tags)), " ") != "Eid urgent" {
		t.Errorf("got the tags %q, want the changes of both", order.Tags)
	}
	m.Click(".action-bar .square")
	m.WaitVisible("dialog .option")
	m.Eval(`([...document.querySelectorAll("dialog .option")].find((b) => b.innerText.includes("advance")).click(), true)`, nil)
	m.WaitVisible("#advance")
	m.Fill("#amount", "১০০")
	m.check("advance")
	m.Click("#advance .primary")
	m.waitText(".money", "bKash")
	m.check("order-recorded")
	if order := showOrder(t, data, ids[0]); len(order.Notes) != 2 || len(order.Tags) != 2 || order.CashToCollect.Amount != order.Total.Amount-10000 {
		t.Errorf("got %+v, want a note beside the call, two tags and an advance", order)
	}
	placeAndEdit(t, m, data)
}

// testCallCount checks that the list promises as many calls as the queue then has. Buyers who are
// to be called later are not among them.
func testCallCount(m *merchant) {
	m.show("orders?view=toConfirm", ".action-bar.above .button")
	var due int
	m.Eval(`fetch("/admin/v1/shops/demo/orders?view=toConfirm&limit=100").then((response) => response.json()).then((list) =>
		list.nodes.filter(({calls}) => calls.dueAt === null || Date.parse(calls.dueAt) <= Date.now()).length)`, &due)
	m.waitText(".action-bar.above .button", fmt.Sprint("Call ", due))
	m.Click(".action-bar.above .button")
	m.waitText("h1", fmt.Sprintf("Call 1 of %d · 1 later", due))
}

// placeAndEdit places an order from a pasted message and changes it while somebody else does.
func placeAndEdit(t *testing.T, m *merchant, data string) {
	m.AllowProblem("status of 422") // goods without a buyer
	m.show("new", "#text")
	m.Fill("#text", "2 pcs saree\n3 pcs pickle from home") // which saree is not certain
	m.Click("#parse")
	m.waitText("#wanted", "saree")
	m.waitText("#not-added", "saree")
	m.Click("#wanted .chip:first-of-type")
	m.WaitVisible("#products .option:not(:disabled)")
	m.check("new-wanted")
	m.Click("#products .option:not(:disabled)")
	m.Wait(`[...document.querySelectorAll(".goods-line output")].map((one) => one.innerText).join() === "3,2" && !document.querySelector("#wanted")`)
	m.Click(".top .mini") // clears the order
	m.Wait(`!document.querySelector(".goods-line")`)
	m.Fill("#text", "Rahima Khatun\n01712-000099\nHouse 12, Road 5, Mirpur, Dhaka\n2 pcs mango pickle")
	m.Click("#parse")
	m.WaitVisible(".goods-line")
	m.waitText(".action-bar .total", "550")
	m.Wait(`document.querySelector("[name=source]:checked").value === "facebook"`)
	for field, words := range map[string]string{
		"#name-hint": "Rahima Khatun", "#phoneNumber-hint": "01712-000099", "#city-hint": "Dhaka", "#goods-words": "mango pickle",
	} {
		m.waitText(field, words)
	}
	m.check("new-order")
	m.Click("#place")
	m.WaitVisible("#reply")
	m.Wait(`/Rahima Khatun[^]*2 × Mango Pickle: ৳480[^]*Total: ৳550[^]*\/t\/demo\//.test(document.querySelector("#reply-text").value)`)
	m.Wait(`decodeURIComponent(document.querySelector("#reply-whatsapp").href).includes("8801712000099?text=Thank you, Rahima Khatun")`)
	m.check("reply")
	m.Click("#reply-done")
	m.WaitVisible(".money")
	var id string
	m.Eval(`location.hash.split("/").pop()`, &id)
	m.show("edit/"+id, "#save")
	m.WaitVisible("[name=delivery][value=inside-dhaka]:checked")
	m.Fill("#city", "Khulna") // where the charge is another one
	m.waitText(".action-bar .total", "610")
	m.Click("#save")
	m.waitText(".money", "610")
	m.show("edit/"+id, "#save")
	m.Fill("#line1", "House 99, Road 5")
	run(t, "api", "demo", "updateOrder", "--order-id", id, "--customer", `{"name":"Rahima Begum"}`,
		"--shipping-address", `{"line1":"House 7, Lane 2","city":"Dhaka"}`, "--data", data)
	m.AllowProblem("status of 412")
	m.Click("#save")
	m.WaitVisible("#conflict")
	m.check("conflict")
	m.Click("#conflict .primary")
	m.waitText(".buyer-card", "House 99")
	order := showOrder(t, data, id)
	if order.Status != "confirmed" || order.Customer.Name != "Rahima Begum" || order.ShippingAddress.Line1 != "House 99, Road 5" {
		t.Errorf("got %+v, want the name of one and the address of the other", order)
	}
}

// The history of every order that needs somebody is shown, also if a courier has
// caused its entries.
func testHistories(t *testing.T, p *process, _ string) {
	m := openDashboard(t, p, 360)
	var ids []string
	m.Eval(`fetch("/admin/v1/shops/demo/orders?view=problems&limit=20").then((response) => response.json())
		.then((list) => list.nodes.map((one) => one._id))`, &ids)
	testUnpaid(t, m, p)
	causes := map[string]bool{}
	for _, id := range ids {
		var caused []string
		m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((response) => response.json())
			.then((order) => order.timeline.map((one) => one.cause))`, id), &caused)
		m.Eval(fmt.Sprintf(`(location.hash = "#/demo/order/%s", true)`, id), nil)
		number := fmt.Sprint("#", p.must(request{method: "GET", path: "/api/v1/orders/" + id, tenant: "demo"}).at("orderNumber"))
		m.Wait(fmt.Sprintf(`document.querySelector("h1")?.textContent === %q && document.querySelectorAll(".timeline li[data-cause]").length === %d`,
			number, len(caused)))
		for _, cause := range caused {
			causes[cause] = true
		}
	}
	if !causes["courier_a"] || !causes["courier_b"] {
		t.Errorf("got histories caused by %v, want some by each courier", causes)
	}
}

// An order that is not paid yet shows what has become of its payment, and how to remind its buyer;
// it is not the next thing to cancel it.
func testUnpaid(t *testing.T, m *merchant, p *process) {
	product, _ := p.product("demo", "mango-pickle")
	order := orderOf(product, 1)
	order["paymentMethod"] = "gateway_a"
	id := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order}).text("_id")
	m.show("order/"+id, ".action-bar")
	m.Wait(`document.querySelector(".action-bar .button.big")?.href.startsWith("https://wa.me/") &&
		[...document.querySelectorAll("details[open]")].some((one) => one.innerText.includes("Waiting for the buyer"))`)
}

// testSignOut signs out. Who signs in next at the same page sees neither what was shown before nor
// the order that was begun.
func testSignOut(t *testing.T, m *merchant, shown string) {
	m.show("new", "#text")
	m.Fill("#text", "Nasrin Jahan 01711-000009")
	m.Wait(`localStorage.getItem("sf-order-demo")`)
	m.show("account", "#sign-out")
	m.Eval(`(document.querySelector("#sign-out").click(), true)`, nil) // the last action's toast may lie above it
	m.WaitVisible("#user")
	m.Wait(`localStorage.getItem("sf-order-demo") === null`)
	m.Eval(`(() => { // from now on only the session is loaded
		const real = fetch
		window.fetch = (address, ...rest) => String(address).endsWith("/session") ? real(address, ...rest) : new Promise(() => {})
		return true
	})()`, nil)
	m.Fill("#user", "rina@example.com")
	m.Fill("#password", "kolapata-7-nodi")
	m.Click("form .primary")
	m.Wait(`document.querySelector(".wide")`)
	m.Eval(fmt.Sprintf(`(() => {
		window.bones = {}
		new MutationObserver(() => {
			const name = document.querySelector(".skeleton")?.className
			if (name) window.bones[name] ??= performance.now()
		}).observe(document.body, {subtree: true, childList: true, attributes: true})
		location.hash = "#/demo/order/%s"
		return true
	})()`, shown), nil)
	m.Wait(`window.bones.skeleton`)
	var after float64
	if m.Eval(`window.bones.skeleton - window.bones["skeleton unseen"]`, &after); after < 140 {
		t.Errorf("got a skeleton after %.0f ms, want none before 150", after)
	}
	var text string
	if m.Eval(`document.body.innerText`, &text); strings.Contains(text, "Buyer A") {
		t.Errorf("got what the one before has seen:\n%s", text)
	}
}
