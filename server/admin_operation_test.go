package server_test

import (
	"testing"

	"storefront/server/admin"
	"storefront/shop/access"
)

// The server starts only if each operation has a permission, an ID and a path of its own.
func TestAdmin_OperationWithoutPermission(t *testing.T) {
	t.Parallel()
	good := admin.Operation{ID: "listCoupons", Method: "GET", Path: "coupons", Use: access.ToListCoupons}
	if err := admin.Check(append(admin.Operations(), admin.Operation{ID: "new", Method: "GET", Path: "new", Use: access.ToListCoupons})); err != nil {
		t.Errorf("got %v, want the server's operations and another accepted", err)
	}
	for name, o := range map[string]admin.Operation{
		"no use case":     {ID: "a", Method: "GET", Path: "a"},
		"of the operator": {ID: "a", Method: "GET", Path: "a", Use: access.ToSeed},
		"another's ID":    {ID: "listCoupons", Method: "GET", Path: "a", Use: access.ToListCoupons},
		"another's path":  {ID: "a", Method: "GET", Path: "coupons", Use: access.ToListCoupons},
		"no ID":           {Method: "GET", Path: "a", Use: access.ToListCoupons},
		"also another's":  {ID: "a", Method: "GET", Path: "a", Use: access.ToListCoupons, Also: []access.UseCase{access.ToSaveCoupon}},
	} {
		if admin.Check([]admin.Operation{good, o}) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
