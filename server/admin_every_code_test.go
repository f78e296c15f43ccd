package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/server"
	"storefront/server/admin"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/tenants"
)

// failingTenants are tenants that fail.
type failingTenants struct {
	tenantsOf
	err error
}

func (t *failingTenants) FindIncludingSuspended(context.Context, string) (*shop.Shop, error) {
	return nil, t.err
}

func (t *failingTenants) SetupNeeded(context.Context) (bool, error) { return false, t.err }

func (t *failingTenants) SetUp(context.Context, access.Caller, tenants.SetupInput) (*shop.Shop, *staff.SignedIn, error) {
	return nil, nil, t.err
}

const localClient = "127.0.0.1:4000"

// bodyOf returns a body that an operation accepts if it checks it before anything else.
func bodyOf(o *admin.Operation) string {
	if o.ID == "setUp" {
		return `{"token":"none","shop":{"name":"Acme","currency":"BDT","country":"BD"},"owner":{"name":"Rina","user":"01711000000","password":"` +
			newPassword + `"}}`
	}
	return "{}"
}

// wantRefusal checks the code with which a server refuses a request to an operation, without a
// connection: the address of the client is then as the test wants it.
func wantRefusal(t *testing.T, srv http.Handler, o *admin.Operation, cookie string, code fault.Code, change func(*http.Request)) {
	t.Helper()
	r := httptest.NewRequest(o.Method, "http://localhost"+pathOf(o), strings.NewReader(bodyOf(o)))
	r.RemoteAddr = localClient
	r.Header.Set("Cookie", cookie)
	r.Header.Set("Content-Type", "application/json")
	if o.CSV {
		r.Header.Set("Content-Type", "text/csv")
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	recordCode(r, w.Code, w.Body.Bytes())
	(&reply{tb: t, status: w.Code, header: w.Result().Header, body: w.Body.Bytes()}).wantCode(o.ID, code)
}

// Each operation refuses what none accepts with the code that its document promises, before
// anything else is checked: another record than one that does not exist would be changed.
func TestAdmin_RefusedByEachOperation(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := s.session(t, staff.RoleOwner)
	each := func(srv http.Handler, code fault.Code, applies func(*admin.Operation) bool, change func(*http.Request)) {
		t.Helper()
		for _, o := range shopOperations() {
			if applies == nil || applies(&o) {
				wantRefusal(t, srv, &o, owner, code, change)
			}
		}
	}
	inShop := func(o *admin.Operation) bool { return !o.OfServer }
	changes := func(o *admin.Operation) bool { return o.Method != http.MethodGet }
	hasBody := func(o *admin.Operation) bool { return changes(o) && o.Method != http.MethodDelete }
	each(s.server, fault.CodeHTTPSRequired, nil, func(r *http.Request) { r.RemoteAddr = "203.0.113.7:4000" })
	each(s.server, fault.CodeTenantNotFound, inShop, func(r *http.Request) {
		r.URL.Path = strings.Replace(r.URL.Path, "/test/", "/none/", 1)
	})
	each(s.server, fault.CodeForbidden, changes, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	each(s.server, fault.CodeMalformed, nil, func(r *http.Request) { r.URL.RawQuery = "%zz" })
	each(s.server, fault.CodeUnknownField, nil, func(r *http.Request) { r.URL.RawQuery = "nosuch=1" })
	each(s.server, fault.CodeUnsupportedMediaType, hasBody, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
	each(s.server, fault.CodeTooLarge, hasBody, func(r *http.Request) { r.ContentLength = 1 << 40 })
	each(s.server, fault.CodeValidationFailed, func(o *admin.Operation) bool { return changes(o) && !o.IsConditional() },
		func(r *http.Request) { r.Header.Set("If-Match", `"1"`) })

	s.shop.Set(t, map[string]any{"requireSecondFactor": staff.RequireEveryone})
	each(s.server, fault.CodeSecondFactorSetupRequired, func(o *admin.Operation) bool {
		return o.Use.Permission != access.Anybody && !staff.IsBeforeSetup(o.Use)
	}, nil)

	limited := newSiteOf(t, s.shop.Shop, func(cfg *server.Config) { cfg.Rate, cfg.Burst, cfg.Now = 1, 1, s.shop.Clock.Now }).server
	first := httptest.NewRequest(http.MethodGet, "/admin/v1/start", nil)
	first.RemoteAddr = localClient
	limited.ServeHTTP(httptest.NewRecorder(), first)
	each(limited, fault.CodeRateLimited, nil, nil)
	for code, err := range map[fault.Code]error{
		fault.CodeInternal: errors.New("disk on fire"), fault.CodeUnavailable: context.DeadlineExceeded,
	} {
		each(newSiteOf(t, nil, func(cfg *server.Config) { cfg.Tenants = &failingTenants{err: err} }).server, code, nil, nil)
	}
}
