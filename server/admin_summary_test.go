package server_test

import (
	"slices"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// The first screen and the search hold what the caller may view, and nothing else.
func TestAdmin_SummaryAndSearch(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	type summary struct {
		Today  *shop.TodaySales     `json:"today"`
		Last14 []shop.DaySales      `json:"last14"`
		Todo   map[string]*int      `json:"todo"`
		Health []shop.HealthFinding `json:"health"`
	}
	read := func(path string, to any, scopes ...string) {
		t.Helper()
		s.get("/admin/v1/shops/test/"+path, "Authorization", s.key(t, scopes...)).ok(200, to)
	}
	var all, few summary
	read("summary", &all)
	if all.Today == nil || len(all.Last14) != 14 || all.Todo["toConfirm"] == nil || all.Todo["problems"] == nil || all.Todo["lowStock"] == nil {
		t.Errorf("with every permission: got %+v", all)
	}
	read("summary", &few, "products.read")
	if few.Today != nil || few.Last14 == nil || len(few.Last14) != 0 || few.Todo["toConfirm"] != nil || few.Todo["review"] != nil ||
		few.Todo["lowStock"] == nil || few.Health == nil {
		t.Errorf("with products.read: got %+v, want the stock alone", few)
	}
	var found, hidden struct {
		Orders    []order.Row           `json:"orders"`
		Customers []shop.CustomerRecord `json:"customers"`
		Contact   *order.Contact        `json:"contact"`
	}
	read("search?q=01711000000", &found)
	if len(found.Orders) != 1 || found.Orders[0].ID != "0123456789ABCDEF" || found.Contact == nil {
		t.Errorf("search: got %+v, want the order and the contact", found)
	}
	read("search?q=01711000000", &hidden, "products.read")
	if len(hidden.Orders)+len(hidden.Customers) != 0 || hidden.Contact != nil {
		t.Errorf("search with products.read: got %+v, want nothing", hidden)
	}
}

// The link of each finding leads to the list of what it is about.
func TestAdmin_HealthLinks(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := s.session(t, staff.RoleOwner)
	backlog := shop.Backlog{
		NeedReview: 1, RefundDue: 1, UnclearRefunds: 1, FailedStarts: 1, Overdue: 1, Unmatched: 1, Failed: 1, Stored: 1, Refused: 1,
		Incomplete: []string{"gateway_b"}, KeysEnding: 1, DisabledEndpoints: 1, Flags: 1, Unanswered: []string{"A"}, Stray: []string{"B"},
	}
	findings := backlog.Findings()
	if len(findings) != 15 {
		t.Errorf("got %d findings, want one of each kind", len(findings))
	}
	for _, one := range findings {
		if one.Link == nil {
			t.Errorf("%s: got no link", one.Code)
			continue
		}
		var list any
		s.get("/admin/v1/shops/test/"+*one.Link, "Cookie", owner).ok(200, &list)
	}
}

// What an integrator must mend is a finding with what to do, for those who may see providers.
func TestAdmin_HealthOfPlugins(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.Config.Plugins = []plugin.Plugin{{Provider: plugin.GatewayB, Gateway: &auditGateway{}, Keys: []plugin.Key{
		{Name: "user", For: []plugin.Capability{plugin.CanPay}}, {Name: "secret", Secret: true, For: []plugin.Capability{plugin.CanPay}},
	}}}
	a = a.Reopened()
	s := &adminSite{newSiteOf(t, a.Shop, func(cfg *server.Config) { cfg.Now = a.Clock.Now }), a}
	codes := func(scopes ...string) (found []shop.HealthCode) {
		t.Helper()
		var health struct {
			Incomplete []string             `json:"incomplete"`
			Findings   []shop.HealthFinding `json:"findings"`
		}
		s.get("/admin/v1/shops/test/health", "Authorization", s.key(t, scopes...)).ok(200, &health)
		for _, one := range health.Findings {
			if one.Remedy == "" || one.Message == "" || one.Count < 1 {
				t.Errorf("got %+v, want what is wrong and what to do", one)
			}
			found = append(found, one.Code)
		}
		return found
	}
	before := codes()
	now := s.shop.Clock.Now()
	s.shop.Exec(t, `
		INSERT INTO refused_webhooks (provider, slot, reason, received, at)
		VALUES ('courier_a', 1, 'signature', 3, ?), ('courier_a', 2, 'signature', 9, ?)`,
		now.Add(-time.Hour).UnixMilli(), now.Add(-25*time.Hour).UnixMilli())
	s.shop.Exec(t, `INSERT INTO admin_tokens (id, label, hash, created_at, expires_at) VALUES ('ends', 'panel', ?, 0, ?)`,
		[]byte("ends"), now.Add(6*24*time.Hour).UnixMilli())
	shoptest.ConfigurePlugin(t, a.Shop, plugin.GatewayB, map[string]any{"user": "rina"})
	got := slices.DeleteFunc(codes(), func(code shop.HealthCode) bool { return slices.Contains(before, code) })
	if want := []shop.HealthCode{shop.HealthRefused, shop.HealthPlugins, shop.HealthKeys}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := codes("settings.read"); slices.Contains(got, shop.HealthRefused) || slices.Contains(got, shop.HealthPlugins) {
		t.Errorf("without providers.read: got %q", got)
	}
	// Settings that do not open, as after the loss of the key, hide nothing else.
	shoptest.ConfigurePlugin(t, a.Shop, plugin.GatewayB, map[string]any{"secret": "hush"})
	s.shop.Exec(t, `UPDATE secrets SET sealed = ? WHERE name LIKE 'gateway_b.%'`, []byte("of another key"))
	again := a.Reopened()
	health, err := again.FindBacklog(t.Context(), access.Operator())
	if err != nil || health.Refused != 3 || health.Incomplete != nil {
		t.Errorf("got %+v, %v, want what can be read", health, err)
	}
}
