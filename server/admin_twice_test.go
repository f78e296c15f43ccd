package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
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
				"Authorization", key, "Idempotency-Key", "1").ok(200, &order.Coupon{})
			s.send("POST", "/admin/v1/shops/test/orders/0123456789ABCDEF/confirm", "", "Authorization", key).ok(200, &order.Order{})
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
	const path = "/admin/v1/shops/test/orders/0123456789ABCDEF"
	callers := []string{s.session(t, staff.RoleOwner), s.session(t, staff.RoleManager)}
	var done sync.WaitGroup
	for i := range 10 {
		done.Go(func() {
			var got order.Order
			s.send("POST", path+"/confirm", "{}", "Cookie", callers[i%2]).ok(200, &got)
			if got.Status != status.OrderConfirmed {
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
	s.send("POST", path+"/cancel", `{"reason":"Buyer changed their mind"}`, "Cookie", callers[0]).ok(200, &order.Order{})
	s.send("POST", path+"/confirm", "{}", "Cookie", callers[1]).problem(409, fault.CodeStateConflict)
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

// The failed items of a job are retried by one job, also if two staff members retry them at once.
// What a cancelled retry has not begun is left to the next.
func TestAdmin_JobRetriedOnce(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	other := s.session(t, staff.RoleManager)
	const ids = `["` + auditedOrder + `","` + secondOrder + `"]`
	s.courier.silent = true
	booked := s.must("POST", "bulk/orders", `{"action":"book","ids":`+ids+`,"options":{"provider":"courier_a"}}`)
	if booked["failed"] != 2.0 {
		t.Fatalf("got %v, want two failed items", booked)
	}
	s.courier.silent = false
	s.shop.Clock.Advance(2 * time.Minute) // from then on the orders can be booked again
	path := "jobs/" + booked["_id"].(string) + "/retry"
	var made, refused atomic.Int64
	var retried atomic.Value
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			got := s.as("POST", path, "{}", "Cookie", []string{s.owner, other}[i%2], "Idempotency-Key", strconv.Itoa(i))
			if got.status >= 300 {
				got.problem(http.StatusConflict, fault.CodeStateConflict)
				refused.Add(1)
				return
			}
			var job job.Job
			got.ok(got.status, &job)
			retried.Store(*job.ID)
			made.Add(1)
		})
	}
	done.Wait()
	if made.Load() != 1 || refused.Load() != 7 {
		t.Errorf("got %d jobs and %d conflicts, want 1 and 7", made.Load(), refused.Load())
	}
	const open = `SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL`
	dbtest.Eventually(t, "all jobs have ended", func() bool { return s.shop.Number(t, open) == 0 })
	jobs, shipments := s.shop.Number(t, `SELECT COUNT(*) FROM jobs`), s.shop.Number(t, `SELECT COUNT(*) FROM shipments`)
	if jobs != 2 || shipments != 2 {
		t.Errorf("got %d jobs and %d shipments, want 2 and 2", jobs, shipments)
	}
	conflict := s.as("POST", path, "{}", "Cookie", other).problem(http.StatusConflict, fault.CodeStateConflict)
	if conflict.Details["job"] != retried.Load() {
		t.Errorf("got details %v, want the job %v", conflict.Details, retried.Load())
	}
	s.shop.Exec(t, `UPDATE jobs SET status = 'cancelled' WHERE id = ?`, retried.Load())
	s.shop.Exec(t, `UPDATE job_items SET status = 'waiting' WHERE job_id = ? AND position = 2`, retried.Load())
	if rest := s.must("POST", path, "{}"); rest["total"] != 1.0 {
		t.Errorf("after a cancelled retry: got %v, want a job of the item that it has not begun", rest)
	}
}

// lostContext is the context of a request whose client disconnects once a change is stored. Every
// transaction reads a value of its context before it begins.
type lostContext struct {
	context.Context
	check func()
}

func (c *lostContext) Value(key any) any {
	c.check()
	return c.Context.Value(key)
}

// lose sends a request whose client disconnects once a query of the shop returns more than zero,
// and waits for the end of its work.
func (s *adminSite) lose(t *testing.T, path, body, stored string, header ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var gone atomic.Bool
	status := s.serve(&lostContext{ctx, func() {
		if !gone.Load() && s.shop.Number(t, stored) > 0 {
			gone.Store(true)
			cancel()
		}
	}}, path, body, header...)
	if !gone.Load() {
		t.Fatalf("%s: got %d, and the change was not stored", path, status)
	}
}

// serve handles a request with a context of its own, and returns the status.
func (s *adminSite) serve(ctx context.Context, path, body string, header ...string) int {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	return w.Code
}

// slowGateway starts every payment after before.
type slowGateway struct {
	auditGateway
	before func()
}

func (g *slowGateway) Start(_ context.Context, _ plugin.Access, start plugin.PaymentStart) (plugin.StartedPayment, error) {
	g.before()
	return plugin.StartedPayment{ExternalID: "X-" + start.Ref, RedirectURL: "https://gateway.example/pay"}, nil
}

// newSlowShop returns a site with a gateway, a key for it, and the body of an order of one of ten
// mugs.
func newSlowShop(t *testing.T) (s *adminSite, gateway *slowGateway, key, order string) {
	t.Helper()
	gateway = &slowGateway{before: func() {}}
	a := shoptest.NewAccounts(t)
	a.Config.Plugins = []plugin.Plugin{{Provider: plugin.GatewayA, Gateway: gateway, Keys: []plugin.Key{
		{Name: "secret", Secret: true, For: []plugin.Capability{plugin.CanPay}},
	}}}
	a = a.Reopened()
	shoptest.ConfigurePlugin(t, a.Shop, plugin.GatewayA, map[string]any{"secret": providerSecret})
	mug, err := a.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Handle: "mug", Title: "Mug", Variants: []catalogue.VariantInput{{Price: 45000, Tracked: true, Stock: new(10)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s = &adminSite{newSiteOf(t, a.Shop, func(cfg *server.Config) { cfg.Now = a.Clock.Now }), a}
	return s, gateway, s.key(t), `{"items":[{"variantId":"` + mug.Variants[0].ID + `","quantity":1}],"source":"phone","paymentMethod":"METHOD",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`
}

const ordersByPhone = `SELECT COUNT(*) FROM orders WHERE source = 'phone'`

// wantOneOrder checks that one order was placed by phone, with its stock.
func (s *adminSite) wantOneOrder(t *testing.T) {
	t.Helper()
	if n, stock := s.shop.Number(t, ordersByPhone), s.shop.Number(t, `SELECT stock FROM variants`); n != 1 || stock != 9 {
		t.Errorf("got %d orders and a stock of %d, want 1 and 9", n, stock)
	}
}

// A client that disconnects once its order is stored gets that order when it sends the request
// again, whether the gateway is waited for or not.
func TestAdmin_PlacingDisconnected(t *testing.T) {
	t.Parallel()
	const path = "/admin/v1/shops/test/orders"
	for method, send := range map[string]func(s *adminSite, gateway *slowGateway, body string, header ...string){
		"cod": func(s *adminSite, _ *slowGateway, body string, header ...string) {
			s.lose(t, path, body, ordersByPhone, header...)
		},
		"gateway_a": func(s *adminSite, gateway *slowGateway, body string, header ...string) {
			ctx, cancel := context.WithCancel(t.Context())
			gateway.before = cancel
			s.serve(ctx, path, body, header...)
		},
	} {
		s, gateway, key, body := newSlowShop(t)
		body = strings.Replace(body, "METHOD", method, 1)
		send(s, gateway, body, "Authorization", key, "Idempotency-Key", "1")
		s.wantOneOrder(t)
		var again order.StaffPlacement
		got := s.send("POST", path, body, "Authorization", key, "Idempotency-Key", "1")
		got.ok(http.StatusCreated, &again)
		if got.header.Get("Idempotent-Replayed") != "true" || again.Order == nil {
			t.Errorf("%s: got %v %s, want the order of the first request", method, got.header, got.body)
		}
		s.wantOneOrder(t)
	}
}

// An order that is stored but cannot be read is not placed again with the same key.
func TestAdmin_PlacedUnreadable(t *testing.T) {
	t.Parallel()
	s, gateway, key, order := newSlowShop(t)
	order = strings.Replace(order, "METHOD", "gateway_a", 1)
	gateway.before = func() { s.shop.Exec(t, `UPDATE orders SET placed_by = '{"kind":1}' WHERE source = 'phone'`) }
	const path = "/admin/v1/shops/test/orders"
	s.send("POST", path, order, "Authorization", key, "Idempotency-Key", "1").problem(http.StatusInternalServerError, fault.CodeInternal)
	s.shop.Exec(t, `UPDATE orders SET placed_by = NULL WHERE source = 'phone'`)
	gateway.before = func() {}
	again := s.send("POST", path, order, "Authorization", key, "Idempotency-Key", "1")
	if again.status != http.StatusCreated || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %d %s, want the order of the first request", again.status, again.body)
	}
	s.wantOneOrder(t)
}

// A client that disconnects once a job is stored gets that job when it sends the request again: a
// note is written once.
func TestAdmin_JobDisconnected(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	const path, jobs = "/admin/v1/shops/test/bulk/orders", `SELECT COUNT(*) FROM jobs`
	const notes = `{"action":"note","ids":["` + auditedOrder + `","` + secondOrder + `"],"options":{"note":"Call before noon"}}`
	s.lose(t, path, notes, jobs, "Cookie", s.owner, "Idempotency-Key", "1")
	again := s.send("POST", path, notes, "Cookie", s.owner, "Idempotency-Key", "1")
	if again.status >= 300 || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %d %s, want the job of the first request", again.status, again.body)
	}
	dbtest.Eventually(t, "all jobs have ended", func() bool { return s.shop.Number(t, jobs+` WHERE finished_at IS NULL`) == 0 })
	if n, events := s.shop.Number(t, jobs), s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.note'`); n != 1 || events != 2 {
		t.Errorf("got %d jobs and %d notes, want 1 and 2", n, events)
	}
}

// A booking to which the courier did not respond continues when the same request is sent again.
func TestAdmin_BookingResumed(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.must("POST", "orders/"+auditedOrder+"/confirm", "")
	const path, body = "orders/" + auditedOrder + "/shipments", `{"provider":"courier_a"}`
	s.courier.silent = true
	s.as("POST", path, body, "Cookie", s.owner, "Idempotency-Key", "1").problem(http.StatusServiceUnavailable, fault.CodeUnavailable)
	s.courier.silent = false
	s.shop.Clock.Advance(2 * time.Minute)
	s.as("POST", path, body, "Cookie", s.owner, "Idempotency-Key", "1").ok(http.StatusCreated, &order.StaffOrder{})
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM shipments`); n != 1 {
		t.Errorf("got %d shipments, want 1", n)
	}
}

// The first success is returned again for 24 hours.
func TestAdmin_IdempotencyKeyAge(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t)
	for _, step := range []struct {
		later    time.Duration
		replayed string
	}{{0, ""}, {24*time.Hour - time.Second, "true"}, {time.Second, ""}} {
		s.shop.Clock.Advance(step.later)
		got := s.send("POST", "/admin/v1/shops/test/orders/0123456789ABCDEF/confirm", "{}", "Authorization", key, "Idempotency-Key", "1")
		if got.status != http.StatusOK || got.header.Get("Idempotent-Replayed") != step.replayed {
			t.Errorf("%v later: got %d, replayed %q, want %q", step.later, got.status, got.header.Get("Idempotent-Replayed"), step.replayed)
		}
	}
}
