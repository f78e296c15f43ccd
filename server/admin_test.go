package server_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

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

// shopOperations returns the operations of the Admin API but those of operators, whose sessions are
// in no shop: see TestOperator_Access and TestOperator_EachChangeIsAudited.
func shopOperations() []admin.Operation {
	return slices.DeleteFunc(admin.Operations(), func(o admin.Operation) bool { return o.OfInstallation })
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
	for _, o := range shopOperations() {
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

// With TLS, the name in the handshake must be a host of the dashboard, too.
func TestAdmin_HostOfConnection(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, func(cfg *server.Config) { cfg.AdminHosts = []string{"admin.example.com", "staff.example.com"} })
	for name, want := range map[string]int{
		"admin.example.com": 200, "STAFF.example.com": 200, "shop.example.com": 404, "": 404,
	} {
		r := httptest.NewRequest("GET", "https://admin.example.com/admin/v1/shops/test/orders", nil)
		r.TLS.ServerName = name
		r.Header.Set("Authorization", s.key(t, "orders.read"))
		w := httptest.NewRecorder()
		if s.server.Handler().ServeHTTP(w, r); w.Code != want {
			t.Errorf("connection to %q: got %d, want %d", name, w.Code, want)
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
