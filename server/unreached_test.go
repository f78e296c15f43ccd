package server_test

import (
	"regexp"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/plugin"
	"storefront/shop/status"
	"storefront/tenants"
)

// goWords matches the errors of Go's network, and what only programs read.
var goWords = regexp.MustCompile(`dial tcp|connection refused|no such host|context deadline|unexpected EOF|x509:|tls:|json:|%!|127\.0\.0\.1:1/`)

// A merchant reads in plain words that providers were not reached, in every response that
// shows it, now and later.
func TestUnreachedProviders(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.1:1"
	providers := tenants.Providers{Addresses: map[plugin.Provider]map[plugin.Mode]string{}, Telegram: nowhere, AllowPrivate: true}
	for _, p := range plugin.Providers() {
		providers.Addresses[p] = map[plugin.Mode]string{plugin.Live: nowhere}
	}
	s := newPracticeShop(t, providers)
	check := func(method, path, body string) string {
		t.Helper()
		got := string(s.call(method, path, body).body)
		if found := goWords.FindString(got); found != "" {
			t.Errorf("%s %s: got %q in %s", method, path, found, got)
		}
		return got
	}
	s.configureNowhere(check)
	var orders []string
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		path := "orders/" + s.buy(status.PayCOD).ID
		orders = append(orders, path)
		check("POST", path+"/confirm", "")
		check("GET", path+"/shipment-check?provider="+string(courier), "")
		check("POST", path+"/shipments", `{"provider":"`+string(courier)+`"}`)
		check("POST", path+"/shipment-price", `{"provider":"`+string(courier)+`","city":1,"zone":1}`)
		check("GET", "providers/"+string(courier)+"/places?kind=city", "")
		check("GET", "providers/"+string(courier)+"/places?kind=station", "")
		check("POST", path+"/track", "")
	}
	for _, gateway := range []status.PaymentMethod{status.PayGatewayA, status.PayGatewayB} {
		orders = append(orders, "orders/"+s.buy(gateway).ID)
	}
	if _, err := s.shop.Orders.SweepPayments(t.Context()); err != nil {
		t.Fatal(err)
	}
	later := append(orders, "providers", "sms", "mail", "payments", "messages", "notifications", "cash/balances",
		"summary", "health", "jobs", "flags", "audit")
	for _, path := range later {
		check("GET", path, "")
	}
	for _, kind := range []string{"sms", "mail"} {
		if got := check("GET", kind, ""); !strings.Contains(got, `"nextCheckAt":"`) {
			t.Errorf("%s: got %s, want it checked again", kind, got)
		}
	}
	if got := check("GET", "providers", ""); strings.Count(got, `"state":"unreached"`) != 4 {
		t.Errorf("got %s, want four providers that were not reached", got)
	}
}

// configureNowhere connects the shop to providers, a gateway of text messages, a mail server and an
// endpoint that do not exist.
func (s *practiceShop) configureNowhere(check func(method, path, body string) string) {
	s.t.Helper()
	for provider, settings := range map[plugin.Provider]string{
		plugin.CourierA: `{"webhook_secret":"s","client_id":"c","client_secret":"s","username":"u@example.com","password":"p",
			"store_id":"1"}`,
		plugin.CourierB: `{"webhook_token":"t","api_key":"k","secret_key":"s"}`,
		plugin.GatewayA: `{"store_id":"s","store_password":"p"}`,
		plugin.GatewayB: `{"username":"u","password":"p","app_key":"k","app_secret":"s"}`,
	} {
		s.must("PATCH", "providers/"+string(provider), settings, new(any))
		check("POST", "providers/"+string(provider)+"/validate", "")
	}
	s.must("PUT", "sms", `{"config":{"url":"http://127.0.0.1:1","allowHttp":true,
		"body":{"kind":"form","params":{"to":"{to}","text":"{text}"}}}}`, new(any))
	check("POST", "sms/test", `{"phoneNumber":"01711-000000"}`)
	s.must("PUT", "mail", `{"from":"shop@example.com","host":"127.0.0.1","port":1,"security":"none"}`, new(any))
	check("POST", "mail/test", `{"email":"rina@example.com"}`)
	check("PATCH", "notifications/channels", `{"telegramToken":"123456:AAhushhushhushhushhushhush"}`)
	endpoint, _, err := s.shop.Endpoints.CreateEndpoint(s.t.Context(), access.Operator(), endpoint.Input{URL: "https://127.0.0.1:1/hook"})
	if err != nil {
		s.t.Fatal(err)
	}
	sent, err := s.shop.Endpoints.TestEndpoint(s.t.Context(), access.Operator(), endpoint.ID)
	if err != nil || sent.Error == nil || goWords.MatchString(*sent.Error) {
		s.t.Errorf("got delivery %+v (%v), want a reason in plain words", sent, err)
	}
}
