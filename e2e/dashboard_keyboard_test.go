package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

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
	run(t, "api", "demo", "updateOrder", "--order-id", id, "--customer", `{"name":"Sumaiya Akter"}`, "--data", data)
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
