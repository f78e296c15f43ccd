package e2e

import (
	"fmt"
	"testing"
)

// A duplicate names the other order in the list, and can be merged with it or cancelled where it is
// seen. An order with a short address is confirmed after a second look only.
func TestDashboard_Doubt(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	run(t, "stock", "set", "demo", mangoPickle(t, p), "1000", "--data", data)
	short := placeShort(t, p)
	for i, width := range []int{360, 1280} {
		m := openDashboard(t, p, width)
		for n, look := range some([][2]string{{"bn", "dark"}, {"en", "light"}}, i, 2) {
			m.use(look[0], look[1])
			if width == 360 || *all {
				m.mergeDuplicates(fmt.Sprintf("01712-%04d%02d", width, n))
			}
			if width == 1280 || *all {
				m.lookAgain(fmt.Sprintf("01713-%04d%02d", width, n))
			}
			if width == 360 && look[0] == "bn" {
				m.leaveShort(short)
			}
		}
	}
}

// order places an order of Rahim Uddin with this phone number, and returns its ID.
func (m *merchant) order(phone, line string) (id string) {
	m.t.Helper()
	return orderTo(m.t, m.p, "Rahim Uddin", phone, line)
}

// orderTo places a buyer's order to an address, and returns its ID.
func orderTo(t *testing.T, p *process, buyer, phone, line string) (id string) {
	t.Helper()
	product, _ := p.product("demo", "mango-pickle")
	body := orderOf(product, 1)
	body["customer"] = map[string]any{"name": buyer, "phoneNumber": phone}
	body["shippingAddress"] = map[string]any{"line1": line, "city": "Dhaka"}
	placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: body})
	if id = placed.text("_id"); id == "" {
		t.Fatalf("got %d %s, want an order", placed.status, placed.body)
	}
	return id
}

// status returns the status of an order and its units.
func (m *merchant) status(id string) (status string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((response) => response.json())
		.then((order) => order.status + " " + order.items.reduce((sum, item) => sum + item.quantity, 0))`, id), &status)
	return status
}

func (m *merchant) mergeDuplicates(phone string) {
	m.t.Helper()
	line := "House 1, Road 2, Mirpur"
	first := m.order(phone, line)
	second := m.order(phone, line)
	third := m.order(phone, line)
	m.show("orders?view=toConfirm", fmt.Sprintf(`[data-order="%s"]`, third))
	m.waitText(fmt.Sprintf(`[data-order="%s"]`, third), "#")
	m.show("order/"+second, "[data-action=merge-duplicate]")
	m.Click("[data-action=merge-duplicate]")
	m.WaitVisible("#merge .line")
	m.check("merge")
	m.Click("#merge .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	if got := m.status(second) + ", " + m.status(first); got != "pending 2, cancelled 1" {
		m.t.Errorf("merged: got %s, want pending 2, cancelled 1", got)
	}
	m.show("call/"+second, "[data-action=cancel-duplicate]")
	m.Click("[data-action=cancel-duplicate]")
	m.WaitVisible("#reason")
	m.check("cancel-duplicate")
	m.Click("dialog .bad")
	m.Wait(`!document.querySelector("dialog[open]")`)
	if got := m.status(second) + ", " + m.status(third); got != "cancelled 2, pending 1" {
		m.t.Errorf("cancelled: got %s, want cancelled 2, pending 1", got)
	}
}

func (m *merchant) lookAgain(phone string) {
	m.t.Helper()
	short := m.order(phone, "Mirpur")
	m.show("order/"+short, ".action-bar .primary")
	m.Click(".action-bar .primary")
	m.WaitVisible("#short-address")
	m.check("short-address")
	if got := m.status(short); got != "pending 1" {
		m.t.Errorf("at the second look: got %s, want pending 1", got)
	}
	m.Click("#short-address button.big")
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.Wait(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((response) => response.json())
		.then((order) => order.status === "confirmed")`, short))
}

// placeShort places more orders of Jorina than a page has, and returns the last, which has a short
// address.
func placeShort(t *testing.T, p *process) (id string) {
	t.Helper()
	for i := range 51 {
		orderTo(t, p, "Jorina", fmt.Sprintf("01714-000%03d", i), "House 1, Road 2, Mirpur")
	}
	return orderTo(t, p, "Jorina", "01714-000999", "Mirpur")
}

// leaveShort chooses all orders of a list that has more than a page: before they are confirmed, the
// one with a short address is named. It is left out.
func (m *merchant) leaveShort(short string) {
	m.t.Helper()
	m.show("orders?view=toConfirm&search=jorina", "[data-order]")
	m.Wait(`document.querySelectorAll("[data-order]").length === 50`)
	m.Click("#select")
	m.Click(".top .mini") // all of the page
	m.waitText(".selection .banner", "একটি বাদ")
	m.Click("#everything")
	m.Click(".selection .primary")
	m.Wait(fmt.Sprintf(`[...document.querySelectorAll("#bulk .refusals a")].map((link) => link.hash).join() === "#/demo/order/%s"`, short))
	m.check("short-preview")
	m.Click("#bulk .primary")
	m.Wait(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders?view=toConfirm&search=jorina&limit=100").then((response) => response.json())
		.then(({nodes}) => nodes.map((row) => row._id).join() === %q)`, short))
}
