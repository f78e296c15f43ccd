package order_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// events returns the types of the events about an order.
func (s *orderShop) events(t *testing.T, uid string) (types []outbox.Type) {
	t.Helper()
	for _, e := range s.eventsOf(t, uid) {
		types = append(types, e.Type)
	}
	return types
}

// eventsOf returns the events about an order, and checks that no number is missing.
func (s *orderShop) eventsOf(t *testing.T, uid string) (found []outbox.Event) {
	t.Helper()
	err := s.store.View(t.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
		events, err := outbox.After(tx, 0, 1000)
		for i, e := range events {
			if e.Seq != int64(i+1) {
				t.Errorf("event %d: got number %d", i+1, e.Seq)
			}
			if e.Subject == uid {
				found = append(found, e)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// An event reports who caused it: nobody if that was a buyer, and the shop for what it does by
// itself.
func TestOutbox_Actors(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"autoConfirm": true})
	check := func(uid string, want ...string) {
		t.Helper()
		var got []string
		for _, e := range s.eventsOf(t, uid) {
			by := "nobody"
			if e.Data.Actor != nil {
				by = e.Data.Actor.Kind
			}
			got = append(got, string(e.Type)+" by "+by)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events differ (-want +got):\n%s", diff)
		}
	}
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	if _, err := s.Orders.CancelOrder(t.Context(), access.Caller{OrderToken: placed.OrderToken}, placed.ID, ""); err != nil {
		t.Fatal(err)
	}
	check(placed.ID, "order.placed by nobody", "order.confirmed by shop", "order.cancelled by nobody")

	unpaid := s.placeOnline(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	s.mustSetAttemptStatus(t, unpaid.ID, 0, status.AttemptFailed)
	s.clock.Advance(time.Hour)
	s.expire(t)
	check(unpaid.ID, "order.placed by nobody", "order.confirmed by shop", "order.edited by nobody", "order.edited by shop", "order.expired by shop")

	sent := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1))).ID
	booked := order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "1"}
	if _, err := s.Orders.RecordShipment(t.Context(), access.CommandLine("rina"), sent, booked); err != nil {
		t.Fatal(err)
	}
	delivered := plugin.CourierEvent{ConsignmentID: "1", Status: status.ShipmentDelivered}
	if err := s.Orders.ApplyCourierEvent(t.Context(), plugin.CourierA, delivered); err != nil {
		t.Fatal(err)
	}
	check(sent, "order.placed by nobody", "order.confirmed by shop", "shipment.booked by cli", "order.paid by shop",
		"shipment.delivered by shop", "shipment.problem by shop", "order.completed by shop")
}

// Each change of an order is in the outbox once, in order; what was refused or changed nothing is
// not.
func TestOutbox_Order(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	place := func() string { return s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1))).ID }
	must := func(_ *order.Order, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	uid := place()
	for range 2 {
		must(s.Orders.ConfirmOrder(t.Context(), access.Operator(), uid))
	}
	for range 2 {
		must(
			orderOf(
				s.Orders.RecordShipment(t.Context(), access.Operator(), uid, order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "1"}),
			),
		)
	}
	must(s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentPicked))
	must(s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentOnHold))
	if _, err := s.Orders.CancelOrder(t.Context(), access.Operator(), uid, ""); err == nil {
		t.Error("cancel after pick-up: got no error")
	}
	must(s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentDelivered))
	must(s.Orders.MarkReturned(t.Context(), access.Operator(), uid, nil))
	must(s.Orders.MarkCashRefunded(t.Context(), access.Operator(), uid, order.RefundInput{}))
	if diff := cmp.Diff([]outbox.Type{
		outbox.OrderPlaced, outbox.OrderConfirmed, outbox.ShipmentBooked, outbox.ShipmentMoved, outbox.ShipmentProblem,
		outbox.OrderPaid, outbox.ShipmentDelivered, outbox.OrderCompleted, outbox.OrderRefundDue, outbox.OrderReturned, outbox.OrderRefunded,
	}, s.events(t, uid)); diff != "" {
		t.Errorf("delivered and returned (-want +got):\n%s", diff)
	}

	online := place()
	s.startOnlinePayment(t, online)
	s.mustSetAttemptStatus(t, online, 0, status.AttemptPending)
	s.mustSetAttemptStatus(t, online, 0, status.AttemptNeedsReview)
	s.mustSetAttemptStatus(t, online, 0, status.AttemptSucceeded)
	if diff := cmp.Diff([]outbox.Type{
		outbox.OrderPlaced, outbox.OrderEdited, outbox.OrderEdited, outbox.OrderPaymentReview, outbox.OrderPaid, outbox.OrderConfirmed,
	}, s.events(t, online)); diff != "" {
		t.Errorf("paid online (-want +got):\n%s", diff)
	}

	back := place()
	must(s.Orders.ConfirmOrder(t.Context(), access.Operator(), back))
	must(orderOf(s.Orders.RecordShipment(t.Context(), access.Operator(), back, order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "2"})))
	for range 2 {
		must(s.Orders.SetShipmentStatus(t.Context(), back, 0, status.ShipmentReturning))
	}
	must(s.Orders.SetShipmentStatus(t.Context(), back, 0, status.ShipmentReturned))
	if diff := cmp.Diff([]outbox.Type{
		outbox.OrderPlaced, outbox.OrderConfirmed, outbox.ShipmentBooked, outbox.ShipmentReturning, outbox.ShipmentReturned, outbox.OrderReturned,
	}, s.events(t, back)); diff != "" {
		t.Errorf("sent back (-want +got):\n%s", diff)
	}

	edited := place()
	for range 2 {
		s.mustEdit(t, edited, order.Edit{Note: new("Leave it at the gate")})
	}
	if diff := cmp.Diff([]outbox.Type{outbox.OrderPlaced, outbox.OrderEdited}, s.events(t, edited)); diff != "" {
		t.Errorf("edited (-want +got):\n%s", diff)
	}
}

// Old events are deleted when every consumer has processed them, and not before.
func TestOutbox_Purge(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	uid := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1))).ID
	if _, err := s.Orders.IndexOrders(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), uid)
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(outbox.Retention - time.Minute)
	if next, err := s.Orders.IndexOrders(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("got %v, %v, want all events processed", next, err)
	}
	if got := len(s.events(t, uid)); got != 2 {
		t.Errorf("got %d events, want 2", got)
	}
	s.clock.Advance(2 * time.Minute)
	if _, err := s.Orders.IndexOrders(t.Context()); err != nil {
		t.Fatal(err)
	}
	last := s.number(t, `SELECT MAX(seq) FROM outbox`)
	if n := s.number(t, `SELECT COUNT(*) FROM outbox`); n != 1 {
		t.Errorf("got %d events, want the last one only", n)
	}
	s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	if next := s.number(t, `SELECT MAX(seq) FROM outbox`); next != last+1 {
		t.Errorf("got number %d after %d", next, last)
	}
}

// Shops in which a counter numbered the events, and whose events have all been deleted since, do
// not begin again: their consumers wait for greater numbers.
func TestOutbox_NumberedByCounter(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.exec(t, `DELETE FROM outbox`)
	s.exec(t, `INSERT INTO counters (name, value) VALUES ('event', 40)`)
	for i, want := range []int64{41, 42} {
		s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
		if seq := s.number(t, `SELECT MAX(seq) FROM outbox`); seq != want {
			t.Errorf("order %d: got number %d, want %d", i+1, seq, want)
		}
	}
}

// A consumer that reads while events are added sees each of them once, without a gap.
func TestOutbox_Follow(t *testing.T) {
	t.Parallel()
	const buyers, orders = 4, 10
	s := newOrderShop(t, nil)
	var last int64
	read := func() (added int64) {
		t.Helper()
		err := s.store.View(t.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
			events, err := outbox.After(tx, last, 1000)
			for _, e := range events {
				if e.Seq != last+1 {
					t.Errorf("got event %d after %d", e.Seq, last)
				}
				last = e.Seq
			}
			added = int64(len(events))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	before := read()
	placed := make(chan error, buyers)
	for range buyers {
		go func() {
			for range orders {
				if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, guestOrder(wants(s.lamp, 1)), ""); err != nil {
					placed <- err
					return
				}
			}
			placed <- nil
		}()
	}
	for done := 0; done < buyers; {
		select {
		case err := <-placed:
			if err != nil {
				t.Error(err)
			}
			done++
		default:
			read()
		}
	}
	read()
	if n := s.number(t, `SELECT COUNT(*) FROM outbox WHERE type = 'order.placed'`); n != buyers*orders || last < before+n {
		t.Errorf("got %d orders up to event %d, want %d", n, last, buyers*orders)
	}
}
