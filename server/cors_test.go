package server_test

import (
	"context"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/shoptest"
)

// CORS headers by caller and path, with and without a list of origins.
func TestCORS(t *testing.T) {
	t.Parallel()
	open, listed := newSite(t, nil), newSite(t, nil)
	if err := listed.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t,
		map[string]any{"origins": []string{"https://shop.example"}})); err != nil {
		t.Fatal(err)
	}
	const ours, other = "https://shop.example", "https://evil.example"
	preflight := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-tenant", "x-tenant", ""}
	for _, tt := range []struct {
		name, method, path, origin string
		header                     []string
		open, listed               string // Access-Control-Allow-Origin
	}{
		{"catalogue", "GET", "/api/v1/products", ours, nil, "*", ours},
		{"catalogue from elsewhere", "GET", "/api/v1/products", other, nil, "*", ""},
		{"catalogue, not by a browser", "GET", "/api/v1/products", "", nil, "", ""},
		{"an error response", "GET", "/api/v1/auth/me", ours, nil, "*", ours},
		{"an error response from elsewhere", "GET", "/api/v1/auth/me", other, nil, "*", ""},
		{"GraphQL", "POST", "/graphql", ours, nil, "*", ours},
		{"GraphQL from elsewhere", "POST", "/graphql", other, nil, "*", ""},
		{"no tenant", "GET", "/api/v1/products", ours, []string{"x-tenant", ""}, "*", "*"},
		{"unknown path", "GET", "/nothing", ours, nil, "*", "*"},
		{"another method", "PUT", "/api/v1/tenant", ours, nil, "*", "*"},
		{"the document", "GET", "/openapi.json", other, nil, "*", "*"},
		{"preflight, which has no tenant", "OPTIONS", "/api/v1/orders", other, preflight, "*", "*"},
		{"preflight of GraphQL", "OPTIONS", "/graphql", other, preflight, "*", "*"},
		{"a provider's route", "POST", "/courier/webhook/courier_a/test", ours, nil, "", ""},
		{"a provider's preflight", "OPTIONS", "/courier/webhook/courier_a/test", ours, preflight, "", ""},
		{"a buyer's return", "GET", "/payment/callback/gateway_b/test", ours, nil, "", ""},
	} {
		for s, want := range map[*site]string{open: tt.open, listed: tt.listed} {
			body := ""
			if tt.path == "/graphql" && tt.method == "POST" {
				body = `{"query":"{apiVersion}"}`
			}
			h := s.send(tt.method, tt.path, body, append([]string{"Origin", tt.origin}, tt.header...)...).header
			if got := h.Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("%s, of a shop with a list %v: allows %q, want %q", tt.name, s == listed, got, want)
			}
			if h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s: got credentials allowed", tt.name)
			}
			if exposes := strings.Contains(h.Get("Access-Control-Expose-Headers"), "RateLimit-Policy"); exposes != (want != "") {
				t.Errorf("%s: got exposed headers %q, want RateLimit-Policy among them: %t", tt.name, h.Get("Access-Control-Expose-Headers"), want != "")
			}
			if isPreflight := tt.header != nil && tt.method == "OPTIONS"; (h.Get("Access-Control-Allow-Headers") != "") != (isPreflight && want != "") {
				t.Errorf("%s: got allowed headers %q, want some: %t", tt.name, h.Get("Access-Control-Allow-Headers"), isPreflight && want != "")
			}
			if s == listed && tt.origin != "" && want != "*" && want != "" && !strings.Contains(h.Get("Vary"), "Origin") {
				t.Errorf("%s: got Vary %q for a response that depends on the origin", tt.name, h.Get("Vary"))
			}
		}
	}
}

// A page may send each header of safe form: there are no cookies to protect, and libraries add
// headers of their own.
func TestPreflight(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	many := strings.Repeat("x-a, ", 31) + "x-b, x-c"
	for asked, want := range map[string]string{
		"x-tenant,content-type":                        "x-tenant, content-type",
		"traceparent,baggage, sentry-trace":            "traceparent, baggage, sentry-trace",
		"apollographql-client-name,  X-Requested-With": "apollographql-client-name, X-Requested-With",
		"": "",
		"x-order-token, bad name, <b>, x-ä, " + strings.Repeat("x", 65): "x-order-token",
		many: strings.TrimSuffix(many, ", x-c"),
	} {
		got := s.send("OPTIONS", "/api/v1/orders", "", "x-tenant", "", "Origin", "https://shop.example",
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", asked)
		for name, want := range map[string]string{
			"Access-Control-Allow-Origin":  "*",
			"Access-Control-Allow-Methods": "GET, HEAD, OPTIONS, POST",
			"Access-Control-Allow-Headers": want,
			"Access-Control-Max-Age":       "7200",
		} {
			if got.header.Get(name) != want {
				t.Errorf("asked for %q: %s is %q, want %q", asked, name, got.header.Get(name), want)
			}
		}
		if got.status != 204 || len(got.body) > 0 {
			t.Errorf("%d with %q", got.status, got.body)
		}
	}
}

func TestCORS_TenantOrigins(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	changes := shoptest.Raw(t, map[string]any{"origins": []string{"https://shop.example", "http://localhost:3000"}})
	if err := s.shop.SetSettings(context.Background(), access.Operator(), changes); err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]string{
		"https://shop.example":      "https://shop.example",
		"HTTPS://Shop.Example":      "HTTPS://Shop.Example",
		"http://localhost:3000":     "http://localhost:3000",
		"http://shop.example":       "",
		"https://evil.example":      "",
		"https://shop.example.evil": "",
		"null":                      "",
	} {
		for _, path := range []string{"/api/v1/tenant", "/api/v1/auth/me"} {
			h := s.get(path, "Origin", origin).header
			if got := h.Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("GET %s from %s allows %q, want %q", path, origin, got, want)
			}
			if (h.Get("Access-Control-Expose-Headers") != "") != (want != "") {
				t.Errorf("GET %s from %s: got exposed headers %q, want some: %t", path, origin, h.Get("Access-Control-Expose-Headers"), want != "")
			}
			if h.Get("Vary") == "" {
				t.Errorf("GET %s from %s does not vary", path, origin)
			}
		}
	}
}
