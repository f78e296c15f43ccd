package e2e

import (
	"encoding/json"
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
	m.Fill("#contact #note", "Calls back in the evening")
	m.Click("[name=blocked][value=cash]")
	m.WaitVisible("#blockedReason")
	m.Fill("#blockedReason", "Refused two parcels")
	m.check("contact")
	m.Click("#contact .bad")
	m.waitText(".order", "No cash on delivery")
	m.waitText(".order", "Calls back in the evening")
	m.check("order-blocked")
	var contact struct{ Note, Blocked, BlockedReason string }
	text := run(t, "customer", "contact", "demo", "01715000042", "--json", "--data", data)
	if err := json.Unmarshal([]byte(text), &contact); err != nil {
		t.Fatal(err)
	}
	if contact.Note != "Calls back in the evening" || contact.Blocked != "cash" || contact.BlockedReason != "Refused two parcels" {
		t.Errorf("got %s, want the note and the block", text)
	}

	// An incomplete number is not looked up: the API would respond with an error.
	m.show("new", "#text")
	m.Fill("#phoneNumber", "01715-000")
	m.Fill("#name", "Salma Begum")
	m.Fill("#line1", "House 8, Road 2, Uttara")
	m.Fill("#city", "Dhaka")
	m.Fill("#product", "mango pickle")
	m.WaitVisible("#products .opt")
	m.Click("#products .opt")
	m.Fill("#phoneNumber", "01715-000043")
	m.WaitVisible(".goods-line .price input")
	m.Fill(".goods-line .price input", "২০০")
	m.Fill("#deliveryCharge", "50")
	m.waitText(".act .total", "250")
	m.check("new-order-prices")
	var outside string
	m.Eval(`fetch("/admin/v1/shops/demo/settings").then((r) => r.json()).then((set) =>
		set.deliveryCharges.find((one) => one.name.includes("Outside"))._id)`, &outside)
	m.Click("[name=paymentMethod][value=gateway_a]")
	m.WaitVisible("#sendLink")
	m.check("new-order-online")
	m.Click("[name=paymentMethod][value=cod]")
	m.Click("#place")
	m.WaitVisible(".money")
	var placed string
	m.Eval(`location.hash.split("/").pop()`, &placed)
	if order := showOrder(t, data, placed); order.Total.Amount != 25000 || order.Status != "confirmed" {
		t.Errorf("got %+v, want 200 for the goods and 50 for the delivery", order)
	}
	// The delivery charge is shown by its name where both versions stand.
	m.show("edit/"+placed, "#save")
	m.Wait(`document.querySelector("#phoneNumber").value === "01715000043"`) // as it is typed, not as it is stored
	m.Fill("#deliveryCharge", "60")
	run(t, "order", "edit", "demo", placed, "--name", "Salma Khatun", "--line1", "House 8", "--city", "Bogura",
		"--delivery", outside, "--data", data)
	m.AllowProblem("status of 412")
	m.Click("#save")
	m.WaitVisible("#conflict")
	m.check("conflict-delivery")
	m.waitText("#conflict", "Outside Dhaka")
	m.Press(browsertest.Escape)
}
