package tenants_test

import (
	"path/filepath"
	"testing"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/plugin"
	"storefront/shop/staff"
	"storefront/tenants"
)

// ended waits until a job on a shop has ended, and returns its only result.
func (a *agency) ended(t *testing.T, caller access.Caller, created *job.Job, err error) job.Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var found *job.Job
	dbtest.Eventually(t, "the job has ended", func() bool {
		if found, err = a.FindShopJob(t.Context(), caller, *created.ID); err != nil {
			t.Fatal(err)
		}
		return found.FinishedAt != nil
	})
	return found.Results[0]
}

// A copy has the data and the images of a shop, is closed and in sandbox mode, and leaves no
// session, no key and no file behind. The shop itself stays as it is.
func TestCopyShop(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila := a.operator(t, staff.OperatorSupport, "Shaila")
	in := catalogue.ProductInput{Title: "Coffee", Variants: []catalogue.VariantInput{{Price: 45_000}}}
	if _, err := a.acme.Catalogue.CreateProduct(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	all := staff.APIKeyInput{Label: "All", Scopes: []staff.Scope{staff.ScopeAll}}
	key, _, err := a.acme.Staff.CreateAPIKey(t.Context(), access.Operator(), all)
	if err != nil {
		t.Fatal(err)
	}
	for uid, want := range map[string]fault.Code{
		"acme": fault.CodeShopExists, "A": fault.CodeValidationFailed, "installation": fault.CodeValidationFailed,
	} {
		_, err := a.CopyShop(t.Context(), shaila, "acme", tenants.CopyInput{UID: uid})
		wantCode(t, err, want)
	}
	_, err = a.CopyShop(t.Context(), shaila, "none", tenants.CopyInput{UID: "trial"})
	wantCode(t, err, fault.CodeTenantNotFound)
	created, err := a.CopyShop(t.Context(), shaila, "acme", tenants.CopyInput{UID: "trial"})
	if got := a.ended(t, shaila, created, err); got.OK == nil || !*got.OK || got.Subject != "acme" {
		t.Fatalf("got %+v, want a copy", got)
	}
	list, err := a.ListShops(t.Context(), shaila, tenants.ShopFilter{Search: "trial"})
	if err != nil || len(list.Nodes) != 1 || list.Nodes[0].State != tenants.ShopClosed || list.Nodes[0].Mode != plugin.Sandbox {
		t.Errorf("got %+v, %v, want a closed copy in sandbox mode", list, err)
	}
	trial, err := a.FindIncludingSuspended(t.Context(), "trial")
	if err != nil {
		t.Fatal(err)
	}
	products, err := trial.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{})
	if err != nil || len(products.Nodes) != 1 {
		t.Errorf("got %+v, %v, want the product", products, err)
	}
	_, err = trial.Staff.Authorize(t.Context(), access.Caller{Bearer: key}, access.ToListMembers)
	wantCode(t, err, fault.CodeUnauthenticated)
	if _, err := a.Shop(t.Context(), "acme"); err != nil {
		t.Errorf("the shop itself: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(a.Dir(), "restoring", ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	log, err := a.own.Staff.ListOperatorLog(t.Context(), shaila, staff.AuditFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if e := log.Nodes[0]; e.Action != access.ToCopyShop.Action || e.Subject.ID != "acme" || e.Actor.Name != "Shaila" {
		t.Errorf("got the log %+v, want the copy first", e)
	}
}

// A shop is moved to the database and back by operators. On a server without one, the move is
// refused.
func TestMoveShop(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila := a.operator(t, staff.OperatorSupport, "Shaila")
	_, err := a.MoveShop(t.Context(), shaila, "acme", tenants.MoveInput{To: "elsewhere"})
	wantCode(t, err, fault.CodeValidationFailed)
	if database(t, a.Dir()) == "" {
		_, err = a.MoveShop(t.Context(), shaila, "acme", tenants.MoveInput{To: tenants.InPostgres})
		wantCode(t, err, fault.CodeStateConflict)
		return
	}
	for _, place := range []tenants.Place{tenants.InFiles, tenants.InPostgres, tenants.InPostgres} {
		created, err := a.MoveShop(t.Context(), shaila, "acme", tenants.MoveInput{To: place})
		if got := a.ended(t, shaila, created, err); got.OK == nil || !*got.OK {
			t.Fatalf("got %+v, want a move to %s", got, place)
		}
		wantPlace(t, a.Tenants, place)
	}
}
