package server_test

import (
	"testing"

	"storefront/server"
	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// The list of domains has the ones that buyers do not reach, also if one led here before, with the
// addresses to enter at the registrar.
func TestAdmin_DomainElsewhere(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, func(cfg *server.Config) {
		all := cfg.Tenants.(*tenantsOf)
		all.domains, all.moved = map[string]string{"here.example": "test", "moved.example": "test"}, "moved.example"
		cfg.Tenants = all
	})
	settings := shoptest.Raw(t, map[string]any{"domains": []string{"here.example", "moved.example", "new.example"}})
	if err := s.shop.SetSettings(t.Context(), access.Operator(), settings); err != nil {
		t.Fatal(err)
	}
	var got admin.Domains
	s.get("/admin/v1/shops/test/domains", "x-tenant", "", "Authorization", s.key(t, "settings.read")).ok(200, &got)
	for i, want := range []admin.Domain{
		{Name: "here.example", Proof: tenants.ProofDNS},
		{Name: "moved.example", Proof: tenants.ProofDNS, Elsewhere: true},
		{Name: "new.example", Proof: tenants.ProofMissing, Elsewhere: true},
	} {
		want.Certificate.State = admin.CertificateElsewhere
		if got.Nodes[i] != want {
			t.Errorf("got %+v, want %+v", got.Nodes[i], want)
		}
	}
	if got.Host == "" || len(got.Addresses) != 2 {
		t.Errorf("got the records %q %q, want the server's", got.Host, got.Addresses)
	}
}
