package server_test

import (
	"slices"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

// neverScopes are what no API key can do, and what each can.
var neverScopes = []access.Permission{access.StaffWrite, access.KeysWrite, access.ShopClose, access.PricesRead}

// A key with one scope can do what needs this scope and nothing else, and a key with all scopes all
// that keys can do. Whatever is refused names the permission.
func TestAdmin_EachScope(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	keys := map[access.Permission]string{"*": s.key(t, "*")}
	for _, scope := range staff.Scopes() {
		if slices.Contains(neverScopes, scope) {
			t.Errorf("%s is a scope", scope)
		}
		keys[scope] = s.key(t, string(scope))
	}
	if len(keys) != len(access.Permissions())-len(neverScopes)+1 {
		t.Errorf("got %d scopes, want every permission but %v", len(keys)-1, neverScopes)
	}
	for _, scope := range neverScopes {
		s.as("POST", "keys", `{"label":"Till","scopes":["`+string(scope)+`"]}`, "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
	}
	for _, o := range shopOperations() {
		permission := o.Use.Permission
		if permission == access.Anybody || o.Live { // verifies a password or a code itself; lasts
			continue
		}
		for scope, key := range keys {
			may := permission == access.Any || permission == scope || scope == "*" && slices.Contains(staff.Scopes(), permission)
			got := s.call(&o, "Authorization", key)
			if may {
				if got.status == 401 || got.status == 403 {
					t.Errorf("%s with the scope %s: got %d: %s", o.ID, scope, got.status, got.body)
				}
				continue
			}
			refused := got.problem(403, fault.CodeForbidden)
			if permission != access.Own && refused.Details["permission"] != string(permission) {
				t.Errorf("%s with the scope %s: got details %v, want %s", o.ID, scope, refused.Details, permission)
			}
			way := "can create a key that has it" // out of it
			if slices.Contains(neverScopes, permission) {
				way = "No API key can do this"
			}
			if permission != access.Own && !strings.Contains(refused.Detail, way) {
				t.Errorf("%s with the scope %s: got %q, want %q", o.ID, scope, refused.Detail, way)
			}
		}
	}
}

// An Authorization header is what counts, whatever the session beside it may do.
func TestAdmin_KeyBeforeSession(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := s.session(t, staff.RoleOwner)
	const path = "/admin/v1/shops/test/coupons"
	s.get(path, "Cookie", owner, "Authorization", s.key(t, "orders.read")).problem(403, fault.CodeForbidden)
	for _, header := range []string{"Bearer sfa_none", "Basic eDp5"} {
		s.get(path, "Cookie", owner, "Authorization", header).problem(401, fault.CodeUnauthenticated)
	}
	s.get(path, "Cookie", "sf_admin=none", "Authorization", s.key(t, "coupons.read")).ok(200, new(any))
}
