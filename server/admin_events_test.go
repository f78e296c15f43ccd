package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/live"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

const eventsPath = "/admin/v1/shops/test/events"

// eventStream is an open stream of events.
type eventStream struct {
	*http.Response
	lines *bufio.Scanner
	start string // the ID with which it began
	retry string // when a client connects again, in milliseconds
}

// sentEvent is one event of a stream.
type sentEvent struct {
	id, kind string
	data     live.EventData
}

// follow opens a stream of events.
func follow(t *testing.T, url string, header ...string) *eventStream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	s := &eventStream{Response: res, lines: bufio.NewScanner(res.Body)}
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(res.Body)
		t.Fatalf("got %d %s, want a stream", res.StatusCode, body)
	}
	for s.lines.Scan() && s.lines.Text() != "" {
		if id, ok := strings.CutPrefix(s.lines.Text(), "id: "); ok {
			s.start = id
		}
		if retry, ok := strings.CutPrefix(s.lines.Text(), "retry: "); ok {
			s.retry = retry
		}
	}
	return s
}

// next returns the next event, and false at the end of the stream.
func (s *eventStream) next(t *testing.T) (e sentEvent, ok bool) {
	t.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		switch name, value, _ := strings.Cut(line, ": "); {
		case name == "id":
			e.id = value
		case name == "event":
			e.kind = value
		case name == "data":
			if err := json.Unmarshal([]byte(value), &e.data); err != nil {
				t.Fatalf("data %s: %v", value, err)
			}
		case line == "" && e.kind != "":
			return e, true
		}
	}
	return e, false
}

// want reads the next event and checks its type and subject.
func (s *eventStream) want(t *testing.T, kind outbox.Type, subject string) sentEvent {
	t.Helper()
	e, ok := s.next(t)
	if !ok || e.kind != string(kind) || e.data.Subject != subject {
		t.Fatalf("got event %+v (%t), want %s of %q", e, ok, kind, subject)
	}
	return e
}

// wantEnd checks that the stream has ended without a further event.
func (s *eventStream) wantEnd(t *testing.T, what string) {
	t.Helper()
	if e, ok := s.next(t); ok {
		t.Errorf("%s: got event %+v, want the end of the stream", what, e)
	}
}

// A stream reports what its caller may see. It resumes, or begins with a reset.
func TestEvents_Stream(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	const id = "0123456789ABCDEF"
	open := func(after string, header ...string) *eventStream { return follow(t, s.url+eventsPath+after, header...) }
	owner, key := s.session(t, staff.RoleOwner), s.key(t)
	stream, coupons := open("", "Cookie", owner), open("", "Authorization", s.key(t, "coupons.read"))
	if h := stream.Header; h.Get("Content-Type") != "text/event-stream" || h.Get("X-Accel-Buffering") != "no" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("got header %v", h)
	}
	if stream.retry != "3000" {
		t.Errorf("got retry %q, want 3000", stream.retry)
	}
	s.send("POST", "/admin/v1/shops/test/orders/"+id+"/confirm", "", "Authorization", key).ok(200, new(order.Order))
	confirmed := stream.want(t, outbox.OrderConfirmed, id)
	if d := confirmed.data; d.Status != "confirmed" || d.Actor == nil || d.Actor.Kind != "key" || d.Actor.ID == "" || d.OrderNumber == 0 {
		t.Errorf("got data %+v, want the order's number and status and the key", d)
	}
	var coupon order.Coupon
	s.send("POST", "/admin/v1/shops/test/coupons", `{"code":"EID","kind":"percentage","basisPoints":1000}`, "Cookie", owner).ok(200, &coupon)
	created := stream.want(t, outbox.CouponCreated, coupon.ID)
	if d := created.data; d.Actor == nil || d.Actor.Kind != "staff" || d.Actor.ID != "id-owner" {
		t.Errorf("got data %+v, want the owner as the actor", d)
	}
	if e := coupons.want(t, outbox.CouponCreated, coupon.ID); e != created && e.id != created.id {
		t.Errorf("got %+v, want the same event %+v and none of orders", e, created)
	}

	for name, resumed := range map[string]*eventStream{
		"Last-Event-ID": open("?after=0", "Cookie", owner, "Last-Event-ID", stream.start), "after": open("?after="+stream.start, "Cookie", owner),
	} {
		if e := resumed.want(t, outbox.OrderConfirmed, id); e.id != confirmed.id {
			t.Errorf("%s: got event %s again, want %s", name, e.id, confirmed.id)
		}
		resumed.want(t, outbox.CouponCreated, coupon.ID)
	}
	s.shop.Exec(t, `DELETE FROM outbox WHERE type = 'order.confirmed'`)
	for name, after := range map[string]string{"purged": stream.start, "of another shop": "1000"} {
		reset := open("?after="+after, "Cookie", owner)
		if e := reset.want(t, live.Reset, ""); e.id != created.id {
			t.Errorf("%s: got a reset to %s, want %s", name, e.id, created.id)
		}
		s.send("POST", "/admin/v1/shops/test/coupons/EID/disable", "{}", "Authorization", key).ok(200, &coupon)
		created.id = reset.want(t, outbox.CouponUpdated, coupon.ID).id
		s.send("POST", "/admin/v1/shops/test/coupons/EID/enable", "{}", "Authorization", key).ok(200, &coupon)
		created.id = reset.want(t, outbox.CouponUpdated, coupon.ID).id
	}
	s.get(eventsPath+"?after=-1", "Cookie", owner).problem(422, fault.CodeValidationFailed)
}

// A stream ends when its caller would be refused, without a further event.
func TestEvents_EndOfSession(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{
		"session revoked": `DELETE FROM staff_sessions`, "turned off": `UPDATE staff SET status = 'off'`,
		"session expired": `UPDATE staff_sessions SET expires_at = 1`, "key revoked": `DELETE FROM admin_tokens`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAdminSite(t, nil)
			header := []string{"Cookie", s.session(t, staff.RoleStaff)}
			if name == "key revoked" {
				header = []string{"Authorization", s.key(t)}
			}
			live := follow(t, s.url+eventsPath, header...)
			s.shop.Exec(t, end)
			if name != "key revoked" { // which ends the stream without any event, too
				if _, err := s.shop.Shop.Orders.ConfirmOrder(t.Context(), access.Operator(), "0123456789ABCDEF"); err != nil {
					t.Fatal(err)
				}
			}
			live.wantEnd(t, name)
			s.get(eventsPath, header...).problem(401, fault.CodeUnauthenticated)
		})
	}
	t.Run("permission denied", func(t *testing.T) {
		t.Parallel()
		s := newAdminSite(t, nil)
		live := follow(t, s.url+eventsPath, "Cookie", s.session(t, staff.RoleStaff))
		s.shop.Exec(t, `UPDATE staff SET denies = '["orders.read"]'`)
		if _, err := s.shop.Shop.Orders.ConfirmOrder(t.Context(), access.Operator(), "0123456789ABCDEF"); err != nil {
			t.Fatal(err)
		}
		spec := order.CouponSpec{Code: "A", Kind: order.CouponFixed, Amount: new(int64(100)), Active: true}
		coupon, err := s.shop.Orders.SaveCoupon(t.Context(), access.Operator(), spec)
		if err != nil {
			t.Fatal(err)
		}
		live.want(t, outbox.CouponCreated, coupon.ID)
	})
}

// A stream without events has a comment from time to time, with the number of an event that its
// caller may not see, so that a proxy does not close it and a client resumes after it.
func TestEvents_Comments(t *testing.T) {
	t.Parallel()
	if server.EventComment != 20*time.Second {
		t.Errorf("got a comment every %s, want 20s", server.EventComment)
	}
	s := newAdminSite(t, nil)
	s.server.SetEventComment(50 * time.Millisecond)
	live := follow(t, s.url+eventsPath, "Authorization", s.key(t, "coupons.read"))
	line := func() string {
		t.Helper()
		for live.lines.Scan() {
			if live.lines.Text() != "" {
				return live.lines.Text()
			}
		}
		t.Fatal("got the end of the stream")
		return ""
	}
	if got := line(); got != ":" {
		t.Errorf("got %q, want a comment", got)
	}
	if _, err := s.shop.Shop.Orders.ConfirmOrder(t.Context(), access.Operator(), "0123456789ABCDEF"); err != nil {
		t.Fatal(err)
	}
	last := fmt.Sprint("id: ", s.shop.Number(t, `SELECT MAX(seq) FROM outbox`))
	got := line()
	for got == ":" {
		got = line()
	}
	if got != last {
		t.Errorf("got %q, want a comment with %q and no event", got, last)
	}
}

func TestEvents_Limits(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := s.session(t, staff.RoleOwner)
	var open []*eventStream
	for range 10 {
		open = append(open, follow(t, s.url+eventsPath, "Cookie", owner))
	}
	s.get(eventsPath, "Cookie", owner).problem(503, fault.CodeUnavailable)
	follow(t, s.url+eventsPath, "Cookie", s.session(t, staff.RoleStaff)) // another staff member's own limit
	if err := open[0].Body.Close(); err != nil {
		t.Fatal(err)
	}
	for refused := true; refused; { // until the server has noticed
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+eventsPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Cookie", owner)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		refused = res.StatusCode == http.StatusServiceUnavailable
	}
}

// A shop has a limit of streams for all callers together; a stream that ends makes room.
func TestEvents_ShopLimit(t *testing.T) {
	t.Parallel()
	const streams = 125
	s := newAdminSite(t, nil)
	owner := s.session(t, staff.RoleOwner)
	var key string
	var last *eventStream
	for i := range streams {
		if i%live.MaxStreams == 0 {
			key = s.key(t, "orders.read")
		}
		last = follow(t, s.url+eventsPath, "Authorization", key)
	}
	refused := s.get(eventsPath, "Cookie", owner)
	got := refused.problem(http.StatusServiceUnavailable, fault.CodeUnavailable)
	if !strings.Contains(got.Detail, "The shop has 125 open streams") || refused.header.Get("Retry-After") != "60" {
		t.Errorf("got %q, Retry-After %q, want the limit and when to connect again", got.Detail, refused.header.Get("Retry-After"))
	}
	s.get("/admin/v1/shops/test/counts/orders", "Cookie", owner).ok(http.StatusOK, &struct{}{})
	if err := last.Body.Close(); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "a stream has room", func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+eventsPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Cookie", owner)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
}

// A stream outlives the time limits of other requests, and ends when the server does.
func TestEvents_Deadlines(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0123456789ABCDEF", shoptest.RahimsPhone)
	limit := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	url, stop, ended := run(t, server.Config{
		Tenants: &tenantsOf{shops: map[string]*shop.Shop{"test": a.Shop}}, RequestTimeout: 200 * time.Millisecond, ShutdownTimeout: time.Hour,
		Routes: []server.Route{{Method: "GET", Path: "/limit", Handler: limit}},
	})
	live := follow(t, url+eventsPath, "Authorization", "Bearer "+a.APIKey(t))
	for range 2 {
		res, err := http.Get(url + "/limit")
		if err == nil {
			err = res.Body.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Shop.Orders.ConfirmOrder(t.Context(), access.Operator(), "0123456789ABCDEF"); err != nil {
		t.Fatal(err)
	}
	live.want(t, outbox.OrderConfirmed, "0123456789ABCDEF")
	stop()
	live.wantEnd(t, "stopped server")
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a clean end", err)
	}
}
