package order_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
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

// courierSite answers look-ups of courier_a and courier_b by path, and counts them.
type courierSite struct {
	mu      sync.Mutex
	answers map[string]string // by the last two elements of the path; "": hang up
	asked   []string
}

func newCourierSite(t *testing.T) (*courierSite, string) {
	f := &courierSite{answers: map[string]string{}}
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

func (f *courierSite) answer(key, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[key] = body
}

// count returns the number of look-ups so far.
func (f *courierSite) count() int {
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
	fake, url := newCourierSite(t)
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
	fake, url := newCourierSite(t)
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
	later := s.place(t) // paid out while the courier is left alone
	s.recordShipment(t, later, plugin.CourierA, "DL3")
	fake.answer("DL3/info", `{"code":200,"type":"success","data":{"order_status":"Delivered"}}`)
	s.sendWebhook(t, plugin.CourierA, about("DL3", step(9, "order.paid", "invoice_id", `"I3"`)))
	queries := fake.count()
	s.sweep(t, 0)
	if got := s.findOrder(t, later).Status; got != status.OrderCompleted || fake.count() != queries+1 {
		t.Errorf("in the courier's pause: got %s after %d queries, want completed after 1", got, fake.count()-queries)
	}
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
	fake, url := newCourierSite(t)
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
	fake, url := newCourierSite(t)
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

// Test orders without sandbox credentials do not occupy the sweep, and a clone queries no courier.
func TestSweepShipments_ModesAndClone(t *testing.T) {
	t.Parallel()
	fake, url := newCourierSite(t)
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
