package conversion_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/conversion"
	"storefront/shop/outbox"
)

// insertMany inserts orders with consent, and their events.
func (k *kit) insertMany(first, count int) {
	k.t.Helper()
	orders := db.NewInsertion(`orders (id, number, status, payment_status, fulfillment_status, payment_method, test, customer_name, customer_phone,
		line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name,
		subtotal, discount, delivery_charge, rounding, total, placed_at, updated_at)`)
	led := db.NewInsertion(`order_attributions (order_number, first_source, first_medium, first_campaign,
		last_source, last_medium, last_campaign, details)`)
	events := db.NewInsertion(`outbox (seq, at, type, subject, data)`)
	k.update(func(tx *db.Tx) error {
		last, err := outbox.Last(tx)
		if err != nil {
			return err
		}
		now := db.Millis(tx.Now())
		var a, b, c []any
		for i := first; i < first+count; i++ {
			a = append(a, orderID(i), int64(i), "pending", "unpaid", "unfulfilled", "cod", 0, "Rahim Uddin", "+8801711000000",
				"House 7", "", "", "Dhaka", "", "BD", "", "", "", 100, 0, 0, 0, 100, now, now)
			b = append(b, int64(i), "", "", "", "", "", "", `{"consent":{"at":"2026-01-01T00:00:00Z"}}`)
			c = append(c, last+int64(i-first)+1, now, string(outbox.OrderPlaced), orderID(i), fmt.Sprintf(`{"orderNumber":%d}`, i))
		}
		for _, one := range []struct {
			in   *db.Insertion
			rows []any
		}{{&orders, a}, {&led, b}, {&events, c}} {
			if err := one.in.Run(tx, one.rows); err != nil {
				return err
			}
		}
		return nil
	})
}

// outage is how a receiver fails: randomly, with or without having counted the event.
func outage(random *rand.Rand) (a *conversion.Answer, received bool) {
	switch random.IntN(5) {
	case 0:
		return &conversion.Answer{Verdict: conversion.NotReceived, Problem: "No response."}, false // not reached
	case 1:
		return &conversion.Answer{Verdict: conversion.NotReceived, Status: 429, Problem: "Too many requests.", RetryAfter: time.Minute}, false
	case 2:
		return &conversion.Answer{Verdict: conversion.Unknown, Status: 503, Problem: "Unavailable."}, false
	case 3:
		return &conversion.Answer{Verdict: conversion.Unknown, Problem: "No response."}, true // the response was lost
	}
	return nil, true
}

// 10,000 orders are placed while the receiver fails for hours in every way, and two servers that
// both do the work send them: each is counted exactly once.
func TestConversions_Outages(t *testing.T) {
	t.Parallel()
	const orders, rounds = 10_000, 5
	k := newKit(t, conversion.AtPlacing)
	other := k.Reopened()
	random := rand.New(rand.NewPCG(1, 2))
	k.meta.set(func(int, conversion.Event) (*conversion.Answer, bool) { return outage(random) })
	for round := range rounds {
		k.insertMany(round*orders/rounds+1, orders/rounds)
		if _, err := other.Conversions.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		k.run()
		k.Clock.Advance(40 * time.Minute)
	}
	for round := 0; k.Number(t, `SELECT COUNT(*) FROM conversions WHERE due_at IS NOT NULL`) > 0; round++ {
		if round == 2 {
			k.meta.set(nil) // the receiver works again
		}
		k.run()
		k.Clock.Advance(5 * time.Hour)
	}
	if sent := k.Number(t, `SELECT COUNT(*) FROM conversions WHERE status = 'sent'`); sent != orders {
		t.Errorf("got %d conversions sent, want %d", sent, orders)
	}
	for i := 1; i <= orders; i++ {
		if n := k.meta.count(orderID(i)); n != 1 {
			t.Fatalf("order %d: got it counted %d times, want once", i, n)
		}
	}
	if k.meta.total() < orders*3/2 {
		t.Errorf("got %d requests, want many repetitions", k.meta.total())
	}
}

// An event with an unknown result is repeated for less than 48 hours, as is one that the buyer's
// browser may have reported, and one that surely did not arrive for less than 7 days. Then the log
// has the reason, and nothing is counted twice.
func TestConversions_LongOutage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		verdict  conversion.Verdict
		received bool
		until    time.Duration
		reason   string
		tag      bool // the buyer's browser has reported the order
	}{
		{conversion.Unknown, true, conversion.DoubtTime, "48 hours", false},
		{conversion.NotReceived, false, conversion.MaxAge, "7 days", false},
		{conversion.NotReceived, false, conversion.DoubtTime, "48 hours", true},
	} {
		k := newKit(t, conversion.AtPlacing)
		k.Set(t, map[string]any{"advertising": map[string]any{"meta": map[string]any{"pixelId": pixel, "tag": tt.tag}}})
		k.order(orderID(1))
		k.happen(orderID(1), outbox.OrderPlaced)
		k.meta.set(func(int, conversion.Event) (*conversion.Answer, bool) {
			return &conversion.Answer{Verdict: tt.verdict, Problem: "No response."}, tt.received
		})
		began, last := k.Clock.Now(), time.Duration(0)
		for k.run(); k.list()[0].Status == conversion.StatusWaiting; k.run() {
			if n := k.meta.total(); n > 1 {
				last = k.Clock.Now().Sub(began)
			}
			k.Clock.Advance(k.list()[0].NextAt.Sub(k.Clock.Now()))
		}
		d := k.list()[0]
		if d.Status != conversion.StatusExpired || d.Error == nil || !strings.Contains(*d.Error, tt.reason) || d.Resendable {
			t.Errorf("%s: got %+v, want it expired for %q", tt.verdict, d, tt.reason)
		}
		if last > tt.until || last < tt.until/2 || k.meta.count(orderID(1)) > 1 {
			t.Errorf("%s: got the last attempt after %s and %d counted, want it within %s", tt.verdict, last, k.meta.count(orderID(1)), tt.until)
		}
		if k.browsers() != 0 {
			t.Errorf("%s: got the browser stored after the end", tt.verdict)
		}
	}
}

// A server that stops, or dies, between the request and its record sends the event again after the
// claim: the receiver counts it once.
func TestConversions_InterruptedAttempt(t *testing.T) {
	t.Parallel()
	k := newKit(t, conversion.AtPlacing)
	k.order(orderID(1))
	k.happen(orderID(1), outbox.OrderPlaced)
	began, proceed := make(chan struct{}), make(chan struct{})
	k.meta.set(func(request int, _ conversion.Event) (*conversion.Answer, bool) {
		if request == 1 {
			close(began)
			<-proceed
		}
		return nil, true
	})
	if _, err := k.Conversions.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-began // claimed: the first server dies here, and another one does the work
	close(proceed)
	dbtest.Eventually(t, "recorded", func() bool { return k.list()[0].Status == conversion.StatusSent })
	k.Exec(t, `UPDATE conversions SET status = 'waiting', due_at = ?, claim = 'lost', claimed_until = ?, doubt_since = ?`,
		db.Millis(k.Clock.Now()), db.Millis(k.Clock.Now().Add(time.Minute)), db.Millis(k.Clock.Now()))
	next, err := k.Conversions.Continue(t.Context())
	if err != nil || k.meta.total() != 1 || !next.Equal(k.Clock.Now().Add(time.Minute)) {
		t.Errorf("got %d requests and the next at %s, %v, want none while the claim lasts", k.meta.total(), next, err)
	}
	k.Clock.Advance(time.Minute)
	if k.run(); k.meta.total() != 2 || k.meta.count(orderID(1)) != 1 || k.list()[0].Status != conversion.StatusSent {
		t.Errorf("got %d requests and %d counted, want it sent again and counted once", k.meta.total(), k.meta.count(orderID(1)))
	}
}
