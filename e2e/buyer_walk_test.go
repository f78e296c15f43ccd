package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// tabTo presses the tab key until the focus is on what the selector names, where it must be seen.
func tabTo(t *testing.T, page *window, selector string) {
	t.Helper()
	for range 120 {
		page.Press(browsertest.Tab)
		var on, seen bool
		page.Eval(fmt.Sprintf(`document.activeElement.matches(%q)`, selector), &on)
		if !on {
			continue
		}
		page.Eval(`(() => {
			const marked = (e) => ["", "::after"].some((part) => getComputedStyle(e, part).outlineStyle !== "none")
			const active = document.activeElement
			return [active, active.parentElement, active.closest(".card")].some((e) => e && marked(e))
		})()`, &seen)
		if !seen {
			t.Errorf("nothing shows that the focus is on %s", selector)
		}
		return
	}
	t.Fatalf("the Tab key does not reach %s", selector)
}

// fillCheckout waits for the checkout and fills it in.
func fillCheckout(page *window) {
	page.WaitVisible("#phone")
	for _, field := range [][2]string{
		{"#phone", "01711-000000"}, {"#name", "Rahima Khatun"}, {"#address", "House 12"}, {"#city", "Dhaka"},
	} {
		page.Fill(field[0], field[1])
	}
}

// waitTotal waits for the total of what is filled in, without which nothing is ordered.
func waitTotal(page *window) {
	page.Wait(`document.querySelector("[data-place]").textContent.includes("৳") && !document.querySelector("[data-sums]").hasAttribute("aria-busy")`)
}

// A buyer with a keyboard alone searches, reads, orders and arrives at the order.
func TestBuyer_Keyboard(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	page, _ := newVisitor(t, p, 1280, "light")
	page.Go(p.url)
	page.Press(browsertest.Tab)
	page.Wait(`document.activeElement.matches(".skip")`)
	tabTo(t, page, `a[href="/search"]`)
	page.Press(browsertest.Enter)
	page.WaitVisible("#q")
	tabTo(t, page, "#q")
	page.Press("tangail")
	page.Wait(`[...document.querySelectorAll(".suggestions a")].some((a) => a.getAttribute("href") === "/products/tangail-tant-saree")`)
	checkVisited(page, "suggestions")
	page.Press(browsertest.Escape)
	page.Wait(`document.querySelector(".suggestions").hidden && document.activeElement.id === "q"`)
	page.Eval(`document.querySelector("#q").value = ""`, nil)
	page.Press("black tea" + browsertest.Enter)
	page.Wait(`location.search.includes("black")`)
	tabTo(t, page, `a[href="/products/sylhet-black-tea"]`)
	page.Press(browsertest.Enter)
	page.WaitVisible("[data-buy]")
	tabTo(t, page, "[data-buy]")
	page.Press(browsertest.Enter)
	fillCheckout(page)
	tabTo(t, page, "[data-place]")
	waitTotal(page)
	page.Wait(`document.activeElement.matches("[data-place]")`)
	page.Press(browsertest.Enter)
	page.Wait(`location.pathname.startsWith("/orders/") && document.querySelector(".thanks").textContent.includes("Rahima")`)
}

// A buyer signs in with a code on a narrow phone in Bangla in the dark, and finds the order there.
func TestBuyer_Account(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	page, site := newVisitor(t, p, 360, "dark")
	page.AllowProblem("422 (Unprocessable Entity)")
	page.Go(site + "/bn/account")
	checkVisited(page, "sign-in")
	page.Fill("#phone", "01811-000009")
	page.Click("main form .button")
	page.WaitVisible("#code")
	checkVisited(page, "code")
	page.Fill("#code", "12")
	page.Press(browsertest.Enter)
	page.Wait(`document.querySelector("#code").getAttribute("aria-invalid")`)
	checkVisited(page, "code-wrong")
	page.Fill("#code", page.waitCode(`([0-9]{4}) আপনার`))
	page.Fill("#name", "করিম মিয়া")
	page.Click("main form .big")
	page.Wait(`document.querySelector("h1").textContent.includes("করিম")`)
	checkVisited(page, "account-new")
	page.Wait(`document.querySelector("[data-account]").title.endsWith(", করিম")`)

	page.Go(site + "/bn/products/sylhet-black-tea")
	page.Click("[data-buy]")
	page.Wait(`document.querySelector("#phone")?.value === "01811000009"`)
	page.Fill("#address", "বাসা ৯")
	page.Fill("#city", "ঢাকা")
	waitTotal(page)
	page.Click("[data-place]")
	page.Wait(`location.pathname.startsWith("/bn/orders/")`)
	page.Go(site + "/bn/account")
	page.WaitVisible(".order-row")
	page.Click("main summary")
	page.Wait(`document.querySelector("#address").value === "বাসা ৯"`)
	checkVisited(page, "account")
	page.Click(".order-row a")
	page.WaitVisible("[action$='/again'] button")
	page.Click("[action$='/again'] button")
	page.Wait(`location.pathname === "/bn/cart" && document.querySelectorAll(".line").length === 1`)
}

// A shop that is attacked demands a proof of work, which the browser does: for a code, and for the
// order of a guest.
func TestBuyer_ProofOfWork(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	run(t, "tenant", "set", "demo", `proofOfWork=["otp","orders"]`, "--data", data)
	page, site := newVisitor(t, p, 360, "light")
	page.AllowProblem("422 (Unprocessable Entity)")
	page.Go(site + "/products/jute-basket")
	page.Click("[data-buy]")
	fillCheckout(page)
	waitTotal(page)
	page.Click("[data-place]")
	page.Wait(`location.pathname.startsWith("/orders/")`)
	if got := countOrders(t, data); got != 1 {
		t.Errorf("got %d orders, want 1", got)
	}
	page.Go(site + "/account")
	page.Fill("#phone", "01811-000009")
	page.Click("main form .button")
	page.WaitVisible("#code")
}

// A buyer pays online, and the gateway's app returns to another browser, which has no cookie: the
// page there shows the payment and nothing of the buyer. The shop has another storefront as well.
func TestBuyer_PaidInAnotherBrowser(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	run(t, "tenant", "set", "demo", "storefrontUrl=https://headless.example", "--data", data)
	page, site := newVisitor(t, p, 360, "light")
	page.Go(site + "/products/sylhet-black-tea")
	page.Click("[data-buy]")
	fillCheckout(page)
	page.Click("[name=payment][value=gateway_b]")
	waitTotal(page)
	page.Click("[data-place]")
	page.Wait(`!location.host.startsWith("demo.")`)
	var gateway string
	page.Eval("location.href", &gateway)
	other, _ := newVisitor(t, p, 360, "light")
	other.Go(gateway)
	other.Click("[value=pay]")
	other.Wait(`location.pathname.startsWith("/orders/") && document.querySelector(".notice.good")`)
	if text := other.Text("main"); strings.Contains(text, "Rahima") || strings.Contains(text, "House 12\n") {
		t.Errorf("another browser shows the buyer:\n%s", text)
	}
	checkVisited(other, "order-paid")
}

// The first visit of each kind of page is light, and moves nothing after it is shown.
func TestBuyer_Weight(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	saveLanding(t, data, "each", `[{"kind":"productFacts"},{"kind":"orderForm"},`+allSections[1:])
	page, site := newVisitor(t, p, 360, "light")
	page.MeasureLoads()
	for _, tt := range []struct {
		path              string
		documents, before int // bytes of HTML, CSS and scripts; requests without pictures
	}{
		{"/l/t-shirt", 25_000, 8}, {"/l/each", 25_000, 8},
		{"/", 35_000, 8}, {"/collections/all", 35_000, 8}, {"/products/rajshahi-silk-saree", 35_000, 8}, {"/checkout", 45_000, 8},
	} {
		if tt.path == "/checkout" {
			page.Click("[data-buy]")
			page.WaitVisible("#phone")
			page.MeasureLoad()
		}
		checkWeight(page, site+tt.path, tt.documents, tt.before)
	}
	for _, design := range []string{"haat", "alo", "mela"} {
		publishDesign(t, data, `{"design":"`+design+`","tokens":{},"templates":{}}`)
		checkWeight(page, site+"/bn", 35_000, 8)
		checkWeight(page, site+"/bn/l/each", 25_000, 8)
	}
}

// checkWeight checks the bytes of HTML, CSS and scripts of a page, the requests without pictures,
// and that nothing moves.
func checkWeight(page *window, address string, documents, before int) {
	page.t.Helper()
	page.ClearFiles()
	page.Go(address)
	page.Wait(`document.readyState === "complete"`)
	load := page.MeasureLoad()
	var sizes struct{ Bytes, Requests int }
	page.Eval(`(() => {
		const own = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
			.filter((e) => ["navigation", "link", "script", "css"].includes(e.initiatorType))
		return {bytes: own.reduce((sum, e) => sum + e.encodedBodySize, 0), requests: own.length}
	})()`, &sizes)
	page.t.Logf("%s: %d bytes in %d requests, with pictures %d in %d", address, sizes.Bytes, sizes.Requests, load.Bytes, len(load.Requests))
	if sizes.Bytes > documents || sizes.Bytes == 0 || sizes.Requests > before {
		page.t.Errorf("%s: got %d bytes in %d requests, want at most %d in %d", address, sizes.Bytes, sizes.Requests, documents, before)
	}
	if load.Shift > 0 {
		page.t.Errorf("%s: got a layout shift of %.3f by %s, want none", address, load.Shift, load.Shifted)
	}
}
