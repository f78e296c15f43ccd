package e2e

import (
	"slices"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// A developer reads the reference and tries it, with the network cut off. With the environment
// variable that [browsertest.Screenshots] names, pictures show how it looks.
func TestReference_Browser(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	page := browsertest.Open(t)
	p := serve(t, "--dev", "--data", demoData(t))
	page.Go(p.url + "/docs/errors")
	page.Click(`a[href="/docs/errors/out_of_stock"]`)
	page.WaitVisible(`a[href="/docs#/Orders/placeOrder"]`)
	page.Screenshot("reference-error")
	page.Click(`a[href="/docs#/Orders/placeOrder"]`)
	page.WaitVisible("#operations-Orders-placeOrder.is-open")
	page.Go(p.url + "/docs?") // a link within the page loads nothing
	page.WaitVisible("#operations-Catalogue-listProducts")

	execute := func(tag, operation string) {
		t.Helper()
		block := "#operations-" + tag + "-" + operation
		page.Click(block + " .opblock-summary-control")
		// Until the operation's schemas are resolved, Swagger UI cannot send it.
		page.Wait("document.querySelector('" + block + " .responses-wrapper') && !document.querySelector('" + block + " .opblock-loading-animation')")
		page.Click(block + " .execute")
		page.WaitVisible(block + " .live-responses-table .response-col_status")
		page.Eval("document.querySelector('"+block+"').scrollIntoView() ?? true", nil)
		page.Screenshot("reference-" + operation)
		page.Click(block + " .opblock-summary-control") // closed again
	}
	execute("Catalogue", "listProducts")
	execute("Accounts", "register")
	page.Wait(`access.bearer.value.split(".").length === 3`)
	execute("Accounts", "getMe")
	execute("Orders", "placeOrder")
	page.Wait(`access.orderToken.value !== ""`)
	execute("Orders", "getOrder") // the one that was placed
	execute("Orders", "cancelOrder")

	want := []string{
		"GET " + p.url + "/api/v1/products?page=1&limit=2&lang=en", "POST " + p.url + "/api/v1/auth/register",
		"GET " + p.url + "/api/v1/auth/me", "POST " + p.url + "/api/v1/orders?lang=en",
	}
	sent := slices.DeleteFunc(page.Requests(), func(request string) bool { return !strings.Contains(request, "/api/v1/") })
	if len(sent) != 6 || !slices.Equal(sent[:4], want) || strings.Contains(sent[4], "7ZK3QW8N5T2M4R6V") {
		t.Errorf("the page sent %q", sent)
	}

	// The tab stays signed in. The target of an address is not hidden by the bar at the top.
	isBelowBar := func(selector string) {
		t.Helper()
		page.Wait(`document.querySelector("` + selector + `").getBoundingClientRect().top >= document.querySelector("header").offsetHeight`)
		page.Wait(`document.querySelector("` + selector + `").getBoundingClientRect().top < innerHeight / 2`)
	}
	page.Go(p.url + "/docs?again#/Accounts/getMe")
	page.WaitVisible("#operations-Accounts-getMe .execute")
	isBelowBar("#operations-Accounts-getMe")
	page.Wait(`access.bearer.value.split(".").length === 3`)
	page.Click("nav [href='#operations']")
	isBelowBar("#operations")
	page.Screenshot("reference-operations")

	// The sidebar lists the guide and every operation, and opens what is clicked.
	var listed, operations int
	page.Eval(`document.querySelectorAll("#contents nav a[href^='#/']").length`, &listed)
	page.Eval(`document.querySelectorAll(".opblock").length`, &operations)
	if listed != operations || operations < 30 {
		t.Errorf("got %d operations in the sidebar, want all %d", listed, operations)
	}
	page.Click("#contents a[href='#/Orders/verifyCoupon']")
	page.WaitVisible("#operations-Orders-verifyCoupon .execute")
	isBelowBar("#operations-Orders-verifyCoupon")

	// Only operations that need more than a shop have a lock.
	for operation, want := range map[string]bool{"Catalogue-listProducts": false, "Orders-placeOrder": false, "Accounts-getMe": true} {
		var got bool
		page.Eval(`document.querySelector("#operations-`+operation+` .authorization__btn") !== null`, &got)
		if got != want {
			t.Errorf("%s: got a lock %t, want %t", operation, got, want)
		}
	}

	// Lines are of a length that can be read, and a dark page is dark all over.
	page.Resize(1440, 900)
	page.Wait(`[...document.querySelectorAll(".info p")].every((p) => p.offsetWidth <= 800)`)
	page.SetMediaFeature("prefers-color-scheme", "dark")
	for _, selector := range []string{"body", ".swagger-ui", "#contents"} {
		page.Wait(`getComputedStyle(document.querySelector("` + selector + `")).color.match(/\d+/g).slice(0, 3).every((c) => c > 200)`)
	}
	page.Screenshot("reference-dark")
	page.SetMediaFeature("prefers-color-scheme", "light")

	// On a phone nothing is wider than the page, and the sidebar is folded.
	page.Resize(360, 740)
	page.Wait(`!document.getElementById("contents").open`)
	page.Screenshot("reference-phone")
	page.Wait(`document.documentElement.scrollWidth <= innerWidth`)
	page.Wait(`[...document.querySelectorAll("table, .opblock-body > *")].every((e) => e.getBoundingClientRect().right <= innerWidth)`)
	page.FullScreenshot("reference-phone-operation")
}
