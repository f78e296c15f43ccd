package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"storefront/server"
	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/password"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// From an empty data folder, the set-up link creates a shop whose owner is signed in; then there is
// nothing to set up.
func TestAdmin_SetUp(t *testing.T) {
	t.Parallel()
	all, err := tenants.Open(tenants.Config{
		Dir: t.TempDir(), Schema: shoptest.Schema(t), Hasher: password.HasherConfig{MemoryKiB: 64, Passes: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := all.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	token, err := all.NewSetupToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := newSiteOf(t, nil, func(cfg *server.Config) { cfg.Tenants, cfg.Version = all, "1.2.3" })
	send := func(method, path, body string, header ...string) *reply {
		return s.send(method, path, body, append([]string{"x-tenant", ""}, header...)...)
	}
	body := func(token, password string) string {
		return `{"token":"` + token + `","shop":{"name":"Rina's Sarees","currency":"BDT","country":"BD","language":"bn"},
			"owner":{"name":"Rina Akter","user":"01711-000000","password":"` + password + `"}}`
	}
	const start, setup = "/admin/v1/start", "/admin/v1/setup"
	var before admin.Start
	send("GET", start, "").ok(200, &before)
	if !before.SetupNeeded || before.Shop != nil || before.Version != "1.2.3" || len(before.Languages) != 2 {
		t.Errorf("empty folder: got %+v, want setup needed", before)
	}
	send("POST", setup, body("x", shoptest.Password)).problem(404, fault.CodeLinkInvalid)
	send("POST", setup, body(token, "short")).problem(422, fault.CodePasswordRejected)
	send("POST", setup, body(token, shoptest.Password), "Sec-Fetch-Site", "cross-site").problem(403, fault.CodeForbidden)
	refused := send("POST", setup, strings.Replace(body(token, shoptest.Password), "BDT", "taka", 1)).problem(422, fault.CodeValidationFailed)
	if len(refused.Errors) != 1 || refused.Errors[0].Field != "shop.currency" {
		t.Errorf("got errors %+v, want one of shop.currency", refused.Errors)
	}

	created := send("POST", setup, body(token, shoptest.Password))
	var session admin.Session
	created.ok(201, &session)
	cookie := created.header.Get("Set-Cookie")
	if session.Shop.UID != "rina-s-sarees" || session.Member.Role != staff.RoleOwner || session.Shop.Locale != "bn-BD" ||
		!strings.Contains(cookie, "; Path=/admin/v1/shops/rina-s-sarees;") {
		t.Fatalf("got %s, cookie %q, want the owner's session", created.body, cookie)
	}
	cookie, _, _ = strings.Cut(cookie, ";")
	send("GET", "/admin/v1/shops/rina-s-sarees/session", "", "Cookie", cookie).ok(200, &session)
	var log struct{ Nodes []staff.AuditEntry }
	send("GET", "/admin/v1/shops/rina-s-sarees/audit?action=shop.create", "", "Cookie", cookie).ok(200, &log)
	if len(log.Nodes) != 1 || log.Nodes[0].Actor.Name != "Rina Akter" {
		t.Errorf("got audit entries %+v, want one of the owner", log.Nodes)
	}
	send("POST", setup, body(token, shoptest.Password)).problem(409, fault.CodeShopExists)

	// The shop is named to those who open the server by its domain, and to nobody else.
	var after admin.Start
	send("GET", start, "").ok(200, &after)
	if after.SetupNeeded || after.Shop != nil {
		t.Errorf("with a shop: got %+v, want nothing to set up", after)
	}
	domain := map[string]json.RawMessage{"domains": json.RawMessage(`["shop.example"]`), "logoUrl": json.RawMessage(`"/logo.png"`)}
	if _, err := all.SetSettings(t.Context(), access.Operator(), "rina-s-sarees", domain, nil); err != nil {
		t.Fatal(err)
	}
	byDomain, err := http.NewRequest("GET", s.url+start, nil)
	if err != nil {
		t.Fatal(err)
	}
	byDomain.Host = "shop.example:8080"
	s.do(byDomain).ok(200, &after)
	if after.Shop == nil || after.Shop.UID != "rina-s-sarees" || after.Shop.Name != "Rina's Sarees" || *after.Shop.LogoURL != "/logo.png" {
		t.Errorf("by its domain: got %+v, want the shop", after.Shop)
	}
}
