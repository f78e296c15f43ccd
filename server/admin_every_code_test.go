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
	"storefront/shop/shoptest"
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

func (t *failingTenants) Installation(context.Context) (*shop.Shop, error) { return nil, t.err }

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
	refuseEach(t, s.server, shopOperations(), owner)
	s.shop.Set(t, map[string]any{"requireSecondFactor": staff.RequireEveryone})
	refuseWithoutFactor(t, s.server, shopOperations(), owner)
	refuseAny(t, shopOperations(), &tenantsOf{shops: map[string]*shop.Shop{"test": s.shop.Shop}})
}

// The operations of operators refuse the same.
func TestOperator_RefusedByEachOperation(t *testing.T) {
	t.Parallel()
	o := newAgencySite(t)
	cookie, _ := o.operator(t, staff.OperatorOwner, "shaila")
	refuseEach(t, o.server, operatorOperations(), cookie)
	_, link, err := o.own.InviteOperator(t.Context(), access.Operator(),
		staff.OperatorInput{Name: "Tanvir", Email: "tanvir@agency.example", Role: staff.OperatorOwner})
	if err != nil {
		t.Fatal(err)
	}
	session, err := o.own.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: newPassword})
	if err != nil {
		t.Fatal(err)
	}
	refuseWithoutFactor(t, o.server, operatorOperations(), "sf_operator="+session.Token)
	refuseAny(t, operatorOperations(), o.all)
}

// refuse checks the code with which operations refuse a request; applies is nil for all of them.
func refuse(
	t *testing.T, srv http.Handler, operations []admin.Operation, cookie string, code fault.Code, applies func(*admin.Operation) bool,
	change func(*http.Request),
) {
	t.Helper()
	for _, o := range operations {
		if applies == nil || applies(&o) {
			wantRefusal(t, srv, &o, cookie, code, change)
		}
	}
}

// refuseEach checks the refusals of what no operation accepts.
func refuseEach(t *testing.T, srv http.Handler, operations []admin.Operation, cookie string) {
	t.Helper()
	each := func(code fault.Code, applies func(*admin.Operation) bool, change func(*http.Request)) {
		t.Helper()
		refuse(t, srv, operations, cookie, code, applies, change)
	}
	inShop := func(o *admin.Operation) bool { return !o.OfServer && !o.OfInstallation }
	changes := func(o *admin.Operation) bool { return o.Method != http.MethodGet }
	hasBody := func(o *admin.Operation) bool { return changes(o) && o.Method != http.MethodDelete }
	each(fault.CodeHTTPSRequired, nil, func(r *http.Request) { r.RemoteAddr = "203.0.113.7:4000" })
	each(fault.CodeTenantNotFound, inShop, func(r *http.Request) {
		r.URL.Path = strings.Replace(r.URL.Path, "/test/", "/none/", 1)
	})
	each(fault.CodeForbidden, changes, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	each(fault.CodeMalformed, nil, func(r *http.Request) { r.URL.RawQuery = "%zz" })
	each(fault.CodeUnknownField, nil, func(r *http.Request) { r.URL.RawQuery = "nosuch=1" })
	each(fault.CodeUnsupportedMediaType, hasBody, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
	each(fault.CodeTooLarge, hasBody, func(r *http.Request) { r.ContentLength = 1 << 40 })
	each(fault.CodeValidationFailed, func(o *admin.Operation) bool { return changes(o) && !o.IsConditional() },
		func(r *http.Request) { r.Header.Set("If-Match", `"1"`) })
}

// refuseWithoutFactor checks the refusals of a caller who must set up a second factor first.
func refuseWithoutFactor(t *testing.T, srv http.Handler, operations []admin.Operation, cookie string) {
	t.Helper()
	refuse(t, srv, operations, cookie, fault.CodeSecondFactorSetupRequired, func(o *admin.Operation) bool {
		return o.Use.Permission != access.Anybody && !staff.IsBeforeSetup(o.Use)
	}, nil)
}

// refuseAny checks the refusals that do not depend on the request: of a client with too many, and
// of a server with a fault.
func refuseAny(t *testing.T, operations []admin.Operation, all server.Tenants) {
	t.Helper()
	limited := newSiteOf(t, nil, func(cfg *server.Config) {
		cfg.Tenants, cfg.Rate, cfg.Burst, cfg.Now = all, 1, 1, shoptest.NewClock().Now
	}).server
	first := httptest.NewRequest(http.MethodGet, "/admin/v1/start", nil)
	first.RemoteAddr = localClient
	limited.ServeHTTP(httptest.NewRecorder(), first)
	refuse(t, limited, operations, "", fault.CodeRateLimited, nil, nil)
	for code, err := range map[fault.Code]error{
		fault.CodeInternal: errors.New("disk on fire"), fault.CodeUnavailable: context.DeadlineExceeded,
	} {
		failing := newSiteOf(t, nil, func(cfg *server.Config) { cfg.Tenants = &failingTenants{err: err} }).server
		refuse(t, failing, operations, "", code, nil, nil)
	}
}
