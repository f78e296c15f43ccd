package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// downloads makes the page store the files that it saves, so that they can be read.
func (m *merchant) downloads() {
	m.t.Helper()
	m.Eval(`(() => {
		window.saved = []
		HTMLAnchorElement.prototype.click = function () { window.saved.push({name: this.download}) }
		URL.createObjectURL = (file) => {
			file.text().then((text) => { window.saved.at(-1).text = text })
			return "blob:" + crypto.randomUUID()
		}
		return true
	})()`, nil)
}

// saved returns the file that was saved last, once there are n.
func (m *merchant) saved(n int) (file struct{ Name, Text string }) {
	m.t.Helper()
	m.Wait(fmt.Sprintf(`window.saved.length === %d && window.saved.at(-1).text !== undefined`, n))
	m.Eval(`window.saved.at(-1)`, &file)
	return file
}

// Who has ordered is found, noted, blocked, given a new password, exported and erased.
func TestDashboard_Customers(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("a guest", func(t *testing.T) { testGuest(t, p, data) })
	t.Run("an account", func(t *testing.T) { testAccount(t, p) })
	t.Run("staff", func(t *testing.T) { testCustomersOfStaff(t, p, data) })
	for i, width := range some([]int{320, 360, 1280}, 0, 3) {
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			for j, language := range some([]string{"en", "bn"}, (i+1)%2, 2) {
				m.use(language, []string{"light", "dark"}[(i+j)%2])
				m.show("customers", "#customers [data-customer]")
				m.show("customers?search=nobody-is-called-this", ".empty")
				m.Eval(`fetch("/admin/v1/shops/demo/customers?kind=guest").then((response) => response.json()).then((list) => {
					location.hash = "#/demo/customers/" + encodeURIComponent(list.nodes[0].phoneNumber)
					return true
				})`, nil)
				m.Wait(`document.querySelector("#known") && document.querySelector("#latest")`)
				m.check("customer")
			}
		})
	}
}

func testGuest(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 404")
	order := placeOrders(t, p, 1)[0]
	m.show("more", "main nav a")
	m.Click(`main nav a[href$="/customers"]`)
	m.WaitVisible("#customers [data-customer]")
	m.check("customers")
	m.Fill("#find", "০১৭১১-০০০০০০")
	m.Wait(`document.querySelectorAll("#customers li").length === 1`)
	m.waitText("#customers", "Buyer A")
	m.Fill("#find", "buyer a")
	m.Wait(`location.hash.includes("search=buyer") && document.querySelectorAll("#customers li").length === 1`)
	m.Click("#customers a")
	m.WaitVisible("#known")
	m.waitText("#figures", "৳0") // nothing was paid yet
	m.Click("#change-contact")
	m.WaitVisible("#contact #note")
	m.Fill("#contact #note", "Calls back after six")
	m.Fill("#contact-tags", "wholesale")
	m.Press(browsertest.Enter)
	m.Eval(`(document.querySelector("#contact input[value=cash]").click(), true)`, nil)
	m.Fill("#contact #blockedReason", "Refused three")
	m.check("customer-contact")
	// Somebody else has changed it meanwhile: both versions are shown, and nothing typed is lost.
	m.AllowProblem("status of 412")
	m.Eval(`fetch("/admin/v1/shops/demo/contacts/%2B8801711000000", {method: "PATCH", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({note: "Prefers bKash"})}).then((response) => response.ok)`, nil)
	m.submit("#contact form")
	m.WaitVisible("#conflict")
	m.waitText("#conflict", "Prefers bKash")
	m.waitText("#conflict", "Calls back after six")
	m.Click("#conflict .primary")
	m.waitText("#known", "No cash on delivery")
	m.waitText("#known", "wholesale")
	m.waitText("#known", "Calls back after six")
	m.WaitVisible("#addresses address")
	m.check("customer-guest")

	m.downloads()
	m.Click("#customer-more")
	m.WaitVisible("#customer-menu [data-action=export]")
	m.check("customer-menu")
	m.Click("#customer-menu [data-action=export]")
	file := m.saved(1)
	if file.Name != "customer-8801711000000.json" || !strings.Contains(file.Text, "Calls back after six") || !strings.Contains(file.Text, order) {
		t.Errorf("got the file %s: %.200s, want the orders and the note of the guest", file.Name, file.Text)
	}

	// The orders of a list are a file too.
	address := ""
	m.Eval(`location.hash`, &address)
	m.show("orders?view=toConfirm", "#export-orders")
	m.Click("#export-orders")
	if file := m.saved(2); !strings.HasPrefix(file.Name, "orders-20") || !strings.Contains(file.Text, order) {
		t.Errorf("got the file %s: %.200s, want the order", file.Name, file.Text)
	}
	m.Eval(fmt.Sprintf(`(location.hash = %q, true)`, address), nil)
	m.WaitVisible("#customer-more")
	m.Click("#customer-more")
	m.Click("#customer-menu [data-action=delete]")
	m.WaitVisible("#erase .bad")
	m.waitText("#erase", "Retained for the books")
	m.waitText("#erase", "block of the phone number stays")
	m.check("customer-erase")
	m.submit("#erase form")
	m.waitText(".toast", "Erased from 1 order")
	m.Wait(`location.hash.endsWith("/customers")`)
	if got := showOrder(t, data, order); strings.Contains(got.Customer.Name, "Buyer") {
		t.Errorf("got the order %+v, want no name", got)
	}

	// An order that was begun long ago, with a buyer's name, does not stay on the device.
	m.Eval(`(localStorage.setItem("sf-order-demo", JSON.stringify({at: Date.now() - 25 * 3600000, draft: {name: "Rina"}})),
		localStorage.setItem("sf-product-demo", JSON.stringify({at: Date.now() - 3600000, draft: {}})), true)`, nil)
	m.Reload()
	m.Wait(`document.querySelector("main h1") && localStorage.getItem("sf-order-demo") === null && localStorage.getItem("sf-product-demo")`)
}

func testAccount(t *testing.T, p *process) {
	m := openDashboard(t, p, 1280)
	one := struct{ ID, Name string }{Name: "Ayesha Khan"}
	one.ID = p.must(request{method: "POST", path: "/api/v1/auth/register", tenant: "demo", body: map[string]any{
		"name": one.Name, "phoneNumber": "01711-000077", "password": "kolapata-7-nodi",
	}}).text("user", "_id")
	m.show("customers?kind=account", "#customers [data-customer]")
	m.Click(fmt.Sprintf(`[data-customer="%s"]`, one.ID))
	m.WaitVisible("#account")
	m.waitText("h1", one.Name)
	m.check("customer-account")
	m.Click("#customer-more")
	m.Click("#customer-menu [data-action=reset]")
	m.WaitVisible("#reset .primary")
	m.check("customer-reset")
	m.AllowProblem("status of 409")
	m.submit("#reset form")
	m.waitText("#reset [role=alert]", "no verified phone number") // the demo sends no codes
}

// Staff may note and block, and neither export nor erase.
func testCustomersOfStaff(t *testing.T, p *process, data string) {
	m := asMember(t, p, data, "staff")
	m.show("customers?kind=guest", "#customers [data-customer]")
	m.Click("#customers a")
	m.WaitVisible("#change-contact")
	var n int
	if m.Eval(`document.querySelectorAll("#customer-more").length`, &n); n != 0 {
		t.Error("got a menu to export and erase, want none")
	}
}
