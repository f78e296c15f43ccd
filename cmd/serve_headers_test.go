package cmd_test

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Every listener sends the headers with which browsers protect its pages from other sites.
func TestServe_BrowserPolicies(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	_, r := serveDemo(t, dir, "--metrics-listen", "127.0.0.1:0")
	var order struct {
		Payment struct{ RedirectURL string }
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/api/v1/orders", strings.NewReader(
		`{"items":[{"productId":"`+r.Demo.ProductID+`","variantId":"`+r.Demo.VariantID+`","quantity":1}],"paymentMethod":"gateway_b",`+
			`"customer":{"name":"Rahima","phoneNumber":"01711-223344"},"shippingAddress":{"line1":"House 12","city":"Dhaka"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("x-tenant", "demo")
	request.Header.Set("Content-Type", "application/json")
	if _, body := send(t, request); json.Unmarshal(body, &order) != nil || order.Payment.RedirectURL == "" {
		t.Fatalf("place order: got %s, want a redirectUrl", body)
	}
	profiles := strings.TrimSuffix(r.Metrics, "/metrics") + "/debug/pprof/"
	for url, status := range map[string]int{
		r.Metrics: 200, profiles: 200, profiles + "heap?debug=1": 200, profiles + "nothing": 404,
		r.SMSPage: 200, r.SMSPage + "/nothing": 404,
		r.Simulator: 200, r.Simulator + "/nothing": 404, order.Payment.RedirectURL: 200, r.Simulator + "/gateway_a/pay/nothing": 404,
		r.URL + "/": 200, r.URL + "/demo/images/logo.svg": 200, r.URL + "/nothing": 404,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, got.Body)
		got.Body.Close()
		if got.StatusCode != status {
			t.Errorf("%s: got status %d, want %d", url, got.StatusCode, status)
		}
		policy := got.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") && !strings.HasPrefix(policy, "default-src 'self'") ||
			strings.Contains(policy, "script-src 'unsafe-inline'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: got Content-Security-Policy %q, want one that forbids inline scripts and frames", url, policy)
		}
		for name, want := range map[string]string{
			"Cross-Origin-Opener-Policy": "same-origin", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		} {
			// Pages of a shop send their origin to other sites.
			if value := got.Header.Get(name); value != want && !(name == "Referrer-Policy" && value == "strict-origin-when-cross-origin") {
				t.Errorf("%s: got %s %q, want %q", url, name, value, want)
			}
		}
	}
}
