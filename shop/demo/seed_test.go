package demo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/demo"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

func TestSeed(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{Media: new(shoptest.Media)})
	report, err := demo.Seed(t.Context(), s.Shop, access.Operator(), true)
	if err != nil {
		t.Fatal(shoptest.ImportProblems(err))
	}
	if report.Created < 60 || len(report.CollectionsCreated) != 0 {
		t.Errorf("got report %+v", report)
	}
	shoptest.CheckStock(t, s.Shop, s.Store)
	checkSeededOrders(t, s)
	shoptest.CheckIndex(t, s.Shop, s.Store, "পাঞ্জা", "cotton", "rice")
	collections, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{})
	if err != nil || collections.Meta.TotalCount != 8 {
		t.Errorf("%d collections, %v", collections.Meta.TotalCount, err)
	}
	for _, c := range collections.Nodes {
		if c.ProductCount == 0 {
			t.Errorf("collection %s has no published product", c.Handle)
		}
	}
	// Examples in the documentation use these IDs.
	if p, err := s.Catalogue.FindProduct(t.Context(), "0ZRJS5B790K7P6HF38ZGHBY4KD"); err != nil ||
		p.Handle != "mango-pickle" {
		t.Errorf("product: %+v, %v", p, err)
	}
	if c, err := s.Catalogue.FindCollection(t.Context(), "6EDGHJNPG773AW373DVP6D1AQ8"); err != nil ||
		c.Handle != "eid-collection" {
		t.Errorf("collection: %+v, %v", c, err)
	}
	checkPhotos(t, s)
	version, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := demo.Seed(t.Context(), s.Shop, access.Operator(), true)
	if err != nil || again.Unchanged != report.Products {
		t.Errorf("seed again: got %+v, %v", again, err)
	}
	if after, err := s.Version(t.Context()); err != nil || after != version {
		t.Errorf("seed again: got content version %[2]d, %[3]v, want %[1]d", version, after, err)
	}
}

// checkPhotos checks that the products show six photographs, with renditions.
func checkPhotos(t *testing.T, s *shoptest.Stocked) {
	t.Helper()
	list, err := s.Catalogue.FindProducts(t.Context(), catalogue.ProductFilter{Request: page.Request{Limit: new(-1)}})
	if err != nil {
		t.Fatal(err)
	}
	photos := 0
	for _, p := range list.Nodes {
		for _, picture := range p.Images {
			if strings.HasPrefix(picture.URL, photoPath) {
				t.Errorf("%s shows %s, which no server has", p.Handle, picture.URL)
			}
			if len(picture.Renditions) > 2 && picture.Width != nil && *picture.Width >= 800 {
				photos++
			}
		}
	}
	if photos != 6 {
		t.Errorf("got %d photographs with renditions, want 6", photos)
	}
}

// checkSeededOrders checks that the orders of a seeded shop are in every status and in every view.
func checkSeededOrders(t *testing.T, s *shoptest.Stocked) {
	t.Helper()
	if problems, err := s.CheckInvariants(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("invariants: got %v, %v, want none broken", problems, err)
	}
	list, err := s.Orders.ListOrderRows(
		t.Context(),
		access.Operator(),
		order.ListFilter{Request: page.Request{Limit: new(100)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if got, first := list.Meta.TotalCount, list.Nodes[0]; got != 120 || first.OrderNumber != 1000 ||
		first.Test {
		t.Errorf(
			"got %d orders, the newest with number %d, test %v, want 120, the newest 1000",
			got,
			first.OrderNumber,
			first.Test,
		)
	}
	statuses := []status.Order{
		status.OrderPending, status.OrderPendingPayment, status.OrderConfirmed, status.OrderProcessing, status.OrderCompleted, status.OrderCancelled,
		status.OrderExpired, status.OrderReturned,
	}
	for _, st := range statuses {
		found, err := s.Orders.ListOrderRows(
			t.Context(),
			access.Operator(),
			order.ListFilter{Status: []status.Order{st}},
		)
		if err != nil || found.Meta.TotalCount == 0 {
			t.Errorf("orders that are %s: got none, %v", st, err)
		}
	}
	for column, values := range map[string]string{
		"payment_status":     "needs_review paid partially_refunded pending refund_due refunded unpaid",
		"fulfillment_status": "delivered in_progress partially_delivered returned returning unfulfilled",
		"shipment_status": "at_hub cancelled created delivered delivery_failed exchanged in_transit on_hold out_for_delivery partially_delivered picked " +
			"pickup_requested returned returning",
		"payment_method": "cod gateway_a gateway_b",
	} {
		for value := range strings.FieldsSeq(values) {
			if n := s.Number(t, `SELECT COUNT(*) FROM orders WHERE `+column+` = '`+value+`'`); n == 0 {
				t.Errorf("orders whose %s is %s: got none", column, value)
			}
		}
	}
	days := s.Number(t, `SELECT COUNT(DISTINCT (placed_at + 21600000) / 86400000) FROM orders`)
	first := time.UnixMilli(s.Number(t, `SELECT MIN(placed_at) FROM orders`))
	if age := s.Clock.Now().Sub(first); days < 29 || days > 31 || age < 29*24*time.Hour ||
		age > 30*24*time.Hour {
		t.Errorf("got orders of %d days, the first %s ago, want 30 days", days, age)
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM cash_statements`); n == 0 {
		t.Error("got no statement")
	}
	counts, err := s.Orders.CountOrders(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counts.Views {
		if c.Count == 0 {
			t.Errorf("view %s: got no orders", c.View)
		}
	}
	for name, filter := range map[string]order.ListFilter{
		"a call": {Calls: order.CallsSome}, "a due call": {Calls: order.CallsDue}, "the tag gift": {Tags: []string{"gift"}},
		"the tag wholesale": {Tags: []string{"wholesale"}}, "the tag call first": {Tags: []string{"call first"}},
	} {
		found, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), filter)
		if err != nil || found.Meta.TotalCount < 1 {
			t.Errorf("orders with %s: got none, %v", name, err)
		}
	}
	outcomes := map[order.CallOutcome]int{}
	var notes int
	for _, row := range list.Nodes {
		order, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), row.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, note := range order.Notes {
			if note.Outcome == nil {
				notes++
			} else {
				outcomes[*note.Outcome]++
			}
			if note.At.Before(row.PlacedAt) || note.At.After(s.Clock.Now()) {
				t.Errorf("order %d: got a note of %s", row.OrderNumber, note.At)
			}
		}
	}
	if notes != 10 || outcomes[order.CallConfirmed] < 50 || outcomes[order.CallNoAnswer] < 20 ||
		outcomes[order.CallLater] != 2 {
		t.Errorf("got %d notes and the calls %v", notes, outcomes)
	}
	report, err := s.Cash.ReportCash(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Couriers {
		if c.PaidOut.Amount == 0 || c.Holding == 0 {
			t.Errorf("cash: got %+v, want some paid out, some held", c)
		}
	}
	campaigns, err := s.Sales.ReportCampaigns(t.Context(), access.Operator(), sales.CampaignFilter{})
	if err != nil {
		t.Fatal(err)
	}
	advertised := 0
	for _, row := range campaigns.Rows {
		if row.Spend != nil && row.Return != nil && row.Delivered > 0 && *row.Visits > int64(row.Orders) {
			advertised++
		}
	}
	if advertised != 3 {
		t.Errorf("got %d campaigns with visits, orders and spend in %+v, want 3", advertised, campaigns.Rows)
	}
}

// A shop with an order gets no others.
func TestSeed_ExistingOrders(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{Media: new(shoptest.Media)})
	s.Place(t, access.Caller{}, order.Input{
		Items: []order.ItemInput{{ProductID: s.Mug.ID, Quantity: 1}},
		Customer: &order.CustomerInput{
			Name:        new("Rahima Khatun"),
			PhoneNumber: new("01711-223344"),
		},
		ShippingAddress: &account.Address{Line1: "House 12, Road 5", City: "Dhaka"},
	})
	if _, err := demo.Seed(t.Context(), s.Shop, access.Operator(), true); err != nil {
		t.Fatal(shoptest.ImportProblems(err))
	}
	list, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{})
	if err != nil || list.Meta.TotalCount != 1 {
		t.Errorf("got %d orders, %v, want the one that was placed", list.Meta.TotalCount, err)
	}
}

// silent is a courier and a gateway that must not be queried.
type silent struct {
	plugin.Courier
	plugin.Gateway
	tb testing.TB
}

func (p silent) Find(
	_ context.Context,
	_ plugin.Access,
	s plugin.ShipmentRef,
) (plugin.BookedShipment, error) {
	p.tb.Errorf("the courier was queried for %+v", s)
	return plugin.BookedShipment{}, plugin.ErrCourierNotFound
}

func (p silent) QueryStatus(
	_ context.Context,
	_ plugin.Access,
	q plugin.StatusQuery,
) (plugin.GatewayStatus, error) {
	p.tb.Errorf("the gateway was queried for %+v", q)
	return plugin.GatewayStatus{}, plugin.ErrGatewayUnavailable
}

// The providers of a shop have neither the demo's shipments nor its payments.
func TestSeed_RealProviders(t *testing.T) {
	t.Parallel()
	var plugins []plugin.Plugin
	providers := []plugin.Provider{
		plugin.CourierA,
		plugin.CourierB,
		plugin.GatewayA,
		plugin.GatewayB,
	}
	for _, provider := range providers {
		plugins = append(plugins, plugin.Plugin{
			Provider: provider, Courier: silent{tb: t}, Gateway: silent{tb: t},
			Keys: []plugin.Key{
				{Name: "secret", For: []plugin.Capability{plugin.CanBook, plugin.CanPay}},
			},
		})
	}
	s := shoptest.NewStocked(t, &shoptest.Options{Plugins: plugins, Media: new(shoptest.Media)})
	for _, provider := range providers {
		shoptest.ConfigurePlugin(t, s.Shop, provider, map[string]any{"secret": "any"})
	}
	if _, err := demo.Seed(t.Context(), s.Shop, access.Operator(), true); err != nil {
		t.Fatal(shoptest.ImportProblems(err))
	}
	for range 40 {
		for name, sweep := range map[string]func(context.Context) (time.Time, error){
			"payments": s.Orders.SweepPayments, "expiry": s.Orders.ExpireOrders, "shipments": s.Orders.SweepShipments,
		} {
			if _, err := sweep(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		s.Clock.Advance(6 * time.Hour)
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM orders WHERE status = 'pending_payment'`); n != 1 {
		t.Errorf("got %d orders that await a payment, want the one to review", n)
	}
}

// A shop may close, or limit and confirm the orders of its buyers, before it is seeded. It sends
// them no messages about the past.
func TestSeed_Settings(t *testing.T) {
	t.Parallel()
	settings := map[string]any{
		"activeMode": "sandbox", "autoConfirm": true, "suspended": true, "openOrdersPerPhone": 1, "codProofAbove": 1,
		"cashForBadRecords": "refuse", "buyerMessages": map[string]any{"sms": []string{"placed", "confirmed"}},
		"proofOfWork": []string{"orders"},
	}
	s := shoptest.NewStocked(t, &shoptest.Options{Settings: settings, SMS: new(shoptest.SMS), Media: new(shoptest.Media)})
	if _, err := demo.Seed(t.Context(), s.Shop, access.Operator(), true); err != nil {
		t.Fatal(shoptest.ImportProblems(err))
	}
	set, err := s.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if set.ActiveMode != plugin.Sandbox || !set.AutoConfirm || !set.Suspended ||
		set.OpenOrdersPerPhone != 1 {
		t.Errorf("got the settings %+v, want those of the shop", set)
	}
	for query, want := range map[string]int64{
		`SELECT COUNT(*) FROM orders WHERE test = 0`:                   120,
		`SELECT COUNT(*) FROM orders WHERE status = 'pending'`:         4,
		`SELECT COUNT(*) FROM buyer_messages WHERE due_at IS NOT NULL`: 0,
	} {
		if n := s.Number(t, query); n != want {
			t.Errorf("%s: got %d, want %d", query, n, want)
		}
	}
}
