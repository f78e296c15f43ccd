package e2e

import (
	"fmt"
	"testing"
)

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
