package tenants_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// flags returns the codes of an order's open flags, sorted.
func (s *courierShop) flags(tb testing.TB, invoice string) string {
	tb.Helper()
	list, err := s.Orders.ListFlags(tb.Context(), access.Operator(), order.FlagFilter{OrderID: invoice})
	if err != nil {
		tb.Fatal(err)
	}
	codes := []string{}
	for _, f := range list.Nodes {
		codes = append(codes, string(f.Code))
	}
	slices.Sort(codes)
	return strings.Join(codes, " ")
}

// differences returns the problems of the COD report.
func (s *courierShop) differences(tb testing.TB) (problems []string) {
	tb.Helper()
	report, err := s.Cash.ReportCash(tb.Context(), access.Operator())
	if err != nil {
		tb.Fatal(err)
	}
	for _, d := range report.Differences {
		problems = append(problems, d.Problem)
	}
	return problems
}

// checkBooks checks the invariants of the shop's data.
func (s *courierShop) checkBooks(tb testing.TB) {
	tb.Helper()
	if faults, err := s.CheckInvariants(tb.Context()); err != nil || len(faults) > 0 {
		tb.Errorf("got broken invariants %q, %v", faults, err)
	}
}

// Whatever the courier reports about cash that is not as due, it has a flag, a difference in the
// report, and a reason in the list of webhooks, whatever the order of the events.
func TestFlags_Cash(t *testing.T) {
	t.Parallel()
	picked := step(1, "order.picked")
	tests := map[string]struct {
		bodies      []string
		end, flags  string
		differences int
	}{
		"as due": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "970")}, "[delivered] delivered completed paid", "", 0,
		},
		"less than due": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "900")}, "[delivered] delivered completed paid", "cash_differs", 1,
		},
		"nothing": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "0")}, "[delivered] delivered processing unpaid", "cash_differs", 1,
		},
		"delivered after the return began": {
			[]string{picked, step(2, "order.returned"), step(3, "order.delivered", "collected_amount", "970")},
			"[delivered] delivered completed paid", "", 0,
		},
		"delivered after the pick-up was cancelled": {
			[]string{step(1, "order.pickup-cancelled"), step(2, "order.delivered", "collected_amount", "970")},
			"[cancelled] unfulfilled processing unpaid", "cash_undelivered contradicted", 2,
		},
		"cancelled after the delivery": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "970"), step(3, "order.pickup-cancelled")},
			"[delivered] delivered completed paid", "contradicted", 1,
		},
		"exchange without cash": {
			[]string{picked, step(2, "order.exchanged", "collected_amount", "0")}, "[exchanged] delivered processing unpaid", "cash_differs", 1,
		},
		"exchange without an amount": {
			[]string{picked, step(2, "order.exchanged")}, "[exchanged] delivered processing unpaid", "cash_unreported", 1,
		},
		"exchange": {
			[]string{picked, step(2, "order.exchanged", "collected_amount", "970")}, "[exchanged] delivered completed paid", "", 0,
		},
		"paid return": {
			[]string{picked, step(2, "order.paid-return", "collected_amount", "60")}, "[returning] returning processing unpaid", "cash_undelivered", 1,
		},
		"lost":    {[]string{picked, step(2, "order.lost")}, "[on_hold] in_progress processing unpaid", "courier_problem", 0},
		"damaged": {[]string{picked, step(2, "order.damaged")}, "[on_hold] in_progress processing unpaid", "courier_problem", 0},
		"payout without delivery": {
			[]string{picked, step(2, "order.paid", "invoice_id", `"I1"`)}, "[picked] in_progress processing unpaid", "paid_out_undelivered", 1,
		},
		"negative payout": {
			[]string{picked, step(2, "order.paid", "invoice_id", `"I1"`, "delivery_fee", "60")},
			"[picked] in_progress processing unpaid", "paid_out_undelivered payout_negative", 2,
		},
		"never handed over": {
			[]string{step(2, "order.delivered", "collected_amount", "970")}, "[delivered] delivered completed paid", "never_handed_over", 0,
		},
		"changed amount": {
			[]string{picked, step(2, "order.updated", "amount_to_collect", "500.0000001"), step(3, "order.delivered", "collected_amount", "500")},
			"[delivered] delivered completed paid", "due_changed", 0,
		},
		"absurd amount": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "99999999999999999999")},
			"[delivered] delivered completed paid", "courier_problem", 0,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, backwards := range []bool{false, true} {
				s := newCourierShop(t, "")
				invoice := s.place(t)
				s.recordShipment(t, invoice, plugin.CourierA, "DL1")
				bodies := slices.Clone(tt.bodies)
				if backwards {
					slices.Reverse(bodies)
				}
				reasons := ""
				for _, body := range bodies {
					s.sendWebhook(t, plugin.CourierA, body)
					reasons += s.lastWebhook(t).Reason
				}
				// An order never goes back from delivered, so that here the order of the events counts.
				oneWay := backwards && strings.HasPrefix(tt.end, "[cancelled]")
				if got := state(s.findOrder(t, invoice)); got != tt.end && !oneWay {
					t.Errorf("backwards %v: got %s, want %s", backwards, got, tt.end)
				}
				if got := s.flags(t, invoice); got != tt.flags {
					t.Errorf("backwards %v: got flags %q, want %q", backwards, got, tt.flags)
				}
				if got := s.differences(t); len(got) != tt.differences {
					t.Errorf("backwards %v: got differences %q, want %d", backwards, got, tt.differences)
				}
				if tt.flags != "" && reasons == "" {
					t.Errorf("backwards %v: got no reason in the list of webhooks", backwards)
				}
				s.checkBooks(t)
			}
		})
	}
}

// A resolved flag stays resolved until what it says changes.
func TestFlags_Resolved(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	s.sendWebhook(t, plugin.CourierA, step(1, "order.picked"))
	s.sendWebhook(t, plugin.CourierA, step(2, "order.delivered", "collected_amount", "0"))
	if _, err := s.Orders.ResolveFlags(t.Context(), access.Operator(), invoice); err != nil {
		t.Fatal(err)
	}
	s.sendWebhook(t, plugin.CourierA, step(3, "order.updated", "delivery_fee", "60"))
	if got := s.flags(t, invoice); got != "" {
		t.Errorf("after an unrelated event: got flags %q, want none", got)
	}
	s.sendWebhook(t, plugin.CourierA, step(4, "order.updated", "collected_amount", "900"))
	if got := s.flags(t, invoice); got != "cash_differs" {
		t.Errorf("after another amount: got flags %q, want cash_differs", got)
	}
}

// The courier changes the amount to collect; what it then collects is compared with that.
func TestFlags_ConsignmentUpdate(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierB, "77")
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(1, "pending"))
	s.sendWebhook(t, plugin.CourierB,
		`{"notification_type":"consignment_update","consignment_id":77,"cod_amount":"500","updated_at":"2026-03-01 11:00:02"}`)
	if got, want := s.ledgerTotals(t, plugin.CourierB), "expected 500, held 0, fees 0, payable 0, paid out 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.sendWebhook(t, plugin.CourierB, strings.Replace(shipmentStatus(3, "delivered"), "970", "500", 1))
	if got, want := s.flags(t, invoice), "due_changed"; got != want || len(s.differences(t)) != 0 {
		t.Errorf("got flags %q and differences %q, want %q and none", got, s.differences(t), want)
	}
}

// A shipment that was deleted in the courier's panel is cancelled by hand, and its replacement
// collects the cash.
func TestCancelShipment_Replacement(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	bought, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice, order.ShipmentSelection{})
	if err != nil || bought.Shipments[0].Status != status.ShipmentCancelled || bought.Shipments[0].AmountToCollect.Amount != 0 {
		t.Fatalf("got %+v, %v, want a cancelled shipment that collects nothing", bought, err)
	}
	if _, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice, order.ShipmentSelection{ConsignmentID: "DL1"}); err != nil {
		t.Errorf("again: %v", err)
	}
	if _, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice,
		order.ShipmentSelection{ConsignmentID: "DL9"}); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("unknown shipment: got %v, want not_found", err)
	}
	s.recordShipment(t, invoice, plugin.CourierB, "77")
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(1, "pending"))
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(2, "delivered"))
	if got, want := state(s.findOrder(t, invoice)), "[cancelled delivered] delivered completed paid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if a, b := s.ledgerTotals(t, plugin.CourierA), s.ledgerTotals(t, plugin.CourierB); !strings.HasPrefix(a, "expected 0, held 0,") ||
		!strings.HasPrefix(b, "expected 0, held 970,") {
		t.Errorf("got ledger %s and %s", a, b)
	}
	if got := s.flags(t, invoice); got != "" {
		t.Errorf("got flags %q, want none", got)
	}
	if _, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice,
		order.ShipmentSelection{ConsignmentID: "77"}); !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("delivered shipment: got %v, want state_conflict", err)
	}
}

// A late event from before the cancellation wins: the courier delivered first.
func TestCancelShipment_LateDelivery(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	delivered := func(at time.Time) string {
		return fmt.Sprintf(`{"event":"order.delivered","consignment_id":"DL1","collected_amount":970,"timestamp":%q}`, at.UTC().Format(time.RFC3339))
	}
	before := s.clock.Now()
	s.clock.Advance(time.Hour)
	if _, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice, order.ShipmentSelection{}); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Hour)
	s.sendWebhook(t, plugin.CourierA, delivered(s.clock.Now()))
	if got, want := s.flags(t, invoice), "cash_undelivered contradicted"; got != want {
		t.Errorf("delivered later: got flags %q, want %q", got, want)
	}
	s.sendWebhook(t, plugin.CourierA, delivered(before))
	if got, want := state(s.findOrder(t, invoice)), "[delivered] delivered completed paid"; got != want {
		t.Errorf("delivered before: got %s, want %s", got, want)
	}
}

// A cancelled order that the courier delivers all the same is completed, and its stock is taken
// again.
func TestShipments_DeliveredAfterCancel(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	stock := func() int64 { return s.number(t, `SELECT stock FROM variants`) }
	full := stock()
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	if _, err := s.Orders.CancelOrder(t.Context(), access.Operator(), invoice, ""); err != nil {
		t.Fatal(err)
	}
	s.sendWebhook(t, plugin.CourierA, step(1, "order.picked"))
	if got := s.findOrder(t, invoice).Status; got != status.OrderCancelled {
		t.Errorf("picked up: got order %s, want cancelled", got)
	}
	s.sendWebhook(t, plugin.CourierA, step(2, "order.delivered", "collected_amount", "970"))
	s.sendWebhook(t, plugin.CourierA, step(2, "order.delivered", "collected_amount", "970")+" ")
	bought := s.findOrder(t, invoice)
	if got, want := state(bought), "[delivered] delivered completed paid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := stock(); got != full-2 {
		t.Errorf("got stock %d, want %d", got, full-2)
	}
	for _, e := range bought.Timeline {
		if strings.Contains(e.Message, "refund") {
			t.Errorf("got timeline entry %q, want none about a refund", e.Message)
		}
	}
	if got := s.flags(t, invoice); got != "delivered_after_cancel" {
		t.Errorf("got flags %q, want delivered_after_cancel", got)
	}
	s.checkBooks(t)

	// The stock was sold meanwhile: it stays at zero, and the flag names what is missing.
	second := s.place(t)
	s.recordShipment(t, second, plugin.CourierA, "DL2")
	if _, err := s.Orders.CancelOrder(t.Context(), access.Operator(), second, ""); err != nil {
		t.Fatal(err)
	}
	s.setStock(t, 1)
	s.sendWebhook(t, plugin.CourierA, strings.Replace(step(3, "order.delivered", "collected_amount", "970"), "DL1", "DL2", 1))
	list, err := s.Orders.ListFlags(t.Context(), access.Operator(), order.FlagFilter{OrderID: second})
	if err != nil || stock() != 1 || !slices.ContainsFunc(list.Nodes,
		func(f order.Flag) bool { return strings.Contains(f.Message, "2 × Mug is missing") }) {
		t.Errorf("got stock %d and flags %+v, %v", stock(), list, err)
	}
	s.checkBooks(t)
}

// A guest's order that the shop did not confirm in time has expired; the merchant sent it all the
// same, from the courier's panel.
func TestShipments_DeliveredAfterExpiry(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	stock := func() int64 { return s.number(t, `SELECT stock FROM variants`) }
	full := stock()
	invoice := s.place(t)
	s.clock.Advance(73 * time.Hour)
	if _, err := s.Orders.ExpireOrders(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.findOrder(t, invoice).Status; got != status.OrderExpired || stock() != full {
		t.Fatalf("got order %s and stock %d, want expired and %d", got, stock(), full)
	}
	s.sendWebhook(t, plugin.CourierA, step(1, "order.picked", "merchant_order_id", `"`+invoice+`"`))
	if got := s.findOrder(t, invoice).Status; got != status.OrderExpired {
		t.Errorf("picked up: got order %s, want expired", got)
	}
	s.sendWebhook(t, plugin.CourierA, step(2, "order.delivered", "collected_amount", "970"))
	if got, want := state(s.findOrder(t, invoice)), "[delivered] delivered completed paid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := stock(); got != full-2 {
		t.Errorf("got stock %d, want %d", got, full-2)
	}
	list, err := s.Orders.ListFlags(t.Context(), access.Operator(), order.FlagFilter{OrderID: invoice})
	if err != nil || !slices.ContainsFunc(list.Nodes, func(f order.Flag) bool {
		return f.Code == order.FlagDeliveredAfterCancel && strings.Contains(f.Message, "after it had expired")
	}) {
		t.Errorf("got flags %+v, %v; want delivered_after_cancel", list, err)
	}
	s.checkBooks(t)
}

// fakeCourier answers look-ups of courier_a and courier_b by path, and counts them.
type fakeCourier struct {
	mu      sync.Mutex
	answers map[string]string // by the last two elements of the path; "": hang up
	asked   []string
}

func newFakeCourier(t *testing.T) (*fakeCourier, string) {
	f := &fakeCourier{answers: map[string]string{}}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(r.URL.Path, "/")
		key := strings.Join(parts[max(0, len(parts)-2):], "/")
		if key == "v1/issue-token" {
			fmt.Fprint(w, `{"access_token":"t","refresh_token":"r","expires_in":432000}`)
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.asked = append(f.asked, key)
		switch answer, ok := f.answers[key]; {
		case !ok:
			w.WriteHeader(http.StatusNotFound)
		case answer == "":
			panic(http.ErrAbortHandler)
		default:
			fmt.Fprint(w, answer)
		}
	}))
	t.Cleanup(host.Close)
	return f, host.URL
}

func (f *fakeCourier) answer(key, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[key] = body
}

// count returns the number of look-ups so far.
func (f *fakeCourier) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

func (s *courierShop) sweep(tb testing.TB, pass time.Duration) (next time.Time) {
	tb.Helper()
	s.clock.Advance(pass)
	next, err := s.Orders.SweepShipments(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return next
}

// The sweep makes up for a lost webhook: it queries a day after the last event, and less and less
// often.
func TestSweepShipments(t *testing.T) {
	t.Parallel()
	fake, url := newFakeCourier(t)
	s := newCourierShop(t, url)
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	fake.answer("DL1/info", `{"code":"200","type":"success","data":{"consignment_id":"DL1","order_status":"In_Transit"}}`)
	start := s.clock.Now()
	if next := s.sweep(t, 0); !next.Equal(start.Add(24*time.Hour)) || fake.count() != 0 {
		t.Errorf("young shipment: got %d queries, next at %s, want 0, a day later", fake.count(), next.Sub(start))
	}
	s.sweep(t, 24*time.Hour)
	if got := s.findOrder(t, invoice).Shipments[0].Status; got != status.ShipmentInTransit || fake.count() != 1 {
		t.Errorf("after a day: got %s after %d queries, want in_transit after 1", got, fake.count())
	}
	s.sweep(t, time.Hour)
	s.sweep(t, 24*time.Hour) // the status is the same: the next query is a day later, then two
	if fake.count() != 2 {
		t.Errorf("after two days: got %d queries, want 2", fake.count())
	}
	s.sweep(t, 23*time.Hour)
	s.sweep(t, 2*time.Hour)
	s.sweep(t, 24*time.Hour)
	if fake.count() != 3 {
		t.Errorf("after four days: got %d queries, want 3", fake.count())
	}
	fake.answer("DL1/info", `{"code":200,"type":"success","data":{"consignment_id":"DL1","order_status":"Delivered"}}`)
	s.sweep(t, 48*time.Hour)
	if got, want := state(s.findOrder(t, invoice)), "[delivered] delivered completed paid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	queries := fake.count()
	if next := s.sweep(t, 30*24*time.Hour); !next.IsZero() || fake.count() != queries {
		t.Errorf("delivered: got %d more queries, next at %s", fake.count()-queries, next)
	}
}

// A payout for a shipment that was never delivered causes a query at once; a shipment that the
// courier does not know has a flag, and can be cancelled.
func TestSweepShipments_PayoutAndMissing(t *testing.T) {
	t.Parallel()
	fake, url := newFakeCourier(t)
	s := newCourierShop(t, url)
	paid, missing := s.place(t), s.place(t)
	s.recordShipment(t, paid, plugin.CourierA, "DL1")
	s.recordShipment(t, missing, plugin.CourierA, "DL2")
	fake.answer("DL1/info", `{"code":200,"type":"success","data":{"order_status":"Delivered"}}`)
	s.sendWebhook(t, plugin.CourierA, step(9, "order.paid", "invoice_id", `"I1"`))
	if got := s.flags(t, paid); got != "paid_out_undelivered" {
		t.Errorf("got flags %q, want paid_out_undelivered", got)
	}
	s.sweep(t, 0)
	if got := s.findOrder(t, paid).Status; got != status.OrderCompleted || s.flags(t, paid) != "" {
		t.Errorf("queried: got %s with flags %q, want completed without", got, s.flags(t, paid))
	}
	s.sweep(t, 24*time.Hour)
	if got := s.flags(t, missing); got != "missing_at_courier" {
		t.Errorf("got flags %q, want missing_at_courier", got)
	}
	if _, err := s.Orders.TrackShipments(t.Context(), access.Operator(), missing); !fault.HasCode(err, fault.CodeStateConflict) ||
		!strings.Contains(err.Error(), "cancel the shipment") {
		t.Errorf("track: got %v, want state_conflict with the remedy", err)
	}
	if _, err := s.Orders.CancelShipment(t.Context(), access.Operator(), missing, order.ShipmentSelection{}); err != nil || s.flags(t, missing) != "" {
		t.Errorf("cancelled: got flags %q, %v", s.flags(t, missing), err)
	}
}

// A courier that is down is queried once in a sweep, and a sweep sends a bounded number of queries.
func TestSweepShipments_Budget(t *testing.T) {
	t.Parallel()
	fake, url := newFakeCourier(t)
	s := newCourierShop(t, url)
	for i := range 50 {
		consignment := fmt.Sprint("DL", i)
		s.recordShipment(t, s.place(t), plugin.CourierA, consignment)
		fake.answer(consignment+"/info", "")
	}
	s.sweep(t, 25*time.Hour)
	s.sweep(t, time.Hour)
	if fake.count() != 1 {
		t.Errorf("courier down: got %d queries, want 1", fake.count())
	}
	for i := range 50 {
		fake.answer(fmt.Sprint("DL", i, "/info"), `{"code":200,"data":{"order_status":"In_Transit"}}`)
	}
	s.sweep(t, 4*time.Hour)
	if got := fake.count() - 1; got != 20 {
		t.Errorf("courier up: got %d queries in a sweep, want 20", got)
	}
}

// Goods of courier_b are back only by its address of returns.
func TestSweepShipments_Return(t *testing.T) {
	t.Parallel()
	fake, url := newFakeCourier(t)
	s := newCourierShop(t, url)
	returned, part := s.place(t), s.place(t)
	s.recordShipment(t, returned, plugin.CourierB, "77")
	s.recordShipment(t, part, plugin.CourierB, "78")
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(2, "cancelled"))
	s.sendWebhook(t, plugin.CourierB, strings.Replace(shipmentStatus(2, "partial_delivered"), ":77,", ":78,", 1))
	fake.answer("status_by_cid/77", `{"status":200,"delivery_status":"cancelled"}`)
	fake.answer("status_with_return_status_by_cid/77", `{"status":200,"delivery_status":"cancelled_return_received"}`)
	fake.answer("status_with_return_status_by_cid/78", `{"status":"200","delivery_status":"partial_delivered_return_received"}`)
	s.sweep(t, 25*time.Hour)
	s.sweep(t, 25*time.Hour) // the answer for the part is the same
	if got, want := state(s.findOrder(t, returned)), "[returned] returned returned unpaid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := s.flags(t, part); !strings.Contains(got, "courier_problem") {
		t.Errorf("part: got flags %q, want courier_problem", got)
	}
	if n := s.number(t, `SELECT COUNT(*) FROM parcel_events WHERE event = 'asked: partial_delivered_return_received'`); n != 1 {
		t.Errorf("part: got %d events, want 1", n)
	}
	s.checkBooks(t)
}

// The return barcode is no second shipment, in whatever order it becomes known.
func TestShipments_ReturnConsignment(t *testing.T) {
	t.Parallel()
	bodies := []string{
		step(1, "order.picked"), step(2, "order.returned"),
		step(3, "order.return-id-created", "return_consignment_id", `"RT1"`, "return_type", `"return"`, "merchant_order_id", `"INVOICE"`),
		strings.Replace(step(4, "order.in-transit", "merchant_order_id", `"INVOICE"`), "DL1", "RT1", 1),
		strings.Replace(step(5, "order.return-in-transit", "return_type", `"return"`), "DL1", "RT1", 1),
		strings.Replace(step(6, "order.returned-to-merchant", "return_type", `"return"`, "merchant_order_id", `"INVOICE"`), "DL1", "RT1", 1),
	}
	for seed := range 20 {
		s := newCourierShop(t, "")
		invoice := s.place(t)
		s.recordShipment(t, invoice, plugin.CourierA, "DL1")
		for _, body := range (journey{bodies: bodies}).shuffled(uint64(seed)) {
			s.sendWebhook(t, plugin.CourierA, strings.Replace(body, "INVOICE", invoice, 1))
		}
		order, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), invoice)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := state(&order.Order), "[returned] returned returned unpaid"; got != want {
			t.Errorf("seed %d: got %s, want %s", seed, got, want)
		}
		if got := deref(order.Shipments[0].ReturnConsignmentID); got != "RT1" {
			t.Errorf("seed %d: got return consignment %q, want RT1", seed, got)
		}
		if got, want := s.ledgerTotals(t, plugin.CourierA), "expected 0, held 0, fees 0, payable 0, paid out 0"; got != want {
			t.Errorf("seed %d: got %s, want %s", seed, got, want)
		}
		if n := s.number(t, `SELECT COUNT(*) FROM provider_webhooks WHERE verdict <> 'applied'`); n != 0 {
			t.Errorf("seed %d: got %d webhooks that were not applied", seed, n)
		}
		s.checkBooks(t)
	}
}

// Test orders without sandbox credentials do not occupy the sweep, and a clone queries no courier.
func TestSweepShipments_ModesAndClone(t *testing.T) {
	t.Parallel()
	fake, url := newFakeCourier(t)
	s := newCourierShop(t, url)
	mode := func(mode plugin.Mode) {
		t.Helper()
		if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"activeMode": mode})); err != nil {
			t.Fatal(err)
		}
	}
	mode(plugin.Sandbox)
	s.recordShipment(t, s.place(t), plugin.CourierA, "DL1")
	mode(plugin.Live)
	s.recordShipment(t, s.place(t), plugin.CourierA, "DL2")
	fake.answer("DL2/info", `{"code":200,"data":{"order_status":"Pending"}}`)
	mode(plugin.Sandbox) // the live order is queried all the same
	s.sweep(t, 25*time.Hour)
	if fake.count() != 1 {
		t.Errorf("got %d queries, want 1, about the live order", fake.count())
	}
	err := s.store.Update(t.Context(), db.ID(s.UID()), func(ctx context.Context, tx *db.Tx) error {
		_, _, err := s.AdoptCopy(ctx, tx, shop.AdoptCopy{Clone: true})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if next := s.sweep(t, 30*24*time.Hour); fake.count() != 1 || !next.IsZero() {
		t.Errorf("clone: got %d queries, next at %s, want none", fake.count()-1, next)
	}
}
