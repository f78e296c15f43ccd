package simulator_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"storefront/provider"
	"storefront/provider/couriera"
	"storefront/provider/courierb"
	"storefront/provider/simulator"
	"storefront/provider/testwebhook"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// courierSite is a shop whose couriers are simulated.
type courierSite struct {
	*shop.Shop
	clock *shoptest.Clock
	sim   *simulator.Simulator
	host  *httptest.Server // of the couriers
	mug   *catalogue.ProductRecord
}

func newCourierSite(tb testing.TB) *courierSite {
	tb.Helper()
	s := &courierSite{clock: shoptest.NewClock(), sim: simulator.New()}
	host := httptest.NewServer(s.sim.Handler())
	s.host = host
	tb.Cleanup(host.Close)
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true})
	s.Shop = shoptest.New(tb, &shoptest.Options{Clock: s.clock, Plugins: []plugin.Plugin{
		couriera.New(couriera.Config{Client: client, Live: host.URL + "/courier_a", Now: s.clock.Now}),
		courierb.New(courierb.Config{Client: client, Live: host.URL + "/courier_b"}),
	}})
	s.configure(tb, plugin.CourierA, map[string]any{
		"webhook_secret": "hush", "client_id": "client", "client_secret": "hush-client",
		"username": "shop@example.com", "password": "hush-password", "store_id": 1,
	})
	s.configure(tb, plugin.CourierB, map[string]any{"webhook_token": "hush", "api_key": "hush-key", "secret_key": "hush-secret"})
	var err error
	s.mug, err = s.Catalogue.CreateProduct(tb.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Mug", Variants: []catalogue.VariantInput{{Price: 450_00, WeightGrams: 400}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func (s *courierSite) configure(tb testing.TB, courier plugin.Provider, settings map[string]any) {
	tb.Helper()
	shoptest.ConfigurePlugin(tb, s.Shop, courier, settings)
}

func (s *courierSite) place(tb testing.TB) string {
	tb.Helper()
	order, err := s.Orders.PlaceOrder(tb.Context(), access.Caller{}, shoptest.GuestOrder(s.mug.ID, 2), "")
	if err != nil {
		tb.Fatal(err)
	}
	return order.InvoiceUID
}

// receive handles the courier's webhook with an event of an order's shipment.
func (s *courierSite) receive(tb testing.TB, courier plugin.Provider, event, invoice string, at time.Time) {
	tb.Helper()
	settings, shipment, err := s.Orders.CourierTestCall(tb.Context(), access.Operator(), courier, invoice)
	if err != nil {
		tb.Fatal(err)
	}
	webhook, err := testwebhook.New(courier, event, shipment, settings, at)
	if err != nil {
		tb.Fatal(err)
	}
	header := func(name string) string {
		for key, value := range webhook.Header {
			if strings.EqualFold(key, name) {
				return value
			}
		}
		return ""
	}
	request := plugin.WebhookRequest{Header: header, Body: webhook.Body}
	if _, err := s.Orders.HandleCourierWebhook(tb.Context(), courier, "application/json", request); err != nil {
		tb.Fatalf("%s: %v", event, err)
	}
}

var bothCouriers = []plugin.Provider{plugin.CourierA, plugin.CourierB}

func TestCouriers_BookingToDelivery(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	for _, courier := range bothCouriers {
		invoice := s.place(t)
		bought, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: courier})
		if err != nil {
			t.Fatalf("%s: %v", courier, err)
		}
		if len(bought.Shipments) != 1 || bought.Shipments[0].ConsignmentID == nil || bought.Status != status.OrderProcessing {
			t.Fatalf("%s: got shipments %+v of a %s order", courier, bought.Shipments, bought.Status)
		}
		if _, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice,
			order.BookingInput{Provider: courier}); !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("%s: second booking: got %v, want state_conflict", courier, err)
		}
		for i, event := range testwebhook.DeliveryEvents(courier) {
			s.receive(t, courier, event, invoice, s.clock.Now().Add(time.Duration(i)*time.Second))
		}
		bought, err = s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), invoice)
		if err != nil || bought.Status != status.OrderCompleted || bought.PaymentStatus != status.PaymentPaid {
			t.Errorf("%s: got order %s, payment %s, %v; want completed, paid", courier, bought.Status, bought.PaymentStatus, err)
		}
		if n := s.sim.Bookings(invoice); n != 1 {
			t.Errorf("%s: got %d bookings, want 1", courier, n)
		}
	}
	report, err := s.Cash.ReportCash(t.Context(), access.Operator())
	if err != nil || report.Couriers[0].PaidOut.Amount != 970_00-60_00 || report.Couriers[1].Held.Amount != 970_00 || len(report.Differences) != 0 {
		t.Errorf("got cash report %+v, %v", report, err)
	}
}

// courier_b supports lookups by our reference, so a lost response is resolved at once.
func TestCourierB_LostResponse(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	invoice := s.place(t)
	s.sim.Switch(simulator.BookLost, true)
	order, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: plugin.CourierB})
	if err != nil || len(order.Shipments) != 1 || order.Shipments[0].ConsignmentID == nil {
		t.Fatalf("got %+v, %v; want one shipment", order, err)
	}
	if n := s.sim.Bookings(invoice); n != 1 {
		t.Errorf("got %d bookings, want 1", n)
	}
}

// A booking is not repeated while it is unknown whether the courier has the shipment.
func TestCourierB_LostResponseAndFailedLookup(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	invoice := s.place(t)
	book := func() error {
		s.clock.Advance(2 * time.Minute)
		_, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: plugin.CourierB})
		return err
	}
	s.sim.Switch(simulator.BookLost, true)
	s.sim.Switch(simulator.FindFails, true)
	if err := book(); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Fatalf("lost response: got %v, want unavailable", err)
	}
	if err := book(); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Errorf("lookup without a response: got %v, want unavailable", err)
	}
	s.configure(t, plugin.CourierB, map[string]any{"secret_key": "wrong"})
	if err := book(); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Errorf("refused lookup: got %v, want unavailable", err)
	}
	s.configure(t, plugin.CourierB, map[string]any{"secret_key": "hush-secret"})
	s.sim.Switch(simulator.FindFails, false)
	if err := book(); err != nil || s.sim.Bookings(invoice) != 1 {
		t.Errorf("successful lookup: got %v, %d bookings; want 1 booking", err, s.sim.Bookings(invoice))
	}
}

// courier_a has no lookup by our reference: its webhook resolves a lost response, or staff do.
func TestCourierA_LostResponse(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	invoice := s.place(t)
	book := func(again bool) error {
		_, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: plugin.CourierA, Again: again})
		return err
	}
	s.sim.Switch(simulator.BookLost, true)
	if err := book(false); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Fatalf("lost response: got %v, want unavailable", err)
	}
	s.sim.Switch(simulator.BookLost, false)
	_, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: plugin.CourierB})
	if !fault.HasCode(err, fault.CodeStateConflict) || s.sim.Bookings(invoice) != 1 {
		t.Errorf("other courier: got %v, %d bookings; want state_conflict, 1 booking", err, s.sim.Bookings(invoice))
	}
	if err := book(false); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Errorf("immediate retry: got %v, want unavailable", err)
	}
	s.clock.Advance(2 * time.Minute)
	if err := book(false); !fault.HasCode(err, fault.CodeStateConflict) || !strings.Contains(err.Error(), invoice) {
		t.Errorf("later retry: got %v, want state_conflict with the order", err)
	}
	if n := s.sim.Bookings(invoice); n != 1 {
		t.Fatalf("got %d bookings, want 1", n)
	}
	// A refusal of the second booking does not resolve the first.
	_, err = s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{
		Provider: plugin.CourierA, Again: true, WeightGrams: 11_000,
	})
	if !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("shipment too heavy: got %v, want state_conflict", err)
	}
	if err := book(true); !fault.HasCode(err, fault.CodeUnavailable) || s.sim.Bookings(invoice) != 1 {
		t.Errorf("two staff members at once: got %v, %d bookings; want unavailable, 1 booking", err, s.sim.Bookings(invoice))
	}
	s.clock.Advance(2 * time.Minute)
	if err := book(false); !fault.HasCode(err, fault.CodeStateConflict) || s.sim.Bookings(invoice) != 1 {
		t.Errorf("after a refusal: got %v, %d bookings; want state_conflict, 1 booking", err, s.sim.Bookings(invoice))
	}
	s.receive(t, plugin.CourierA, "order.created", invoice, s.clock.Now())
	order, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), invoice)
	if err != nil || len(order.Shipments) != 1 {
		t.Fatalf("got shipments %+v, %v; want 1", order.Shipments, err)
	}
	if err := book(true); !fault.HasCode(err, fault.CodeStateConflict) || s.sim.Bookings(invoice) != 1 {
		t.Errorf("second booking: got %v, %d bookings; want state_conflict, 1 booking", err, s.sim.Bookings(invoice))
	}
}

// Staff who record the shipment of a booking without a response resolve it: the order has no
// problem any more.
func TestCourierA_LostResponse_Recorded(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	invoice := s.place(t)
	problems := func() int {
		list, err := s.Orders.ListOrders(t.Context(), access.Operator(), order.ListFilter{View: order.ViewProblems})
		if err != nil {
			t.Fatal(err)
		}
		return len(list.Nodes)
	}
	s.sim.Switch(simulator.BookLost, true)
	_, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: plugin.CourierA})
	if !fault.HasCode(err, fault.CodeUnavailable) || problems() != 1 {
		t.Fatalf("lost response: got %v and %d problems, want unavailable and one", err, problems())
	}
	shipment := order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "DL121224VS8TTJ"}
	if _, err := s.Orders.RecordShipment(t.Context(), access.Operator(), invoice, shipment); err != nil {
		t.Fatal(err)
	}
	if n := problems(); n != 0 {
		t.Errorf("recorded: got %d problems, want none", n)
	}
}

func TestCourierA_TokenCachedAndRenewed(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	const grant = "/courier_a/aladdin/api/v1/issue-token"
	book := func() {
		t.Helper()
		if _, err := s.Orders.BookShipment(t.Context(), access.Operator(), s.place(t), order.BookingInput{Provider: plugin.CourierA}); err != nil {
			t.Fatal(err)
		}
	}
	book()
	book()
	if n := s.sim.Calls(grant); n != 1 {
		t.Errorf("got %d token requests for two bookings, want 1", n)
	}
	s.sim.RevokeTokens()
	book()
	s.clock.Advance(5 * 24 * time.Hour)
	book()
	if n := s.sim.Calls(grant); n != 3 {
		t.Errorf("got %d token requests, want 3: one more for each expiry", n)
	}
}

func TestCouriers_Refusals(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	s.configure(t, plugin.CourierA, map[string]any{"password": "wrong"})
	s.configure(t, plugin.CourierB, map[string]any{"secret_key": "wrong"})
	invoice := s.place(t)
	for _, courier := range bothCouriers {
		_, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: courier})
		if !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("%s: wrong credentials: got %v, want state_conflict", courier, err)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: error contains a secret: %v", courier, err)
		}
		report, err := s.ValidatePlugin(t.Context(), access.Caller{Operator: true}, courier)
		if err != nil || report.Valid {
			t.Errorf("%s: wrong credentials: got report %+v, %v; want invalid", courier, report, err)
		}
		if last := report.Checks[len(report.Checks)-1].Message; !strings.HasPrefix(last, "The provider has refused") ||
			strings.Contains(last, "/api") {
			t.Errorf("%s: got %q, want a sentence for staff", courier, last)
		}
	}
	order, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), invoice)
	if err != nil || len(order.Shipments) != 0 || order.Status != status.OrderPending {
		t.Errorf("got %+v, %v; want a pending order without shipments", order, err)
	}
	s.configure(t, plugin.CourierA, map[string]any{"password": "hush-password"})
	s.configure(t, plugin.CourierB, map[string]any{"secret_key": "hush-secret"})
	for _, courier := range bothCouriers {
		report, err := s.ValidatePlugin(t.Context(), access.Caller{Operator: true}, courier)
		if err != nil || !report.Valid {
			t.Errorf("%s: got report %+v, %v; want valid", courier, report, err)
		}
	}
}

func TestCouriers_Track(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	for _, courier := range bothCouriers {
		invoice := s.place(t)
		if _, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: courier}); err != nil {
			t.Fatal(err)
		}
		order, err := s.Orders.TrackShipments(t.Context(), access.Operator(), invoice)
		if err != nil || order.Shipments[0].Status != status.ShipmentCreated {
			t.Errorf("%s: got %+v, %v; want status created", courier, order, err)
		}
	}
}

// A look-up reports what a webhook does: problems, and a payout even if the delivery was never
// reported.
func TestCouriers_TrackLostReports(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	for _, tc := range []struct {
		courier plugin.Provider
		events  []string // the last one is the status in the look-up
		want    string
	}{
		{plugin.CourierA, []string{"order.paid"}, "delivered courier_problem"},
		{plugin.CourierA, []string{"order.in-transit", "order.delivered", "order.paid"}, "delivered courier_problem"},
		{plugin.CourierA, []string{"order.lost"}, "on_hold courier_problem"},
		{plugin.CourierA, []string{"order.delivered"}, "delivered"},
		{plugin.CourierB, []string{"exceptional"}, "created courier_problem"},
		{plugin.CourierB, []string{"lost"}, "on_hold courier_problem"},
		{plugin.CourierB, []string{"unknown"}, "created"},
	} {
		invoice := s.place(t)
		order, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: tc.courier})
		if err != nil {
			t.Fatal(err)
		}
		for _, event := range tc.events {
			s.sim.MoveShipment(tc.courier, *order.Shipments[0].ConsignmentID, event)
		}
		s.clock.Advance(time.Minute)
		for range 2 { // the second look-up changes nothing
			_, err := s.Orders.TrackShipments(t.Context(), access.Operator(), invoice)
			if err != nil && !fault.HasCode(err, fault.CodeStateConflict) {
				t.Fatal(err)
			}
		}
		found, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), invoice)
		if err != nil {
			t.Fatal(err)
		}
		got := string(found.Shipments[0].Status)
		for _, f := range found.Flags {
			got += " " + string(f.Code)
		}
		if got != tc.want {
			t.Errorf("%s %v: got %s, want %s", tc.courier, tc.events, got, tc.want)
		}
	}
}

// A second shipment collects the cash if the first returns. It does not if the first has collected
// the cash or still can.
func TestCouriers_CashOfSecondShipment(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	book := func(invoice string, courier plugin.Provider) {
		t.Helper()
		if _, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: courier, Another: true}); err != nil {
			t.Fatal(err)
		}
	}
	expected := func() int64 {
		t.Helper()
		report, err := s.Cash.ReportCash(t.Context(), access.Operator())
		if err != nil {
			t.Fatal(err)
		}
		return report.Couriers[1].Expected.Amount
	}
	returned := s.place(t)
	book(returned, plugin.CourierA)
	book(returned, plugin.CourierB)
	if got := expected(); got != 0 {
		t.Errorf("second shipment: got %d expected cash, want 0", got)
	}
	s.receive(t, plugin.CourierB, "cancelled", returned, s.clock.Now())
	s.receive(t, plugin.CourierA, "order.returned", returned, s.clock.Now())
	book(returned, plugin.CourierB)
	if got := expected(); got != 970_00 {
		t.Errorf("replacement of returned shipments: got %d expected cash, want 97000", got)
	}

	paid := s.place(t)
	book(paid, plugin.CourierA)
	book(paid, plugin.CourierB)
	s.receive(t, plugin.CourierA, "order.delivered", paid, s.clock.Now())
	s.receive(t, plugin.CourierB, "cancelled_return_received", paid, s.clock.Now())
	book(paid, plugin.CourierB)
	if got := expected(); got != 970_00 {
		t.Errorf("order with collected cash: got %d expected cash, want 97000 of the other order", got)
	}
}

// A booking of an order that was cancelled after a lost response is looked up and not repeated.
func TestCouriers_LostResponseForCancelledOrder(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	for _, courier := range bothCouriers {
		invoice := s.place(t)
		s.sim.Switch(simulator.BookFails, true)
		if _, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice,
			order.BookingInput{Provider: courier}); !fault.HasCode(err, fault.CodeUnavailable) {
			t.Fatalf("%s: lost response: got %v, want unavailable", courier, err)
		}
		s.sim.Switch(simulator.BookFails, false)
		if _, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, invoice, ""); err != nil {
			t.Fatal(err)
		}
		s.clock.Advance(2 * time.Minute)
		if _, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice,
			order.BookingInput{Provider: courier, Again: true}); !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("%s: booking of a cancelled order: got %v, want state_conflict", courier, err)
		}
		if n := s.sim.Bookings(invoice); n != 0 {
			t.Errorf("%s: got %d bookings of a cancelled order, want 0", courier, n)
		}
	}
}

func TestCouriers_PaidOrderWithoutCash(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure(plugin.CourierB, map[string]any{"api_key": "hush-key", "secret_key": "hush-secret"})
	bought := s.place(status.PayGatewayA)
	_, err := s.Orders.BookShipment(t.Context(), access.Operator(), bought.ID, order.BookingInput{Provider: plugin.CourierB})
	if !fault.HasCode(err, fault.CodeStateConflict) || s.sim.Bookings(bought.ID) != 0 {
		t.Errorf("unpaid order: got %v, want state_conflict", err)
	}
	s.finish(ref(bought), simulator.Pays)
	if _, err := s.Orders.BookShipment(t.Context(), access.Operator(), bought.ID, order.BookingInput{Provider: plugin.CourierB}); err != nil {
		t.Fatal(err)
	}
	ledger, err := s.Cash.ListLedger(t.Context(), access.Operator(), cash.LedgerFilter{})
	if err != nil || len(ledger.Nodes) != 1 || ledger.Nodes[0].Due.Amount != 0 {
		t.Errorf("got ledger %+v, %v; want one line with nothing due", ledger, err)
	}
}

// A test order is not booked at the live courier after the shop has gone live.
func TestCouriers_TestOrderInLiveMode(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	mode := func(mode plugin.Mode) {
		t.Helper()
		if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"activeMode": mode})); err != nil {
			t.Fatal(err)
		}
	}
	mode(plugin.Sandbox)
	invoice := s.place(t)
	mode(plugin.Live)
	for _, courier := range bothCouriers {
		_, err := s.Orders.BookShipment(t.Context(), access.Operator(), invoice, order.BookingInput{Provider: courier})
		if !fault.HasCode(err, fault.CodeStateConflict) || s.sim.Bookings(invoice) != 0 {
			t.Errorf("%s: got %v, %d bookings; want state_conflict, 0 bookings", courier, err, s.sim.Bookings(invoice))
		}
	}
}
