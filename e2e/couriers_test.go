package e2e

import (
	"fmt"
	"testing"
)

// A command's change is in effect for the running server when the command returns: a webhook that
// follows a new secret must not be refused.
func TestCommand_EffectiveOnReturn(t *testing.T) {
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
			t.Errorf("webhook %d: got %d %s, want 202", i, got.status, got.body)
		}
	}
}
