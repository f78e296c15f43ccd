package server_test

import (
	"net/http"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plan"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// A plan with fewer calls a second lowers the limit of each key and session of its shop.
func TestAdmin_PlanRate(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := newAdminSite(t, func(cfg *server.Config) { cfg.Rate, cfg.Burst, cfg.Now = 1000, 1000, clock.Now })
	p := &plan.Plan{Name: "basic"}
	p.Limits.Set(plan.CallsPerSecond, 2)
	if _, err := s.shop.SetPlan(t.Context(), access.Operator(), p); err != nil {
		t.Fatal(err)
	}
	key := s.key(t)
	const path = "/admin/v1/shops/test/counts/orders"
	calls := func(want int) {
		t.Helper()
		for i := range want {
			if got := s.get(path, "Authorization", key); got.status != http.StatusOK {
				t.Fatalf("call %d: got %d: %s", i+1, got.status, got.body)
			}
		}
		s.get(path, "Authorization", key).problem(http.StatusTooManyRequests, fault.CodeRateLimited)
	}
	calls(10)
	clock.Advance(time.Second)
	calls(2)
	if got := s.get(path, "Cookie", s.session(t, staff.RoleOwner)); got.status != http.StatusOK {
		t.Errorf("another caller: got %d", got.status)
	}
}

// An exceeded plan is a refusal with the limit, what is used and the maximum.
func TestAdmin_PlanLimit(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, func(*server.Config) {})
	p := &plan.Plan{Name: "basic"}
	for _, limit := range []plan.Limit{plan.Products, plan.Domains, plan.ImageBytes} {
		p.Limits.Set(limit, 0)
	}
	p.Limits.Set(plan.Staff, 1)
	if _, err := s.shop.SetPlan(t.Context(), access.Operator(), p); err != nil {
		t.Fatal(err)
	}
	owner := s.session(t, staff.RoleOwner)
	for path, body := range map[string]string{
		"POST products":  `{"title":"Mug","variants":[{"price":100}]}`,
		"POST staff":     `{"name":"Rina","email":"rina@example.com","role":"staff"}`,
		"PATCH settings": `{"domains":["shop.example.com"]}`,
	} {
		var method, at string
		for i, c := range path {
			if c == ' ' {
				method, at = path[:i], path[i+1:]
			}
		}
		got := s.send(method, "/admin/v1/shops/test/"+at, body, "Cookie", owner, "Content-Type", "application/json", "X-Tenant", "",
			"Sec-Fetch-Site", "same-origin")
		got.problem(http.StatusConflict, fault.CodePlanLimit)
	}
}
