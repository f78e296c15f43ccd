package shop_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

func TestCanonicalDomain(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{"shop.example.com", "shop.example.com"},
		{" Shop.Example.COM. ", "shop.example.com"},
		{"দোকান.বাংলা", "xn--p5b7ah1gxc.xn--54b7fta0cc"},
		{"Bücher.example", "xn--bcher-kva.example"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"a-1.b2.example", "a-1.b2.example"},
		{"1.example", "1.example"},
		{"", ""},
		{"localhost", ""},
		{"192.0.2.1", ""},
		{"1.2.3", ""},
		{"2001:db8::1", ""},
		{"*.example.com", ""},
		{"shop.example.com:443", ""},
		{"https://shop.example.com", ""},
		{"shop.example.com/path", ""},
		{"shop..example.com", ""},
		{".example.com", ""},
		{"-shop.example.com", ""},
		{"shop_1.example.com", ""},
		{"shop example.com", ""},
		{"shop\x00.example.com", ""},
		{"../../etc.example", ""},
		{strings.Repeat("a", 63) + ".example", strings.Repeat("a", 63) + ".example"},
		{strings.Repeat("a", 64) + ".example", ""},
		{strings.Repeat("abcdefg.", 32) + "example", ""},
	}
	for _, tt := range tests {
		got, ok := shop.CanonicalDomain(tt.name)
		if !ok {
			got = ""
		}
		if got != tt.want {
			t.Errorf("%q: got %q, %v; want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestSetSettings_Domains(t *testing.T) {
	t.Parallel()
	s := shoptest.New(t, nil)
	set := func(domains ...string) error {
		return s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"domains": domains}))
	}
	if err := set("Shop.Example.com.", "bücher.example", "shop.example.COM"); err != nil {
		t.Fatal(err)
	}
	saved := []string{"shop.example.com", "xn--bcher-kva.example"}
	settings, err := s.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(saved, settings.Domains); diff != "" {
		t.Errorf("domains (-want +got):\n%s", diff)
	}
	if err := set("shop.example.com", "https://shop.example.com"); !hasField(err, "domains[1]") {
		t.Errorf("URL as a domain: got %v, want an error for domains[1]", err)
	}
	many := make([]string, 11)
	for i := range many {
		many[i] = string(rune('a'+i)) + ".example"
	}
	if err := set(many...); !hasField(err, "domains") {
		t.Errorf("%d domains: got %v, want an error for domains", len(many), err)
	}
	if settings, err = s.Settings(t.Context()); err != nil || !cmp.Equal(saved, settings.Domains) {
		t.Errorf("after errors: got %v, %v; want %v", settings.Domains, err, saved)
	}
}

func hasField(err error, field string) bool {
	refused, ok := errors.AsType[*fault.Error](err)
	return ok && refused.Code == fault.CodeValidationFailed && len(refused.Fields) == 1 && refused.Fields[0].Field == field
}
