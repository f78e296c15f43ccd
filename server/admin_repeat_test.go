package server_test

import (
	"bytes"
	"regexp"
	"sync"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/staff"
)

// Two owners change one staff member: the second learns of the first's change.
func TestAdmin_IfMatch(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	cookie := s.session(t, staff.RoleOwner)
	s.session(t, staff.RoleViewer)
	const path = "/admin/v1/shops/test/staff/id-viewer"
	read := s.get(path, "Cookie", cookie)
	tag := read.header.Get("ETag")
	if !regexp.MustCompile(`^"[0-9a-f]{24}"$`).MatchString(tag) {
		t.Fatalf("got %d, ETag %q: %s", read.status, tag, read.body)
	}
	first := s.send("PATCH", path, `{"name":"Karim"}`, "Cookie", cookie, "If-Match", tag)
	if first.status != 200 || first.header.Get("ETag") == tag {
		t.Fatalf("got %d, ETag %s: %s", first.status, first.header.Get("ETag"), first.body)
	}
	refused := s.send("PATCH", path, `{"name":"Rahim"}`, "Cookie", cookie, "If-Match", tag).problem(412, fault.CodeChangedMeanwhile)
	if current, _ := refused.Details["current"].(map[string]any); current["name"] != "Karim" {
		t.Errorf("got details %v, want the current staff member", refused.Details)
	}
	if again := s.send("PATCH", path, `{"name":"Rahim"}`, "Cookie", cookie, "If-Match", first.header.Get("ETag")); again.status != 200 {
		t.Errorf("with the new ETag: got %d: %s", again.status, again.body)
	}
	if last := s.send("PATCH", path, `{"name":"Rina"}`, "Cookie", cookie); last.status != 200 {
		t.Errorf("without a condition: got %d: %s", last.status, last.body)
	}
}

// The same request again is answered with its first success, and has no second effect.
func TestAdmin_IdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key, cookie := s.key(t), s.session(t, staff.RoleOwner)
	const base = "/admin/v1/shops/test/"
	s.send("POST", base+"orders/0123456789ABCDEF/confirm", "", "Authorization", key, "Idempotency-Key", "a b").problem(422, fault.CodeValidationFailed)

	first := s.send("POST", base+"keys", `{"label":"A","scopes":["orders.read"]}`, "Cookie", cookie, "Idempotency-Key", "1")
	again := s.send("POST", base+"keys", `{"scopes": ["orders.read"], "label": "A"}`, "Cookie", cookie, "Idempotency-Key", "1")
	if first.status != 201 || again.status != 201 || !bytes.Equal(first.body, again.body) || again.header.Get("Idempotent-Replayed") != "true" ||
		first.header.Get("Idempotent-Replayed") != "" || again.header.Get("Content-Type") != first.header.Get("Content-Type") {
		t.Errorf("got %d %s, then %d %v %s", first.status, first.body, again.status, again.header, again.body)
	}
	s.send("POST", base+"keys", `{"label":"B"}`, "Cookie", cookie, "Idempotency-Key", "1").problem(422, fault.CodeIdempotencyKeyReused)
	var created struct{ Token string }
	first.decode(&created)
	stored := s.shop.Number(t, `SELECT COUNT(*) FROM staff_requests WHERE operation = 'createKey' AND substr(CAST(body AS TEXT), 1, 1) = '{'`)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM admin_tokens WHERE label = 'A'`); n != 1 || created.Token == "" || stored != 0 {
		t.Errorf("got %d keys, token %q, %d responses that are not sealed, want 1 key and none", n, created.Token, stored)
	}

	// Failures are not stored, and another actor's key is another key.
	refused := s.send("POST", base+"orders/0123456789ABCDEF/return", "", "Authorization", key, "Idempotency-Key", "2")
	refused.problem(409, fault.CodeStateConflict)
	s.shop.Exec(t, `UPDATE orders SET status = 'completed', fulfillment_status = 'delivered', payment_status = 'paid'`)
	for i, replayed := range []string{"", "true"} {
		got := s.send("POST", base+"orders/0123456789ABCDEF/return", "", "Authorization", key, "Idempotency-Key", "2")
		if got.status != 200 || got.header.Get("Idempotent-Replayed") != replayed {
			t.Errorf("attempt %d: got %d %q: %s", i+1, got.status, got.header.Get("Idempotent-Replayed"), got.body)
		}
	}
	if got := s.send("POST", base+"orders/0123456789ABCDEF/return", "", "Cookie", cookie,
		"Idempotency-Key", "2"); got.header.Get("Idempotent-Replayed") != "" {
		t.Error("another actor: got the stored response")
	}
	s.shop.Clock.Advance(25 * time.Hour)
	if got := s.send("POST", base+"orders/0123456789ABCDEF/return", "", "Authorization", key, "Idempotency-Key", "2"); got.status != 200 ||
		got.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("a day later: got %d, replayed %q", got.status, got.header.Get("Idempotent-Replayed"))
	}
}

// A request that lost its response with the process had its effect once: the response to the same
// request is the record that it has changed.
func TestAdmin_ResponseLost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, path, body, other string
		status                  int
		effects                 string
	}{
		{
			"a create", "products", `{"title":"Tea","variants":[{"price":1000}]}`, `{"title":"Rice","variants":[{"price":1000}]}`, 201,
			`SELECT COUNT(*) FROM products WHERE title = 'Tea'`,
		},
		{
			"a create or replacement", "coupons", `{"code":"TEN","kind":"percentage","basisPoints":1000}`,
			`{"code":"TEN","kind":"percentage","basisPoints":2000}`, 200, `SELECT COUNT(*) FROM audit_log WHERE action = 'coupon.save'`,
		},
		{
			"a change", "stock/MUG-1", `{"adjust":5}`, `{"adjust":6}`, 200, `SELECT COUNT(*) FROM audit_log WHERE action = 'stock.change'`,
		},
		{
			"an action", "orders/0123456789ABCDEF/confirm", `{}`, `{"a":1}`, 200, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.confirm'`,
		},
		{
			"a note", "orders/0123456789ABCDEF/notes", `{"text":"Call first"}`, `{"text":"Call"}`, 200,
			`SELECT COUNT(*) FROM audit_log WHERE action = 'order.note'`,
		},
		{
			"a job", "bulk/orders", `{"action":"note","ids":["0123456789ABCDEF"],"options":{"note":"Call"}}`,
			`{"action":"confirm","ids":["0123456789ABCDEF"]}`, 200, `SELECT COUNT(*) FROM jobs`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newAdminSite(t, nil)
			key := s.key(t)
			path := "/admin/v1/shops/test/" + test.path
			s.send("POST", "/admin/v1/shops/test/products", `{"title":"Mug","variants":[{"sku":"MUG-1","price":1000,"stock":9}]}`, "Authorization", key).
				ok(201, &struct{}{})
			// The process ends between the commit of the change and the storing of its response.
			s.server.LoseResponses()
			first := s.send("POST", path, test.body, "Authorization", key, "Idempotency-Key", "1")
			if n := s.shop.Number(t, `SELECT COUNT(*) FROM staff_requests WHERE status IS NULL`); first.status != test.status || n != 1 {
				t.Fatalf("got %d and %d requests without a response, want %d and 1: %s", first.status, n, test.status, first.body)
			}
			s.send("POST", path, test.other, "Authorization", key, "Idempotency-Key", "1").problem(422, fault.CodeIdempotencyKeyReused)
			var group sync.WaitGroup
			for range 2 {
				group.Go(func() {
					again := s.send("POST", path, test.body, "Authorization", key, "Idempotency-Key", "1")
					if again.status != test.status || again.header.Get("Idempotent-Replayed") != "true" ||
						again.header.Get("ETag") != first.header.Get("ETag") || !bytes.Equal(again.body, first.body) {
						t.Errorf("got %d %v %s, want %d %s", again.status, again.header, again.body, test.status, first.body)
					}
				})
			}
			group.Wait()
			if n := s.shop.Number(t, test.effects); n != 1 {
				t.Errorf("got %d effects, want 1", n)
			}
		})
	}
}

// A secret that was lost with the process is not shown: the response is a conflict.
func TestAdmin_SecretLost(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	cookie := s.session(t, staff.RoleOwner)
	const path, body = "/admin/v1/shops/test/keys", `{"label":"A","scopes":["orders.read"]}`
	s.server.LoseResponses()
	s.send("POST", path, body, "Cookie", cookie, "Idempotency-Key", "1").ok(201, &struct{}{})
	s.send("POST", path, body, "Cookie", cookie, "Idempotency-Key", "1").problem(409, fault.CodeStateConflict)
}
