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
type merchant struct{ *buyer }

var demoLink = regexp.MustCompile(`http://[^ ]+/admin/#/demo/link/[^ ]+`)

// openDashboard opens the dashboard in a window of that width, signed in by the link that the
// server has printed.
func openDashboard(t *testing.T, p *process, width int) *merchant {
	t.Helper()
	m := &merchant{newBuyer(t, p, width)}
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
	m.buyer.Click(selector)
	m.AwaitEvents()
}

// Press sends keys, as Click does with a click.
func (m *merchant) Press(keys string) {
	m.t.Helper()
	m.buyer.Press(keys)
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
	m.Eval(fmt.Sprintf(`(localStorage.setItem("sf-language", %q), localStorage.setItem("sf-theme", %q), location.reload(), true)`, language, theme), nil)
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
	t.Run("a morning on a phone", func(t *testing.T) { testMorning(t, p, data) })
	t.Run("live", func(t *testing.T) { testLive(t, p, data) })
	t.Run("a release", func(t *testing.T) { testRelease(t, p) })
	for _, walk := range []struct {
		name string
		test func(*testing.T, *process, string)
	}{
		{"many orders", testJobs}, {"buyer and prices", testBuyerAndPrices}, {"every screen", testScreens}, {"histories", testHistories},
		{"a weak network", testWeakNetwork}, {"sign-in", testSignIn}, {"the session ends", testSessionEnds},
		{"second visit", testSecondVisit}, {"the list of orders", testOrderList}, {"the camera", testScan}, {"keyboard", testKeyboard},
		{"cash on Home", testHomeCash}, {"courier places", testCourierPlaces}, {"old address", testOldAddress}, {"delivered in part", testPartial},
		{"payments", testPayments}, {"place and book", testPlaceAndBook},
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
	m.Eval(`document.querySelector("a.ord").dispatchEvent(new PointerEvent("pointerdown", {bubbles: true, pointerType: "touch"}))`, nil)
	m.Wait(`document.querySelectorAll(".ord.sel").length === 1`)
	m.Eval(`(document.querySelector(".ord.sel").click(), true)`, nil)
	m.waitText("h1", "1 selected")
	m.Press(browsertest.Escape)
	m.WaitVisible("#select")
	m.Click("#select")
	m.WaitVisible("label.ord")
	m.Eval(`([...document.querySelectorAll("label.ord")].filter((l) => l.textContent.includes("Buyer ")).forEach((l) => l.click()), true)`, nil)
	m.waitText("h1", "3 selected")
	m.check("select")
	m.Click(".selection .btn.pri")
	m.waitJob("3 done")
	m.check("confirmed")
	m.Click("#job a.pri") // the next step: book them
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
	m.WaitVisible("#shipment-order .btn.pri")
	m.check("returned")
	m.Click("#some-damaged")
	m.waitText("#shipment-order", "All of it is back")
	m.Click("#shipment-order .stepper .ib:last-child")
	m.waitText("#shipment-order .btn.pri", "Record the return")
	m.Click("#shipment-order .btn.pri")
	m.waitText("main", "Recorded today")
	m.Wait(`fetch("/admin/v1/shops/demo/summary").then((response) => response.json()).then(({todo}) => // as many as the shop has counted
		todo.returnedToday > 0 && document.querySelector("#today h2 .q").innerText === String(todo.returnedToday) &&
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
	m.show("home", ".tile.main .btn")
	m.Click(".tile.main") // Confirm them
	m.WaitVisible(".outs")
	m.show("call/"+ids[1], ".outs")
	m.waitText(".call", "Perhaps the same order") // that of the morning, with the same phone number
	m.Click(".outs .btn:nth-child(2)")
	m.waitText(".toast", "call again")
	m.Wait(`(() => { // the message lies above the buttons for the next buyer
		const message = document.querySelector(".toast"), buttons = document.querySelector(".act.tall")
		return message && buttons && message.getBoundingClientRect().bottom <= buttons.getBoundingClientRect().top
	})()`)
	m.show("call/"+ids[0], ".outs")
	m.Press("3") // Later…
	m.WaitVisible("#later")
	m.check("later")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.keys("১") // as a Bangla keyboard types it
	m.waitText(".toast", "confirmed")
	m.show("call/"+ids[2], ".outs")
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
	m.waitText(".tl", "gift box")
	m.Click(".tags .btn")
	m.Fill("#tags", "gift, fragile")
	m.Press(browsertest.Enter)
	m.waitText(".tags", "fragile")
	// Somebody else changes the tags while they are typed: both changes stay.
	m.Click(".tags .btn")
	m.WaitVisible("#tags-dialog .chip")
	m.Eval(`([...document.querySelectorAll("#tags-dialog .chip")].find((b) => b.innerText.includes("fragile")).click(), true)`, nil)
	m.Fill("#tags", "Eid")
	run(t, "order", "tag", "demo", ids[0], "--add", "urgent", "--remove", "gift", "--data", data)
	m.AllowProblem("status of 412")
	m.Press(browsertest.Enter)
	m.WaitVisible("#conflict")
	m.waitText("#conflict", "urgent")
	m.check("conflict-tags")
	if order := showOrder(t, data, ids[0]); strings.Join(slices.Sorted(slices.Values(order.Tags)), " ") != "fragile urgent" {
		t.Errorf("got the tags %q, want those of the other until the choice", order.Tags)
	}
	m.Click("#conflict .pri")
	m.Wait(`!document.querySelector("dialog[open]")`) // until then the dialog shows tags that are not saved
	m.waitText(".tags", "Eid")
	if order := showOrder(t, data, ids[0]); strings.Join(slices.Sorted(slices.Values(order.Tags)), " ") != "Eid urgent" {
		t.Errorf("got the tags %q, want the changes of both", order.Tags)
	}
	m.Click(".act .sq")
	m.WaitVisible("dialog .opt")
	m.Eval(`([...document.querySelectorAll("dialog .opt")].find((b) => b.innerText.includes("advance")).click(), true)`, nil)
	m.WaitVisible("#advance")
	m.Fill("#amount", "১০০")
	m.check("advance")
	m.Click("#advance .pri")
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
	m.show("orders?view=toConfirm", ".act.above .btn")
	var due int
	m.Eval(`fetch("/admin/v1/shops/demo/orders?view=toConfirm&limit=100").then((response) => response.json()).then((list) =>
		list.nodes.filter(({calls}) => calls.dueAt === null || Date.parse(calls.dueAt) <= Date.now()).length)`, &due)
	m.waitText(".act.above .btn", fmt.Sprint("Call ", due))
	m.Click(".act.above .btn")
	m.waitText("h1", fmt.Sprintf("Call 1 of %d · 1 later", due))
}

// placeAndEdit places an order from a pasted message and changes it while somebody else does.
func placeAndEdit(t *testing.T, m *merchant, data string) {
	m.show("new", "#text")
	m.Fill("#text", "3 pcs saree\n2 pcs pickle from home") // neither is certain
	m.Click("#parse")
	m.waitText("#wanted", "saree")
	m.waitText("#not-added", "saree")
	m.Click("#wanted .chip:first-of-type")
	m.WaitVisible("#products .opt:not(:disabled)")
	m.check("new-wanted")
	m.Click("#products .opt:not(:disabled)")
	m.Wait(`/^[3৩]$/.test(document.querySelector(".goods-line output")?.innerText) && !/saree/.test(document.querySelector("#wanted").innerText)`)
	m.Click(".top .mini") // clears the order
	m.Wait(`!document.querySelector(".goods-line")`)
	m.Fill("#text", "Rahima Khatun\n01712-000099\nHouse 12, Road 5, Mirpur, Dhaka\n2 pcs mango pickle")
	m.Click("#parse")
	m.WaitVisible(".goods-line")
	m.waitText(".act .total", "550")
	m.check("new-order")
	m.Click("#place")
	m.WaitVisible(".money")
	var id string
	m.Eval(`location.hash.split("/").pop()`, &id)
	m.show("edit/"+id, "#save")
	m.WaitVisible("[name=delivery][value=inside-dhaka]:checked")
	m.Fill("#city", "Khulna") // where the charge is another one
	m.waitText(".act .total", "610")
	m.Click("#save")
	m.waitText(".money", "610")
	m.show("edit/"+id, "#save")
	m.Fill("#line1", "House 99, Road 5")
	run(t, "order", "edit", "demo", id, "--name", "Rahima Begum", "--line1", "House 7, Lane 2", "--city", "Dhaka", "--data", data)
	m.AllowProblem("status of 412")
	m.Click("#save")
	m.WaitVisible("#conflict")
	m.check("conflict")
	m.Click("#conflict .pri")
	m.waitText(".buyer-card", "House 99")
	order := showOrder(t, data, id)
	if order.Status != "confirmed" || order.Customer.Name != "Rahima Begum" || order.ShippingAddress.Line1 != "House 99, Road 5" {
		t.Errorf("got %+v, want the name of one and the address of the other", order)
	}
}

// Every screen in both languages, light and dark, on a phone and on a desk.
func testScreens(t *testing.T, p *process, _ string) {
	id := placeOrders(t, p, 2)[0]
	for i, width := range some([]int{360, 1280}, 0, 1) {
		m := openDashboard(t, p, width)
		for j, language := range some([]string{"en", "bn"}, i, 2) {
			m.use(language, []string{"light", "dark"}[(i+j)%2])
			show := func(view, selector string) {
				if m.showMarked(view, selector); width == 360 {
					m.checkTargets(view)
				}
			}
			show("home", ".tiles")
			show("orders?view=toConfirm", "[data-order]")
			show("orders?view=problems", "[data-order]")
			show("orders?view=all&search=nothing-has-this", ".empty")
			m.showMarked("orders/"+id+"?view=toConfirm", ".money")
			show("order/"+id, ".money")
			m.Click(".act .sq")
			m.WaitVisible("dialog .opt")
			m.check("actions")
			m.Press(browsertest.Escape)
			show("call", ".outs")
			show("new", "#text")
			show("edit/"+id, "#save")
			show("returns", "#shipment")
			show("payments", ".payments .kv")
			m.Eval(`(location.hash = "#/demo/payments?status=all&method=gateway_b&search=nothing-has-this", true)`, nil)
			m.Wait(`document.querySelector(".empty .btn")`)
			m.Click(".empty .btn")
			m.Wait(`document.querySelector("#method").value === "" && document.querySelector(".payments a.reach")`)
			show("account", "#sign-out")
			show("nothing-here", ".empty")
		}
		if width == 360 {
			testLargeText(m, id)
			testPrintedScreen(m, id)
			testTrackingPage(m, p, id)
		}
	}
}

// With text of twice the size nothing is wider than a phone.
func testLargeText(m *merchant, order string) {
	m.t.Helper()
	m.Eval(`(document.documentElement.style.fontSize = "200%", true)`, nil)
	for _, one := range []string{
		"home .tiles", "orders?view=toConfirm [data-order]", "order/" + order + " .money", "call .outs", "new #text", "returns #shipment",
		"payments .payments .kv", "products [data-product]", "cash #enter", "settings/delivery .charge", "analytics h1", "team #invite-button",
	} {
		view, selector, _ := strings.Cut(one, " ")
		m.Eval(fmt.Sprintf(`(location.hash = "#/demo/%s", true)`, view), nil)
		m.AwaitEvents()
		m.Wait(fmt.Sprintf(`document.querySelector(%q) && !document.querySelector(".skeleton")`, selector))
		m.wantNarrow(view)
	}
	m.Eval(`(document.documentElement.style.fontSize = "", true)`, nil)
}

// wantNarrow fails the test for what is wider than the window, or than the open dialog, while
// the text is large.
func (m *merchant) wantNarrow(view string) {
	m.t.Helper()
	var wider string
	m.Eval(`(() => {
		const page = document.querySelector("dialog[open]") ?? document.documentElement, width = document.documentElement.clientWidth
		if (page.scrollWidth <= page.clientWidth) return ""
		return [...page.querySelectorAll("main *, dialog *")].filter((one) => one.getBoundingClientRect().right > width + 1 &&
			!one.closest(".views, .chips, .wrap, .photos")).map((one) => one.outerHTML.slice(0, 80)).join() || "something"
	})()`, &wider)
	if wider != "" {
		m.t.Errorf("%s%s: with large text, wider than the window: %s", m.shots, view, wider)
	}
}

// The page on which buyers see where their order is fits the smallest phones, in Bangla and dark.
func testTrackingPage(m *merchant, p *process, order string) {
	m.t.Helper()
	m.Resize(320, 760)
	m.SetMediaFeature("prefers-color-scheme", "dark")
	m.SetLanguage("bn")
	m.Go(p.url + "/t/demo/" + order)
	m.Wait(`document.documentElement.lang === "bn" && document.querySelector("h1")`)
	m.check("tracking-320-dark")
}

// A screen that is printed has its content without the frame and its buttons.
func testPrintedScreen(m *merchant, order string) {
	m.t.Helper()
	m.show("order/"+order, ".money")
	m.SetMedia("print")
	var shown string
	m.Eval(`[...document.querySelectorAll(".tabs-b, .side, .act, .top .ib, .toasts, .skip, h1, .money")].filter((one) => one.checkVisibility())
		.map((one) => one.matches(".money") ? "money" : one.matches("h1") ? "h1" : one.outerHTML.slice(0, 80)).join()`, &shown)
	if m.SetMedia(""); shown != "h1,money" {
		m.t.Errorf("got %s in print, want the order alone", shown)
	}
}

// checkTargets fails the test for what a thumb misses, in a dialog if one is open: less than 44 px
// of it can be tapped. Links within a sentence are as high as its lines.
func (m *merchant) checkTargets(view string) {
	m.t.Helper()
	var small []string
	m.Eval(`[...(document.querySelector("dialog[open]") ?? document).querySelectorAll("a[href], button, input, select, textarea, summary")]
		.filter((one) => {
		const isShown = one.checkVisibility({visibilityProperty: true}) && !one.matches(".vh, .vh *, .skip, :disabled")
		if (!isShown || getComputedStyle(one).display === "inline") return false
		one.scrollIntoView({block: "center", behavior: "instant"})
		const target = /^(checkbox|radio)$/.test(one.type) && one.labels[0] || one
		const {left, right, top, bottom} = target.getBoundingClientRect(), x = (left + right) / 2, y = (top + bottom) / 2
		const isHit = ([dx, dy]) => {
			const hit = document.elementFromPoint(x + dx, y + dy)
			return hit && (one.contains(hit) || [...one.labels ?? []].some((label) => label.contains(hit)))
		}
		return right > left && bottom > top && ![[0, -21], [0, 21], [-21, 0], [21, 0]].every(isHit)
	}).map((one) => one.outerHTML.slice(0, 120))`, &small)
	for _, one := range small {
		m.t.Errorf("%s%s: less than 44 px of it can be tapped: %s", m.shots, view, one)
	}
}

// Every third response is lost: nothing is confirmed or booked twice, and nothing is left undone.
// While responses are lost for too long, a form stays open with what was typed. What is sent again
// without a change is recorded once.
func testLostResponse(t *testing.T, m *merchant, data, id string) {
	m.show("order/"+id, ".money")
	m.Eval(`(() => {
		const real = fetch, now = performance.now.bind(performance)
		let passed = 0
		performance.now = () => now() + passed
		window.lost = true
		window.sent = []
		window.fetch = async (url, init) => {
			const isForm = /\/(advances|notes)$/.test(url)
			if (isForm) window.sent.push(init.headers["Idempotency-Key"])
			const response = await real(url, init)
			if (!isForm || !window.lost) return response
			passed += 200_000 // milliseconds: longer than a change is repeated
			throw new TypeError("the response is lost")
		}
		window.restore = () => { window.fetch = real; performance.now = now; return true }
		return true
	})()`, nil)
	m.Fill("#text", "Wants a gift box")
	m.Press(browsertest.Enter)
	m.waitText("form:has(#text) [role=alert]", "could not be reached")
	m.Click(".act .sq")
	m.WaitVisible("dialog .opt")
	m.Eval(`([...document.querySelectorAll("dialog .opt")].find((b) => b.innerText.includes("advance")).click(), true)`, nil)
	m.WaitVisible("#advance")
	m.Fill("#amount", "1oo")
	m.Click("#advance .pri")
	m.waitText("#amount-error", "is not an amount") // and nothing is sent
	m.Fill("#amount", "100")
	m.Click("#advance .pri")
	m.waitText("#advance [role=alert]", "could not be reached")
	m.check("advance-lost")
	m.Eval(`(window.lost = false, true)`, nil)
	m.Click("#advance .pri")
	m.Wait(`!document.querySelector("#advance")`)
	m.Click("form:has(#text) button")
	m.Wait(`document.querySelector("#text").value === ""`)
	var sent []string
	m.Eval(`window.sent`, &sent)
	if len(sent) != 4 || sent[0] != sent[3] || sent[1] != sent[2] || sent[0] == sent[1] {
		t.Errorf("got the keys %q, want that of the note, twice that of the advance, and that of the note again", sent)
	}
	if order := showOrder(t, data, id); order.CashToCollect.Amount != order.Total.Amount-10000 || len(order.Notes) != 1 {
		t.Errorf("got %+v, want one advance of 100 and one note", order)
	}
	m.Eval(`window.restore()`, nil)
}

func testWeakNetwork(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 1280)
	ids := placeOrders(t, p, 2)
	testLostResponse(t, m, data, ids[1])
	id := ids[0]
	m.show("order/"+id, ".money")
	var bundled bool // into one module, in which what repeats is not reached
	if m.Eval(`!document.querySelector('link[rel=modulepreload][href$="/js/api.js"]')`, &bundled); !bundled {
		testRepeated(t, m)
	}
	m.Eval(`(() => {
		const real = fetch
		let n = 0
		window.keys = {}
		window.fetch = async (url, init) => {
			const key = init.headers["Idempotency-Key"]
			const attempt = key ? (window.keys[url] ??= []).push(key) : 0
			const response = await real(url, init)
			if (attempt === 1 || !key && ++n % 3 === 1) throw new TypeError("the response is lost")
			return attempt === 2 ? Response.json({}, {status: 503}) : response
		}
		return true
	})()`, nil)
	m.Click(".act .pri") // confirm
	m.waitText(".now", "book a courier")
	m.Click(".act .pri")
	m.WaitVisible("dialog form .pri")
	m.check("book-one")
	m.Eval(`(() => { // what is sent for longer can be stopped in the dialog that waits for it
		const see = () => {
			const stop = document.querySelector("dialog .toast button")
			if (!stop) return
			const {left, right, top, bottom} = stop.getBoundingClientRect()
			window.stoppable ||= stop.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
		}
		new MutationObserver(see).observe(document.body, {subtree: true, childList: true})
		return true
	})()`, nil)
	m.Click("dialog form .pri")
	m.Wait(`window.stoppable`)
	m.waitText(".now", "hand it to the courier")
	if order := showOrder(t, data, id); len(order.Shipments) != 1 {
		t.Errorf("got %+v, want one shipment", order)
	}
	// Each change is repeated with its key, although the order may be known to be changed before.
	m.Wait(`Object.values(window.keys).length === 2 && Object.values(window.keys).every((all) => all.length >= 3)`)
	var attempts [][2]int
	m.Eval(`Object.values(window.keys).map((all) => [all.length, new Set(all).size])`, &attempts)
	if fmt.Sprint(attempts) != "[[3 1] [3 1]]" {
		t.Errorf("got attempts and their keys %v, want three of each change with one key", attempts)
	}
	m.Eval(`(window.fetch = () => Promise.reject(new TypeError("offline")), location.hash = "#/demo/payments", true)`, nil)
	m.waitText(".ban", "Offline since")
	m.Wait(`document.querySelector(".empty .btn")`)
	m.check("offline")
}

// testRepeated sends a change that no response comes to, on a clock of its own: it is repeated with
// its key for two minutes, and then fails.
func testRepeated(t *testing.T, m *merchant) {
	t.Helper()
	var sent struct {
		At   []int
		Keys int
		Code string
	}
	m.Eval(`(async () => {
		const real = {fetch, setTimeout, now: performance.now}
		const {act} = await import(document.querySelector('link[rel=modulepreload][href$="/js/api.js"]').href)
		let now = 0
		const at = [], keys = new Set()
		performance.now = () => now
		window.setTimeout = (run, delay, ...rest) => {
			if (![500, 1000, 2000, 4000, 8000, 15000].includes(delay)) return real.setTimeout.call(window, run, delay, ...rest)
			now += delay
			return real.setTimeout.call(window, run, 0)
		}
		window.fetch = (url, init) => {
			if (!String(url).endsWith("/never")) return real.fetch(url, init)
			at.push(now)
			keys.add(init.headers["Idempotency-Key"])
			const status = [0, 502, 503, 504][at.length % 4]
			return status ? Promise.resolve(Response.json({}, {status})) : Promise.reject(new TypeError("no network"))
		}
		try {
			return {code: await act("never", {}, {label: null}).catch((problem) => problem.code), at, keys: keys.size}
		} finally {
			window.fetch = real.fetch
			window.setTimeout = real.setTimeout
			performance.now = real.now
		}
	})()`, &sent)
	want := []int{0, 500, 1500, 3500, 7500, 15500, 30500, 45500, 60500, 75500, 90500, 105500}
	if !slices.Equal(sent.At, want) || sent.Keys != 1 || sent.Code == "" {
		t.Errorf("got %+v, want attempts after %v ms with one key, and then a problem", sent, want)
	}
}

// A session that has ended requires the password, in a dialog over the page: the form is still
// there, and is sent.
func testSessionEnds(t *testing.T, p *process, data string) {
	run(t, "staff", "invite", "demo", "--role", "staff", "--name", "Rina", "--email", "rina@example.com", "--data", data)
	var link struct{ Link struct{ URL string } }
	if err := json.Unmarshal([]byte(run(t, "staff", "reset", "demo", "rina@example.com", "--json", "--data", data)), &link); err != nil {
		t.Fatal(err)
	}
	m := &merchant{newBuyer(t, p, 360)}
	m.shots = "dashboard-session-"
	m.AllowProblem("status of 401")
	_, fragment, _ := strings.Cut(link.Link.URL, "#")
	m.Go(p.url + "/admin/#" + fragment)
	m.Fill("#password", "kolapata-7-nodi")
	m.Click("form .pri")
	m.WaitVisible(".tiles")
	product, _ := p.product("demo", "mango-pickle")
	m.show("product/"+product, "#title")
	var costs int
	if m.Eval(`document.querySelectorAll("[name=cost], #cost").length`, &costs); costs != 0 {
		t.Error("a staff member sees what a product costs the shop")
	}
	id := placeOrders(t, p, 1)[0]
	m.show("order/"+id, ".money")
	m.Click(".act .sq")
	m.Click(".opt.t-bad")
	m.Fill("#reason", "The buyer changed their mind")
	run(t, "staff", "sign-out", "demo", "rina@example.com", "--data", data)
	m.Click("dialog form .bad")
	m.WaitVisible("#again #password")
	m.check("ended")
	m.Fill("#again #password", "kolapata-7-nodi")
	m.Click("#again .pri")
	m.waitText(".money", "Cancelled")
	if got := run(t, "audit", "demo", "--json", "--data", data); !strings.Contains(got, "The buyer changed their mind") {
		t.Errorf("the reason that was entered before is lost:\n%s", got)
	}
	testSignOut(t, m, id)
}

// The history of every order that needs somebody is shown, also if a courier or a
// gateway has caused its entries.
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
		m.Wait(fmt.Sprintf(`document.querySelector("h1")?.textContent === %q && document.querySelectorAll(".tl li[data-cause]").length === %d`,
			number, len(caused)))
		for _, cause := range caused {
			causes[cause] = true
		}
	}
	if !causes["gateway_b"] {
		t.Errorf("got histories caused by %v, want one by a gateway", causes)
	}
}

// An order that is not paid yet shows what has become of its payment, and how to remind its buyer;
// it is not the next thing to cancel it.
func testUnpaid(t *testing.T, m *merchant, p *process) {
	product, _ := p.product("demo", "mango-pickle")
	order := orderOf(product, 1)
	order["paymentMethod"] = "gateway_a"
	id := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order}).text("_id")
	m.show("order/"+id, ".act")
	m.Wait(`document.querySelector(".act .btn.big")?.href.startsWith("https://wa.me/") &&
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
	m.Click("form .pri")
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

// Everything works by keyboard.
func testKeyboard(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 1280)
	id := placeOrders(t, p, 4)[3]
	m.Press("go")
	m.Wait(`location.hash.startsWith("#/demo/orders") && document.querySelector("[data-order]")`)
	m.Wait(`/^\(\d+\) /.test(document.title)`) // how many orders wait
	m.waitOrders([]string{id})
	m.Press("jx")
	m.Wait(`document.querySelectorAll("tbody :checked").length === 1`)
	m.check("selected")
	m.Press(browsertest.Escape)
	m.Wait(`document.querySelectorAll("tbody :checked").length === 0`)
	m.Press(browsertest.Enter)
	m.Wait(fmt.Sprintf(`location.hash.includes(%q) && document.querySelector(".pane .money")`, id))
	m.check("pane")
	// What another person changes is shown without a request by this one.
	run(t, "order", "edit", "demo", id, "--name", "Sumaiya Akter", "--data", data)
	m.waitText(".pane .buyer-card", "Sumaiya Akter")
	m.Press("c")
	m.waitText(".pane .now", "book a courier")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector(".pane")`)
	m.Press("?")
	m.WaitVisible("dialog .keys")
	m.check("keys")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.Press("/")
	m.WaitVisible("#command")
	m.Fill("#command", "Problems") // a list of orders
	m.Press(browsertest.Enter)
	m.Wait(`location.hash.endsWith("view=problems") && !document.querySelector("dialog[open]")`)
	m.Press("/")
	m.WaitVisible("#command")
	m.Fill("#command", "Payments")
	m.check("palette")
	m.Press(browsertest.Enter)
	m.Wait(`location.hash === "#/demo/payments" && !document.querySelector("dialog[open]")`)
	m.Wait(`document.activeElement.matches("h1")`)
	m.Back()
	m.Wait(`location.hash.endsWith("view=problems") && document.querySelector("[data-order]")`)
	m.show("customers", "#customers a")
	m.Press("jj")
	m.Wait(`document.activeElement === document.querySelectorAll("#customers a")[1]`)
	m.Press("k")
	m.Wait(`document.activeElement === document.querySelectorAll("#customers a")[0]`)
	testShortcuts(t, m)
}

// keys presses keys in one moment: those of a pair must follow each other within a second and a
// half, however busy the machine is.
func (m *merchant) keys(keys ...string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`%q.split(" ").every((key) => !document.body.dispatchEvent(new KeyboardEvent("keydown",
		{key, shiftKey: /^[A-Z]$/.test(key), bubbles: true, cancelable: true})) || true)`, strings.Join(keys, " ")), nil)
	m.AwaitEvents()
}

// Each screen has its pair of keys, a list its range, and single keys can be turned off.
func testShortcuts(t *testing.T, m *merchant) {
	for _, pair := range []string{"h home", "p products", "s stock", "c cash", "a analytics", "t team", "o orders"} {
		key, view, _ := strings.Cut(pair, " ")
		m.keys("g", key)
		m.Wait(fmt.Sprintf(`location.hash.startsWith("#/demo/%s") && document.querySelector("#main h1")`, view))
	}
	checked := func(n int) { m.Wait(fmt.Sprintf(`document.querySelectorAll("tbody :checked").length === %d`, n)) }
	m.Wait(`document.querySelectorAll("[data-order]").length > 2`)
	m.keys("j", "x")
	checked(1)
	m.keys("j", "j")
	m.keys("X") // Shift x: up to here
	checked(3)
	m.keys("k")
	m.keys("x")
	checked(2)
	m.keys("p") // all that are selected
	m.waitText("#print h2", "Print 2 orders")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.keys("c")
	m.waitJob("2 done")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	checked(0)
	m.show("orders?view=toPack", "[data-order]")
	m.keys("j", "x")
	m.keys("j", "x")
	checked(2)
	m.keys("b")
	m.waitText("h1", "Book 2 shipments")
	m.show("orders?view=toConfirm", "[data-order]")
	m.keys("j", "x")
	checked(1)
	m.keys("Escape")
	checked(0)
	m.keys("n")
	m.Wait(`location.hash === "#/demo/new" && document.querySelector("#text")`)
	m.show("account", "[name=keys]")
	m.Click("[name=keys][value=off]")
	m.Wait(`document.querySelector("[name=keys][value=off]").checked`)
	m.keys("g", "h") // is handled at once, if it is
	m.keys("n")
	var at string
	if m.Eval(`location.hash`, &at); at != "#/demo/account" {
		t.Errorf("with single keys turned off they lead to %s", at)
	}
	m.Eval(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true}))`, nil)
	m.WaitVisible("#command")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.Click("[name=keys]:not([value=off])")
	m.keys("g", "h")
	m.Wait(`location.hash === "#/demo/home"`)
	// Who prefers reduced motion sees none.
	m.SetMediaFeature("prefers-reduced-motion", "reduce")
	m.keys("?")
	var moving int
	m.Eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.getAnimations().length))))`, &moving)
	if m.WaitVisible("dialog .keys"); moving != 0 {
		t.Errorf("got %d animations of a dialog that opens, want none", moving)
	}
}
