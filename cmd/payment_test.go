package cmd_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop/inbox"
)

// placedOnline is an order of the demo shop that awaits its payment.
type placedOnline struct {
	ID      string `json:"_id"`
	Payment struct {
		RedirectURL string
		Attempts    []struct {
			ID string `json:"_id"`
		}
	}
}

func placeOnline(t *testing.T, r ready, method string) placedOnline {
	t.Helper()
	body := `{"items":[{"productId":"` + r.Demo.ProductID + `","variantId":"` + r.Demo.VariantID + `","quantity":1}],` +
		`"customer":{"name":"Rahima Khatun","phoneNumber":"01711-000000"},"paymentMethod":"` + method + `",` +
		`"shippingAddress":{"line1":"House 12, Road 5","area":"Dhaka","city":"Dhaka"}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/api/v1/orders", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-tenant", r.Demo.UID)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusCreated {
		t.Fatalf("place order: got %s, %s, %v, want 201", res.Status, text, err)
	}
	var order placedOnline
	if err := json.Unmarshal(text, &order); err != nil {
		t.Fatal(err)
	}
	if order.Payment.RedirectURL == "" {
		t.Fatalf("place order: got %s, want a redirect URL", text)
	}
	return order
}

// paymentStatus returns an order's status and payment status from public tracking.
func paymentStatus(t *testing.T, r ready, id string) (order, payment string) {
	t.Helper()
	status, body := get(t, r.URL+"/api/v1/orders/"+id, r.Demo.UID)
	var o struct{ Status, PaymentStatus string }
	if err := json.Unmarshal(body, &o); err != nil || status != http.StatusOK {
		t.Fatalf("get order: got %d, %s, %v, want 200", status, body, err)
	}
	return o.Status, o.PaymentStatus
}

func TestSimulate(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	p, r := serveDemo(t, c.dir)
	for _, method := range []string{"gateway_a", "gateway_b"} {
		order := placeOnline(t, r, method)
		simulator := order.Payment.RedirectURL[:strings.Index(order.Payment.RedirectURL, "/"+method)]
		var got struct{ ReturnedTo, Status, PaymentStatus string }
		c.json(&got, "simulate", "demo", method, "pay", "--order", order.ID, "--simulator", simulator)
		if got.Status != "confirmed" || got.PaymentStatus != "paid" || !strings.Contains(got.ReturnedTo, "payment=success") {
			t.Errorf("%s: got %+v, want a confirmed and paid order", method, got)
		}
		if status, payment := paymentStatus(t, r, order.ID); status != "confirmed" || payment != "paid" {
			t.Errorf("%s: got order %s, payment %s, want confirmed and paid", method, status, payment)
		}
	}
	c.fails(cmd.ExitUsage, "cannot be simulated", "simulate", "demo", "gateway_a", "dance", "--order", "0123456789ABCDEF")

	var webhooks struct{ Nodes []inbox.Webhook }
	c.json(&webhooks, "webhook", "list", "demo")
	if len(webhooks.Nodes) < 2 {
		t.Fatalf("webhook list: got %+v, want 2 webhooks, newest first", webhooks.Nodes)
	}
	webhooks.Nodes = webhooks.Nodes[:2] // those before are of the demo
	for _, webhook := range webhooks.Nodes {
		if webhook.Verdict != inbox.VerdictApplied {
			t.Errorf("got verdict %s, want applied: %+v", webhook.Verdict, webhook)
		}
		c.fails(cmd.ExitFailed, "has been applied", "webhook", "replay", "demo", webhook.ID)
	}
	scanForSecrets(t, c, p, webhooks.Nodes)
}

// scanForSecrets searches the output of commands and the log for credentials, signatures and
// personal data.
func scanForSecrets(t *testing.T, c *console, p *process, webhooks []inbox.Webhook) {
	t.Helper()
	shown := p.stderr.String() + c.must("webhook", "list", "demo") + c.must("plugin", "list", "demo") +
		c.must("payment", "list", "demo", "--status", "succeeded")
	for _, webhook := range webhooks {
		shown += c.must("webhook", "show", "demo", webhook.ID)
	}
	for _, secret := range []string{"simulated-test", "411111", "01711-", "1711000000", "Rahima", "store_passwd="} {
		if at := strings.Index(shown, secret); at >= 0 {
			t.Errorf("output contains %q: …%s…", secret, shown[max(0, at-60):min(len(shown), at+60)])
		}
	}
}
