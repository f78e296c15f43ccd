package server_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/fault"
)

func TestTenantHeader_CheckedFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, tt := range []struct {
		name, uid string
		status    int
		code      fault.Code
	}{
		{"missing", "", 400, fault.CodeTenantRequired},
		{"unknown", "nobody", 404, fault.CodeTenantNotFound},
		{"malformed", "../test", 404, fault.CodeTenantNotFound},
		{"another case", "TEST", 404, fault.CodeTenantNotFound},
		{"suspended", "closed", 403, fault.CodeTenantSuspended},
		{"internal error", "broken", 500, fault.CodeInternal},
		{"panic", "panics", 500, fault.CodeInternal},
		{"timeout", "slow", 503, fault.CodeUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/api/v1/tenant", "/api/v1/products/x", "/api/v1/auth/me", "/api/v1/orders/x"} {
				got := s.get(path, "x-tenant", tt.uid)
				got.tb = t
				got.problem(tt.status, tt.code)
			}
			got := s.send("POST", "/api/v1/orders", "{broken", "x-tenant", tt.uid)
			got.tb = t
			got.problem(tt.status, tt.code)
			if strings.Contains(string(got.body), "disk on fire") || strings.Contains(string(got.body), "out of luck") {
				t.Errorf("the response reveals the internal error: %s", got.body)
			}
		})
	}
}

func TestTenantHeader_Twice(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	req, _ := http.NewRequest("GET", s.url+"/api/v1/tenant", nil)
	req.Header["X-Tenant"] = []string{"test", "test"}
	s.do(req).problem(404, fault.CodeTenantNotFound)
}

func TestRouter_WithoutTenant(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) {
		cfg.Version = "1.2.3"
		cfg.Routes = []server.Route{{Method: "GET", Path: "/demo/images/:name", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(r.URL.Path))
		})}}
	})
	for _, path := range []string{"/docs", "/openapi.json", "/openapi.yaml", "/healthz", "/readyz", "/demo/images/tea"} {
		if got := s.get(path, "x-tenant", ""); got.status != 200 {
			t.Errorf("GET %s: %d %s", path, got.status, got.body)
		}
	}
	for _, path := range []string{"/docs/", "/graphql/", "/healthz/", "/admin", "/admin/docs/", "/demo/images/tea/"} {
		other := strings.TrimSuffix(path, "/")
		if path == "/admin" {
			other = "/admin/"
		}
		got := s.get(path+"?a=b", "x-tenant", "")
		if to := got.header.Get("Location"); got.status != 308 || to != other+"?a=b" {
			t.Errorf("GET %s: %d to %q, want 308 to %s", path, got.status, to, other)
		}
	}
	for _, path := range []string{"/api/v1/products/", "/docs//", "/openapi.json/", "//docs/", "/nothing/", "/admin/v1/products/"} {
		if got := s.get(path); got.status != 404 {
			t.Errorf("GET %s: %d, want 404", path, got.status)
		}
	}
	if got := s.get("/healthz", "x-tenant", ""); string(got.body) != `{"status":"ok","version":"1.2.3"}`+"\n" {
		t.Errorf("/healthz: got %s", got.body)
	}
}

// A terminal's prompt begins on a line of its own.
func TestJSON_EndsWithNewline(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	for _, tt := range []struct{ method, path, body string }{
		{"GET", "/healthz", ""},
		{"GET", "/openapi.json", ""},
		{"GET", "/admin/openapi.json", ""},
		{"GET", "/api/v1/products", ""},
		{"GET", "/api/v1/products?limit=-1", ""},
		{"GET", "/api/v1/products/nothing", ""},
		{"GET", "/nothing", ""},
		{"POST", "/api/v1/auth/login", "{"},
		{"POST", "/graphql", `{"query":"{apiVersion}"}`},
		{"POST", "/graphql", `{"query":"{"}`},
		{"GET", "/admin/v1/shops/test/orders", ""},
	} {
		got := s.send(tt.method, tt.path, tt.body, "Accept-Encoding", "identity")
		if text := string(got.body); !strings.HasSuffix(text, "}\n") {
			t.Errorf("%s %s: got %q, want one line feed at the end", tt.method, tt.path, text[max(0, len(text)-40):])
		}
		if n := got.header.Get("Content-Length"); n != "" && n != strconv.Itoa(len(got.body)) {
			t.Errorf("%s %s: Content-Length %s of %d bytes", tt.method, tt.path, n, len(got.body))
		}
	}
}

func TestReadyz_FollowsTenants(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) { cfg.Tenants.(*tenantsOf).notReady = http.ErrBodyNotAllowed })
	got := s.get("/readyz", "x-tenant", "")
	got.problem(503, fault.CodeUnavailable)
	if got.header.Get("Retry-After") != "1" {
		t.Errorf("got Retry-After %q", got.header.Get("Retry-After"))
	}
}

func TestRouter_PathsAndMethods(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, tt := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/", 404, ""},
		{"GET", "/nothing", 404, ""},
		{"GET", "/api/v1", 404, ""},
		{"GET", "/api/v1/products/", 404, ""},
		{"GET", "/api/v1/tenant/", 404, ""},
		{"GET", "//api/v1/tenant", 404, ""},
		{"GET", "/API/v1/tenant", 404, ""},
		{"GET", "/api/v1/../v1/tenant", 404, ""},
		{"GET", "/api/v1/products/a/b", 404, ""},
		{"GET", "/api/v1/products/handle/a/b", 404, ""},
		{"POST", "/api/v1/products", 405, "GET, HEAD, OPTIONS"},
		{"DELETE", "/api/v1/products/x", 405, "GET, HEAD, OPTIONS"},
		{"PUT", "/api/v1/products/handle/x", 405, "GET, HEAD, OPTIONS"},
		{"PUT", "/api/v1/orders", 405, "GET, HEAD, OPTIONS, POST"},
		{"GET", "/api/v1/orders/quote", 405, "OPTIONS, POST"},
		{"GET", "/api/v1/orders/coupons/verify", 405, "OPTIONS, POST"},
		{"GET", "/api/v1/auth/login", 405, "OPTIONS, POST"},
		{"BREW", "/api/v1/tenant", 405, "GET, HEAD, OPTIONS"},
		{"TRACE", "/api/v1/tenant", 405, "GET, HEAD, OPTIONS"},
		{"OPTIONS", "/api/v1/orders", 204, "GET, HEAD, OPTIONS, POST"},
		{"OPTIONS", "/api/v1/orders/quote", 204, "OPTIONS, POST"},
		{"OPTIONS", "/nothing", 404, ""},
		{"HEAD", "/api/v1/tenant", 200, ""},
		{"HEAD", "/docs", 200, ""},
		{"HEAD", "/api/v1/orders/quote", 405, "OPTIONS, POST"},
	} {
		got := s.send(tt.method, tt.path, "")
		if got.status != tt.status || got.header.Get("Allow") != tt.allow {
			t.Errorf("%s %s: %d with Allow %q, want %d with %q", tt.method, tt.path, got.status, got.header.Get("Allow"), tt.status, tt.allow)
		}
		switch {
		case tt.method == "HEAD" && len(got.body) > 0:
			t.Errorf("%s %s: got body %s", tt.method, tt.path, got.body)
		case tt.method == "HEAD":
		case tt.status == 404:
			got.problem(404, fault.CodeNotFound)
		case tt.status == 405:
			got.problem(405, fault.CodeMethodNotAllowed)
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	long := strings.Repeat("x", 65)
	for _, tt := range []struct {
		name, sent string
		accepted   bool
	}{
		{"valid", "9f.A_b-1", true},
		{"of the maximum length", long[:64], true},
		{"too long", long, false},
		{"with a space", "a b", false},
		{"with markup", "<b>", false},
		{"not ASCII", "আইডি", false},
	} {
		got := s.get("/healthz", "X-Request-Id", tt.sent).header.Get("X-Request-Id")
		if (got == tt.sent) != tt.accepted || got == "" {
			t.Errorf("%s: got %q", tt.name, got)
		}
	}
	if a, b := s.get("/nothing").header.Get("X-Request-Id"), s.get("/nothing").header.Get("X-Request-Id"); a == b || a == "" {
		t.Errorf("got request IDs %q and %q", a, b)
	}
}

func TestHeaders_APIVersion(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, path := range []string{"/healthz", "/api/v1/tenant", "/nothing", "/docs"} {
		got := s.get(path)
		if got.header.Get("X-API-Version") != "v0.15.0" || got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s: version %q, %q", path, got.header.Get("X-API-Version"), got.header.Get("X-Content-Type-Options"))
		}
	}
}
