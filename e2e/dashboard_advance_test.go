package e2e

import (
	"fmt"
	"testing"
)

// A merchant sets the advance and a wallet. A buyer sees both before and after ordering, and
// reports a payment; the merchant refuses it with a reason, and confirms the next one.
func TestDashboard_Advance(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--rate", "0", "--data", demoData(t))
	m := openDashboard(t, p, 360)
	m.show("wallets", ".empty")
	m.show("settings/shop", "#set-shop .edit, #set-shop .save")
	m.Click("#courierRecords")
	m.check("settings-courier-records")
	m.Click("#set-shop .save")
	m.Wait(`!document.querySelector("#set-shop .save:not(:disabled)")`)
	m.show("settings/advance", "#add-rule")
	m.Click("#add-rule")
	m.set(`[id="advance.rules[0].share"]`, "percent")
	m.WaitVisible(`[name="advance.rules[0].percent"]`)
	m.Fill(`[name="advance.rules[0].percent"]`, "১০১")
	m.Click("#add-wallet")
	m.Fill(`[name="advance.wallets[0].number"]`, "01888-000000")
	m.Click("#add-wallet")
	m.Fill(`[name="advance.wallets[1].number"]`, "01711-000000")
	m.Click("#set-advance .charge:has([name='advance.wallets[0].number']) legend button")
	var numbers string // what was typed for the first one is gone with it
	m.Eval(`[...document.querySelectorAll("[name$=number]")].map((one) => one.value).join()`, &numbers)
	if numbers != "01711-000000" {
		t.Fatalf("got the numbers %q, want the one that is left", numbers)
	}
	m.Click("#set-advance .save")
	m.Wait(`document.activeElement.name === "advance.rules[0].percent" && document.querySelector("#set-advance .error")`)
	m.Fill(`[name="advance.rules[0].percent"]`, "২০")
	m.check("settings-advance")
	m.Click("#set-advance .save")
	m.Wait(`!document.querySelector("#set-advance .save:not(:disabled)")`)

	buyer, _ := newVisitor(t, p, 360, "light")
	buyer.Go(p.url + "/products/mango-pickle")
	buyer.Eval(`fetch("/cart", {method: "POST", body: new URLSearchParams({product: "mango-pickle"})})
		.then((r) => r.ok)`, nil)
	buyer.Go(p.url + "/checkout")
	fillCheckout(buyer)
	buyer.Eval(`document.querySelector("#city").dispatchEvent(new Event("change", {bubbles: true}))`, nil)
	buyer.WaitVisible("[data-advance]")
	checkVisited(buyer, "checkout-advance")
	waitTotal(buyer)
	buyer.Click("[data-place]")
	report := func(transaction string) {
		t.Helper()
		buyer.WaitVisible("#advance [name=transaction]")
		buyer.Fill("#advance [name=sender]", "01811-000000")
		buyer.Fill("#advance [name=transaction]", transaction)
		buyer.Click("#advance .full")
		buyer.Wait(fmt.Sprintf(`document.querySelector("#advance")?.textContent.includes(%q)`, transaction))
	}
	buyer.WaitVisible("#advance .number")
	checkVisited(buyer, "order-advance")
	var shown string // each gateway is offered
	buyer.Eval("location.href", &shown)
	buyer.WaitVisible(".pay [value=gateway_a]")
	buyer.Click(".pay [value=gateway_b]")
	buyer.Wait(`document.querySelector("[value=pay]") && location.href.includes("gateway_b")`)
	buyer.Go(shown)
	report("8N7A6D5E4F")
	checkVisited(buyer, "order-advance-reported")

	m.show("wallets", ".payments .actions")
	m.waitText("#wallet-totals", "01711-000000")
	m.Click(".payments .actions .button:not(.primary)")
	m.WaitVisible("dialog form .primary")
	m.check("wallets-refuse")
	m.Click("dialog form .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	buyer.Reload()
	buyer.Wait(`document.querySelector("#advance").textContent.includes("We did not find this transaction.")`)
	report("9N7A6D5E4F")
	m.show("wallets?status=waiting", ".payments .actions")
	var order string
	m.Eval(`document.querySelector(".payments a.reach").hash.split("/").pop()`, &order)
	m.show("order/"+order, "#open-advance")
	m.show("wallets?status=waiting", ".payments .actions")
	m.Click(".payments .actions .primary")
	m.WaitVisible(".empty")
	buyer.Reload()
	buyer.Wait(`document.querySelector("#advance h2").textContent.includes("Received in advance")`)
	m.show("order/"+order, "#hand-over")
	m.waitText(".buyer-card .signals", "Steadfast does not know the buyer")
}
