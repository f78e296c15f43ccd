package server_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
	"storefront/tenants"
)

// practiceShop is a shop of the whole program without an account at any provider.
type practiceShop struct {
	*site
	t       *testing.T
	clock   *shoptest.Clock
	key     string
	product string
}

func newPracticeShop(t *testing.T, providers tenants.Providers) *practiceShop {
	t.Helper()
	clock := shoptest.NewClock()
	all, err := tenants.Open(tenants.Config{
		Dir: t.TempDir(), Schema: shoptest.Schema(t), Now: clock.Now, PublicURL: "https://shop.example",
		Providers: providers, PrivateProviders: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close(context.Background()) })
	one, err := all.Create(t.Context(), "test", shoptest.Raw(t, map[string]any{"name": "Test", "currency": "BDT", "country": "BD"}))
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := one.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "test", Scopes: []staff.Scope{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	web := newSiteOf(t, one, func(cfg *server.Config) { cfg.Tenants, cfg.Now = all, clock.Now })
	s := &practiceShop{site: web, t: t, clock: clock, key: key}
	var product struct {
		ID string `json:"_id"`
	}
	s.must("POST", "products", `{"title":"Mug","status":"active","variants":[{"price":90000}]}`, &product)
	s.product = product.ID
	return s
}

// call sends a request as staff.
func (s *practiceShop) call(method, path, body string) *reply {
	s.t.Helper()
	return s.send(method, "/admin/v1/shops/test/"+path, body, "Authorization", "Bearer "+s.key, "Content-Type", "application/json")
}

// must is call for what has to succeed, and parses the response.
func (s *practiceShop) must(method, path, body string, into any) {
	s.t.Helper()
	got := s.call(method, path, body)
	if err := json.Unmarshal(got.body, into); got.status >= 300 || err != nil {
		s.t.Fatalf("%s %s: got %d: %s", method, path, got.status, got.body)
	}
}

// buy places an order as a buyer does.
func (s *practiceShop) buy(method status.PaymentMethod) (placed order.Order) {
	s.t.Helper()
	got := s.send("POST", "/api/v1/orders", `{"items":[{"productId":"`+s.product+`","quantity":1}],"paymentMethod":"`+string(method)+`",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
	if err := json.Unmarshal(got.body, &placed); got.status != 201 || err != nil {
		s.t.Fatalf("place: got %d: %s", got.status, got.body)
	}
	return placed
}

// A merchant without any account practises in sandbox mode: a courier delivers, gateways are paid,
// and nothing counts as real.
func TestPractice(t *testing.T) {
	t.Parallel()
	s := newPracticeShop(t, tenants.Providers{})
	isPractice := func() (all []bool) {
		var list struct{ Nodes []shop.PluginStatus }
		s.must("GET", "providers", "", &list)
		for _, p := range list.Nodes {
			all = append(all, p.Practice)
		}
		return all
	}
	if got := isPractice(); len(got) != 4 || got[0] || got[3] {
		t.Errorf("live: got %v, want no practice", got)
	}
	s.must("POST", "mode", `{"mode":"sandbox"}`, new(any))
	if got := isPractice(); !got[0] || !got[1] || !got[2] || !got[3] {
		t.Errorf("sandbox: got %v, want practice everywhere", got)
	}
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		s.deliver(courier)
	}
	for _, gateway := range []status.PaymentMethod{status.PayGatewayA, status.PayGatewayB} {
		s.pay(gateway)
	}
	var summary shop.ShopSummary
	s.must("GET", "summary", "", &summary)
	if summary.Today == nil || summary.Today.Orders != 0 || summary.Today.Sales.Amount != 0 {
		t.Errorf("got %+v, want no sales", summary.Today)
	}
	for _, courier := range summary.Cash {
		if courier.Held.Amount != 0 || courier.Payable.Amount != 0 {
			t.Errorf("got cash %+v, want none", courier)
		}
	}
	var ledger struct{ Nodes []any }
	if s.must("GET", "cash/shipments", "", &ledger); len(ledger.Nodes) != 0 {
		t.Errorf("got cash of %v, want no practised shipment", ledger.Nodes)
	}
	for _, task := range summary.Setup {
		if task.Done && (task.Step == shop.SetupCourier || task.Step == shop.SetupPayment) {
			t.Errorf("got step %s done, want open: nothing is proved", task.Step)
		}
	}
}

// Shipments and payments of the practice stay with it after the accounts of the sandboxes
// are complete.
func TestPractice_KeptAfterConfiguration(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.1:1"
	providers := tenants.Providers{Addresses: map[plugin.Provider]map[plugin.Mode]string{}}
	for _, p := range plugin.Providers() {
		providers.Addresses[p] = map[plugin.Mode]string{plugin.Live: nowhere, plugin.Sandbox: nowhere}
	}
	s := newPracticeShop(t, providers)
	s.must("POST", "mode", `{"mode":"sandbox"}`, new(any))
	type placed struct{ courier, gateway string }
	var orders []placed
	for _, of := range [][2]string{{"courier_a", "gateway_a"}, {"courier_b", "gateway_b"}} {
		path := "orders/" + s.buy(status.PayCOD).ID
		s.must("POST", path+"/confirm", "", new(any))
		s.must("POST", path+"/shipments", `{"provider":"`+of[0]+`"}`, new(any))
		orders = append(orders, placed{path, "orders/" + s.buy(status.PaymentMethod(of[1])).ID})
	}
	for provider, settings := range map[plugin.Provider]string{
		plugin.CourierA: `{"webhook_secret":"s","sandbox_client_id":"c","sandbox_client_secret":"s",
			"sandbox_username":"u@example.com","sandbox_password":"p","sandbox_store_id":"1"}`,
		plugin.CourierB: `{"webhook_token":"t","sandbox_api_key":"k","sandbox_secret_key":"s"}`,
		plugin.GatewayA: `{"sandbox_store_id":"s","sandbox_store_password":"p"}`,
		plugin.GatewayB: `{"sandbox_username":"u","sandbox_password":"p","sandbox_app_key":"k","sandbox_app_secret":"s"}`,
	} {
		s.must("PATCH", "providers/"+string(provider), settings, new(any))
	}
	s.clock.Advance(3 * time.Minute)
	if _, err := s.shop.Orders.SweepPayments(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, o := range orders {
		var sent, paid order.StaffOrder
		s.must("POST", o.courier+"/track", "", &sent)
		s.must("GET", o.gateway, "", &paid)
		if sent.Shipments[0].Status != status.ShipmentDelivered || paid.PaymentStatus != status.PaymentPaid {
			t.Errorf("got shipment %s and payment %s, want delivered and paid by the practice",
				sent.Shipments[0].Status, paid.PaymentStatus)
		}
	}
	next := "orders/" + s.buy(status.PayCOD).ID
	s.must("POST", next+"/confirm", "", new(any))
	if got := s.call("POST", next+"/shipments", `{"provider":"courier_a"}`); got.status < 400 {
		t.Errorf("a new shipment: got %d %s, want it booked at the provider", got.status, got.body)
	}
}

// deliver has an order booked, delivered and paid in cash by a practice courier.
func (s *practiceShop) deliver(courier plugin.Provider) {
	s.t.Helper()
	path := "orders/" + s.buy(status.PayCOD).ID
	s.must("POST", path+"/confirm", "", new(any))
	s.must("POST", path+"/shipments", `{"provider":"`+string(courier)+`"}`, new(any))
	var found order.StaffOrder
	for _, want := range []status.Shipment{status.ShipmentPicked, status.ShipmentOutForDelivery, status.ShipmentDelivered} {
		s.clock.Advance(20 * time.Second)
		s.must("POST", path+"/track", "", &found)
		if got := found.Shipments[0].Status; got != want {
			s.t.Errorf("%s: got shipment %s, want %s", courier, got, want)
		}
	}
	id := found.Shipments[0].ConsignmentID
	isMarked := found.Test && id != nil && strings.HasPrefix(*id, "PRACTICE-")
	if !isMarked || found.Status != status.OrderCompleted || found.PaymentStatus != status.PaymentPaid {
		s.t.Errorf("%s: got test %t, order %s, %s, consignment %v, want a completed, paid test with a marked consignment",
			courier, found.Test, found.Status, found.PaymentStatus, id)
	}
	if page := s.get("/t/test/" + found.ID); !strings.Contains(string(page.body), "Test order") {
		s.t.Errorf("%s: got page %s, want that it is a test", courier, page.body)
	}
}

// pay has an order paid at a practice gateway. Its page leads straight back.
func (s *practiceShop) pay(gateway status.PaymentMethod) {
	s.t.Helper()
	placed := s.buy(gateway)
	if placed.Payment.RedirectURL == nil {
		s.t.Fatalf("%s: got payment %+v, want a page to pay at", gateway, placed.Payment)
	}
	back, err := url.Parse(*placed.Payment.RedirectURL)
	if err != nil {
		s.t.Fatal(err)
	}
	got := s.get(back.RequestURI())
	target := got.header.Get("Location")
	want := "payment=success"
	if gateway == status.PayGatewayA {
		want = "payment=pending"
	}
	if got.status != 302 || !strings.Contains(target, want) {
		s.t.Errorf("%s: got %d to %s, want %s", gateway, got.status, target, want)
	}
	s.clock.Advance(3 * time.Minute)
	if _, err := s.shop.Orders.SweepPayments(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	var found order.StaffOrder
	s.must("GET", "orders/"+placed.ID, "", &found)
	if !found.Test || found.PaymentStatus != status.PaymentPaid || found.Paid.Amount != found.Total.Amount {
		s.t.Errorf("%s: got test %t, %s, %v paid, want a paid test", gateway, found.Test, found.PaymentStatus, found.Paid)
	}
}
