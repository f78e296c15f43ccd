package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// The setup of a courier and a parcel's way, as the README has them.
func TestCouriersOfTheREADME(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	linkProgram(t, dir)
	p := serve(t, "--dev", "--data", filepath.Join(dir, "data"))
	product := p.must(request{method: "GET", path: "/api/v1/products/handle/mango-pickle", tenant: "demo"}).text("_id")
	placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: map[string]any{
		"items":           []any{map[string]any{"productId": product, "quantity": 1}},
		"customer":        map[string]any{"name": "Ayesha Khan", "phoneNumber": "01711-000000"},
		"shippingAddress": map[string]any{"line1": "House 1, Road 2", "area": "Dhanmondi", "city": "Dhaka"},
	}})
	if placed.status != 201 {
		t.Fatalf("place order: %d %s", placed.status, placed.body)
	}
	script := p.demoCommands(t, "couriers")
	out := shell(t, dir, "export STOREFRONT_API_PUBLIC_URL="+p.url+"\n"+script)
	for _, fact := range []string{
		"/courier/webhook/courier_a/demo", "HTTP/1.1 202 Accepted", "X-CourierA-Merchant-Webhook-Integration-Secret: choose-one",
		"takes the shop's secret and refuses another", "completed, payment paid", "order.delivered", "PAID OUT",
	} {
		if !strings.Contains(out, fact) {
			t.Errorf("the commands do not show %s:\n%s", fact, out)
		}
	}
}

// What a command wrote holds for the running server when the command has returned: a script that
// sets a secret and has the courier call must not be refused.
func TestCommandsHoldWhenTheyReturn(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 1)
	p := serve(t, "--data", data, "--rate", "0")
	for i := range 20 {
		secret := fmt.Sprintf("secret-%d", i)
		run(t, "plugin", "configure", "acme", "courier_a", "webhook_secret="+secret, "--data", data)
		got := p.must(request{
			method: "POST", path: "/courier/webhook/courier_a/acme", header: map[string]string{"X-CourierA-Signature": secret},
			body: map[string]any{"event": "webhook_integration"},
		})
		if got.status != 202 {
			t.Errorf("call %d: %d %s", i, got.status, got.body)
		}
	}
}
