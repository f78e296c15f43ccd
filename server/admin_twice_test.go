package server_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/job"
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

// A job that takes longer than two seconds continues after its response, and can be read, cancelled
// and retried meanwhile.
func TestAdmin_JobContinues(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for _, id := range []string{auditedOrder, secondOrder} {
		s.must("POST", "orders/"+id+"/confirm", "")
	}
	release := make(chan struct{})
	s.courier.before = func(int64) { <-release }
	const book = `{"action":"book","ids":["` + auditedOrder + `","` + secondOrder + `"],"options":{"provider":"courier_a"}}`
	began := time.Now()
	got := s.as("POST", "bulk/orders", book, "Cookie", s.owner)
	var running job.Job
	got.ok(http.StatusAccepted, &running)
	if took := time.Since(began); took < 2*time.Second || running.Status != job.StatusRunning || running.Total != 2 || running.Results[0].OK != nil {
		t.Errorf("got %s after %v, want a running job after two seconds", got.body, took)
	}
	path := "jobs/" + *running.ID
	s.as("POST", path+"/retry", "{}", "Cookie", s.owner).problem(http.StatusConflict, fault.CodeStateConflict)
	if cancelled := s.must("POST", path+"/cancel", "{}"); cancelled["status"] != "cancelled" || cancelled["finishedAt"] != nil {
		t.Errorf("got %v, want a cancelled job whose items in progress end", cancelled)
	}
	close(release)
	dbtest.Eventually(t, "the items in progress have ended", func() bool { return s.must("GET", path, "")["finishedAt"] != nil })
	if ended := s.must("GET", path, ""); ended["status"] != "cancelled" || ended["done"] != 2.0 {
		t.Errorf("got %v, want both bookings", ended)
	}
}
