package e2e

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/url"
	"testing"

	"storefront/e2e/browsertest"
)

// A merchant publishes a buyer's review with one tap, and undoes it.
func TestDashboard_Reviews(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	var products struct {
		Nodes []struct {
			ID       string `json:"_id"`
			Handle   string
			Variants []struct {
				ID string `json:"_id"`
			}
		}
	}
	found := p.must(request{path: "/api/v1/products?limit=1", tenant: "demo"})
	if err := json.Unmarshal(found.body, &products); err != nil || len(products.Nodes) != 1 {
		t.Fatalf("got %s, %v", found.body, err)
	}
	product := products.Nodes[0].ID
	body := orderOf(product, 1)
	body["items"] = []map[string]any{{"productId": product, "variantId": products.Nodes[0].Variants[0].ID, "quantity": 1}}
	placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: body})
	id := placed.text("invoiceUid")
	for _, operation := range []string{"confirmOrder", "deliverOrder"} {
		run(t, "api", "demo", operation, "--order-id", id, "--data", data)
	}
	m := openDashboard(t, p, 360)
	m.show("site/reviews", ".empty")
	form := url.Values{"k": {placed.text("orderToken")}, "product": {product}, "rating": {"4"}, "text": {"Soft <b>\nand warm"}}
	sent, err := http.PostForm(p.url+"/orders/"+id+"/review", form)
	if err != nil {
		t.Fatal(err)
	}
	defer sent.Body.Close()
	m.show("site/reviews?status=rejected", ".empty")
	m.show("site/reviews", "#reviews")
	m.waitText("#reviews", "Soft <b>")
	m.Click("#reviews [data-do=publish]")
	m.waitText(".toasts", "Published.")
	m.show("site/reviews?status=published", "#reviews")
	m.Click(".toasts button")
	m.WaitVisible(".empty")
	m.show("site/reviews?status=rejected", "#reviews [data-do=publish]")

	// The buyer adds a photo, which staff see before buyers do. Rejecting deletes it.
	var with bytes.Buffer
	parts := multipart.NewWriter(&with)
	for name, values := range form {
		if err := parts.WriteField(name, values[0]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := parts.CreateFormFile("photo", "photo.png")
	if err == nil {
		_, err = part.Write([]byte(photo(t, 600, 800, 3)))
	}
	if err != nil || parts.Close() != nil {
		t.Fatal(err)
	}
	posted, err := http.Post(p.url+"/orders/"+id+"/review", parts.FormDataContentType(), &with)
	if err != nil {
		t.Fatal(err)
	}
	defer posted.Body.Close()
	setMediaURL := func(address string) { run(t, "api", "demo", "updateSettings", "--data", data, "--media-url", address) }
	setMediaURL("https://cdn.invalid") // which has no file that is not published
	m.show("site/reviews", "#reviews .review-photo img")
	m.Wait("document.querySelector('.review-photo img').naturalWidth > 0")
	m.Screenshot("review-photo-dashboard")
	m.Click("#reviews [data-do=publish]")
	m.waitText(".toasts", "Published.")
	setMediaURL("")

	// Buyers see it on the product's page without a shift of the layout.
	b := browsertest.Open(t)
	b.Resize(360, 740)
	b.SetMediaFeature("prefers-color-scheme", "dark")
	b.Go(p.url + "/bn/orders/" + id + "?k=" + placed.text("orderToken"))
	b.WaitVisible(".review input[type=file]")
	b.FullScreenshot("review-photo-order")
	b.Go(p.url + "/bn/products/" + products.Nodes[0].Handle)
	b.Eval("document.querySelector('.reviews').scrollIntoView()", nil)
	b.Wait("document.querySelector('.reviews img').naturalWidth > 0")
	b.Screenshot("review-photo-product")
	b.Resize(1280, 900)
	b.Eval("document.querySelector('.reviews').scrollIntoView()", nil)
	b.Screenshot("review-photo-product-wide")
	b.Go(p.url + "/orders/" + id + "?k=" + placed.text("orderToken"))
	b.FullScreenshot("review-photo-order-wide")

	m.show("site/reviews?status=published", "#reviews")
	m.Click("#reviews [data-do=reject]")
	m.waitText(".toasts", "The photo was deleted.")
}
