package e2e

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// The list finds, sorts and filters; many products are changed at once, after a preview.
func testProductList(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	for i := range 3 {
		m.create(map[string]any{"title": fmt.Sprintf("Bulk bag %d", i+1), "status": []string{"draft", "active", "active"}[i],
			"variants": []any{map[string]any{"price": 10000 * (i + 1), "stock": []int{5, 0, 20}[i]}}})
	}
	m.show("products", "[data-product]")
	m.Fill("#find", "bulk bag")
	m.Wait(`document.querySelectorAll("[data-product]").length === 3`)
	m.check("products-found")
	m.Click(".chips .chip")
	m.WaitVisible("#filters")
	m.check("products-filters")
	m.Click("#filters [value=out]")
	m.Click("#filters .primary")
	m.Wait(`document.querySelectorAll("[data-product]").length === 1 && location.hash.includes("stock=out")`)
	m.Click(".chips .chip.on")
	m.Wait(`document.querySelectorAll("[data-product]").length === 3`)
	m.Click("#select")
	m.WaitVisible("label.list-item")
	m.Eval(`(document.querySelectorAll("label.list-item").forEach((one) => one.click()), true)`, nil)
	m.waitText("h1", "3 selected")
	m.check("products-selected")
	m.Click("#bulk-more")
	m.WaitVisible("#bulk-menu")
	m.check("products-menu")
	m.Click("[data-action=price]")
	m.WaitVisible("#by")
	m.Fill("#by", "10")
	m.waitText("#bulk", "3 of 3 products")
	m.waitText("#examples", "90")
	m.check("products-price")
	m.submit("#bulk form")
	m.waitJob("3 done")
	m.check("products-done")
	m.Click("#job .primary")
	for i, one := range []int64{9000, 18000, 27000} {
		if got := m.product(fmt.Sprintf("bulk bag %d", i+1)).Variants[0]; got.Price.Amount != one || got.CompareAtPrice == nil {
			t.Errorf("got %+v, want a price of %d and the one before", got, one)
		}
	}
	// Only what an action changes is counted, and what it cannot do is explained.
	m.Click("#select")
	m.WaitVisible("label.list-item")
	m.Eval(`(document.querySelectorAll("label.list-item").forEach((one) => one.click()), true)`, nil)
	m.Click("#bulk-main")
	m.waitText("#bulk", "1 of 3 products")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.Click("#bulk-more")
	m.Click("[data-action=delete]")
	m.waitText("#bulk", "Not possible for 2")
	m.check("products-delete")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.Click(".top.plain .icon-button")
	// Price and stock of one of them.
	m.Click(".with-more .icon-button")
	m.WaitVisible("#quick")
	m.Fill("#quick [name^=price]", "275")
	m.Fill("#quick [name^=stock]", "২২")
	m.check("products-quick")
	m.Click("#quick .primary")
	m.waitText(".toast", "Saved")
	if got := m.product("bulk bag 3").Variants[0]; got.Price.Amount != 27500 || *got.Stock != 22 {
		t.Errorf("got %+v, want the price and the stock that were typed", got)
	}
	testProductTable(t, p)
}

// photoHost serves a photo over TLS, as the shop does that a merchant has left. roots is a file
// with its certificate.
func photoHost(t *testing.T) (address, roots string) {
	t.Helper()
	body := photo(t, 400, 300, 1)
	host := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/lamp.jpg" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	host.Config.ErrorLog = log.New(io.Discard, "", 0) // the browser's refusals
	host.StartTLS()
	t.Cleanup(host.Close)
	roots = filepath.Join(t.TempDir(), "roots.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: host.Certificate().Raw}
	if err := os.WriteFile(roots, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return host.URL, roots
}

// The pictures that products show from another host are stored in the shop; which one is not there
// is part of the result.
func testBringIn(t *testing.T, p *process, host string) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 404") // the picture that is lost
	for title, files := range map[string][]string{"Faraway lamp": {"lamp.jpg"}, "Faraway vase": {"lamp.jpg", "lost.jpg"}} {
		var images []any
		for _, file := range files {
			images = append(images, map[string]any{"url": host + "/" + file, "alt": title})
		}
		m.create(map[string]any{"title": title, "images": images, "variants": []any{map[string]any{"price": 90000, "stock": 4}}})
	}
	m.show("products?search=faraway", "[data-product]")
	m.Click("#select")
	m.Wait(`document.querySelectorAll("label.list-item").length === 2`)
	m.Eval(`(document.querySelectorAll("label.list-item").forEach((one) => one.click()), true)`, nil)
	m.waitText("h1", "2 selected")
	m.Click("#bulk-more")
	m.WaitVisible("#bulk-menu")
	m.Click("[data-action=importImages]")
	m.waitText("#bulk", "2 of 2 products")
	m.check("products-pictures")
	m.submit("#bulk form")
	m.waitText("#job", "1 failed")
	m.waitText("#job", "Images not imported: 1 of 2")
	m.check("products-pictures-done")
	lamp, vase := m.product("faraway lamp"), m.product("faraway vase")
	if len(lamp.Images) != 1 || len(vase.Images) != 2 || !strings.HasPrefix(lamp.Images[0].URL, p.url+"/media/demo/") ||
		vase.Images[0].URL != lamp.Images[0].URL || vase.Images[1].URL != host+"/lost.jpg" {
		t.Errorf("got pictures %+v and %+v, want one of the shop's own in both", lamp.Images, vase.Images)
	}
}

// On a desk price and stock are typed in the table, and the keyboard opens a product.
func testProductTable(t *testing.T, p *process) {
	m := openDashboard(t, p, 1280)
	m.show("home", ".tiles")
	m.Press("g")
	m.Press("p")
	m.WaitVisible("[data-product]")
	m.show("products?search=bulk+bag+2", "[data-product] .cell-input")
	m.Fill(".cell-input .short", "6")
	m.Press(browsertest.Enter)
	m.Wait(`document.querySelector(".cell-input .short:not(:disabled)")?.value === "6" &&
		document.querySelector(".cell-input .short").defaultValue === "6"`)
	m.Fill(".cell-input .price", "1,999.50")
	m.Press(browsertest.Enter)
	m.Wait(`document.querySelector(".cell-input .price:not(:disabled)")?.defaultValue === "৳1,999.50"`)
	m.check("products-typed")
	if got := m.product("bulk bag 2").Variants[0]; got.Price.Amount != 199950 || *got.Stock != 6 {
		t.Errorf("got %+v, want the price and the stock that were typed", got)
	}
	m.Eval(`(document.activeElement.blur(), true)`, nil)
	m.Press("j")
	m.Press(browsertest.Enter)
	m.Wait(`location.hash.includes("/product/") && document.querySelector("#status")`)
}

// Each second response is lost: a product is created once, and a photo that was refused is sent
// again.
func testProductWeakNetwork(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 507")
	m.show("product/new", "#title")
	m.Eval(`(() => {
		const real = window.strongFetch = fetch
		let n = 0
		window.fetch = async (...request) => {
			const response = await real(...request)
			if (++n % 2 === 1) throw new TypeError("the response is lost")
			return response
		}
		const send = XMLHttpRequest.prototype.send
		XMLHttpRequest.prototype.send = function (body) {
			XMLHttpRequest.prototype.send = send
			Object.defineProperty(this, "status", {value: 422})
			Object.defineProperty(this, "responseText", {value: '{"code": "image_invalid", "detail": "It is no photo."}'})
			setTimeout(() => this.onload())
		}
		return true
	})()`, nil)
	m.choosePhotos(1)
	m.WaitVisible(".photo.bad")
	m.Fill("#title", "Lost and found")
	m.Fill("#price", "99")
	m.Click("#save")
	m.waitText("#product", "A photo was not sent")
	m.check("product-photo-failed")
	m.Click(".photo.bad")
	m.waitText("#photo", "It is no photo.")
	m.check("product-photo")
	m.Click("#send-again")
	m.Wait(`document.querySelectorAll(".photo img").length === 1 && !document.querySelector(".photo .job-bar, .photo.bad")`)
	m.Click("#save")
	m.waitText(".toast", "on sale")
	m.Eval(`(window.fetch = window.strongFetch, true)`, nil)
	if got := m.product("lost and found"); len(got.Images) != 1 {
		t.Errorf("got %+v, want one photo", got)
	}
	m.Eval(`(window.fetch = () => Promise.reject(new TypeError("offline")), location.hash = "#/demo/products?view=draft", true)`, nil)
	m.waitText(".empty", "could not be loaded")
	m.waitText(".banner", "Offline since")
	m.check("products-offline")
}

// Who may only view sees products, and no way to change them.
func testProductsOfViewer(t *testing.T, p *process, data string) {
	m := asMember(t, p, data, "viewer")
	m.show("products", "[data-product]")
	m.check("products-viewer")
	m.Click("[data-product]")
	m.WaitVisible("#title:disabled")
	m.check("product-viewer")
	var n int
	if m.Eval(`document.querySelectorAll("#save, #new, #select, #photos, #product-more").length`, &n); n != 0 {
		t.Errorf("got %d controls, want none", n)
	}
}
