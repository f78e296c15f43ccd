package e2e

import (
	"fmt"
	"testing"

	"storefront/e2e/browsertest"
)

// The tasks of a merchant's day, by somebody who has not seen the dashboard before, and the taps
// that each may need. Fields that are typed into count too, unless they have the focus already.
func TestDashboard_Day(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	run(t, "stock", "set", "demo", mangoPickle(t, p), "100", "--data", data)
	m := &taps{merchant: openDashboard(t, p, 360)}
	m.dayOfOrders(p)
	m.dayOfChat()
	m.dayOfParcels()
	m.dayOfMoney(p)
	m.dayOfRest()
}

// fill types into a field after a tap on it.
func (m *taps) fill(selector, text string) {
	m.t.Helper()
	m.n++
	m.Fill(selector, text)
}

// tapNamed taps the element with this text.
func (m *taps) tapNamed(selector, text string) {
	m.t.Helper()
	m.Wait(fmt.Sprintf(`(() => {
		const named = [...document.querySelectorAll(%q)].find((one) => one.innerText.includes(%q))
		return named && (named.dataset.named = "yes")
	})()`, selector, text))
	m.tap("[data-named]")
}

// closed waits until no dialog is open.
func (m *taps) closed() {
	m.t.Helper()
	m.Wait(`!document.querySelector("dialog[open]")`)
}

// Three calls, a duplicate, an incomplete address, and a change after the call.
func (m *taps) dayOfOrders(p *process) {
	ids := placeOrders(m.t, p, 3)
	m.show("home", ".tiles")
	m.tap(".tile.main")
	for range 3 {
		m.WaitVisible(".callee")
		callee := m.Text(".callee")
		m.tap(".outcomes .button:first-child")
		m.Wait(fmt.Sprintf(`document.querySelector(".callee")?.innerText !== %q`, callee))
	}
	m.want("confirm three orders beside the calls", 4)

	m.order("01712-909091", "House 1, Road 2, Mirpur")
	twin := m.order("01712-909091", "House 1, Road 2, Mirpur")
	m.show("orders?view=toConfirm", fmt.Sprintf(`[data-order="%s"]`, twin))
	m.waitText(fmt.Sprintf(`[data-order="%s"]`, twin), "Same as #") // seen in the list
	m.tap(fmt.Sprintf(`[data-order="%s"]`, twin))
	m.tap("[data-action=cancel-duplicate]")
	m.WaitVisible("#reason")
	m.tap("dialog .bad")
	m.closed()
	m.want("resolve a duplicate", 3)

	short := m.order("01712-909092", "Mirpur")
	m.show("orders?view=toConfirm", fmt.Sprintf(`[data-order="%s"]`, short))
	m.tap(fmt.Sprintf(`[data-order="%s"]`, short))
	m.tap(".action-bar .primary") // the second look
	m.tap("#short-address .primary")
	m.Wait(`document.activeElement.id === "line1"`)
	m.Fill("#line1", "House 7, Road 3, Mirpur 10")
	m.tap("#save")
	m.waitText(".buyer-card address", "House 7")
	m.tap(".action-bar .primary")
	m.waitText(".money", "Confirmed")
	m.want("complete an address and confirm", 5)

	m.show("order/"+ids[0], ".money")
	m.tap("#edit-goods")
	m.Wait(`document.activeElement.id === "goods" && document.activeElement.getBoundingClientRect().top < innerHeight / 2`)
	m.tap(".goods-line .stepper .icon-button:last-child")
	m.waitText(".action-bar .total", "550")
	m.tap("#save")
	m.waitText(".money", "550")
	m.want("change an order after its confirmation", 3)
}

// A message in Bangla becomes a confirmed order.
func (m *taps) dayOfChat() {
	m.show("orders?view=toConfirm", "[data-order]")
	m.tap(`.chips a[href$="/new"]`)
	m.WaitVisible("#text")
	m.fill("#text", "আপু আমের আচার ২টা দিবেন। আমি সালমা বেগম, বাসা ১২, রোড ৫, ধানমন্ডি, ঢাকা। ০১৭১৫০০০১৯৯")
	m.Wait(`!document.querySelector("#parse").disabled`)
	m.tap("#parse")
	m.waitText(".action-bar .total", "550")
	m.tap("#place")
	m.WaitVisible("#reply")
	m.tap("#copy-reply")
	m.tap("#reply-done")
	m.WaitVisible(".money")
	m.want("an order by chat with its reply", 6)
}

// Five orders are booked with a courier, their labels and the handover sheet are printed, and one
// comes back in part.
func (m *taps) dayOfParcels() {
	m.Inject(`if (top !== window) print = () => {}`)
	m.show("home", ".tiles")
	m.tap(`.tiles a[href*="view=toPack"]`)
	m.waitText(".action-bar.above", "Book")
	m.tap(".action-bar.above .button")
	m.WaitVisible("#book:not(:disabled)")
	m.tap("#book")
	m.WaitVisible("#print-labels")
	m.want("book all that are packed", 3)
	m.tap("#print-labels")
	m.WaitVisible("#print form")
	m.tap("#print form .primary")
	m.Wait(`document.querySelector(".print-frame") && !document.querySelector("#print")`)
	m.want("print their labels", 2)
	m.tap("#print-handover")
	m.Wait(`document.querySelector("#print [value=handover]")?.checked`)
	m.tap("#print form .primary")
	m.Wait(`!document.querySelector("#print")`)
	m.want("print the handover sheet", 2)
	m.Press(browsertest.Escape)
	m.closed()

	m.show("home", ".tiles")
	m.tap(`.tiles a[href*="view=returning"]`)
	m.WaitVisible("[data-order]")
	m.tapNamed("[data-order]", "Delivered in part")
	m.waitText(".now", "Record what came back")
	m.tap(".action-bar .primary")
	m.WaitVisible("#came-back")
	m.tap("#came-back .row .icon-button:last-child")
	m.tap("#came-back-of .primary")
	m.closed()
	m.want("record what came back", 5)
}

// A payment in doubt, a refund in part of one that was received, and a statement with a difference.
func (m *taps) dayOfMoney(p *process) {
	m.show("home", ".tiles")
	m.tap(`a[href*="payments?status=needs_review"], a[href$="/payments"]`)
	m.WaitVisible(".payments .actions")
	m.waitText(".payments", "The gateway suspects fraud")
	m.tap(".payments .actions .button:first-child")
	m.WaitVisible("dialog form .primary")
	m.tap("dialog form .primary")
	m.closed()
	m.want("decide a payment in doubt", 3)

	id, number := payAt(m.t, p, "")
	m.show("home", ".tiles")
	m.tap(".top .icon-button:last-child")
	m.Fill("#command", number)
	m.waitText("#found .option.on", "Rahim Uddin") // the order, no longer the search for its number
	m.tap("#found .option.on")
	m.WaitVisible(".money")
	m.tap(".action-bar .square")
	m.tapNamed("dialog .option", "Refund")
	m.WaitVisible("#refund #amount")
	m.fill("#refund #amount", "50")
	m.tap("#refund .primary")
	m.closed()
	m.want("refund a part of what was received", 6)
	var refunded int
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((response) => response.json()).then((order) =>
		order.payments.flatMap((one) => one.refunds).reduce((sum, one) => sum + one.amount.amount, 0))`, id), &refunded)
	if refunded != 5000 {
		m.t.Errorf("got %d refunded, want 5000", refunded)
	}

	var consignment string
	m.Eval(`fetch("/admin/v1/shops/demo/cash/shipments?courier=courier_a&status=held&limit=1").then((response) => response.json())
		.then((list) => list.nodes[0].consignmentId)`, &consignment)
	m.show("home", ".tiles")
	m.tap(`.bottom-tabs a[href$="/cash"]`)
	m.tap("#enter")
	m.WaitVisible(".file")
	m.n++ // the file is chosen
	m.chooseFile("payout.csv", "Pathao payout of 28 Nov\nConsignment ID,Collected Amount (Tk),Delivery Fee\n"+consignment+",1,60\n")
	m.waitText(".differences", "ours")
	m.waitText(".differences b", "#") // the order, before the consignment
	m.tap("#enter-it")
	m.waitText(".toast", "1 shipment entered")
	m.want("enter a statement with a difference", 4)
}

// Stock, an order by the end of its phone number, a packer, and which courier returns most.
func (m *taps) dayOfRest() {
	m.show("home", ".tiles")
	m.tap(`.bottom-tabs a[href$="/more"]`)
	m.tap(`main nav a[href$="/stock"]`)
	m.WaitVisible(".stock-row")
	m.tap(".stock-row .icon-button:last-of-type")
	m.tap("#save")
	m.waitText(".toast", "saved")
	m.want("count one more in stock", 4)

	m.show("home", ".tiles")
	m.tap(".top .icon-button:last-child")
	m.Fill("#command", "0199")
	m.waitText("#found", "সালমা বেগম")
	m.tap("#found .option.on")
	m.WaitVisible(".money")
	m.want("open an order by four digits", 2)

	m.show("home", ".tiles")
	m.tap(`.bottom-tabs a[href$="/more"]`)
	m.tap(`main nav a[href$="/team"]`)
	m.tap("#invite-button")
	m.WaitVisible("#invite #name")
	m.Fill("#invite #name", "Rina")
	m.fill("#invite #contact", "01819336204")
	m.tap("#invite [value=packer]")
	m.tap("#invite form .primary")
	m.WaitVisible("#link-url")
	m.want("invite a packer", 6)
	m.Click("#link-done")
	m.closed()

	m.show("home", ".tiles")
	m.tap(`.bottom-tabs a[href$="/more"]`)
	m.tap(`main nav a[href$="/analytics"]`)
	m.Wait(`[...document.querySelectorAll("main section.card")].some((one) => one.innerText.includes("Steadfast"))`)
	m.want("see which courier returns most", 2)
}
