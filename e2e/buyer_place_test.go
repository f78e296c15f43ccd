package e2e

import (
	"testing"

	"storefront/e2e/browsertest"
)

// Filters, sorting, the pictures of a product and adding to the cart leave a buyer with scripts on
// the page, and the address follows.
func TestBuyer_InPlace(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	page, site := newVisitor(t, p, 360, "light")
	page.Go(site + "/collections/all")
	page.Eval(`window.stayed = true`, nil)
	page.Click(".tools a.chip")
	page.Wait(`location.search === "?stock=1" && document.activeElement.matches(".tools a.chip[aria-current]")`)
	page.Wait(`document.querySelector("[data-announced]").textContent === document.querySelector(".found").textContent`)
	page.Click(".facets summary")
	page.Click(".facets a")
	page.Wait(`location.search.includes("stock=1") && document.querySelector(".facets[open] a[aria-current]")`)
	page.Eval(`(() => {
		const sort = document.querySelector("[name=sort]")
		sort.value = "price"
		sort.dispatchEvent(new Event("change", {bubbles: true}))
	})()`, nil)
	page.Wait(`location.search.includes("sort=price") && document.querySelector("[name=sort]").value === "price"`)
	page.Wait(`getComputedStyle(document.querySelector(".without-script")).display === "none"`)
	checkVisited(page, "list-filtered")
	page.Eval(`(() => { document.querySelector("[data-list]").dataset.same = "yes"; location.hash = "main" })()`, nil)
	page.Back()
	page.Wait(`!location.hash && document.querySelector("[data-list] .sort")`)
	page.Back()
	page.Wait(`!location.search.includes("sort=") && document.querySelector("[name=sort]").value !== "price"`)
	page.Wait(`stayed && document.querySelector("[hreflang=bn]").href.endsWith("/bn/collections/all")`)

	page.Go(site + "/products/rajshahi-silk-saree")
	page.Eval(`window.stayed = true`, nil)
	page.Click(".option label:nth-child(2)")
	page.Wait(`document.querySelector("[data-chosen]").textContent === "Navy"`)
	page.Click("[data-zoom]")
	page.Wait(`document.querySelector("[data-zoomed][open] img").naturalWidth > 0`)
	page.Accessible("picture")
	page.Press(browsertest.Escape)
	page.Wait(`!document.querySelector("[data-zoomed]").open`)
	page.Click("[data-buy-later]")
	page.Wait(`document.querySelector("[data-drawer]").open && document.querySelector("[data-cart-count]").textContent === "1"`)
	page.Click("[data-drawer] [name=remove]")
	page.Wait(`document.querySelector("[data-cart-count]").hidden && !document.querySelector("[data-drawer] .line")`)
	page.Press(browsertest.Escape)
	page.Wait(`!document.querySelector("[data-drawer]").open`)
	page.Click("[data-buy-later]")
	page.Wait(`document.querySelector("[data-drawer]").open && document.querySelector("[data-cart-count]").textContent === "1"`)
	page.Click("[data-continue]")
	page.Wait(`stayed && !document.querySelector("[data-drawer]").open`)
	page.Click(".menu-button")
	page.WaitVisible("#menu")
}
