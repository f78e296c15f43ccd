package server_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// oddGateways are plugins whose webhooks are never authentic, with any settings.
func oddGateways() []plugin.Plugin {
	keys := []plugin.Key{{Name: "secret", Secret: true, For: []plugin.Capability{plugin.CanReceiveWebhooks, plugin.CanPay}}}
	return []plugin.Plugin{
		{Provider: plugin.GatewayA, Keys: keys, PaymentWebhooks: nobodys{}},
		{Provider: plugin.GatewayB, Keys: keys},
	}
}

type nobodys struct{}

func (nobodys) ReadWebhook(plugin.Settings, []byte) (plugin.PaymentEvent, bool) {
	return plugin.PaymentEvent{}, false
}

// newGatewaySite serves a shop with both gateways configured ("ready") and one without ("bare").
func newGatewaySite(t *testing.T) *site {
	t.Helper()
	ready := shoptest.New(t, &shoptest.Options{UID: "ready", Plugins: oddGateways()})
	for _, of := range []plugin.Provider{plugin.GatewayA, plugin.GatewayB} {
		if _, err := ready.ConfigurePlugin(t.Context(), access.Caller{Operator: true}, of, shoptest.Raw(t, map[string]any{"secret": "hush"})); err != nil {
			t.Fatal(err)
		}
	}
	bare := shoptest.New(t, &shoptest.Options{UID: "bare", Plugins: oddGateways()})
	return newSite(t, func(cfg *server.Config) {
		cfg.Tenants = &tenantsOf{shops: map[string]*shop.Shop{"ready": ready, "bare": bare}}
	})
}

// call sends a request as a provider would and returns the whole response as text.
func (s *site) call(t *testing.T, method, path, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Request-Id", "same")
	req.Header.Set("Origin", "https://evil.example")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	res.Header.Del("Date")
	var all strings.Builder
	all.WriteString(res.Status + "\n")
	if err := res.Header.Write(&all); err != nil {
		t.Fatal(err)
	}
	return all.String() + "\n" + string(text)
}

func TestGatewayAWebhook_SameRejection(t *testing.T) {
	t.Parallel()
	s := newGatewaySite(t)
	want := s.call(t, http.MethodPost, "/payment/webhook/gateway_a/nobody", "tran_id=1")
	if !strings.HasPrefix(want, "401 ") || strings.Contains(want, "Access-Control") {
		t.Errorf("unknown tenant: %s", want)
	}
	for path, body := range map[string]string{
		"/payment/webhook/gateway_a/bare":                       "tran_id=1", // not configured
		"/payment/webhook/gateway_a/ready":                      "tran_id=1&verify_sign=0",
		"/payment/webhook/gateway_a/" + strings.Repeat("x", 99): "",
		"/payment/webhook/gateway_a/%2e%2e":                     "",
	} {
		if got := s.call(t, http.MethodPost, path, body); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", path, got, want)
		}
	}
	if got := s.call(t, http.MethodPost, "/payment/webhook/gateway_a/ready", strings.Repeat("x", 2<<20)); !strings.HasPrefix(got, "401 ") {
		t.Errorf("huge body: %s", got)
	}
}

func TestGatewayBCallback(t *testing.T) {
	t.Parallel()
	s := newGatewaySite(t)
	want := s.call(t, http.MethodGet, "/payment/callback/gateway_b/nobody?paymentID=1&status=success", "")
	if !strings.HasPrefix(want, "401 ") {
		t.Errorf("unknown tenant: %s", want)
	}
	if got := s.call(t, http.MethodGet, "/payment/callback/gateway_b/bare?paymentID=1&status=success", ""); got != want {
		t.Errorf("not configured:\n%s\nwant\n%s", got, want)
	}
	for _, query := range []url.Values{
		{}, {"paymentID": {"1"}, "status": {"success"}, "signature": {"x"}},
		{"status": {"success"}, "callbackURL": {"https://evil.example"}, "redirect": {"//evil.example"}},
	} {
		got := s.call(t, http.MethodGet, "/payment/callback/gateway_b/ready?"+query.Encode(), "")
		if !strings.HasPrefix(got, "302 ") || !strings.Contains(got, "Location: /payment/result?payment=failed\r\n") {
			t.Errorf("%v: %s", query, got)
		}
	}
}

func TestPaymentResultPage(t *testing.T) {
	t.Parallel()
	s := newGatewaySite(t)
	for query, says := range map[string]string{
		"payment=success&order=0123456789ABCDEF": "Order 0123456789ABCDEF",
		"payment=cancelled":                      "Payment cancelled",
		"payment=nonsense":                       "Payment not confirmed yet",
		"":                                       "Payment not confirmed yet",
	} {
		if got := s.call(t, http.MethodGet, "/payment/result?"+query, ""); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, says) {
			t.Errorf("%s: %s", query, got)
		}
	}
	if got := s.call(t, http.MethodGet, "/payment/result?payment=success&order=%3Cscript%3E", ""); strings.Contains(got, "script") {
		t.Errorf("the page shows text from the query: %s", got)
	}
}
