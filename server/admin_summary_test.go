package server_test

import (
	"testing"

	"storefront/shop"
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
		Orders    []shop.OrderRow       `json:"orders"`
		Customers []shop.CustomerRecord `json:"customers"`
		Contact   *shop.Contact         `json:"contact"`
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
