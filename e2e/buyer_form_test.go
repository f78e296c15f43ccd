package e2e

import "testing"

// What a buyer entered at the checkout is there after a visit of the cart, and by the Back button.
// It is gone once the order is placed.
func TestBuyer_CheckoutAndBack(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	page, site := newVisitor(t, p, 360, "light")
	page.Go(site + "/products/jute-basket")
	page.Click("[data-buy]")
	fillCheckout(page)
	page.Click(".fold summary")
	page.Fill("#coupon", "NONE")
	page.Click(`aside a[href="/cart"]`)
	page.WaitVisible("main .line")
	page.Back()
	kept := `["phone", "name", "address", "city", "coupon"].map((name) => document.getElementById(name)?.value).join() ===
		"01711-000000,Rahima Khatun,House 12,Dhaka,NONE"`
	page.Wait(kept)
	page.Click(`aside a[href="/cart"]`)
	page.WaitVisible("main .line")
	page.Click(`a[href="/checkout"]`)
	page.Wait(kept)
	page.Fill("#coupon", "")
	waitTotal(page)
	page.Fill("#address", "House 13")
	page.Eval(`(() => { // as by a tap while the field has the focus
		document.querySelector("#address").dispatchEvent(new Event("change", {bubbles: true}))
		document.querySelector("[data-place]").click()
	})()`, nil)
	page.Wait(`location.pathname.startsWith("/orders/") && sessionStorage.getItem("checkout") === null`)
}

// Two changes of the cart, one directly after the other, both happen.
func TestBuyer_CartChangesQuickly(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	page, site := newVisitor(t, p, 360, "light")
	for _, product := range []string{"jute-basket", "sylhet-black-tea", "rajshahi-silk-saree"} {
		page.Go(site + "/products/" + product)
		page.Click("[data-buy-later]")
		page.Wait(`document.querySelector("[data-drawer]").open`)
	}
	page.Wait(`document.querySelectorAll("[data-drawer] .line").length === 3`)
	page.Eval(`(() => {
		const field = document.querySelector("[data-drawer] [type=number]")
		field.value = "3"
		field.dispatchEvent(new Event("change", {bubbles: true}))
		document.querySelectorAll("[data-drawer] [name=remove]")[1].click()
		document.querySelectorAll("[data-drawer] [name=remove]")[2].click()
	})()`, nil)
	page.Wait(`document.querySelectorAll("[data-drawer] .line").length === 1 && document.querySelector("[data-cart-count]").textContent === "3"`)
}

// A page whose scripts do not arrive, as on a bad line, shows the buttons that they replace.
func TestBuyer_ScriptsDoNotArrive(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	page, site := newVisitor(t, p, 360, "light")
	page.BlockScripts()
	page.Go(site + "/collections/all")
	page.Wait(`getComputedStyle(document.querySelector(".without-script")).visibility === "visible"`)
}

// The place of a picture that is gone stays empty, also in a list.
func TestBuyer_LostPicture(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	page, site := newVisitor(t, p, 360, "light")
	page.AllowProblem("404 (Not Found)")
	page.Go(site + "/collections/all")
	page.Eval(`Object.assign(document.querySelector(".card img"), {srcset: "", src: "/media/demo/gone.jpg"})`, nil)
	page.Wait(`getComputedStyle(document.querySelector(".card img")).visibility === "hidden"`)
	page.Wait(`[...document.querySelectorAll("img")].filter((image) => image.matches(".dead")).length === 1`)
}
