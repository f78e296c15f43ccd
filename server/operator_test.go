package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/password"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// operatorSite is a server of real shops with an operator's link.
type operatorSite struct {
	*site
	all   *tenants.Tenants
	dir   string // of the data
	own   *staff.Staff
	clock *shoptest.Clock
}

func newOperatorSite(t *testing.T) *operatorSite {
	t.Helper()
	clock := shoptest.NewClock()
	cfg := tenants.Config{Dir: t.TempDir(), Schema: shoptest.Schema(t), Hasher: password.HasherConfig{MemoryKiB: 64, Passes: 1}, Now: clock.Now}
	all, err := tenants.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close(t.Context()) })
	o := &operatorSite{dir: cfg.Dir, all: all, clock: clock}
	o.site = newSiteOf(t, nil, func(cfg *server.Config) { cfg.Tenants, cfg.Now = all, clock.Now })
	return o
}

// request sends a request with a cookie, "" for none, and returns the response.
func (o *operatorSite) request(t *testing.T, method, path, cookie string, body any) *reply {
	t.Helper()
	header := []string{"Sec-Fetch-Site", "same-origin", "Content-Type", "application/json", "X-Tenant", ""}
	if cookie != "" {
		header = append(header, "Cookie", cookie)
	}
	text := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(encoded)
	}
	return o.send(method, path, text, header...)
}

// cookieOf returns the cookie of a name and a path that a response sets.
func (r *reply) cookieOf(t *testing.T, name, path string) string {
	t.Helper()
	for _, c := range (&http.Response{Header: r.header}).Cookies() {
		if c.Name == name && c.Path == path && c.HttpOnly && c.SameSite == http.SameSiteStrictMode {
			return name + "=" + c.Value
		}
	}
	t.Fatalf("got the cookies %v, want %s for %s", r.header["Set-Cookie"], name, path)
	return ""
}

// testAnnouncement sets announcements, and finds those to the shop in the session of its owner.
func testAnnouncement(t *testing.T, o *operatorSite, operator, owner string) {
	t.Helper()
	announcements := []any{
		map[string]any{"kind": "maintenance", "bn": "শুক্রবার বন্ধ", "shops": []string{"rina"}},
		map[string]any{"kind": "version", "en": "To another shop", "shops": []string{"other"}},
		map[string]any{"kind": "version", "en": "Over", "until": o.clock.Now().Add(-time.Hour)},
	}
	body := map[string]any{"announcements": announcements}
	o.request(t, "PATCH", "/admin/v1/operator/defaults", operator, body).ok(http.StatusOK, new(any))
	o.clock.Advance(time.Second)
	if err := o.all.PushCopies(t.Context(), func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	var session struct {
		Shop struct{ Announcements []shop.Announcement }
	}
	o.request(t, "GET", "/admin/v1/shops/rina/session", owner, nil).ok(http.StatusOK, &session)
	got := session.Shop.Announcements
	if len(got) != 1 || got[0].Bangla != "শুক্রবার বন্ধ" || len(got[0].Shops) > 0 || got[0].Kind != shop.AnnounceMaintenance {
		t.Errorf("got the announcements %+v, want the one to the shop", got)
	}
}

// An operator signs in with a link and an authenticator app, sees all shops, and enters one. The
// session of an operator opens no shop, and the visit to a shop no operation of operators.
func TestOperator(t *testing.T) {
	t.Parallel()
	o := newOperatorSite(t)
	const api = "/admin/v1/operator/"
	nobody := o.request(t, "POST", api+"session", "", map[string]any{"user": "a@b.example", "password": "x"})
	nobody.wantCode("no operators", fault.CodeUnauthenticated)
	o.request(t, "POST", api+"links/inspect", "", map[string]any{"token": "x"}).wantCode("no operators", fault.CodeUnauthenticated)
	o.request(t, "POST", api+"links/use", "", map[string]any{"token": "x", "password": "x"}).wantCode("no operators", fault.CodeUnauthenticated)
	own, err := o.all.CreateInstallation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o.own = own.Staff
	_, link, err := o.own.InviteOperator(t.Context(), access.Operator(),
		staff.OperatorInput{Name: "Shaila", Email: "shaila@agency.example", Role: staff.OperatorOwner})
	if err != nil {
		t.Fatal(err)
	}
	badLink := o.request(t, "POST", api+"links/use", "", map[string]any{"token": "x", "password": shoptest.Password})
	badLink.wantCode("link", fault.CodeLinkInvalid)
	signedIn := o.request(t, "POST", api+"links/use", "", map[string]any{"token": link.Token, "password": shoptest.Password})
	signedIn.ok(http.StatusOK, new(any))
	cookie := signedIn.cookieOf(t, "sf_operator", "/admin/v1/operator")
	o.request(t, "GET", api+"shops", cookie, nil).wantCode("without a second factor", fault.CodeSecondFactorSetupRequired)
	var setup struct{ Secret string }
	o.request(t, "POST", api+"me/totp", cookie, map[string]any{}).ok(http.StatusOK, &setup)
	o.request(t, "POST", api+"me/totp/confirm", cookie, map[string]any{"code": "000000"}).wantCode("code", fault.CodeInvalidCredentials)
	confirmed := o.request(t, "POST", api+"me/totp/confirm", cookie, map[string]any{"code": shoptest.TOTPCode(t, setup.Secret, o.clock.Now())})
	confirmed.ok(http.StatusOK, new(any))

	created := o.request(t, "POST", api+"shops", cookie, map[string]any{
		"uid": "rina", "name": "Rina's Sarees", "currency": "BDT", "country": "BD", "language": "bn",
		"owner": map[string]any{"name": "Rina Akter", "user": "01711-000000"},
	})
	var owner struct{ Link staff.Link }
	created.ok(http.StatusCreated, &owner)
	used := o.request(t, "POST", "/admin/v1/shops/rina/links/use", "", map[string]any{"token": owner.Link.Token, "password": shoptest.Password})
	used.ok(http.StatusOK, new(any))
	rina := used.cookieOf(t, "sf_admin", "/admin/v1/shops/rina")
	var list struct{ Nodes []tenants.ShopRow }
	o.request(t, "GET", api+"shops?search=SAREE", cookie, nil).ok(http.StatusOK, &list)
	if len(list.Nodes) != 1 || list.Nodes[0].State != tenants.ShopOpen {
		t.Errorf("got the shops %+v, want Rina's", list.Nodes)
	}
	shops := "/admin/v1/shops/rina/"
	value := func(cookie string) string { _, v, _ := strings.Cut(cookie, "="); return v }
	for _, c := range []string{cookie, "sf_admin=" + value(cookie)} {
		o.request(t, "GET", shops+"session", c, nil).wantCode("an operator's session in a shop", fault.CodeUnauthenticated)
		o.request(t, "GET", "/admin/v1/shops/installation/session", c, nil).wantCode("the installation", fault.CodeTenantNotFound)
	}
	o.request(t, "GET", api+"shops", "sf_operator="+value(rina), nil).wantCode("an owner's session", fault.CodeUnauthenticated)
	o.send("POST", api+"shops/rina/suspend", `{"reason":"x"}`, "Cookie", cookie, "Content-Type", "application/json", "X-Tenant", "",
		"Sec-Fetch-Site", "cross-site").wantCode("another site", fault.CodeForbidden)

	entered := o.request(t, "POST", api+"shops/rina/visits", cookie, map[string]any{"reason": "Ticket 481"})
	entered.ok(http.StatusCreated, new(any))
	if strings.Contains(string(entered.body), "token") {
		t.Errorf("got %s, want the token in a cookie alone", entered.body)
	}
	visit := entered.cookieOf(t, "sf_admin", "/admin/v1/shops/rina")
	var session struct{ Visit *staff.Visit }
	if o.request(t, "GET", shops+"session", visit, nil).ok(http.StatusOK, &session); session.Visit == nil || session.Visit.Reason != "Ticket 481" {
		t.Errorf("got the session %+v, want the visit", session)
	}
	testAnnouncement(t, o, cookie, rina)
	o.request(t, "GET", api+"shops", "sf_operator="+value(visit), nil).wantCode("a visit", fault.CodeUnauthenticated)
	notStaff := o.request(t, "POST", shops+"staff", visit, map[string]any{"name": "X", "email": "x@example.com", "role": "owner"})
	notStaff.wantCode("staff", fault.CodeForbidden)
	o.request(t, "POST", shops+"session/proof", visit, map[string]any{"password": shoptest.Password}).wantCode("proof", fault.CodeForbidden)
	var visits struct{ Nodes []staff.Visit }
	if o.request(t, "GET", shops+"visits", rina, nil).ok(http.StatusOK, &visits); len(visits.Nodes) != 1 || visits.Nodes[0].Operator != "Shaila" {
		t.Errorf("got %+v, want Shaila's visit", visits.Nodes)
	}

	o.request(t, "POST", api+"shops/rina/suspend", cookie, map[string]any{"reason": "Unpaid since May"}).ok(http.StatusOK, new(any))
	o.request(t, "POST", shops+"resume", rina, map[string]any{}).wantCode("by the owner", fault.CodeForbidden)
	o.request(t, "POST", shops+"resume", visit, map[string]any{}).wantCode("in the shop", fault.CodeForbidden)
	o.request(t, "POST", api+"shops/rina/resume", cookie, map[string]any{}).ok(http.StatusOK, new(any))
	o.request(t, "POST", api+"shops/rina/resume", cookie, map[string]any{}).wantCode("twice", fault.CodeStateConflict)
	for _, path := range []string{"session", "operators", "audit", "health", "shops/rina"} {
		o.request(t, "GET", api+path, cookie, nil).ok(http.StatusOK, new(any))
	}
	o.request(t, "GET", api+"shops/none", cookie, nil).wantCode("another shop", fault.CodeTenantNotFound)
	o.request(t, "POST", api+"shops/rina/owner-link", cookie, map[string]any{"name": "Rina", "user": "01711000000"}).ok(http.StatusOK, new(any))

	o.request(t, "DELETE", api+"session", cookie, nil).ok(http.StatusOK, new(any))
	o.request(t, "GET", shops+"session", visit, nil).wantCode("after signing out", fault.CodeUnauthenticated)
	bad := map[string]any{"user": "shaila@agency.example", "password": "wrong"}
	o.request(t, "POST", api+"session", "", bad).wantCode("a wrong password", fault.CodeInvalidCredentials)
	bad["password"] = shoptest.Password
	o.request(t, "POST", api+"session", "", bad).wantCode("without a code", fault.CodeSecondFactorRequired)
}
