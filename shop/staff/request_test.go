package staff_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// Stored responses end after a day, are bounded, and do not outlive the buyer whom they contain.
func TestStaffRequests_Bounds(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ids := []string{"0000000000000001", "0000000000000002"}
	a.InsertOrder(t, ids[0], shoptest.RahimsPhone)
	a.InsertOrder(t, ids[1], shoptest.KarimsPhone)
	caller := a.KeyCaller(t)
	store := func(key, id string) {
		t.Helper()
		caller.Request = access.Request{Operation: "confirmOrder", Key: key, Fingerprint: "f", Nonce: key}
		order, err := a.Orders.ConfirmOrder(t.Context(), caller, id)
		if err != nil {
			t.Fatal(err)
		}
		body := []byte(fmt.Sprintf(`{"_id":%q,"phone":%q}`, id, order.Customer.PhoneNumber))
		if err := a.Staff.SaveResponse(t.Context(), caller, access.ToConfirmOrder, staff.Response{Status: 200, Body: body}, false); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range ids {
		store(fmt.Sprint("key", i), id)
	}
	count := func() int64 { return a.Number(t, `SELECT count(*) FROM staff_requests`) }
	if _, err := a.DeleteCustomer(t.Context(), access.Operator(), shoptest.RahimsPhone); err != nil {
		t.Fatal(err)
	}
	stored := a.Number(t, `SELECT count(*) FROM staff_requests WHERE body IS NOT NULL`)
	if n := a.Number(t, `SELECT count(*) FROM staff_requests WHERE key = 'key1' AND body IS NOT NULL`); n != 1 || stored != 1 || count() != 2 {
		t.Errorf("got %d stored responses, %d of the other buyer's order, and %d requests; want that one of both", stored, n, count())
	}
	a.Exec(t, `
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5100)
		INSERT INTO staff_requests (actor, operation, key, fingerprint, nonce, created_at)
		SELECT (SELECT max(actor) FROM staff_requests), 'x', 'x' || i, ?, '', i FROM n`, []byte("f"))
	store("last", ids[1])
	if n := count(); n != 5000 {
		t.Errorf("got %d stored requests of a key, want 5000", n)
	}
	a.Clock.Advance(24 * time.Hour)
	if _, err := a.Staff.PurgeAccess(t.Context()); err != nil || count() != 0 {
		t.Errorf("after a day: got %d stored responses, %v, want none", count(), err)
	}
	if !slices.Contains(shop.OmittedTables(), "staff_requests") {
		t.Error("got stored responses in exports")
	}
}
