package tenants_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plan"
	"storefront/shop/shoptest"
)

// Announcements reach the shops that they name, those with their plan, also after it changes, and a
// new shop, while they are current. No shop has the UIDs of others.
func TestAnnouncements_Reach(t *testing.T) {
	t.Parallel()
	a, ctx := newAgency(t), t.Context()
	maple := create(t, a.Tenants, "maple")
	for _, invalid := range []map[string]any{
		{"kind": "maintenance"}, {"kind": "advertisement", "en": "Buy"}, {"kind": "version", "en": strings.Repeat("x", 301)},
		{"kind": "version", "en": "x", "from": "2026-07-02T00:00:00Z", "until": "2026-07-01T00:00:00Z"},
	} {
		_, err := a.SetDefaults(ctx, access.Operator(), shoptest.Raw(t, map[string]any{"announcements": []any{invalid}}))
		wantCode(t, err, fault.CodeValidationFailed)
	}
	twice := []any{map[string]any{"kind": "version", "en": "x"}, map[string]any{"kind": "version", "en": "x"}}
	_, err := a.SetDefaults(ctx, access.Operator(), shoptest.Raw(t, map[string]any{"announcements": twice}))
	wantCode(t, err, fault.CodeValidationFailed)

	now := a.clock.Now()
	a.setDefaults(t, map[string]any{"announcements": []any{
		map[string]any{"kind": "maintenance", "en": "All", "bn": "সবাই", "shops": []string{}, "until": now.Add(time.Hour)},
		map[string]any{"kind": "version", "bn": "Maple", "shops": []string{"maple", "other"}},
		map[string]any{"kind": "information", "en": "Past", "until": now.Add(-time.Hour)},
		map[string]any{"kind": "information", "en": "Future", "from": now.Add(2 * time.Hour)},
		map[string]any{"kind": "information", "en": "Plan", "plan": "small"},
	}})
	want := func(s *shop.Shop, texts ...string) {
		t.Helper()
		set, err := s.Settings(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		ids := map[string]bool{}
		for _, one := range set.Announcements(a.clock.Now()) {
			got = append(got, one.Eng+one.Bangla)
			ids[one.ID] = true
		}
		if !slices.Equal(got, texts) || len(ids) != len(texts) {
			t.Errorf("%s: got %q with %d IDs, want %q", s.UID(), got, len(ids), texts)
		}
		if set.Defaults == nil {
			return
		}
		for _, one := range set.Defaults.Announcements {
			if len(one.Shops) > 0 || s.UID() != "maple" && one.Bangla == "Maple" {
				t.Errorf("%s: got %+v, want nothing of other shops", s.UID(), one)
			}
		}
	}
	want(a.acme, "Allসবাই")
	want(maple, "Allসবাই", "Maple")
	if n := a.push(t); n > 0 {
		t.Errorf("got %d shops with other defaults, want none", n)
	}
	want(create(t, a.Tenants, "fresh"), "Allসবাই")
	if n := a.push(t); n > 0 {
		t.Errorf("got %d shops with other defaults, want none: the new one has its copy", n)
	}
	if _, err := a.SavePlan(ctx, access.Operator(), plan.Plan{Name: "small"}); err != nil {
		t.Fatal(err)
	}
	if err := a.AssignPlan(ctx, access.Operator(), "acme", new("small")); err != nil {
		t.Fatal(err)
	}
	want(a.acme, "Allসবাই", "Plan")
	a.clock.Advance(3 * time.Hour)
	want(a.acme, "Future", "Plan")
	a.setDefaults(t, map[string]any{"announcements": nil})
	want(a.acme)
	if set, err := a.acme.Settings(ctx); err != nil || set.Defaults != nil {
		t.Errorf("got %+v, %v, want no copy", set.Defaults, err)
	}
}
