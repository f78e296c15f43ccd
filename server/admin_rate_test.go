package server_test

import (
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// Each API key and each session may make 100 calls at once and 20 a second afterwards, whatever the
// others do.
func TestAdmin_RateLimit(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := newAdminSite(t, func(cfg *server.Config) { cfg.Rate, cfg.Burst, cfg.Now = 1000, 1000, clock.Now })
	owner := s.session(t, staff.RoleOwner)
	const path = "/admin/v1/shops/test/counts/orders"
	for _, caller := range [][]string{
		{"Authorization", s.key(t)}, {"Authorization", s.key(t)}, {"Cookie", owner}, {"Cookie", s.session(t, staff.RoleStaff)},
	} {
		for i := range 100 {
			if got := s.get(path, caller...); got.status != 200 {
				t.Fatalf("%s, call %d: got %d: %s", caller[0], i+1, got.status, got.body)
			}
		}
		s.get(path, caller...).problem(429, fault.CodeRateLimited)
	}
	clock.Advance(time.Second)
	for i := range 20 {
		if got := s.get(path, "Cookie", owner); got.status != 200 {
			t.Fatalf("call %d a second later: got %d: %s", i+1, got.status, got.body)
		}
	}
	got := s.get(path, "Cookie", owner)
	got.problem(429, fault.CodeRateLimited)
	if wait := got.header.Get("Retry-After"); wait != "1" {
		t.Errorf("got Retry-After %q, want 1", wait)
	}
}
