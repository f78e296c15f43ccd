package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// What came back of an order and what was refunded of it is on its screen, and the same part is
// refunded twice only if that is confirmed.
func testMoney(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.use("bn", "dark")
	id := m.placePickles(t, p, 3)
	run(t, "order", "confirm", "demo", id, "--data", data)
	run(t, "order", "deliver", "demo", id, "--data", data)
	m.show("order/"+id, ".money")
	m.waitText(".money", "আদায় হয়েছে")
	m.recordDamaged(id)
	m.removeNotAccepted()
	m.openMore("কী ফিরেছে")
	m.WaitVisible("#came-back")
	m.Wait(`document.querySelector("#came-back-of .primary").disabled`) // nothing came back yet
	m.check("money-back")
	m.Click("#came-back .row .icon-button:last-child")
	m.waitText("#came-back output", "১")
	m.Click("#came-back-of .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.waitText(".order", "নেননি")
	m.Eval(`document.querySelector(".grand-total").scrollIntoView({block: "center"})`, nil)
	m.check("money-in-part")

	refund := func(again bool) {
		t.Helper()
		m.openMore("আংশিক টাকা ফেরত")
		m.WaitVisible("#refund .primary")
		m.Fill("#refund #amount", "৫০")
		m.Click("#refund .primary")
		if again {
			m.waitText("#refund", "একই টাকা")
			m.check("money-again")
			m.Click("#refund .primary")
		}
		m.Wait(`!document.querySelector("dialog[open]")`)
	}
	refund(false)
	m.AllowProblem("status of 409")
	refund(true)
	m.waitText(".money", "৳১০০")
	m.openMore("আংশিক টাকা ফেরত")
	m.WaitVisible("#refund .stepper")
	m.Click("#refund .stepper .icon-button:last-child")
	m.waitText("#refund .stepper output", "১")
	m.check("money-refund")
	m.Eval(`document.querySelector("#refund .primary").scrollIntoView({block: "end"})`, nil)
	m.check("money-refund-end")
	m.Click("#refund input[name=restock]")
	m.Click("#refund .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	var sums string
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((r) => r.json()).then((order) =>
		[order.total.amount - order.returnedAmount.amount - order.paid.amount + order.refunded.amount - order.due.amount,
			order.due.amount, order.credits.map((one) => one.reason + one.quantity + one.restocked).join("+"),
			order.paymentStatus].join())`, id), &sums)
	if want := "0,0,not_accepted11+damaged00+damaged00+damaged11,partially_refunded"; sums != want {
		t.Errorf("got %s, want %s", sums, want)
	}
	m.check("money-refunded")
	m.AllowProblem("status of 409")
	m.Eval(`[...document.querySelectorAll(".facts dt button")].at(-1).click()`, nil)
	m.WaitVisible("#remove-credit .bad")
	m.Click("#remove-credit .bad")
	m.waitText("#remove-credit .banner", "তুলে নেওয়া যাবে না")
	m.check("money-credit-refunded")
	m.Press("Escape")
	m.waitText("#earned", "আয়")
	m.Eval(`document.querySelector("#earned").scrollIntoView({block: "center"})`, nil)
	m.check("money-earned")
	m.FullScreenshot(m.shots + "money-full")
}

// recordDamaged records that one unit came back fit for sale and one damaged.
func (m *merchant) recordDamaged(id string) {
	m.t.Helper()
	m.openMore("কী ফিরেছে")
	m.WaitVisible("#came-back")
	m.Click("#came-back .row .icon-button:last-child")
	m.Click("#some-back-damaged")
	m.WaitVisible("#came-back-damaged")
	m.Click("#came-back-damaged .row .icon-button:last-child")
	m.waitText("#came-back-damaged output", "১")
	m.Wait(`document.querySelector("#came-back .row .icon-button:last-child").disabled ===
		false && document.querySelector("#came-back-of .primary").disabled === false`)
	m.check("money-damaged")
	m.Click("#came-back-of .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.waitText(".facts", "নেননি")
	var credits string
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((r) => r.json()).then((order) =>
		order.credits.map((one) => [one.reason, one.quantity, one.restocked].join()).join("+"))`, id), &credits)
	if want := "not_accepted,2,1"; credits != want {
		m.t.Errorf("got credits %s, want %s", credits, want)
	}
}

// removeNotAccepted removes the credit of an order.
func (m *merchant) removeNotAccepted() {
	m.t.Helper()
	m.Eval(`document.querySelector(".grand-total").scrollIntoView({block: "center"})`, nil)
	m.check("money-credit")
	m.Click(".facts dt button")
	m.WaitVisible("#remove-credit .bad")
	m.check("money-credit-remove")
	m.Click("#remove-credit .bad")
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.Wait(`!document.querySelector(".facts").textContent.includes("নেননি")`)
}

// placePickles places a cash order of some units.
func (m *merchant) placePickles(t *testing.T, p *process, units int) string {
	t.Helper()
	product, _ := p.product("demo", "mango-pickle")
	return p.must(request{
		method: "POST", path: "/api/v1/orders", tenant: "demo", body: orderOf(product, units),
	}).text("_id")
}

// openMore chooses one of the actions beside the next step of an order.
func (m *merchant) openMore(name string) {
	m.t.Helper()
	m.Click(".action-bar .icon-button, .action-bar .square")
	m.waitText(".options", name)
	var found bool
	m.Eval(fmt.Sprintf(`(() => {
		const option = [...document.querySelectorAll(".options .option")].find((one) => one.textContent.includes(%q))
		option?.click()
		return Boolean(option)
	})()`, strings.TrimSpace(name)), &found)
	if !found {
		m.t.Fatalf("there is no action %q", name)
	}
	m.AwaitEvents()
}
