package e2e

import (
	"fmt"
	"testing"

	"storefront/e2e/browsertest"
)

// sentIncomplete is how often a page has sent what was typed.
const sentIncomplete = `performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/incomplete") && one.responseEnd > 0).length`

// A merchant lets incomplete orders be stored. A buyer types without and with consent, and leaves;
// the merchant places the order with one tap, fills in another one, blocks a number, and is done
// with one. Withdrawn consent deletes, and an order of the buyer closes.
func TestDashboard_Incomplete(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--rate", "0", "--data", demoData(t))
	m := openDashboard(t, p, 360)
	m.show("incomplete", ".empty .button")
	m.check("incomplete-none")
	m.Click(".empty .button")
	m.WaitVisible("#incomplete-enabled")
	m.Click("label:has(#incomplete-enabled)")
	m.check("settings-incomplete")
	m.Click("#set-incomplete .save")
	m.Wait(`!document.querySelector("#set-incomplete .save:not(:disabled)")`)

	buyer, site := newVisitor(t, p, 360, "light")
	checkout := func(path string) {
		t.Helper()
		buyer.Go(site + "/products/mango-pickle")
		buyer.Eval(`fetch("/cart", {method: "POST", body: new URLSearchParams({product: "mango-pickle"})}).then((r) => r.ok)`, nil)
		buyer.Go(site + path)
		buyer.WaitVisible("#phone")
	}
	typed := func(phone string, sent int) {
		t.Helper()
		buyer.Fill("#phone", phone)
		buyer.Wait(fmt.Sprintf(`%s === %d`, sentIncomplete, sent))
	}
	checkout("/checkout")
	buyer.Fill("#phone", "01811-000001")
	buyer.Eval(`new Promise((done) => setTimeout(done, 1200, true))`, nil)
	buyer.Wait(sentIncomplete + ` === 0 && !localStorage.getItem("incomplete")`)
	checkVisited(buyer, "checkout-incomplete")
	buyer.Click("[name=agreed]")
	buyer.Wait(sentIncomplete + ` === 1 && localStorage.getItem("incomplete")`)
	m.show("incomplete", ".incomplete .primary")
	m.waitText(".incomplete", "01811-000 001")
	m.check("incomplete-begun")
	buyer.Fill("#name", "Karim Mia")
	buyer.Fill("#address", "House 7, Road 3, Mirpur")
	buyer.Fill("#city", "Dhaka")
	buyer.Press(browsertest.Tab)
	buyer.Wait(sentIncomplete + ` >= 2`)
	waitTotal(buyer)
	m.show("home", "#main h1")
	m.show("incomplete", ".incomplete form .primary:not([type])")
	m.waitText(".incomplete", "Karim Mia")
	m.check("incomplete-open")
	m.Click(".incomplete form .primary")
	m.WaitVisible(".empty")
	m.show("incomplete?status=ordered", ".incomplete a.bold")
	m.waitText(".incomplete", "Recovered")
	m.check("incomplete-ordered")

	// the next one on a landing page, with a name alone: it is completed in the form of a new order
	buyer.Go(site + "/bn/l/t-shirt")
	typed("০১৮১১-০০০০০২", 0)
	buyer.Click("[name=agreed]")
	buyer.Wait(sentIncomplete + ` === 1`)
	buyer.Click("[name=agreed]") // deleted
	buyer.Wait(sentIncomplete + ` === 2 && !localStorage.getItem("incomplete")`)
	m.show("home", "#main h1")
	m.show("incomplete", ".empty")
	buyer.Click("[name=agreed]")
	buyer.Fill("#name", "Selina")
	buyer.Wait(sentIncomplete + ` >= 3`)
	checkVisited(buyer, "landing-incomplete")
	buyer.Go(site + "/") // leaves
	m.show("home", "#main h1")
	m.show("incomplete", ".incomplete .primary")
	m.Click(".incomplete .primary")
	m.Wait(`document.querySelector("#name")?.value === "Selina" && document.querySelector("#phoneNumber").value.includes("01811")`)
	m.Fill("#line1", "Station Road")
	m.Fill("#city", "Rajshahi")
	m.Wait(`!document.querySelector("#place").disabled && document.querySelector(".action-bar").textContent.includes("৳")`)
	m.Click("#place")
	m.Wait(`location.hash.includes("/order/")`)
	m.show("incomplete?status=ordered", ".incomplete li:nth-child(2)")

	// an order of the buyer closes the next one, and the browser clears its secret
	checkout("/checkout")
	buyer.Click("[name=agreed]")
	fillCheckout(buyer)
	buyer.Wait(sentIncomplete + ` >= 1`)
	waitTotal(buyer)
	buyer.Click("[data-place]")
	buyer.Wait(`document.querySelector("[data-placed]") && !localStorage.getItem("incomplete")`)
	m.show("incomplete?status=ordered", ".incomplete li:nth-child(3)")

	// blocked, and done
	for i, phone := range []string{"01811-000003", "01811-000004"} {
		checkout("/checkout")
		buyer.Fill("#phone", phone)
		buyer.Click("[name=agreed]")
		buyer.Wait(sentIncomplete + ` >= 1`)
		buyer.Eval(`localStorage.removeItem("incomplete")`, nil) // another browser
		m.show("home", "#main h1")
		m.show("incomplete", ".incomplete .icon-button")
		m.Click(".incomplete .icon-button")
		m.WaitVisible("dialog .option")
		if i == 0 {
			m.check("incomplete-more")
			m.Click("dialog li:nth-child(2) .option")
			m.WaitVisible("dialog form > .primary")
			m.check("incomplete-block")
			m.Click("dialog form > .primary")
		} else {
			m.Click("#close-incomplete")
		}
		m.WaitVisible(".empty")
	}
	m.show("incomplete?status=blocked", ".incomplete li")
	m.show("incomplete?status=done", ".incomplete li")
	m.Click(".incomplete .icon-button")
	m.WaitVisible("#close-incomplete")
	m.Click("#close-incomplete") // opens it again
	m.WaitVisible(".empty")
	m.show("incomplete", ".incomplete li")
}

// Without scripts nothing is stored, and the order is placed. A browser that stores nothing changes
// what it has sent as long as the page is open.
func TestBuyer_Incomplete(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--rate", "0", "--data", demoData(t))
	m := openDashboard(t, p, 1280)
	m.show("settings/incomplete", "#incomplete-enabled")
	m.Click("label:has(#incomplete-enabled)")
	m.Click("label:has(#incomplete-optOut)")
	m.Click("#set-incomplete .save")
	m.Wait(`!document.querySelector("#set-incomplete .save:not(:disabled)")`)

	buyer, site := newVisitor(t, p, 360, "dark")
	buyer.Inject(`Object.defineProperty(window, "localStorage", {get() { throw new Error("refused") }})`)
	buyer.Go(site + "/l/t-shirt")
	buyer.WaitVisible("[name=agreed]")
	buyer.Wait(`document.querySelector("[name=agreed]").checked`)
	buyer.Fill("#phone", "01811-000001")
	buyer.Wait(sentIncomplete + ` === 1`)
	buyer.Fill("#name", "Rahim")
	buyer.Wait(sentIncomplete + ` === 2`)
	m.show("incomplete", ".incomplete li")
	m.waitText(".incomplete", "Rahim")
	m.check("incomplete-wide")
	var rows int
	if m.Eval(`document.querySelectorAll(".incomplete li").length`, &rows); rows != 1 {
		t.Errorf("got %d, want one of the page", rows)
	}
	buyer.Click("[name=agreed]")
	buyer.Wait(sentIncomplete + ` === 3`)
	m.show("home", "#main h1")
	m.show("incomplete", ".empty")

	plain, _ := newVisitor(t, p, 360, "light")
	plain.BlockScripts()
	plain.Go(site + "/l/t-shirt")
	plain.WaitVisible("#phone")
	plain.Fill("#phone", "01711-000009")
	plain.Fill("#name", "Rahima Khatun")
	plain.Fill("#address", "House 12, Mirpur 10, Dhaka")
	plain.Eval(`document.querySelector("[name=delivery]")?.click()`, nil)
	plain.Click("[data-place]")
	plain.Wait(`location.pathname.startsWith("/orders/")`)
	m.show("home", "#main h1")
	m.show("incomplete", ".empty")
}
