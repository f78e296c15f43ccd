package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneShopKnowsNothingOfAnother takes what one shop gave out (a token, product and variant ids,
// an invoice, an order token) to every route of another shop on the same server.
func TestOneShopKnowsNothingOfAnother(t *testing.T) {
	t.Parallel()
	data := newShop(t, "alpha", 50)
	run(t, "tenant", "create", "beta", "--name", "Shop beta", "--data", data)
	file := filepath.Join(filepath.Dir(data), "products.csv")
	run(t, "product", "import", "beta", file, "--data", data)
	p := serve(t, "--data", data)

	id, _ := p.product("alpha", "item-0")
	own, _ := p.product("beta", "item-0")
	collection := "none"
	account := map[string]any{"name": "Secret Person", "phoneNumber": "01911-777888", "email": "secret.person@mail.example", "password": "correct horse battery"}
	token := p.must(request{method: "POST", path: "/api/v1/auth/register", tenant: "alpha", body: account}).text("accessToken")
	order := orderOf(id, 1)
	order["customer"] = map[string]any{"name": "Secret Person", "phoneNumber": "01911-777888"}
	placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "alpha", token: token, body: order})
	invoice, orderToken := placed.text("invoiceUid"), placed.text("orderToken")
	if token == "" || invoice == "" || orderToken == "" {
		t.Fatalf("alpha gave nothing out: %s", placed.body)
	}
	// What alpha's buyer is and has, in any answer of beta, is a leak.
	secrets := []string{"Secret Person", "777888", "secret.person", invoice, id}

	routes := []struct {
		request
		want string // status and code; "200 " for a route that answers beta's own public data
	}{
		{request{method: "GET", path: "/api/v1/products"}, "200 "},
		{request{method: "GET", path: "/api/v1/products/" + id}, "404 not_found"},
		{request{method: "GET", path: "/api/v1/products/handle/item-0"}, "200 "},
		{request{method: "GET", path: "/api/v1/products?collectionIds[]=" + collection}, "200 "},
		{request{method: "GET", path: "/api/v1/collections"}, "200 "},
		{request{method: "GET", path: "/api/v1/collections/" + collection}, "404 not_found"},
		{request{method: "GET", path: "/api/v1/tenant"}, "200 "},
		{request{method: "POST", path: "/api/v1/auth/login", body: map[string]any{"user": "01911-777888", "password": "correct horse battery"}}, "401 invalid_credentials"},
		{request{method: "GET", path: "/api/v1/auth/me"}, "401 token_invalid"},
		{request{method: "GET", path: "/api/v1/orders"}, "401 token_invalid"},
		{request{method: "GET", path: "/api/v1/orders/" + invoice}, "404 not_found"},
		{request{method: "POST", path: "/api/v1/orders", body: orderOf(own, 1)}, "401 token_invalid"},
		{request{method: "POST", path: "/api/v1/orders/quote", body: orderOf(own, 1)}, "401 token_invalid"},
		{request{method: "POST", path: "/api/v1/orders/coupons/verify", body: map[string]any{"code": "X", "items": order["items"]}}, "401 token_invalid"},
	}
	for _, r := range routes {
		t.Run(r.method+" "+strings.ReplaceAll(r.path, id, "ID"), func(t *testing.T) {
			r.tenant, r.token = "beta", token
			r.header = map[string]string{"X-Order-Token": orderToken}
			a := p.must(r.request)
			if got := fmt.Sprintf("%d %s", a.status, a.text("code")); got != r.want {
				t.Errorf("got %s, want %s: %s", got, r.want, a.body)
			}
			for _, secret := range secrets {
				if strings.Contains(string(a.body), secret) {
					t.Errorf("the answer shows %q of the other shop: %s", secret, a.body)
				}
			}
		})
	}

	t.Run("a guest's order of the other shop's product", func(t *testing.T) {
		a := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "beta", body: orderOf(id, 1)})
		if a.status != http.StatusUnprocessableEntity || a.text("code") == "" {
			t.Errorf("got %d %s", a.status, a.body)
		}
	})
	for _, doc := range []string{
		`{ me { name } }`, `{ myOrders { nodes { _id } } }`, `{ order(orderId: "` + invoice + `") { customer { name } } }`, `{ product(id: "` + id + `") { title } }`,
	} {
		t.Run(doc[:12], func(t *testing.T) {
			a := p.graphql("beta", token, doc, nil)
			if a.at("errors", 0, "extensions", "code") == nil {
				t.Errorf("no refusal: %s", a.body)
			}
			for _, secret := range secrets[:3] {
				if strings.Contains(string(a.body), secret) {
					t.Errorf("the answer shows %q of the other shop: %s", secret, a.body)
				}
			}
		})
	}
}
