package server_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/server/admin"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
)

// adminSite is a site with a shop that has orders, and with another shop, called "other".
type adminSite struct {
	*site
	shop *shoptest.Accounts
}

func newAdminSite(t *testing.T, change func(*server.Config)) *adminSite {
	t.Helper()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0123456789ABCDEF", shoptest.RahimsPhone)
	other := a.Another(t, "other")
	s := newSiteOf(t, a.Shop, func(cfg *server.Config) {
		cfg.Tenants = &tenantsOf{shops: map[string]*shop.Shop{"test": a.Shop, "other": other.Shop}}
		cfg.Now = a.Clock.Now
		if change != nil {
			change(cfg)
		}
	})
	return &adminSite{s, a}
}

// key returns an API key with these scopes as the value of the Authorization header.
func (s *adminSite) key(t *testing.T, scopes ...string) string {
	t.Helper()
	return "Bearer " + s.shop.APIKey(t, scopes...)
}

// session returns the cookie of a new staff member's session.
func (s *adminSite) session(t *testing.T, role staff.Role) string {
	t.Helper()
	return "sf_admin=" + s.shop.StaffSession(t, role)
}

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// pathOf returns the path of an operation on a record that does not exist.
func pathOf(o *admin.Operation) string {
	return pathParameter.ReplaceAllString(strings.Replace(o.Route(), "{tenant}", "test", 1), "0000000000000000")
}

// call sends a request without content to an operation, of a record that does not exist.
func (s *adminSite) call(o *admin.Operation, header ...string) *reply {
	path := pathOf(o)
	body := ""
	if !slices.Contains([]string{http.MethodGet, http.MethodDelete}, o.Method) {
		body = "{}"
	}
	if o.Live { // the response would not end
		path += "?after=none"
	}
	return s.send(o.Method, path, body, append([]string{"x-tenant", "", "Content-Type", "application/json"}, header...)...)
}

// A caller without an operation's permission gets no data from it.
func TestAdmin_Access(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	customer := "Bearer " + s.shop.Rahim(t).AccessToken
	third := s.shop.Another(t, "third")
	foreign, member := "Bearer "+third.APIKey(t), "sf_admin="+third.Member(t, staff.RoleOwner, "owner@third.example").Session
	sales, orders := s.key(t, "analytics.read"), s.key(t, "orders.read")
	roles := map[staff.Role]string{}
	for _, role := range staff.Roles() {
		roles[role] = s.session(t, role)
	}
	for _, o := range admin.Operations() {
		permission := o.Use.Permission
		if permission == access.Anybody { // verifies a password, a code or a link itself
			if got := s.call(&o); got.status < 400 && o.ID != "requestPasswordCode" && o.ID != "getStart" {
				t.Errorf("%s without content: got %d: %s", o.ID, got.status, got.body)
			}
			continue
		}
		s.call(&o).problem(401, fault.CodeUnauthenticated)
		s.call(&o, "Authorization", "Bearer sfa_none").problem(401, fault.CodeUnauthenticated)
		s.call(&o, "Authorization", foreign).problem(401, fault.CodeUnauthenticated)
		s.call(&o, "Cookie", member).problem(401, fault.CodeUnauthenticated)
		s.call(&o, "Cookie", "sf_admin=none").problem(401, fault.CodeUnauthenticated)
		s.call(&o, "Authorization", customer).problem(403, fault.CodeForbidden)
		none := sales // a key without the permission
		if permission == access.AnalyticsRead {
			none = orders
		}
		if permission == access.Any { // as far as the caller's other permissions go
			if got := s.call(&o, "Authorization", none); got.status == 403 {
				t.Errorf("%s with a key: got %s", o.ID, got.body)
			}
			continue
		}
		got := s.call(&o, "Authorization", none).problem(403, fault.CodeForbidden)
		if permission == access.Own {
			s.call(&o, "Authorization", s.key(t)).problem(403, fault.CodeForbidden)
			continue
		}
		if got.Details["permission"] != string(permission) {
			t.Errorf("%s with a key without the scope: got details %v, want the permission %s", o.ID, got.Details, permission)
		}
		for role, cookie := range roles {
			got := s.call(&o, "Cookie", cookie)
			if refused := got.status == 403; refused == role.Has(permission) {
				t.Errorf("%s as %s: got %d: %s", o.ID, role, got.status, got.body)
			}
		}
	}
}

func TestAdmin_Key(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, "orders.read", "orders.write")
	var order order.Order
	s.send("POST", "/admin/v1/shops/test/orders/0123456789ABCDEF/confirm", "", "Authorization", key).ok(200, &order)
	if order.Status != status.OrderConfirmed {
		t.Errorf("got status %q, want confirmed", order.Status)
	}
	got := s.send("POST", "/admin/v1/shops/test/orders/0123456789ABCDEF/deliver", "", "Authorization", key).problem(403, fault.CodeForbidden)
	if got.Details["permission"] != "orders.fulfill" {
		t.Errorf("got details %v, want the permission", got.Details)
	}
	if reply := s.get("/admin/v1/shops/test/orders?view=toPack", "Authorization", key); reply.status != 200 ||
		!strings.Contains(string(reply.body), "0123456789ABCDEF") || reply.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %s %s, want the confirmed order, not to be stored", reply.status, reply.header.Get("Cache-Control"), reply.body)
	}
	entries, err := s.shop.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{Action: "order.confirm"})
	if err != nil {
		t.Fatal(err)
	}
	if e := entries.Nodes[0]; e.Actor.Kind != access.ActorKey || e.Via != "api" || e.RequestID == "" || e.Client != "127.0.0.1" {
		t.Errorf("got audit entry %+v, want the key, the request and the client", e)
	}
}

func TestAdmin_Tenant(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t)
	s.get("/admin/v1/shops/test/orders", "x-tenant", "other", "Authorization", key).problem(400, fault.CodeMalformed)
	s.get("/admin/v1/shops/none/orders", "x-tenant", "", "Authorization", key).problem(404, fault.CodeTenantNotFound)
	s.get("/admin/v1/shops/other/orders", "x-tenant", "", "Authorization", key).problem(401, fault.CodeUnauthenticated)
	got := s.get("/admin/v1/shops/test/orders?stauts=pending", "Authorization", key).problem(422, fault.CodeUnknownField)
	if got.fields() != "stauts unknown_field" {
		t.Errorf("got fields %s, want the misspelt filter", got.fields())
	}
	s.get("/admin/v1/shops/test/orders?limit=-1", "Authorization", key).problem(422, fault.CodeValidationFailed)
	s.send("POST", "/admin/v1/shops/test/coupons", `{"code":"A","code":"B"}`, "Authorization", key).problem(400, fault.CodeMalformed)
	s.send("POST", "/admin/v1/shops/test/coupons", `{"colour":"red"}`, "Authorization", key).problem(422, fault.CodeValidationFailed)
	s.send("PUT", "/admin/v1/shops/test/coupons", `{}`, "Authorization", key).problem(405, fault.CodeMethodNotAllowed)
	s.get("/admin/v1/nothing").problem(404, fault.CodeNotFound)
}

// A page of another site can neither use a session nor read a response.
func TestAdmin_OtherSites(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	cookie := s.session(t, staff.RoleOwner)
	const confirm = "/admin/v1/shops/test/orders/0123456789ABCDEF/confirm"
	s.send("POST", confirm, "{}", "Cookie", cookie, "Sec-Fetch-Site", "cross-site").problem(403, fault.CodeForbidden)
	s.send("POST", confirm, "{}", "Cookie", cookie, "Origin", "https://evil.example").problem(403, fault.CodeForbidden)
	s.send("POST", confirm, "{}", "Cookie", cookie, "Content-Type", "text/plain").problem(415, fault.CodeUnsupportedMediaType)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.confirm'`); n != 0 {
		t.Errorf("got %d confirmations, want 0", n)
	}
	if got := s.send("POST", confirm, "{}", "Cookie", cookie, "Sec-Fetch-Site", "same-origin"); got.status != 200 {
		t.Errorf("from the dashboard: got %d: %s", got.status, got.body)
	}
	// A key needs no such check: no browser sends it by itself.
	key := s.key(t)
	if got := s.send("POST", confirm, "{}", "Authorization", key, "Origin", "https://partner.example"); got.status != 200 {
		t.Errorf("with a key: got %d: %s", got.status, got.body)
	}
	for _, method := range []string{"GET", "OPTIONS"} {
		got := s.send(method, "/admin/v1/shops/test/orders", "", "Authorization", key, "Origin", "https://evil.example",
			"Access-Control-Request-Method", "GET")
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: got header %s, want none of CORS", method, name)
			}
		}
	}
}

func TestAdmin_Transport(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	key := "Bearer " + a.APIKey(t)
	send := func(change func(*server.Config), remote string, header ...string) int {
		cfg := server.Config{Tenants: &tenantsOf{shops: map[string]*shop.Shop{"test": a.Shop}}, Rate: -1}
		if change != nil {
			change(&cfg)
		}
		srv, err := server.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "http://api.example.com/admin/v1/shops/test/orders", nil)
		r.RemoteAddr = remote
		r.Header.Set("Authorization", key)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		return w.Code
	}
	behind := func(cfg *server.Config) { cfg.PublicURL = "https://api.example.com" }
	host := func(names ...string) func(*server.Config) {
		return func(cfg *server.Config) { cfg.AdminHosts = names }
	}
	for name, tc := range map[string]struct {
		change func(*server.Config)
		remote string
		want   int
	}{
		"loopback":            {nil, "127.0.0.1:4000", 200},
		"IPv6 loopback":       {nil, "[::1]:4000", 200},
		"elsewhere":           {nil, "192.0.2.1:4000", 403},
		"elsewhere by IPv6":   {nil, "[::2]:4000", 403},
		"proxy with TLS":      {behind, "192.0.2.1:4000", 200},
		"off":                 {func(cfg *server.Config) { cfg.NoAdmin = true }, "127.0.0.1:4000", 404},
		"the host":            {host("admin.example.com", "api.example.com"), "127.0.0.1:4000", 200},
		"another host":        {host("admin.example.com"), "127.0.0.1:4000", 404},
		"through a Unix file": {nil, "@", 200},
	} {
		if got := send(tc.change, tc.remote); got != tc.want {
			t.Errorf("%s: got %d, want %d", name, got, tc.want)
		}
	}
}

// A session is a cookie for the shop's own paths, which scripts cannot read.
func TestAdmin_Session(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	_, link, err := s.shop.Staff.InviteMember(t.Context(), access.Operator(),
		staff.InviteInput{Name: "Rina", Email: new("rina@example.com"), Role: staff.RoleOwner})
	if err != nil {
		t.Fatal(err)
	}
	const base = "/admin/v1/shops/test/"
	got := s.send("POST", base+"links/use", `{"token":"`+link.Token+`","password":"`+shoptest.Password+`"}`)
	cookie := got.header.Get("Set-Cookie")
	want := regexp.MustCompile(`^sf_admin=[\w-]{43}; Path=/admin/v1/shops/test; Max-Age=7776000; HttpOnly; SameSite=Strict$`)
	if got.status != 200 || !want.MatchString(cookie) || strings.Contains(string(got.body), strings.Split(cookie, "=")[1][:43]) {
		t.Fatalf("use link: got %d %q %s", got.status, cookie, got.body)
	}
	s.send("POST", base+"session", `{"user":"rina@example.com","password":"wrong"}`).problem(401, fault.CodeInvalidCredentials)
	got = s.send("POST", base+"session", `{"user":"rina@example.com","password":"`+shoptest.Password+`"}`)
	var session admin.Session
	got.ok(200, &session)
	if session.Shop.UID != "test" || session.Shop.Mode != plugin.Live || len(session.Permissions) == 0 || session.Member.Name != "Rina" {
		t.Errorf("got session %s", got.body)
	}
	cookie, _, _ = strings.Cut(got.header.Get("Set-Cookie"), ";")
	s.get(base+"session", "Cookie", cookie).ok(200, &session)
	change := `{"currentPassword":"` + shoptest.Password + `","newPassword":"a long and quiet river"}`
	s.send("POST", base+"me/password", change, "Cookie", cookie).ok(200, &session)
	s.get(base+"session", "Cookie", cookie).problem(401, fault.CodeUnauthenticated)
	got = s.send("POST", base+"session", `{"user":"rina@example.com","password":"a long and quiet river"}`)
	cookie, _, _ = strings.Cut(got.header.Get("Set-Cookie"), ";")
	got = s.send("DELETE", base+"session", "", "Cookie", cookie, "Content-Type", "application/json")
	if got.status != 200 || !strings.HasPrefix(got.header.Get("Set-Cookie"), "sf_admin=; Path=/admin/v1/shops/test; Max-Age=0") {
		t.Errorf("sign out: got %d %q", got.status, got.header.Get("Set-Cookie"))
	}
	s.get(base+"orders", "Cookie", cookie).problem(401, fault.CodeUnauthenticated)
}

// Behind TLS the cookie of a session is sent over TLS alone, and one that was set without it is not
// accepted.
func TestAdmin_SessionCookie(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, func(cfg *server.Config) { cfg.PublicURL = "https://api.example.com" })
	const base = "/admin/v1/shops/test/"
	_, link, err := s.shop.Staff.InviteMember(t.Context(), access.Operator(),
		staff.InviteInput{Name: "Rina", Email: new("rina@example.com"), Role: staff.RoleOwner})
	if err != nil {
		t.Fatal(err)
	}
	got := s.send("POST", base+"links/use", `{"token":"`+link.Token+`","password":"`+shoptest.Password+`"}`)
	cookie := got.header.Get("Set-Cookie")
	want := regexp.MustCompile(`^__Secure-sf_admin=[\w-]{43}; Path=/admin/v1/shops/test; Max-Age=7776000; HttpOnly; Secure; SameSite=Strict$`)
	if got.status != 200 || !want.MatchString(cookie) {
		t.Fatalf("use link: got %d %q", got.status, cookie)
	}
	cookie, _, _ = strings.Cut(cookie, ";")
	s.get(base+"session", "Cookie", cookie).ok(200, new(any))
	s.get(base+"session", "Cookie", strings.TrimPrefix(cookie, "__Secure-")).problem(401, fault.CodeUnauthenticated)
}

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

// A file is sent as it is read; a caller who may not have it gets a problem instead.
func TestAdmin_Export(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, "export", "products.read")
	for path, want := range map[string]string{
		"exports/orders?bom=false": "Order,Invoice,Placed at,", "exports/orders": "\ufeffOrder,Invoice,", "exports/products": "\ufeffHandle,Title,",
		"exports/cash": "\ufeffCourier,Consignment,",
	} {
		got := s.get("/admin/v1/shops/test/"+path, "Authorization", key)
		if got.status != 200 || !strings.HasPrefix(string(got.body), want) || got.header.Get("Content-Type") != "text/csv; charset=utf-8" ||
			!strings.HasPrefix(got.header.Get("Content-Disposition"), `attachment; filename="`) {
			t.Errorf("%s: got %d %v %.80q, want %q", path, got.status, got.header, got.body, want)
		}
	}
	const base = "/admin/v1/shops/test/"
	s.get(base+"exports/orders?view=none", "Authorization", key).problem(422, fault.CodeValidationFailed)
	s.get(base+"exports/orders?calls=often", "Authorization", key).problem(422, fault.CodeValidationFailed)
	s.get(base+"exports/orders", "Authorization", s.key(t, "orders.read")).problem(403, fault.CodeForbidden)
	for _, path := range []string{"exports/orders", "exports/products", "exports/cash", "customers/01711000000/export"} {
		if got := s.send("HEAD", base+path, "", "Authorization", key); got.status != 200 || len(got.body) > 0 {
			t.Errorf("HEAD %s: got %d %q, want 200 without a body", path, got.status, got.body)
		}
	}
	s.get(base+"customers/01999000000/export", "Authorization", key).problem(404, fault.CodeNotFound)
	for action, want := range map[string]int64{"export.orders": 2, "export.products": 1, "export.cash": 1, "export.customer": 0} {
		if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = ?`, action); n != want {
			t.Errorf("got %d audit entries of %s, want %d: one for each file", n, action, want)
		}
	}
}

// Customers are accounts and guests by phone number with their record, to those who may view them
// alone. Their latest orders are shown to those who may view orders, too.
func TestAdmin_Customers(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	s.shop.InsertOrder(t, "0123456789ABCDE0", shoptest.RahimsPhone)
	karim := s.shop.SignIn(t, shoptest.KarimsPhone).User.ID
	s.shop.Exec(t, `INSERT INTO addresses (id, customer_id, position, line1, line2, area, city, postcode, country)
		VALUES ('a', ?, 1, 'House 7', '', '', 'Dhaka', '', '')`, karim)
	const path = "/admin/v1/shops/test/customers"
	reader := s.key(t, "customers.read")
	for query, want := range map[string]string{
		"": "guest " + shoptest.RahimsPhone + " 2, account " + karim + " 0", "?kind=all&limit=1": "guest " + shoptest.RahimsPhone + " 2",
		"?kind=all&limit=1&page=2": "account " + karim + " 0", "?page=2": "", "?kind=guest&search=rahim": "guest " + shoptest.RahimsPhone + " 2",
		"?kind=account": "account " + karim + " 0", "?search=01811-000000": "account " + karim + " 0",
		"?kind=account&search=guest@example.com": "",
		"?search=guest@example.com":              "guest " + shoptest.RahimsPhone + " 2",
		"?sortBy=spent&sort=asc":                 "account " + karim + " 0, guest " + shoptest.RahimsPhone + " 2",
		"?sortBy=spent":                          "guest " + shoptest.RahimsPhone + " 2, account " + karim + " 0",
		"?sortBy=name&sort=desc&kind=guest":      "guest " + shoptest.RahimsPhone + " 2",
	} {
		var list page.List[shop.CustomerRow]
		s.get(path+query, "Authorization", reader).ok(200, &list)
		var got []string
		for _, c := range list.Nodes {
			key := c.ID
			if key == nil {
				key = c.PhoneNumber
			}
			if got = append(got, fmt.Sprintf("%s %s %d", c.Kind, *key, c.Orders)); c.Kind == shop.CustomerGuests && c.Record.Open != 2 {
				t.Errorf("%s: got record %+v, want two open orders", query, c.Record)
			}
		}
		if strings.Join(got, ", ") != want || list.Meta.Bounded {
			t.Errorf("%s: got %v, %+v, want %s", query, got, list.Meta, want)
		}
	}
	s.get(path+"?kind=member", "Authorization", reader).problem(422, fault.CodeValidationFailed)
	s.get(path+"?sortBy=age", "Authorization", reader).problem(422, fault.CodeValidationFailed)
	s.get(path, "Authorization", s.key(t, "orders.read")).problem(403, fault.CodeForbidden)

	s.shop.InsertOrder(t, "0123456789ABCDE1", shoptest.KarimsPhone)
	s.shop.Clock.Advance(time.Minute)
	s.shop.SignIn(t, shoptest.KarimsPhone) // the order becomes the account's
	s.shop.InsertLines(t)
	for scopes, orders := range map[string]int{"customers.read": 0, "customers.read,orders.read": 1} {
		var c shop.CustomerDetails
		s.get(path+"/"+karim, "Authorization", s.key(t, strings.Split(scopes, ",")...)).ok(200, &c)
		if len(c.Addresses) != 1 || c.Addresses[0].Line1 != "House 7" || c.Orders != 1 || len(c.LatestOrders) != orders ||
			orders > 0 && c.LatestOrders[0].ID != "0123456789ABCDE1" {
			t.Errorf("%s: got %+v, want an address and %d orders", scopes, c, orders)
		}
	}
	for scopes, orders := range map[string]int{"customers.read": 0, "customers.read,orders.read": 2} {
		var c order.ContactDetails
		s.get("/admin/v1/shops/test/contacts/"+shoptest.RahimsPhone, "Authorization", s.key(t, strings.Split(scopes, ",")...)).ok(200, &c)
		if c.Guest == nil || c.Guest.Orders != 2 || c.Guest.Spent.Amount != 200 || len(c.LatestOrders) != orders {
			t.Errorf("%s: got %+v, want a guest with two orders and %d of them", scopes, c, orders)
		}
	}
}

// A file whose reading fails on the way is in the audit log: a part of it was sent.
func TestAdmin_ExportInterrupted(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	for i := range 300 {
		s.shop.InsertOrder(t, fmt.Sprintf("%016d", i), shoptest.RahimsPhone)
	}
	s.shop.InsertLines(t)
	key := s.key(t, "export")
	revoke := &afterFirst{do: func() { s.shop.Exec(t, `DELETE FROM admin_tokens`) }}
	err := s.shop.Orders.ExportOrders(t.Context(), access.Caller{Bearer: strings.TrimPrefix(key, "Bearer ")}, order.ListFilter{}, revoke)
	shoptest.WantCode(t, err, fault.CodeUnauthenticated)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'export.orders'`); n != 1 {
		t.Errorf("got %d audit entries, want 1", n)
	}
}

// afterFirst is a writer that calls do after the first write.
type afterFirst struct {
	bytes.Buffer
	do func()
}

func (w *afterFirst) Write(p []byte) (int, error) {
	if w.do != nil {
		w.do()
		w.do = nil
	}
	return w.Buffer.Write(p)
}

// An order's ETag covers what staff may edit: of two who edit it at once, the second is refused.
func TestAdmin_EditOrder(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, "orders.read", "orders.write")
	const path = "/admin/v1/shops/test/orders/0123456789ABCDEF"
	read := s.get(path, "Authorization", key)
	tag := read.header.Get("ETag")
	var edited order.Edited
	first := s.send("PATCH", path, `{"note":"Ring twice","customer":{"email":null}}`, "Authorization", key, "If-Match", tag)
	first.ok(200, &edited)
	if edited.Note == nil || *edited.Note != "Ring twice" || edited.Customer.Email != nil || first.header.Get("ETag") == tag {
		t.Errorf("got %s, ETag %s, want the note, no e-mail address and another ETag", first.body, first.header.Get("ETag"))
	}
	s.send("PATCH", path, `{"note":null}`, "Authorization", key, "If-Match", tag).problem(412, fault.CodeChangedMeanwhile)
	s.send("PATCH", path, `{"deliveryCharge":0}`, "Authorization", key).problem(403, fault.CodeForbidden)
}

// An action on many orders is a job. Its idempotency key returns the same job again, and only who
// may view orders, or has requested it, sees it.
func TestAdmin_Job(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := s.session(t, staff.RoleOwner)
	post := func(path, body string, header ...string) *reply {
		return s.send("POST", "/admin/v1/shops/test/"+path, body, append([]string{"Content-Type", "application/json"}, header...)...)
	}
	const confirm = `{"action":"confirm","ids":["0123456789ABCDEF","0123456789ABCDEF","0000000000000000"]}`
	var plan, done, again job.Job
	post("bulk/orders", strings.Replace(confirm, "{", `{"dryRun":true,`, 1), "Cookie", owner).ok(200, &plan)
	if plan.ID != nil || plan.Done != 1 || plan.Failed != 1 {
		t.Errorf("dry run: got %+v, want one order confirmed and one not found", plan)
	}
	first := post("bulk/orders", confirm, "Cookie", owner, "Idempotency-Key", "morning")
	first.ok(200, &done)
	if done.Status != job.StatusDone || done.Done != 1 || done.Failed != 1 || *done.Results[1].Code != fault.CodeNotFound {
		t.Errorf("got %s, want one order confirmed and one not found", first.body)
	}
	repeated := post("bulk/orders", confirm, "Cookie", owner, "Idempotency-Key", "morning")
	if repeated.ok(200, &again); *again.ID != *done.ID || repeated.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got job %s, want %s again", *again.ID, *done.ID)
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM jobs`); n != 1 {
		t.Errorf("got %d jobs, want 1", n)
	}
	post("bulk/orders", confirm, "Cookie", s.session(t, staff.RoleViewer)).problem(403, fault.CodeForbidden)
	post("bulk/orders", `{"action":"confirm"}`, "Cookie", owner).problem(422, fault.CodeValidationFailed)
	var list page.Page[job.Summary]
	s.get("/admin/v1/shops/test/jobs", "Authorization", s.key(t, "orders.read")).ok(200, &list)
	if len(list.Nodes) != 1 || *list.Nodes[0].ID != *done.ID {
		t.Errorf("got %+v, want the job", list)
	}
	foreign := s.key(t, "coupons.read")
	s.get("/admin/v1/shops/test/jobs", "Authorization", foreign).ok(200, &list)
	if len(list.Nodes) != 0 {
		t.Errorf("with a key that may not view orders: got %+v, want no jobs", list)
	}
	s.get("/admin/v1/shops/test/jobs/"+*done.ID, "Authorization", foreign).problem(404, fault.CodeNotFound)
	post("jobs/"+*done.ID+"/cancel", "{}", "Cookie", owner).problem(409, fault.CodeStateConflict)
	var retried job.Job
	post("jobs/"+*done.ID+"/retry", "{}", "Cookie", owner).ok(200, &retried)
	if retried.Total != 1 || retried.Failed != 1 {
		t.Errorf("got %+v, want the failed order again", retried)
	}
}

// A product file is checked, refused with its problems, or imported whole.
func TestAdmin_ImportProducts(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, "products.write", "products.read", "stock.write")
	const header = "Handle,Title,Status,Published,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price\n"
	const good = header + "jam,Jam,active,true,JAM-1,shopify,5,120.00\n"
	send := func(query, body string, header ...string) *reply {
		t.Helper()
		header = append([]string{"Authorization", key, "Content-Type", "text/csv"}, header...)
		return s.send("POST", "/admin/v1/shops/test/imports/products"+query, body, header...)
	}
	products := func() int64 { return s.shop.Number(t, `SELECT COUNT(*) FROM products WHERE handle = 'jam'`) }
	var report struct {
		DryRun         bool
		Created        int
		Notes          []any
		IgnoredColumns []string
	}
	send("?dryRun=true", good).ok(200, &report)
	if !report.DryRun || report.Created != 1 || report.Notes == nil || report.IgnoredColumns == nil || products() != 0 {
		t.Errorf("dry run: got %+v and %d products, want 1 to create and none written", report, products())
	}
	refused := send("", good+"jam,Jam,active,true,JAM-2,shopify,5,dear\n").problem(422, fault.CodeValidationFailed)
	problems, _ := refused.Details["problems"].([]any)
	if len(problems) == 0 || !strings.Contains(fmt.Sprint(problems[0]), "code:not_amount column:Variant Price line:3") || products() != 0 {
		t.Errorf("got details %v and %d products, want the problem of line 3 and none written", refused.Details, products())
	}
	for range 2 { // the second is the response again
		send("", good, "Idempotency-Key", "file-1").ok(200, &report)
		if report.DryRun || report.Created != 1 || products() != 1 {
			t.Errorf("got %+v and %d products, want 1 created", report, products())
		}
	}
	send("", good, "Authorization", s.key(t, "products.read")).problem(403, fault.CodeForbidden)
}

// A file beyond the limit is refused whole.
func TestAdmin_CSVTooLarge(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	file := "Handle,Title,Variant Price\njam,Jam,100\n" + strings.Repeat("\n", 20<<20)
	s.send("POST", "/admin/v1/shops/test/imports/products", file, "Authorization", s.key(t), "Content-Type", "text/csv").
		problem(413, fault.CodeTooLarge)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM products`); n != 0 {
		t.Errorf("got %d products, want none", n)
	}
}
