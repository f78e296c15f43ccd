package tenants_test

import (
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/staff"
	"storefront/tenants"
)

// The list of shops has the orders of the last seven days and the work that needs attention,
// also for a shop that was not written since.
func TestListShops_Activity(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	create(t, a.Tenants, "quiet")
	product, err := a.acme.Catalogue.CreateProduct(t.Context(), access.Operator(),
		catalogue.ProductInput{Title: "Mug", Variants: []catalogue.VariantInput{{Price: 100_00}}})
	if err != nil {
		t.Fatal(err)
	}
	place := func() string {
		placed, err := a.acme.Orders.PlaceOrder(t.Context(), access.Caller{}, order.Input{
			Items:           []order.ItemInput{{ProductID: product.ID, Quantity: 1}},
			Customer:        &order.CustomerInput{Name: new("Rahim"), PhoneNumber: new("01711-000000")},
			ShippingAddress: &account.Address{Line1: "House 1", City: "Dhaka"},
		}, "")
		if err != nil {
			t.Fatal(err)
		}
		return placed.ID
	}
	row := func(filter tenants.ShopFilter) (found tenants.ShopRow, count int) {
		t.Helper()
		a.clock.Advance(3 * time.Second)                                              // it reads the index; PostgreSQL has the times of the clock
		if _, err := a.FindShop(t.Context(), access.Operator(), "acme"); err != nil { // does not use the stored list
			t.Fatal(err)
		}
		list, err := a.ListShops(t.Context(), access.Operator(), filter)
		if err != nil || len(list.Nodes) == 0 {
			t.Fatalf("got %v, %v", list, err)
		}
		return list.Nodes[0], len(list.Nodes)
	}
	row(tenants.ShopFilter{})
	place()
	cancelled := place()
	a.clock.Advance(5 * 24 * time.Hour)
	place()
	if _, err := a.acme.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), cancelled, ""); err != nil {
		t.Fatal(err)
	}
	if got, count := row(tenants.ShopFilter{}); got.UID != "acme" || got.Orders != 2 || got.Findings != 0 || count != 2 {
		t.Errorf("got %+v of %d shops, want two orders", got, count)
	}
	in := staff.APIKeyInput{Label: "Old", ExpiresAt: new(a.clock.Now().Add(time.Hour))}
	if _, _, err := a.acme.Staff.CreateAPIKey(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(3 * 24 * time.Hour)
	if got, count := row(tenants.ShopFilter{Work: true}); got.UID != "acme" || got.Orders != 1 || got.Findings != 1 || count != 1 {
		t.Errorf("got %+v of %d shops, want acme with one order of this week and an expired key", got, count)
	}
}
