package e2e

import (
	"fmt"
	"testing"

	"storefront/e2e/browsertest"
)

// A packer begins with what is to be packed, prints its labels, and sees no amount on any screen.
func TestDashboard_Packer(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	owner := openDashboard(t, p, 360)
	ids := placeOrders(t, p, 3)
	for _, id := range ids {
		run(t, "order", "confirm", "demo", id, "--data", data)
	}
	owner.show("team", "#invite-button")
	owner.Click("#invite-button")
	owner.waitText("#invite", "Sees no prices, amounts or cash.")
	owner.Click(`#invite [value="packer"]`)
	owner.check("packer-invite")
	owner.Press(browsertest.Escape)
	m := asMember(t, p, data, "packer")
	for i, language := range []string{"en", "bn"} {
		m.use(language, []string{"light", "dark"}[i])
		m.showPacker("home", ".tile.main")
		m.waitText(".tile.main", []string{"Start packing", "প্যাক শুরু করুন"}[i])
		m.Click(".tile.main")
		m.Wait(`location.hash.endsWith("view=toPack")`)
		m.waitOrders(ids)
		m.checkPacker("packer-list")
		m.showPacker("orders/"+ids[0]+"?view=toPack", ".stack.order .line")
		m.showPacker("book", "#book")
		m.showPacker("returns", "#shipment")
		m.showPacker("more", "main nav a")
		m.showPacker("orders?view=all", "[data-order]")
		m.Click(".top .icon-button:last-child")
		m.Fill("#command", "0001")
		m.Wait(`document.querySelector("#found .option.on .cut b")`)
		m.checkPacker("packer-found")
		m.Press(browsertest.Escape)
	}
	m.use("en", "light")
	m.show("order/"+ids[0], ".action-bar")
	m.Press("p")
	m.WaitVisible("#print form")
	m.checkPacker("packer-print")
	var kinds []string
	m.Eval(`[...document.querySelectorAll("#print [name=document]")].map((one) => one.value)`, &kinds)
	if got := fmt.Sprint(kinds); got != "[label packing picklist handover]" {
		t.Errorf("got the documents %s, want those without amounts", got)
	}
	m.Click("#print form .primary")
	m.Wait(`document.querySelector(".print-frame") && !document.querySelector("#print")`)
	order := showOrder(t, data, ids[0])
	if order.Total.Amount == 0 {
		t.Errorf("got %+v, want an order with amounts", order)
	}
}

// showPacker shows a view, which has no amount.
func (m *merchant) showPacker(view, selector string) {
	m.t.Helper()
	m.showMarked(view, selector)
	m.wantNoAmount(view)
}

// checkPacker is check of what has no amount.
func (m *merchant) checkPacker(name string) {
	m.t.Helper()
	m.check(name)
	m.wantNoAmount(name)
}

func (m *merchant) wantNoAmount(what string) {
	m.t.Helper()
	var amounts []string
	m.Eval(`document.body.innerText.split("\n").filter((line) => /৳|[0-9০-৯]\s*টাকা|Tk\.? ?[0-9]/.test(line))`, &amounts)
	if len(amounts) > 0 {
		m.t.Errorf("%s: got the amounts %q, want none", what, amounts)
	}
}
