package server_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/staff"
)

// A shop has at most so many staff members, API keys and webhook endpoints. Removing one makes
// room.
func TestAdmin_Limits(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := s.session(t, staff.RoleOwner)
	send := func(method, path, body string) *reply {
		s.shop.Clock.Advance(time.Second) // as many calls as a session may make
		return s.send(method, "/admin/v1/shops/test/"+path, body, "Content-Type", "application/json", "Cookie", owner)
	}
	for _, list := range []struct {
		path, body string // with a number, which makes it another one
		limit      int
		insert     string // adds the nth
	}{
		{"staff", `{"name":"Rina","email":"rina%d@shop.example","role":"staff"}`, 100, `
			INSERT INTO staff (id, name, email, role, grants, denies, status, language, theme, created_at, updated_at)
			VALUES ('m' || ?, 'M', 'm' || ? || '@shop.example', 'viewer', '[]', '[]', 'invited', 'en', 'system', 0, 0)`},
		{"keys", `{"label":"panel %d","scopes":["orders.read"]}`, 50, `
			INSERT INTO admin_tokens (id, label, hash, created_at) VALUES ('k' || ?, 'panel', ?, 0)`},
		{"webhook-endpoints", `{"url":"https://hooks.example/%d","types":["*"]}`, 10, `
			INSERT INTO webhook_endpoints (id, url, label, types, payload, active, since, created_by, created_at)
			VALUES ('e' || ?, 'https://hooks.example/e' || ?, '', '["*"]', 'thin', 1, 0, '{}', 0)`},
	} {
		count := func() int {
			var all page.Page[struct{}]
			send("GET", list.path, "").ok(200, &all)
			return len(all.Nodes)
		}
		for n := count(); n < list.limit-1; n++ {
			args := []any{strconv.Itoa(n), strconv.Itoa(n)}
			if list.path == "keys" {
				args[1] = []byte(strconv.Itoa(n)) // the hash
			}
			s.shop.Exec(t, list.insert, args...)
		}
		create := func(n int) *reply { return send("POST", list.path, fmt.Sprintf(list.body, n)) }
		var last map[string]any
		create(1).ok(201, &last)
		create(2).problem(409, fault.CodeStateConflict)
		if n := count(); n != list.limit {
			t.Errorf("%s: got %d, want %d", list.path, n, list.limit)
		}
		id := last["_id"]
		for _, value := range last { // beside the link or the token of what was created
			if created, ok := value.(map[string]any); ok && id == nil {
				id = created["_id"]
			}
		}
		if got := send("DELETE", fmt.Sprintf("%s/%s", list.path, id), ""); got.status >= 300 {
			t.Fatalf("%s: delete %v: got %d: %s", list.path, id, got.status, got.body)
		}
		create(3).ok(201, &last)
	}
}

// Wrong passwords are answered with a growing delay: for one name, and for one address.
func TestAdmin_WrongPasswords(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	s.session(t, staff.RoleOwner)
	wrong := func(user string) *reply {
		return s.send("POST", "/admin/v1/shops/test/session", `{"user":"`+user+`","password":"wrong password"}`)
	}
	for range 5 {
		wrong("owner@shop.example").problem(401, fault.CodeInvalidCredentials)
	}
	for _, want := range []string{"15", "30"} {
		got := wrong("owner@shop.example")
		got.problem(429, fault.CodeRateLimited)
		if wait := got.header.Get("Retry-After"); wait != want {
			t.Errorf("got Retry-After %q, want %s", wait, want)
		}
		seconds, _ := strconv.Atoi(want)
		s.shop.Clock.Advance(time.Duration(seconds) * time.Second)
		wrong("owner@shop.example").problem(401, fault.CodeInvalidCredentials)
	}
	tries := 7
	for ; tries < 40 && wrong(fmt.Sprintf("user%d@shop.example", tries)).status == 401; tries++ {
		continue
	}
	if tries != 30 {
		t.Errorf("got %d wrong passwords from one address before a delay, want 30", tries)
	}
}

// An order has at most 500 notes and calls. Deleting a note makes room.
func TestAdmin_OrderNotesLimit(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.shop.Exec(t, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
		INSERT INTO order_notes (id, order_number, at, author, kind, outcome, text) SELECT 'n' || i, 1, i, '{"kind":"cli"}', 'note', '', 'N' FROM n`)
	s.must("POST", auditedPath+"/calls", `{"outcome":"no_answer"}`)
	for path, body := range map[string]string{"/calls": `{"outcome":"no_answer"}`, "/notes": `{"text":"One more"}`} {
		s.as("POST", auditedPath+path, body, "Cookie", s.owner).problem(409, fault.CodeStateConflict)
	}
	s.must("DELETE", auditedPath+"/notes/n7", "")
	s.must("POST", auditedPath+"/notes", `{"text":"One more"}`)
}
