package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
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
}
