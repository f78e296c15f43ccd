package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"storefront/e2e/browsertest"
)

// What staff know of a buyer is recorded from an order, and an order by phone has prices, a charge
// and a payment of its own.
func testBuyerAndPrices(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	id, _ := p.product("demo", "mango-pickle")
	order := orderOf(id, 1)
	order["customer"] = map[string]any{"name": "Farid Hossain", "phoneNumber": "01715-000042"}
	uid := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order}).text("_id")
	m.show("order/"+uid, ".money")
	m.Click("#contact-button")
	m.WaitVisible("#contact #note")
	m.Fill("#contact #note", "Calls <b>back</b> in the evening")
	m.Click("[name=blocked][value=cash]")
	m.WaitVisible("#blockedReason")
	m.Fill("#blockedReason", "Refused two parcels")
	m.check("contact")
	m.Click("#contact .bad")
	m.waitText(".order", "No cash on delivery")
	m.waitText(".order", "Calls <b>back</b> in the evening")
	m.check("order-blocked")
	var contact struct{ Note, Blocked, BlockedReason string }
	text := run(t, "api", "demo", "getContact", "--phone", "01715000042", "--json", "--data", data)
	if err := json.Unmarshal([]byte(text), &contact); err != nil {
		t.Fatal(err)
	}
	if contact.Note != "Calls <b>back</b> in the evening" || contact.Blocked != "cash" || contact.BlockedReason != "Refused two parcels" {
		t.Errorf("got %s, want the note and the block", text)
	}

	// An incomplete number is not looked up: the API would respond with an error.
	m.show("new", "#text")
	m.Fill("#phoneNumber", "01715-000")
	m.Fill("#name", "Salma Begum")
	m.Fill("#line1", "House 8, Road 2, Uttara")
	m.Fill("#city", "Dhaka")
	m.Fill("#product", "mango pickle")
	m.WaitVisible("#products .option")
	m.Click("#products .option")
	m.Fill("#phoneNumber", "01715-000043")
	m.WaitVisible(".goods-line .price input")
	m.Fill(".goods-line .price input", "২০০")
	m.Fill("#deliveryCharge", "50")
	m.waitText(".action-bar .total", "250")
	m.check("new-order-prices")
	// A typing error is no price of 0.
	m.Fill("#deliveryCharge", "6O")
	m.waitText(".action-bar [role=status]", "“6O” is not an amount")
	m.Click("#place")
	m.Wait(`document.activeElement.id === "deliveryCharge" && document.querySelector("#deliveryCharge-error")`)
	m.check("new-order-wrong-amount")
	m.Fill("#deliveryCharge", "50")
	m.Fill(".goods-line .price input", "2 0o")
	m.Click("#place")
	m.Wait(`document.activeElement.matches(".goods-line [aria-invalid]") && location.hash.endsWith("/new")`)
	m.Fill(".goods-line .price input", "200")
	m.waitText(".action-bar .total", "250")
	var outside string
	m.Eval(`fetch("/admin/v1/shops/demo/settings").then((r) => r.json()).then((set) =>
		set.deliveryCharges.find((one) => one.name.includes("Outside"))._id)`, &outside)
	m.Click("[name=paymentMethod][value=gateway_a]")
	m.WaitVisible("#sendLink")
	m.check("new-order-online")
	m.Click("[name=paymentMethod][value=cod]")
	// It is placed, but the response is lost, and the page is loaded again.
	m.Eval(`(() => {
		const real = fetch, now = performance.now.bind(performance)
		let passed = 0
		performance.now = () => now() + passed
		window.fetch = async (url, init) => {
			const response = await real(url, init)
			if (init.method !== "POST" || !/\/orders$/.test(url)) return response
			passed = 200_000 // milliseconds: longer than a change is repeated
			throw new TypeError("the response is lost")
		}
		return true
	})()`, nil)
	m.Click("#place")
	m.waitText("main [role=alert]", "could not be reached")
	m.Reload()
	m.Wait(`window.fetch.toString().includes("native") && document.querySelector(".goods-line")`)
	m.waitText(".action-bar .total", "250")
	m.Click("#place")
	m.WaitVisible(".money")
	var count int
	m.Eval(`fetch("/admin/v1/shops/demo/orders?view=all&search=01715000043&limit=1").then((r) => r.json()).then((list) => list.meta.totalCount)`, &count)
	if count != 1 {
		t.Errorf("got %d orders, want the one that was placed before", count)
	}
	var placed string
	m.Eval(`location.hash.split("/").pop()`, &placed)
	if order := showOrder(t, data, placed); order.Total.Amount != 25000 || order.Status != "confirmed" {
		t.Errorf("got %+v, want 200 for the goods and 50 for the delivery", order)
	}
	// The delivery charge is shown by its name where both versions stand.
	m.show("edit/"+placed, "#save")
	m.Wait(`document.querySelector("#phoneNumber").value === "01715000043"`) // as it is typed, not as it is stored
	m.Fill("#deliveryCharge", "6O")
	m.Click("#save")
	m.Wait(`document.activeElement.id === "deliveryCharge" && document.querySelector("#deliveryCharge-error")`)
	m.Fill("#deliveryCharge", "60")
	run(t, "api", "demo", "updateOrder", "--order-id", placed, "--customer", `{"name":"Salma Khatun"}`,
		"--shipping-address", `{"line1":"House 8","city":"Bogura"}`, "--delivery-charge-id", outside, "--data", data)
	m.AllowProblem("status of 412")
	m.Click("#save")
	m.WaitVisible("#conflict")
	m.check("conflict-delivery")
	m.waitText("#conflict", "Outside Dhaka")
	m.Press(browsertest.Escape)
}

// While a courier has the recipient of before, a banner stands above the buyer, until the label
// is printed again and somebody states that the courier knows.
func testOldAddress(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	id := placeOrders(t, p, 1)[0]
	run(t, "order", "confirm", "demo", id, "--data", data)
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s/shipments", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({provider: "courier_b", consignmentId: "OLD-1"})}).then((response) => response.ok)`, id), nil)
	m.show("order/"+id, ".money")
	m.waitText(".action-bar .primary", "Print the label") // the next step of a booked shipment
	m.show("edit/"+id, "#save")
	m.Fill("#line1", "House 22, Road 9")
	m.Click("#save")
	m.waitText(".toast", "has the old address")
	m.show("order/"+id, "#old-address")
	m.waitText("#old-address", "Steadfast has the old address")
	m.waitText(".buyer-card", "House 22, Road 9")
	m.check("old-address")
	m.Click("#old-address .button")
	m.Click("#print form .primary")
	m.waitText("#old-address", "Label printed again")
	m.Click("#courier-knows")
	m.Wait(`document.querySelector(".money") && !document.querySelector("#old-address")`)
	var flags int
	if m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((r) => r.json()).then((order) => order.flags.length)`, id), &flags); flags != 0 {
		t.Errorf("got %d flags of the order, want none", flags)
	}
}

// An order of which the courier has delivered a part is completed with what came back, once, also
// if the response is lost.
func testPartial(t *testing.T, p *process, _ string) {
	m := openDashboard(t, p, 360)
	var order struct{ ID, Variant string }
	m.Eval(`fetch("/admin/v1/shops/demo/orders?view=all&fulfillmentStatus=partially_delivered&limit=1").then((r) => r.json())
		.then((list) => fetch("/admin/v1/shops/demo/orders/" + list.nodes[0]._id)).then((r) => r.json())
		.then((order) => ({ID: order._id, Variant: order.items[0].variantId}))`, &order)
	m.show("order/"+order.ID, ".money")
	m.waitText(".now", "Record what came back")
	m.Click(".action-bar .primary")
	m.WaitVisible("#came-back")
	m.Wait(`document.querySelector("#came-back-of .primary").disabled`) // nothing came back yet
	m.check("partial")
	m.Click("#came-back .row .icon-button:last-child") // of the first item
	m.waitText("#came-back output", "1")
	m.Eval(`(() => {
		const real = fetch
		const lost = new Set()
		window.fetch = async (url, init) => {
			const response = await real(url, init)
			if (!/\/deliver$/.test(url) || lost.has(url)) return response
			lost.add(url)
			throw new TypeError("the response is lost")
		}
		return true
	})()`, nil)
	m.Click("#came-back-of .primary")
	m.waitText(".money", "Completed")
	m.Wait(`!document.querySelector("dialog[open]")`)
	moved := func(want int) {
		t.Helper()
		var sum int
		m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/stock/%s/history?limit=100").then((r) => r.json()).then(({movements}) => movements.nodes
			.filter((one) => one.reason === "return" && one.invoiceUid === %q).reduce((all, one) => all + one.delta, 0))`, order.Variant, order.ID), &sum)
		if sum != want {
			t.Errorf("got %d units of the order back in stock, want %d", sum, want)
		}
	}
	moved(1)
	m.waitText(".order", "Back in stock: 1")
	m.Click(".action-bar .icon-button, .action-bar .square") // it was a mistake
	m.waitText(".options", "Record what came back")
	m.Eval(`[...document.querySelectorAll(".options .option")].find((one) => one.textContent.includes("came back")).click()`, nil)
	m.waitText("#came-back output", "1")
	m.Click("#came-back .row .icon-button:first-child")
	m.waitText("#came-back output", "0")
	m.Click("#came-back-of .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	moved(0)
}

// An order by phone is placed and booked in one go: its shipment waits to be booked with the others
// that are chosen.
func testPlaceAndBook(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.show("new", "#text")
	m.Fill("#phoneNumber", "01715-000044")
	m.Fill("#name", "Salma Begum")
	m.Fill("#line1", "House 8, Road 2, Dhanmondi")
	m.Fill("#city", "Dhaka")
	m.Fill("#product", "mango pickle")
	m.WaitVisible("#products .option")
	m.Click("#products .option")
	m.WaitVisible(".goods-line")
	m.Click(".action-bar .square:not(:disabled)")
	m.waitText("dialog .options", "Place and book")
	m.check("other-ways")
	m.Click("dialog .options li:first-child .option")
	m.Wait(`/#\/demo\/book\?id=/.test(location.hash)`)
	m.WaitVisible("#book:not(:disabled)")
	var id string
	m.Eval(`new URLSearchParams(location.hash.split("?")[1]).get("id")`, &id)
	m.Click("#book:not(:disabled)")
	m.waitJob("1 done")
	order := showOrder(t, data, id)
	if order.Status != "processing" || len(order.Shipments) != 1 {
		t.Errorf("got %+v, want a booked order", order)
	}
}
