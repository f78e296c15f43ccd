package e2e

import "testing"

// A suspended shop is closed for buyers. Its staff work on: they see its orders and confirm them.
func TestSuspended_Staff(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 50)
	p := serve(t, "--data", data)
	product, _ := p.product("acme", "item-0")
	order := func() response {
		t.Helper()
		return p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(product, 1)})
	}
	if placed := order(); placed.status != 201 {
		t.Fatalf("got %d %s", placed.status, placed.body)
	}
	call := p.adminOf(data)
	_, orders := call("GET", "orders", nil)
	id := orders["nodes"].([]any)[0].(map[string]any)["_id"].(string)
	run(t, "tenant", "suspend", "acme", "--data", data)
	if got := p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}); got.status != 403 {
		t.Errorf("products: got %d %s, want 403", got.status, got.body)
	}
	if got := order(); got.status != 403 {
		t.Errorf("order: got %d %s, want 403", got.status, got.body)
	}
	if got := p.graphql("acme", "", `{products{meta{totalCount}}}`, nil); got.status != 403 {
		t.Errorf("GraphQL: got %d %s, want 403", got.status, got.body)
	}
	if got, confirmed := call("POST", "orders/"+id+"/confirm", nil); got != 200 || confirmed["status"] != "confirmed" {
		t.Errorf("confirm: got %d %v, want a confirmed order", got, confirmed)
	}
	if got, _ := call("GET", "summary", nil); got != 200 {
		t.Errorf("summary: got %d, want 200", got)
	}
	run(t, "tenant", "resume", "acme", "--data", data)
	if got := order(); got.status != 201 {
		t.Errorf("after it was opened again: got %d %s, want 201", got.status, got.body)
	}
}
