package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// benchmarkSite returns a handler for a shop of 1,000 products, without a network.
func benchmarkSite(b *testing.B) (http.Handler, *catalogue.Product) {
	b.Helper()
	// All orders have one phone number and one address.
	s := shoptest.New(b, &shoptest.Options{Settings: map[string]any{"openOrdersPerPhone": 1_000_000, "openOrdersPerClient": 1_000_000}})
	importThousand(b, s)
	srv, err := server.New(server.Config{Tenants: &tenantsOf{shops: map[string]*shop.Shop{"test": s}}, Rate: -1})
	if err != nil {
		b.Fatal(err)
	}
	p, err := s.Catalogue.FindProductByHandle(context.Background(), "product-500")
	if err != nil {
		b.Fatal(err)
	}
	return srv.Handler(), p
}

func benchmark(b *testing.B, h http.Handler, method, path, body string, status int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("x-tenant", "test")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != status {
			text, _ := io.ReadAll(w.Body)
			b.Fatalf("got %d %s, want %d", w.Code, text, status)
		}
	}
}

func BenchmarkProductList(b *testing.B) {
	h, _ := benchmarkSite(b)
	benchmark(b, h, "GET", "/api/v1/products", "", 200)
}

func BenchmarkProductByHandle(b *testing.B) {
	h, _ := benchmarkSite(b)
	benchmark(b, h, "GET", "/api/v1/products/handle/product-500", "", 200)
}

func BenchmarkPlaceOrder(b *testing.B) {
	h, p := benchmarkSite(b)
	benchmark(b, h, "POST", "/api/v1/orders", "{"+cart(p, 1)+","+buyer+"}", 201)
}

func BenchmarkUnknownPath(b *testing.B) {
	h, _ := benchmarkSite(b)
	benchmark(b, h, "GET", "/nothing", "", 404)
}

// BenchmarkNew creates a server, which is most of the time of a start.
func BenchmarkNew(b *testing.B) {
	t, err := tenants.Open(tenants.Config{Dir: b.TempDir(), Schema: shoptest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = t.Close(context.Background()) })
	b.ReportAllocs()
	for b.Loop() {
		if _, err := server.New(server.Config{Tenants: t}); err != nil {
			b.Fatal(err)
		}
	}
}
