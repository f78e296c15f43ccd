package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

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

// The operator's suspension and the merchant's closing are two states: staff end theirs alone.
// Buyers read the operator's text, and staff the reason.
func TestSuspended_ByOperator(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 1)
	p := serve(t, "--data", data)
	cookie := p.ownerOf(t, data)
	products := func(want int, text string) {
		t.Helper()
		got := p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"})
		if got.status != want || text != "" && got.text("detail") != text {
			t.Errorf("products: got %d %s, want %d %q", got.status, got.body, want, text)
		}
	}
	change := func(operation string, body any, want int, says string) map[string]any {
		t.Helper()
		method := "POST"
		if operation == "settings" {
			method = "PATCH"
		}
		got := p.must(request{method: method, path: "/admin/v1/shops/acme/" + operation, body: body, header: map[string]string{"Cookie": cookie}})
		if got.status != want || says != "" && got.text("detail") != says {
			t.Errorf("%s %v: got %d %s, want %d %q", operation, body, got.status, got.body, want, says)
		}
		var answer map[string]any
		if err := json.Unmarshal(got.body, &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	const general = "This shop is temporarily closed."
	run(t, "tenant", "suspend", "acme", "--data", data)
	products(403, general)
	run(t, "tenant", "suspend", "acme", "--reason", "The invoice of May is unpaid.", "--text", "Back on Sunday.", "--data", data)
	products(403, "Back on Sunday.")
	if got := p.graphql("acme", "", `{products{meta{totalCount}}}`, nil); got.text("errors", 0, "message") != "Back on Sunday." {
		t.Errorf("GraphQL: got %d %s", got.status, got.body)
	}
	const refusal = "The operator of the server has suspended this shop: The invoice of May is unpaid. Only the operator can open it."
	change("resume", map[string]any{}, 403, refusal)
	change("settings", map[string]any{"suspended": false}, 403, refusal)
	change("settings", map[string]any{"suspended": nil}, 403, refusal)
	change("settings", map[string]any{"suspension": nil}, 403, "")
	change("settings", map[string]any{"suspension": map[string]any{"text": "Open!"}}, 403, "")
	set := change("settings", map[string]any{"name": "Acme Dhaka"}, 200, "")
	held, _ := set["suspension"].(map[string]any)
	if set["suspended"] != true || held["reason"] != "The invoice of May is unpaid." || held["text"] != "Back on Sunday." {
		t.Errorf("got %v and %v, want a suspended shop with its reason", set["suspended"], held)
	}
	change("settings", map[string]any{"suspension": held}, 200, "") // unchanged

	change("suspend", map[string]any{}, 200, "") // the merchant closes it, too
	run(t, "tenant", "resume", "acme", "--data", data)
	products(403, general)
	if set := change("resume", map[string]any{}, 200, ""); set["suspended"] != false || set["suspension"] != nil {
		t.Errorf("opened: got %v and %v", set["suspended"], set["suspension"])
	}
	products(200, "")
	change("settings", map[string]any{"suspension": map[string]any{"text": "Mine"}}, 403, "")

	run(t, "tenant", "suspend", "acme", "--data", data)
	run(t, "tenant", "resume", "acme", "--data", data)
	products(200, "")
	change("suspend", map[string]any{}, 200, "")
	run(t, "tenant", "resume", "acme", "--data", data) // the operator may open a shop that its merchant has closed
	products(200, "")
	want := []string{
		"resume cli", "suspend staff", "resume cli", "suspend cli", "resume staff", "resume cli", "suspend staff", "suspend cli", "suspend cli",
	}
	if got := stateChanges(t, data); !slices.Equal(got, want) {
		t.Errorf("audit: got %q, want %q", got, want)
	}
}

// stateChanges returns who has opened and closed the shop, from the audit log.
func stateChanges(t *testing.T, data string) (changes []string) {
	t.Helper()
	var log struct {
		Nodes []struct {
			Action string
			Actor  struct{ Kind string }
		}
	}
	if err := json.Unmarshal([]byte(run(t, "audit", "acme", "--json", "--data", data)), &log); err != nil {
		t.Fatal(err)
	}
	for _, entry := range log.Nodes {
		if state, ok := strings.CutPrefix(entry.Action, "shop."); ok {
			changes = append(changes, state+" "+entry.Actor.Kind)
		}
	}
	return changes
}
