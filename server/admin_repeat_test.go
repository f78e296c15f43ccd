package server_test

import (
	"bytes"
	"regexp"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/order"
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

// A response that was lost with the process is reported: the request has had its effect.
func TestAdmin_ResponseLost(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t)
	const path, body = "/admin/v1/shops/test/coupons", `{"code":"TEN","kind":"percentage","basisPoints":1000}`
	s.send("POST", path, body, "Authorization", key, "Idempotency-Key", "1").ok(200, &order.Coupon{})
	s.shop.Exec(t, `UPDATE staff_requests SET status = NULL, body = NULL`)
	s.send("POST", path, body, "Authorization", key, "Idempotency-Key", "1").problem(409, fault.CodeStateConflict)
}
