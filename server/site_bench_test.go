package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"storefront/server"
)

// BenchmarkSite_Page measures a page of 24 products: stored, unchanged for the browser, and
// rendered for each request.
func BenchmarkSite_Page(b *testing.B) {
	s := newPageSite(b, func(cfg *server.Config) { cfg.Rate = -1 })
	importMany(b, s.shop, 1000, "M")
	rendering := newSiteOf(b, s.shop, func(cfg *server.Config) {
		cfg.Tenants, cfg.SiteURL, cfg.Rate, cfg.CacheSize = s.tenants(), "http://shops.example", -1, -1
	})
	request := func() *http.Request {
		return httptest.NewRequestWithContext(b.Context(), http.MethodGet, shopHost+"/collections/all", nil)
	}
	first := &discarded{header: http.Header{}}
	s.server.Handler().ServeHTTP(first, request())
	known := request()
	known.Header.Set("If-None-Match", first.header.Get("ETag"))
	for _, run := range []struct {
		name    string
		handler http.Handler
		request *http.Request
		want    int
	}{
		{"stored", s.server.Handler(), request(), http.StatusOK}, {"known", s.server.Handler(), known, http.StatusNotModified},
		{"rendered", rendering.server.Handler(), request(), http.StatusOK},
	} {
		b.Run(run.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := &discarded{header: http.Header{}}
				if run.handler.ServeHTTP(w, run.request); w.status != run.want {
					b.Fatalf("got %d, want %d", w.status, run.want)
				}
			}
		})
	}
}
