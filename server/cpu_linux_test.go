package server_test

import (
	"net/http"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/shoptest"
)

// The CPU time of requests to a shop is counted, of a sample.
func TestRequests_CPUTime(t *testing.T) {
	t.Parallel()
	found := &tenantsOf{shops: map[string]*shop.Shop{"test": shoptest.New(t, nil)}}
	s := newSite(t, func(cfg *server.Config) { cfg.Tenants = found })
	began := time.Now()
	for range 64 {
		if r := s.get("/api/v1/collections"); r.status != http.StatusOK {
			t.Fatalf("got %d", r.status)
		}
	}
	if cpu, most := time.Duration(found.cpu.Load()), 16*time.Since(began); cpu <= 0 || cpu > most {
		t.Errorf("got %v of CPU time, want less than %v", cpu, most)
	}
}
