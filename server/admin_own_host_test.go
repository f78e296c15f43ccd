package server_test

import (
	"net/http"
	"testing"

	"storefront/server"
	"storefront/server/admin"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/plan"
	"storefront/shop/staff"
)

// newOwnHostSite is a site with hosts below shops.example for the shops "test" and "other", and
// with a domain for "test".
func newOwnHostSite(t *testing.T, adminHosts ...string) *adminSite {
	t.Helper()
	var found *tenantsOf
	s := newAdminSite(t, func(cfg *server.Config) {
		found = cfg.Tenants.(*tenantsOf)
		found.domains = map[string]string{"rina.example": "test"}
		cfg.SiteURL, cfg.AdminHosts = "http://shops.example", adminHosts
	})
	found.own = s.shop.Shop // operators have the same data here: what matters is the address
	return s
}

// setOwnHost sets a plan of the shop with, or without, the dashboard at its hosts.
func (s *adminSite) setOwnHost(t *testing.T, ownHost *bool) {
	t.Helper()
	if _, err := s.shop.SetPlan(t.Context(), access.Operator(), &plan.Plan{Name: "basic", OwnHost: ownHost}); err != nil {
		t.Fatal(err)
	}
}

// At its own hosts a shop has its own dashboard, and the form to sign in names no other. Neither
// another shop nor the console is there, also for somebody with their session or key.
func TestAdmin_OwnHosts(t *testing.T) {
	t.Parallel()
	s := newOwnHostSite(t)
	owner := "sf_admin=" + s.shop.Member(t, staff.RoleOwner, "owner@example.com").Session
	const api = "/admin/v1/"
	for _, host := range []string{"test.shops.example", "rina.example", "RINA.example"} {
		var start admin.Start
		s.get(api+"start", "x-tenant", "", "Host", host).ok(http.StatusOK, &start)
		if start.Shop == nil || start.Shop.UID != "test" {
			t.Errorf("%s: got %+v, want the shop of the host", host, start.Shop)
		}
		for path, want := range map[string]int{
			"/admin/": 200, "/admin/docs": 200, api + "shops/test/session": 200, api + "shops/test/orders": 200,
			api + "shops/other/orders": 404, api + "shops/other/session": 404, api + "operator/shops": 404, api + "operator/session": 404,
			api + "shops/test/../other/orders": 404, api + "shops/test": 404, api + "setup": 404,
		} {
			if got := s.get(path, "x-tenant", "", "Host", host, "Cookie", owner+"; sf_operator=x"); got.status != want {
				t.Errorf("%s%s: got %d, want %d", host, path, got.status, want)
			}
		}
		s.get(api+"shops/other/orders", "x-tenant", "", "Host", host, "Authorization", s.key(t)).problem(http.StatusNotFound, "not_found")
	}
	if got := s.get("/admin/", "x-tenant", "", "Host", "nobody.shops.example"); got.status != http.StatusNotFound {
		t.Errorf("host of no shop: got %d", got.status)
	}
	s.get(api+"shops/test/orders", "x-tenant", "", "Host", "api.example", "Cookie", owner).ok(http.StatusOK, new(any))
	if _, err := s.shop.Suspend(t.Context(), access.Operator(), shop.Suspension{}); err != nil {
		t.Fatal(err)
	}
	if got := s.get("/admin/", "x-tenant", "", "Host", "rina.example"); got.status != http.StatusOK {
		t.Errorf("suspended: got %d, want the dashboard, which has the reason", got.status)
	}
}

// A plan closes the dashboard at the shop's hosts, or opens it where the server's dashboard has a
// host of its own.
func TestAdmin_OwnHostsByPlan(t *testing.T) {
	t.Parallel()
	for _, hosts := range [][]string{nil, {"admin.example"}} {
		s := newOwnHostSite(t, hosts...)
		key := s.key(t)
		check := func(what, host string, want bool) {
			t.Helper()
			for _, path := range []string{"/admin/", "/admin/v1/shops/test/orders", "/admin/v1/start"} {
				if got := s.get(path, "x-tenant", "", "Host", host, "Authorization", key); (got.status == http.StatusOK) != want {
					t.Errorf("%v, %s, %s%s: got %d, want found %t", hosts, what, host, path, got.status, want)
				}
			}
		}
		check("without a plan", "rina.example", hosts == nil)
		for _, c := range []struct {
			ownHost *bool
			want    bool
		}{{nil, hosts == nil}, {new(true), true}, {new(false), false}} {
			s.setOwnHost(t, c.ownHost)
			check("plan", "rina.example", c.want)
			check("plan", "test.shops.example", c.want)
		}
		check("the server's host", "admin.example", true)
		check("another host of the server", "api.example", hosts == nil)
	}
}
