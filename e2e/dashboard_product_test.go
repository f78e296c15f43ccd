package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// shownProduct is a part of a product, as the Admin API returns it.
type shownProduct struct {
	ID      string `json:"_id"`
	Title   string
	Handle  string
	Status  string
	Tags    []string
	Images  []struct{ Alt, URL string }
	Options []struct {
		Name   string
		Values []string
	}
	Variants []struct {
		ID             string `json:"_id"`
		Title          string
		Price          struct{ Amount int64 }
		CompareAtPrice *struct{ Amount int64 }
		Stock          *int64
		SKU            *string
	}
	DescriptionHTML string
}

// products returns the products that a search finds.
func (m *merchant) products(search string) (found []shownProduct) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/products?search=" + encodeURIComponent(%q)).then((response) => response.json())
		.then((list) => list.nodes)`, search), &found)
	return found
}

// product returns the one product that a search finds.
func (m *merchant) product(search string) shownProduct {
	m.t.Helper()
	found := m.products(search)
	if len(found) != 1 {
		m.t.Fatalf("search %q: got %d products, want one", search, len(found))
	}
	return found[0]
}

// choosePhotos chooses n photos of 2,400 × 1,600 pixels, as the camera of a phone has them.
func (m *merchant) choosePhotos(n int) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(async () => {
		const files = new DataTransfer(), input = document.querySelector("#photos")
		for (let i = 0; i < %d; i++) {
			const canvas = document.createElement("canvas")
			canvas.width = 2400
			canvas.height = 1600
			const context = canvas.getContext("2d")
			context.fillStyle = ["#a8323e", "#22577f", "#1b6b45"][i]
			context.fillRect(0, 0, 2400, 1600)
			context.fillStyle = "#f3d27a"
			context.fillRect(300 + 200 * i, 200, 900, 1200)
			const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9))
			files.items.add(new File([blob], "photo-" + i + ".jpg", {type: "image/jpeg"}))
		}
		input.files = files.files
		return input.dispatchEvent(new Event("change", {bubbles: true}))
	})()`, n), nil)
}

// edit sends a change of a product as somebody else would.
func (m *merchant) edit(id string, change any) {
	m.t.Helper()
	body, err := json.Marshal(change)
	if err != nil {
		m.t.Fatal(err)
	}
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/products/%s", {method: "PATCH", headers: {"Content-Type": "application/json"},
		body: JSON.stringify(%s)}).then((response) => response.ok)`, id, body), nil)
}

// A merchant who has only a phone sells a product with two photos, finds it again, and changes it.
func TestDashboard_Products(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	host, roots := photoHost(t)
	server := storefront(t, "serve", "--listen", "127.0.0.1:0", "--dev", "--rate", "0", "--private-providers", "--data", data)
	server.Env = append(server.Env, "SSL_CERT_FILE="+roots)
	p := start(t, server)
	t.Run("a new one", func(t *testing.T) { testNewProduct(t, p) })
	t.Run("changes", func(t *testing.T) { testChangeProduct(t, p) })
	t.Run("variants", func(t *testing.T) { testVariants(t, p) })
	t.Run("link for orders", func(t *testing.T) { testOrderLink(t, p) })
	t.Run("list", func(t *testing.T) { testProductList(t, p) })
	t.Run("pictures of another host", func(t *testing.T) { testBringIn(t, p, host) })
	t.Run("a weak network", func(t *testing.T) { testProductWeakNetwork(t, p) })
	t.Run("viewer", func(t *testing.T) { testProductsOfViewer(t, p, data) })
	for i, width := range some([]int{360, 1280, 320}, 0, 3) { // a window each: few may be open at once
		t.Run(fmt.Sprintf("every screen at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			id := m.products("mango pickle")[0].ID
			for j, language := range some([]string{"en", "bn"}, i%2, 2) {
				m.use(language, []string{"light", "dark"}[(i+j)%2])
				m.show("products", "[data-product]")
				m.show("products?view=archived", ".empty, [data-product]")
				m.show("products?search=nothing-has-this", ".empty")
				m.show("product/new", "#title")
				m.show("product/"+id, "#status")
				m.Eval(`([...document.querySelectorAll(".folds details")].forEach((one) => { one.open = true }), true)`, nil)
				m.check("product-open")
			}
		})
	}
}

func testNewProduct(t *testing.T, p *process) {
	m := &taps{merchant: openDashboard(t, p, 360)}
	m.show("home", ".tiles")
	m.tap(`.bottom-tabs a[href$="/products"]`)
	m.WaitVisible("#new")
	m.check("products")
	m.tap("#new")
	m.WaitVisible("#photos + *, .photo.add")
	m.check("product-new")
	m.n++ // "Add photos"
	m.choosePhotos(2)
	m.Wait(`document.activeElement.id === "title" && document.querySelectorAll(".photo img").length === 2`)
	m.Press("টেরাকোটা দুলের সেট")
	m.Press(browsertest.Enter)
	m.Wait(`document.activeElement.id === "price"`)
	m.Press("২,৪০০")
	m.Press(browsertest.Enter)
	m.Wait(`document.activeElement.id === "stock"`)
	m.Press("5")
	m.Wait(`document.querySelectorAll(".photo .job-bar").length === 0`)
	m.check("product-filled")
	m.tap("#save")
	m.waitText(".toast", "on sale")
	m.want("put a product with two photos on sale", 4)
	m.Wait(`/\/product\/\w{20,}$/.test(location.hash) && document.querySelector("#status")`)
	m.check("product-created")
	got := m.product("টেরাকোটা দুলের সেট")
	if one := got.Variants[0]; got.Status != "active" || len(got.Images) != 2 || one.Price.Amount != 240000 || one.Stock == nil || *one.Stock != 5 {
		t.Errorf("got %+v, want a product on sale with two photos, a price and stock", got)
	}
	m.Wait(`document.querySelectorAll(".photos .photo img").length === 2`)
	m.Click(".photos li:nth-child(2) .photo")
	m.WaitVisible("#photo #alt")
	m.Fill("#photo #alt", "From behind")
	m.Click("#photo [data-action=cover]")
	m.Wait(`!document.querySelector("#photo") && document.querySelector("#save:not(:disabled)")`)
	m.Click("#save")
	m.Wait(`document.querySelector("#save:disabled")`)
	after := m.product("টেরাকোটা দুলের সেট").Images
	if len(after) != 2 || after[0].URL != got.Images[1].URL || after[0].Alt != "From behind" || after[1].URL != got.Images[0].URL {
		t.Errorf("got %+v, want the second photo as the first, with its text alternative", after)
	}
	testPhotoOrder(t, m.merchant, after[0].URL, after[1].URL)
}

// Photos are put in order with the mouse, a finger and keys; the saved order is there after a
// reload.
func testPhotoOrder(t *testing.T, m *merchant, first, second string) {
	isFirst := func(url string) string { // whatever its size
		return fmt.Sprintf(`document.querySelector(".photos .photo img")?.src.startsWith(%q)`, url[:strings.LastIndex(url, "/")])
	}
	m.Wait(isFirst(first))
	m.Drag(".photos li:nth-child(1) .photo", ".photos li:nth-child(2) .photo")
	m.Wait(isFirst(second) + ` && !document.querySelector("#photo, .dragged")`)
	m.Eval(`(window.touch = (type, n) => {
		const photo = document.querySelector(".photos li:nth-child(" + n + ") .photo"), at = photo.getBoundingClientRect()
		photo.dispatchEvent(new PointerEvent(type, {bubbles: true, pointerType: "touch", clientX: at.x + 50, clientY: at.y + 50}))
		return true
	}, touch("pointerdown", 1))`, nil)
	m.Wait(`document.querySelector(".photos li:nth-child(1).dragged")`) // the finger has rested
	m.Eval(`touch("pointermove", 2) && touch("pointerup", 2)`, nil)
	m.Wait(isFirst(first) + ` && !document.querySelector(".dragged")`)
	m.Eval(`(document.querySelector(".photos li:nth-child(2) .photo").focus(), true)`, nil)
	m.Press(browsertest.ArrowLeft)
	m.Wait(isFirst(second) + ` && document.activeElement === document.querySelector(".photos .photo")`)
	m.waitText(".photos ~ [role=status]", "photo 1 of 2")
	m.Click("#save")
	m.Wait(`document.querySelector("#save:disabled")`)
	m.Reload()
	m.Wait(isFirst(second) + ` && document.querySelectorAll(".photos .photo img").length === 2`)
	m.check("product-order")
	if got := m.product("টেরাকোটা দুলের সেট").Images; len(got) != 2 || got[0].URL != second || got[0].Alt != "" || got[1].Alt != "From behind" {
		t.Errorf("got %+v, want the photos in the order that was saved", got)
	}
	testPhotoDrop(t, m)
}

// A photo that is dropped anywhere on the page is added, and does not replace the page. Text is
// left to the browser.
func testPhotoDrop(t *testing.T, m *merchant) {
	m.Eval(`(window.drop = (type, data) => {
		const event = new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data})
		document.querySelector("#price").dispatchEvent(event)
		return event.defaultPrevented
	}, true)`, nil)
	var isTaken bool
	m.Eval(`(() => {
		const text = new DataTransfer()
		text.setData("text/plain", "2400")
		return drop("dragover", text) || drop("drop", text)
	})()`, &isTaken)
	if isTaken {
		t.Error("got a drop of text prevented")
	}
	m.Eval(`(async () => {
		const files = new DataTransfer(), canvas = document.createElement("canvas")
		const blob = await new Promise((done) => canvas.toBlob(done, "image/png"))
		files.items.add(new File([blob], "dropped.png", {type: "image/png"}))
		return drop("dragover", files) && drop("drop", files)
	})()`, &isTaken)
	if !isTaken {
		t.Error("got the browser to open a dropped photo")
	}
	m.Wait(`document.querySelectorAll(".photos .photo img").length === 3 && document.querySelectorAll(".photo .job-bar").length === 0`)
	m.Click("#save")
	m.Wait(`document.querySelector("#save:disabled")`)
	if got := m.product("টেরাকোটা দুলের সেট").Images; len(got) != 3 {
		t.Errorf("got %+v, want the dropped photo", got)
	}
}

// adjustStock changes the stock of a variant, as an order of a buyer does.
func (m *merchant) adjustStock(variant string, units int) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/stock/%s", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({adjust: %d})}).then((response) => response.ok)`, variant, units), nil)
}

// create creates a product without the form.
func (m *merchant) create(product any) (created shownProduct) {
	m.t.Helper()
	body, err := json.Marshal(product)
	if err != nil {
		m.t.Fatal(err)
	}
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/products", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify(%s)}).then((response) => response.json())`, body), &created)
	if created.ID == "" {
		m.t.Fatalf("got no product: %s", body)
	}
	return created
}

// A form shows both versions if somebody else has changed the same product, adds to the stock what
// was typed and not more, and is still there after the page was closed.
func testChangeProduct(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 412")
	made := m.create(map[string]any{"title": "Clay cup", "tags": []string{"clay"}, "variants": []any{map[string]any{"price": 12000, "stock": 10}}})
	m.show("product/"+made.ID, "#status")
	m.Fill("#price", "150")
	m.Click("#stock ~ .icon-button") // one more
	m.waitText(".top.plain", "unsaved")
	m.adjustStock(made.Variants[0].ID, -3) // a buyer is faster
	m.Reload()
	m.WaitVisible("#discard")
	m.check("product-restored")
	m.edit(made.ID, map[string]any{"title": "Clay cup, small", "tags": []string{"clay", "small"}})
	m.Fill("#title", "Clay cup, white")
	m.Click("#save")
	m.WaitVisible("#conflict")
	m.waitText("#conflict", "Clay cup, small")
	m.check("product-conflict")
	m.Click("#conflict .primary")
	m.waitText(".toast", "Saved")
	got := m.product("clay cup")
	if got.Title != "Clay cup, white" || len(got.Tags) != 2 || got.Variants[0].Price.Amount != 15000 || *got.Variants[0].Stock != 8 {
		t.Errorf("got %+v, want the own title, the tags of the other, and 10 - 3 + 1 in stock", got)
	}
	m.Fill("#title", "")
	m.submit("#product")
	m.Wait(`document.activeElement.id === "title" && document.activeElement.ariaInvalid === "true"`)
	m.Fill("#title", "Clay cup, white")
	m.Fill("#price", "free")
	m.submit("#product")
	m.Wait(`document.activeElement.id === "price" && document.activeElement.ariaInvalid === "true"`)
	m.check("product-invalid")
	m.Click(".action-bar .second") // discard
	m.Wait(`document.querySelector("#price").value === "150" && document.querySelector("#save:disabled")`)
	// A description looks as it will be read, while it is typed.
	m.Click("#fold-description summary")
	m.Wait(`document.querySelector("#descriptionHtml").isContentEditable`)
	m.Click("#descriptionHtml")
	m.Press("Turned by hand." + browsertest.Enter)
	m.Click("[data-format=UL]")
	m.Press("200 ml" + browsertest.Enter)
	m.Click("[data-format=B]")
	m.Press("no")
	m.Click("[data-format=B]")
	m.Press(" handle & <lid>")
	m.check("product-description")
	typed := `document.querySelector("#descriptionHtml").textContent.endsWith("<lid>")`
	for _, step := range []struct{ key, want string }{{"z", "!" + typed}, {"y", typed}} { // undo, redo
		m.Eval(fmt.Sprintf(`document.querySelector("#descriptionHtml").dispatchEvent(
			new KeyboardEvent("keydown", {key: %q, ctrlKey: true, bubbles: true, cancelable: true}))`, step.key), nil)
		m.Wait(step.want)
	}
	m.Eval(`(() => {
		const select = document.querySelector("#status")
		select.value = "archived"
		return select.dispatchEvent(new Event("change", {bubbles: true}))
	})()`, nil)
	m.Click("#save")
	m.Wait(`document.querySelector("#save:disabled") && document.querySelector(".top.plain .status.off")`)
	got = m.product("clay cup")
	want := "<p>Turned by hand.</p><ul><li>200 ml</li><li><b>no</b> handle &amp; &lt;lid&gt;</li></ul>"
	if got.DescriptionHTML != want || got.Status != "archived" {
		t.Errorf("got %+v, want the description %s", got, want)
	}
	m.Wait(`document.querySelector("#descriptionHtml").textContent.includes("200 ml")`)
	m.Click("#product-more")
	m.Click("[data-action=preview]")
	m.Wait(`document.querySelector("#preview iframe")?.contentDocument.body.innerText.includes("no handle & <lid>")`)
	m.check("product-preview")
	var bold string
	if m.Eval(`document.querySelector("#preview iframe").contentDocument.querySelector("li b").innerText`, &bold); bold != "no" {
		t.Errorf("got %q in bold, want what the description has", bold)
	}
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.Click("#product-more")
	m.Click("[data-action=duplicate]")
	m.waitText(".top.plain h1", "(copy)")
	m.Click("#product-more")
	m.Click("[data-action=delete]")
	m.WaitVisible("#ask-delete")
	m.check("product-delete")
	m.Click("#ask-delete .bad")
	m.waitText(".toast", "deleted")
	if got := m.product("clay cup"); got.ID != made.ID {
		t.Errorf("got %+v, want the product that was duplicated, and not its copy", got)
	}
}

// A link from the product's menu fills a buyer's cart and opens the checkout.
func testOrderLink(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.SetMediaFeature("prefers-color-scheme", "dark")
	m.show("product/rajshahi-silk-saree", "#product-more")
	m.Click("#product-more")
	m.Click("[data-action=link]")
	m.WaitVisible("#order-link .qr")
	m.Click("#order-link [aria-label='Quantity +']")
	m.waitText("#order-link .noted", "× 2")
	m.check("product-link")
	var text string
	m.Eval(`document.querySelector("#order-link .noted").textContent`, &text)
	_, link, _ := strings.Cut(text, "\nhttp")

	buyer := openWindow(t, p, 360)
	buyer.Go("http" + link)
	buyer.waitText("main", "Rajshahi Silk Saree")
	buyer.Screenshot("product-link-checkout")
}

// Sizes and colours become variants, which keep their ID and stock when others are added.
func testVariants(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	made := m.create(map[string]any{"title": "Terracotta lamp", "variants": []any{map[string]any{"price": 90000, "stock": 4, "sku": "PJ"}}})
	m.show("product/"+made.ID, "#status")
	m.Click("#fold-options summary")
	m.Click(`[data-option="Size"]`)
	m.Wait(`document.activeElement.id === "values-0"`)
	m.Press("M, L")
	m.Press(browsertest.Enter)
	m.Wait(`document.querySelectorAll("#variants > li").length === 2`)
	m.Fill("[name='variants[1].price']", "950")
	m.Fill("[id='variants[1].stock']", "7")
	m.check("product-variants")
	m.Click("#variants li:last-child .icon-button.tight")
	m.WaitVisible("#variant")
	m.Fill("[id='variants[1].sku']", "PJ-L")
	m.check("product-variant")
	m.Click("#variant .primary")
	m.Click("#save")
	m.Wait(`document.querySelector("#save:disabled")`)
	got := m.product("terracotta lamp")
	if len(got.Variants) != 2 || got.Variants[0].ID != made.Variants[0].ID || *got.Variants[0].Stock != 4 || got.Variants[1].Price.Amount != 95000 ||
		*got.Variants[1].Stock != 7 || *got.Variants[1].SKU != "PJ-L" || got.Variants[0].Title != "M" {
		t.Errorf("got %+v, want the old variant as M and a new one as L", got)
	}
}
