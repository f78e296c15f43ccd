package server_test

import (
	"sync"
	"testing"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

// A double click and two staff members at once change stock and write the audit log once.
func TestAdmin_DoubleClick(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t)
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			s.send("POST", "/admin/v1/shops/test/coupons", `{"code":"TEN","kind":"percentage","basisPoints":1000}`,
				"Authorization", key, "Idempotency-Key", "1").ok(200, &shop.Coupon{})
			s.send("POST", "/admin/v1/shops/test/orders/0123456789ABCDEF/confirm", "", "Authorization", key).ok(200, &shop.Order{})
		})
	}
	done.Wait()
	for _, action := range []string{"coupon.save", "order.confirm"} {
		if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = ?`, action); n != 1 {
			t.Errorf("%s: got %d audit entries, want 1", action, n)
		}
	}
}

// Two staff members who confirm one order at once confirm it once: the second one sees it
// confirmed. If one of them has cancelled it, the other cannot confirm it.
func TestAdmin_ConfirmedByTwo(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	const order = "/admin/v1/shops/test/orders/0123456789ABCDEF"
	callers := []string{s.session(t, staff.RoleOwner), s.session(t, staff.RoleManager)}
	var done sync.WaitGroup
	for i := range 10 {
		done.Go(func() {
			var got shop.Order
			s.send("POST", order+"/confirm", "{}", "Cookie", callers[i%2]).ok(200, &got)
			if got.Status != shop.OrderConfirmed {
				t.Errorf("got status %s, want confirmed", got.Status)
			}
		})
	}
	done.Wait()
	for _, query := range []string{
		`SELECT COUNT(*) FROM audit_log WHERE action = 'order.confirm'`,
		`SELECT COUNT(*) FROM outbox WHERE type = 'order.confirmed'`,
		`SELECT COUNT(*) FROM order_events WHERE type = 'confirmed'`,
	} {
		if n := s.shop.Number(t, query); n != 1 {
			t.Errorf("%s: got %d, want 1", query, n)
		}
	}
	s.send("POST", order+"/cancel", `{"reason":"Buyer changed their mind"}`, "Cookie", callers[0]).ok(200, &shop.Order{})
	s.send("POST", order+"/confirm", "{}", "Cookie", callers[1]).problem(409, fault.CodeStateConflict)
}
