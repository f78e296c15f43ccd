package server_test

import (
	"context"
	"testing"

	"storefront/shop/shoptest"
)

func TestAnyOriginMayCallByDefault(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, path := range []string{"/api/v1/tenant", "/api/v1/products/none", "/nothing", "/openapi.json"} {
		h := s.get(path, "Origin", "https://shop.example").header
		if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("GET %s allows %q, credentials %q", path, h.Get("Access-Control-Allow-Origin"), h.Get("Access-Control-Allow-Credentials"))
		}
		if h.Get("Access-Control-Expose-Headers") == "" {
			t.Errorf("GET %s exposes nothing", path)
		}
	}
	if h := s.get("/api/v1/tenant").header; h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("an answer to no browser allows %q", h.Get("Access-Control-Allow-Origin"))
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	got := s.send("OPTIONS", "/api/v1/orders", "", "x-tenant", "", "Origin", "https://shop.example",
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-tenant,content-type")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":  "*",
		"Access-Control-Allow-Methods": "GET, HEAD, OPTIONS, POST",
		"Access-Control-Allow-Headers": "x-tenant, authorization, content-type, idempotency-key, x-order-token, x-request-id, if-none-match",
		"Access-Control-Max-Age":       "7200",
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.header.Get(name), want)
		}
	}
	if got.status != 204 || len(got.body) > 0 {
		t.Errorf("%d with %q", got.status, got.body)
	}
}

func TestATenantsOwnOrigins(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	changes := shoptest.Raw(t, map[string]any{"origins": []string{"https://shop.example", "http://localhost:3000"}})
	if err := s.shop.SetSettings(context.Background(), changes); err != nil {
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
				t.Errorf("GET %s from %s exposes %q", path, origin, h.Get("Access-Control-Expose-Headers"))
			}
			if h.Get("Vary") == "" {
				t.Errorf("GET %s from %s does not vary", path, origin)
			}
		}
	}
}
