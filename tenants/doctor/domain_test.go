package doctor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/shoptest"
	"storefront/tenants"
	"storefront/tenants/doctor"
)

// A domain whose DNS leads elsewhere is reported with the records to enter, also if the operator
// has entered the domain.
func TestExamine_DomainElsewhere(t *testing.T) {
	t.Parallel()
	cfg := newFolder(t)
	cfg.PublicURL = "https://api.agency.example"
	addresses := map[string][]string{
		"api.agency.example": {"192.0.2.1", "2001:db8::1"}, "shop.example": {"192.0.2.9"}, "here.example": {"192.0.2.1"},
	}
	cfg.LookupHost = func(_ context.Context, host string) ([]string, error) {
		if found, ok := addresses[host]; ok {
			return found, nil
		}
		return nil, errors.New("no such host")
	}
	inFolder(t, cfg, func(all *tenants.Tenants) {
		s, err := all.Shop(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		settings := shoptest.Raw(t, map[string]any{"domains": []string{"shop.example", "here.example", "gone.example"}})
		if err := s.SetSettings(t.Context(), access.Operator(), settings); err != nil {
			t.Fatal(err)
		}
	})
	found := examine(t, cfg)["domains"]
	const records = "shop.example, gone.example. At the registrar, enter A 192.0.2.1 and AAAA 2001:db8::1, or CNAME api.agency.example"
	if found.Code != doctor.CodeDomainsElsewhere || found.State != doctor.StateWarning || !strings.Contains(found.Message, records) {
		t.Errorf("got %+v, want the records of both", found)
	}
	addresses["shop.example"], addresses["gone.example"] = addresses["here.example"], addresses["here.example"]
	if found := examine(t, cfg)["domains"]; found.State != doctor.StateOK {
		t.Errorf("got %+v, want ok", found)
	}
}
