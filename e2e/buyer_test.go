package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// newVisitor opens a window of this width and returns the address of the demo shop's site.
func newVisitor(t *testing.T, p *process, width int, scheme string) (*window, string) {
	t.Helper()
	page := openWindow(t, p, width)
	page.Resize(width, 780)
	page.SetMediaFeature("prefers-color-scheme", scheme)
	return page, demoSite(t, p)
}

// demoSite returns the origin of the demo shop's pages.
func demoSite(t testing.TB, p *process) string {
	t.Helper()
	at, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	return "http://demo.localhost:" + at.Port()
}

// checkVisited checks that the current page is accessible and not wider than the window.
func checkVisited(page *window, view string) {
	page.Accessible(view)
	page.Wait("document.documentElement.scrollWidth <= innerWidth")
	page.FullScreenshot("site-" + view)
}

// A buyer orders in Bangla on a phone in the dark: the total follows the form, the order leads to
// its page, and the details stay on the device for the next order.
func TestBuyer_Order(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	page, site := newVisitor(t, p, 360, "dark")
	page.Go(site + "/bn/products/rajshahi-silk-saree")
	checkVisited(page, "product")
	page.Click(".option label:nth-child(2)")
	page.Wait(`new URLSearchParams(location.search).get("variant") && document.querySelector("[data-chosen]").textContent === "নেভি ব্লু"`)
	page.Eval("scrollTo(0, document.body.scrollHeight)", nil)
	page.Wait(`!document.querySelector("[data-bar]").hidden`)
	page.Click("[data-bar] button")
	page.Wait(`location.pathname === "/bn/checkout"`)
	checkVisited(page, "checkout")
	if got := page.Text("[data-place]"); strings.Contains(got, "৳") {
		t.Errorf("before the address: got the button %q, want no total", got)
	}
	page.Fill("#phone", "01711-000000")
	page.Fill("#name", "রহিমা খাতুন")
	page.Fill("#address", "বাসা ১২, সাহেব বাজার")
	page.Fill("#city", "রাজশাহী")
	page.Press("\t")
	page.Wait(`document.querySelector("[data-place]").textContent.includes("৳৬,২০০")`) // free delivery
	page.Click("[data-remember]")
	page.Click("[data-place]")
	page.Wait(`location.pathname.startsWith("/bn/orders/")`)
	page.Wait(`document.querySelector(".thanks").textContent === "ধন্যবাদ, রহিমা"`)
	checkVisited(page, "order")
	page.Wait(`document.querySelector("[data-cart-count]").hidden`)

	page.Go(site + "/products/sylhet-black-tea")
	page.Click("[data-buy-later]")
	page.Wait(`document.querySelector("[data-drawer]").open && document.querySelector("[data-cart-count]").textContent === "1"`)
	checkVisited(page, "drawer")
	page.Fill("input[type=number]", "3")
	page.Press("\t")
	page.Wait(`document.querySelector("[data-cart-count]").textContent === "3"`)
	page.Wait(`document.querySelector(".line-total").textContent === "৳390"`)
	page.Go(site + "/cart")
	checkVisited(page, "cart")
	page.Click("a[href='/checkout']")
	page.Wait(`document.querySelector("#phone")?.value === "01711-000000"`)
	page.Wait(`document.querySelector("[data-place]").textContent.includes("৳520")`) // 3 × 130, and 130 for delivery
}

// A buyer without scripts orders with online payment, and arrives at the gateway.
func TestBuyer_PayWithoutScripts(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	page, site := newVisitor(t, p, 360, "light")
	page.BlockScripts()
	page.Go(site + "/products/sylhet-black-tea")
	page.Click("[data-buy-later]")
	page.WaitVisible("input[type=number]")
	page.Fill("input[type=number]", "2")
	page.Press(browsertest.Enter)
	page.Wait(`document.querySelector(".line-total")?.textContent === "৳260"`)
	page.Click("a[href='/checkout']")
	fillCheckout(page)
	page.Click("[name=payment][value=gateway_b]")
	page.AllowProblem("422 (Unprocessable Entity)")
	page.Click("[data-place]")
	page.Wait(`document.querySelector("p[role=status].alert")?.textContent.includes("৳330")`) // the total, before the order
	checkVisited(page, "checkout-total")
	page.Click("[data-place]")
	page.Wait(`!location.host.startsWith("demo.")`) // the simulated gateway
}

// Every page is accessible in both languages and schemes, and not wider than a phone or a desk. An
// ordinary run visits half of the pages on a phone in the dark, in Bangla, and the others on a desk
// in English.
func TestBuyer_Pages(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	looks := []struct {
		width          int
		prefix, scheme string
	}{{360, "", "light"}, {360, "/bn", "dark"}, {1280, "/bn", "dark"}, {1280, "", "light"}}
	views := [][2]string{
		{"home", "/"}, {"product", "/products/rajshahi-silk-saree"}, {"all", "/collections/all?sort=price&stock=1"}, {"list", "/collections/women"},
		{"search", "/search?q=saree"}, {"none", "/search?q=xyzzy"}, {"policy", "/policies/privacy"}, {"about", "/pages/about"},
		{"missing", "/products/nothing-here"}, {"cart", "/cart"},
	}
	for i, look := range some(looks, 1, 2) {
		page, site := newVisitor(t, p, look.width, look.scheme)
		page.AllowProblem("404 (Not Found)")
		for _, view := range some(views, i, 2) {
			name, path := view[0], view[1]
			address := site + look.prefix + path
			if path == "/" && look.prefix != "" {
				address = site + look.prefix
			}
			page.Go(address)
			page.Wait("document.readyState === 'complete'")
			checkVisited(page, fmt.Sprintf("%d-%s%s", look.width, name, strings.TrimPrefix(look.prefix, "/")))
		}
	}
}
