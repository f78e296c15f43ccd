package server_test

import (
	"strings"
	"testing"

	"storefront/server/admin"
	"storefront/shop/access"
)

// The server starts only if each operation has a permission, an ID and a path of its own.
func TestAdmin_OperationWithoutPermission(t *testing.T) {
	t.Parallel()
	good := admin.Operation{ID: "listCoupons", Method: "GET", Path: "coupons", Use: access.ToListCoupons}
	if err := admin.Check(append(shopOperations(), admin.Operation{ID: "new", Method: "GET", Path: "new", Use: access.ToListCoupons})); err != nil {
		t.Errorf("got %v, want the server's operations and another accepted", err)
	}
	for name, o := range map[string]admin.Operation{
		"no use case":     {ID: "a", Method: "GET", Path: "a"},
		"of the operator": {ID: "a", Method: "GET", Path: "a", Use: access.ToWriteHistory},
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

// The document names the headers of a response that a client depends on: that it was returned
// before, and the version of the record.
func TestAdmin_DocumentedHeaders(t *testing.T) {
	t.Parallel()
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct{ Headers map[string]any }
		}
	}
	newSite(t, nil).get("/admin/openapi.json", "x-tenant", "").ok(200, &doc)
	for _, o := range admin.Operations() {
		responses := doc.Paths[o.Route()][strings.ToLower(o.Method)].Responses
		for status, response := range responses {
			for header, has := range map[string]bool{"Idempotent-Replayed": o.Idempotent, "ETag": o.Versioned} {
				if want := has && strings.HasPrefix(status, "2"); (response.Headers[header] != nil) != want {
					t.Errorf("%s: got %s of %s documented: %t, want %t", o.ID, header, status, !want, want)
				}
			}
		}
	}
}
