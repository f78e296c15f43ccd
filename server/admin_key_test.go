package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/order"
)

// A refund of an amount and one more shipment would be made again by a repetition, once the result
// of the first is known. Their keys are used up, although their requests have failed.
func TestAdmin_KeyOfUnclearRequest(t *testing.T) {
	t.Parallel()
	t.Run("refund", func(t *testing.T) {
		t.Parallel()
		s := newAuditShop(t)
		s.payment("refund_due")
		s.gateway.silent = true
		key := s.key(t)
		refund := func(body, repeated string) *reply {
			return s.as("POST", "payments/PAYMENT/refund", body, "Authorization", key, "Idempotency-Key", repeated)
		}
		refund(`{"amount":40}`, "1").problem(http.StatusServiceUnavailable, fault.CodeUnavailable)
		s.gateway.silent = false
		s.shop.Clock.Advance(time.Hour)
		if _, err := s.shop.Orders.SweepPayments(t.Context()); err != nil {
			t.Fatal(err)
		}
		refund(`{"amount":40}`, "1").problem(http.StatusConflict, fault.CodeStateConflict)
		if n := s.shop.Number(t, `SELECT SUM(amount) FROM refunds WHERE status = 'done'`); n != 40 {
			t.Errorf("got %d refunded, want 40", n)
		}
		refund(`{}`, "2").ok(http.StatusOK, &order.AttemptRecord{}) // the rest, whose key may be used again after a failure
		if n := s.shop.Number(t, `SELECT SUM(amount) FROM refunds WHERE status = 'done'`); n != 100 {
			t.Errorf("got %d refunded, want 100", n)
		}
	})
	t.Run("shipment", func(t *testing.T) {
		t.Parallel()
		s := newAuditShop(t)
		s.must("POST", "orders/"+auditedOrder+"/confirm", "")
		book := func(key string) *reply {
			return s.as("POST", "orders/"+auditedOrder+"/shipments", `{"provider":"courier_a","another":true}`, "Cookie", s.owner, "Idempotency-Key", key)
		}
		s.courier.silent = true
		book("1").problem(http.StatusServiceUnavailable, fault.CodeUnavailable)
		s.courier.silent = false
		s.must("POST", "orders/"+auditedOrder+"/shipments", `{"provider":"courier_a","consignmentId":"C1"}`) // that was booked
		book("1").problem(http.StatusConflict, fault.CodeStateConflict)
		if n := s.shop.Number(t, `SELECT COUNT(*) FROM shipments`); n != 1 {
			t.Errorf("got %d shipments, want the one that was booked", n)
		}
	})
}

// The stored responses about a buyer who is erased are not returned any more, sealed ones included,
// and their requests are not done again.
func TestAdmin_ResponsesOfErasedBuyer(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	send := func(operation, body string) *reply {
		return s.as("POST", "orders/"+auditedOrder+"/"+operation, body, "Cookie", s.owner, "Idempotency-Key", operation)
	}
	for _, operation := range []string{"cancel", "token"} {
		for range 2 {
			if got := send(operation, "{}"); got.status != http.StatusOK || !strings.Contains(string(got.body), "Rahim") {
				t.Fatalf("%s: got %d: %s, want the order of Rahim", operation, got.status, got.body)
			}
		}
	}
	s.shop.Exec(t, `UPDATE orders SET customer_id = ? WHERE id = ?`, s.values["customer"], auditedOrder)
	s.as("DELETE", "customers/<customer>", "{}", "Cookie", s.owner)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM orders WHERE customer_name = ''`); n != 1 {
		t.Fatalf("got %d erased orders, want 1", n)
	}
	for _, operation := range []string{"cancel", "token"} {
		send(operation, "{}").problem(http.StatusConflict, fault.CodeStateConflict)
	}
}
