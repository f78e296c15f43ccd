package tenants_test

import (
	"bytes"
	"encoding/csv"
	"maps"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/plan"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
	"storefront/tenants"
)

// Requests of a shop are added to its month, by each server that counts them, and nothing is
// written without any.
func TestRequests_Saved(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	for range 3 {
		a.CountRequest(a.acme, 1500*time.Microsecond, 800*time.Microsecond)
	}
	a.CountRequest(a.own, time.Second, time.Second) // the installation is no shop
	if err := a.SaveRequests(t.Context()); err != nil {
		t.Fatal(err)
	}
	month := a.clock.Now().Format("2006-01")
	other := []plan.Requests{{UID: "acme", Month: month, Requests: 2, Milliseconds: 5, CPUMilliseconds: 1}} // of another server
	if err := a.own.Plans.AddRequests(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	version, err := a.own.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SaveRequests(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now, err := a.own.Version(t.Context()); err != nil || now != version {
		t.Errorf("got a write without requests")
	}
	list, err := a.ListShopUsage(t.Context(), a.operator(t, staff.OperatorViewer, "Vera"), tenants.UsageFilter{})
	if err != nil || len(list.Nodes) != 1 || list.Nodes[0].Requests != 5 || list.Nodes[0].RequestMilliseconds != 9 ||
		list.Nodes[0].CPUMilliseconds != 3 {
		t.Fatalf("got %+v, %v, want 5 requests of 9 ms with 3 ms of CPU time", list, err)
	}
	if stats := a.PlanStats()[""]; stats.Requests != 3 || stats.Shops != 1 {
		t.Errorf("got %+v, want three requests to a shop without a plan", stats)
	}
}

// The file of all shops has the plan and the requests.
func TestUsage_Export(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila := a.operator(t, staff.OperatorOwner, "Shaila")
	savePlan(t, a, shaila, "basic", 5)
	if err := a.AssignPlan(t.Context(), shaila, "acme", new("basic")); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Second)
	a.CountRequest(a.acme, time.Millisecond, 0)
	if err := a.SaveRequests(t.Context()); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := a.ExportUsage(t.Context(), shaila, "", &file); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&file).ReadAll()
	if err != nil || len(records) != 2 || records[1][0] != "acme" || records[1][16] != "basic" || records[1][18] != "1" {
		t.Errorf("got %v, %v", records, err)
	}
}

// Orders count for the plan of their shop once they are stored: neither a refused one nor a
// repetition nor a test order counts. A plan that no shop has is in no metric.
func TestPlanStats_Orders(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila := a.operator(t, staff.OperatorOwner, "Shaila")
	savePlan(t, a, shaila, "basic", 5)
	savePlan(t, a, shaila, "pro", 50)
	product, err := a.acme.Catalogue.CreateProduct(t.Context(), access.Operator(),
		catalogue.ProductInput{Title: "Mug", Variants: []catalogue.VariantInput{{Price: 100_00}}})
	if err != nil {
		t.Fatal(err)
	}
	place := func(quantity int, key string) error {
		a.clock.Advance(time.Minute)
		_, err := a.acme.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(product.ID, quantity), key)
		return err
	}
	wantOrders := func(want map[string]uint64) {
		t.Helper()
		if err := a.RefreshDomains(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := map[string]uint64{}
		for name, s := range a.PlanStats() {
			got[name] = s.Orders
		}
		if !maps.Equal(got, want) {
			t.Errorf("got orders %v, want %v", got, want)
		}
	}
	if err := place(1, ""); err != nil {
		t.Fatal(err)
	}
	wantOrders(map[string]uint64{"": 1})
	if err := a.AssignPlan(t.Context(), shaila, "acme", new("basic")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second is a repetition
		if err := place(1, "0123456789abcdef"); err != nil {
			t.Fatal(err)
		}
	}
	if err := place(5000, ""); err == nil {
		t.Error("got an order beyond the limit of units")
	}
	guest := shoptest.GuestOrder(product.ID, 1)
	in := order.StaffInput{
		Items:    []order.StaffItemInput{{VariantID: product.Variants[0].ID, Quantity: 1}},
		Customer: guest.Customer, ShippingAddress: guest.ShippingAddress, Source: status.SourcePhone,
	}
	if _, err := a.acme.Orders.PlaceOrderAsStaff(t.Context(), access.Operator(), in, false); err != nil {
		t.Fatal(err)
	}
	wantOrders(map[string]uint64{"basic": 2})
	if _, err := a.acme.SetMode(t.Context(), access.Operator(), plugin.Sandbox); err != nil {
		t.Fatal(err)
	}
	if err := place(1, ""); err != nil {
		t.Fatal(err)
	}
	wantOrders(map[string]uint64{"basic": 2})
}
