package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/password"
	"storefront/shop/shoptest"
)

// BenchmarkCatalogueUnderLogins reads products with and without 64 clients that sign in without a
// pause, at the real cost of a password. The ratio of the two is what a flood of logins leaves of
// the catalogue's throughput; peak-MB is the memory used meanwhile.
func BenchmarkCatalogueUnderLogins(b *testing.B) {
	for _, flood := range []struct {
		name    string
		clients int
	}{{"alone", 0}, {"64logins", 64}} {
		b.Run(flood.name, func(b *testing.B) {
			h := loginSite(b)
			stop, logins := startLogins(h, flood.clients)
			b.SetParallelism(4)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r := httptest.NewRequest("GET", "/api/v1/products", nil)
					r.Header.Set("x-tenant", "test")
					w := httptest.NewRecorder()
					if h.ServeHTTP(w, r); w.Code != http.StatusOK {
						b.Errorf("%d: %s", w.Code, w.Body)
					}
				}
			})
			b.StopTimer()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			stop()
			b.ReportMetric(float64(memory.HeapSys)/(1<<20), "peak-MB")
			b.ReportMetric(float64(logins.Load())/b.Elapsed().Seconds(), "logins/s")
		})
	}
}

// loginSite returns a handler for a shop with products and an account, with production's cost of
// passwords.
func loginSite(b *testing.B) http.Handler {
	b.Helper()
	ctx := context.Background()
	store := shoptest.NewStore(b, nil)
	shoptest.New(b, &shoptest.Options{Store: store})
	s := shop.New(shop.Config{Store: store, ID: "test", Sealer: shoptest.Sealer("test"), Hasher: password.NewHasher(password.HasherConfig{})})
	csv := "Handle,Title,Published,Variant SKU,Variant Price\n"
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		csv += "product-" + name + ",Product " + name + ",true,SKU-" + name + ",100\n"
	}
	if _, err := s.Catalogue.ImportProducts(ctx, access.Operator(), strings.NewReader(csv), catalogue.ImportOptions{}); err != nil {
		b.Fatal(err)
	}
	phone := aPhone
	if _, err := s.Accounts.Register(ctx, access.Caller{}, account.RegisterInput{Name: "Ayesha", PhoneNumber: &phone, Password: river}); err != nil {
		b.Fatal(err)
	}
	srv, err := server.New(server.Config{Tenants: &tenantsOf{shops: map[string]*shop.Shop{"test": s}}, Rate: -1})
	if err != nil {
		b.Fatal(err)
	}
	return srv.Handler()
}

// startLogins lets clients sign in without a pause until stop is called, and counts the successes.
func startLogins(h http.Handler, clients int) (stop func(), done *atomic.Int64) {
	ctx, cancel := context.WithCancel(context.Background())
	done = new(atomic.Int64)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				r := httptest.NewRequestWithContext(ctx, "POST", "/api/v1/auth/login", strings.NewReader(`{"user":"`+aPhone+`","password":"`+river+`"}`))
				r.Header.Set("x-tenant", "test")
				r.Header.Set("Content-Type", "application/json")
				r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1024", i) // a single address would be limited
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code == http.StatusOK {
					done.Add(1)
				}
			}
		})
	}
	return func() { cancel(); wg.Wait() }, done
}
