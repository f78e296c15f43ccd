package tenants_test

import (
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// addProduct creates a product in the shop.
func (a *agency) addProduct(t *testing.T, title string) {
	t.Helper()
	in := catalogue.ProductInput{Title: title, Variants: []catalogue.VariantInput{{Price: 45_000}}}
	if _, err := a.acme.Catalogue.CreateProduct(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
}

// products returns the number of products of a shop.
func (a *agency) products(t *testing.T, uid string) int {
	t.Helper()
	s, err := a.FindIncludingSuspended(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return len(list.Nodes)
}

// backUp makes a backup of the shop in a folder, which it returns: the server's.
func (a *agency) backUp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := a.Backup(t.Context(), "acme", dir); err != nil {
		t.Fatal(err)
	}
	if err := a.SaveServerRecord(&tenants.ServerRecord{BackupDir: dir}); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Hour)
	return dir
}

// A shop is restored to a backup by a time, and back to the state before with the file in the
// trash. Both logs have who did it and why.
func TestRestoreShop(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	a := newAgency(t)
	a.addProduct(t, "Coffee")
	a.backUp(t)
	shaila := a.operator(t, staff.OperatorOwner, "Shaila")
	a.addProduct(t, "Tea")
	a.clock.Advance(time.Minute)
	at := a.clock.Now()
	a.clock.Advance(time.Minute)

	old, future := at.Add(-24*time.Hour), at.Add(24*time.Hour)
	for name, in := range map[string]tenants.RestoreInput{
		"no point":       {Reason: "Lost"},
		"too old":        {RestorePoint: tenants.RestorePoint{At: &old}, Reason: "Lost"},
		"in the future":  {RestorePoint: tenants.RestorePoint{At: &future}, Reason: "Lost"},
		"no reason":      {RestorePoint: tenants.RestorePoint{At: &at}, Reason: " "},
		"a path":         {RestorePoint: tenants.RestorePoint{File: "../key"}, Reason: "Lost"},
		"a time and one": {RestorePoint: tenants.RestorePoint{At: &at, File: "acme.db"}, Reason: "Lost"},
	} {
		if _, err := a.RestoreShop(t.Context(), shaila, "acme", in); !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Errorf("%s: got %v, want validation_failed", name, err)
		}
	}
	_, err := a.RestoreShop(t.Context(), shaila, "none", tenants.RestoreInput{RestorePoint: tenants.RestorePoint{At: &at}, Reason: "Lost"})
	wantCode(t, err, fault.CodeTenantNotFound)

	points, err := a.ListRestorePoints(t.Context(), shaila, "acme", &at)
	if err != nil {
		t.Fatal(err)
	}
	if len(points.Copies) != 1 || !points.Replaceable || points.Replica != nil || points.Chosen == nil || points.Chosen.File != points.Copies[0].File {
		t.Errorf("got %+v, want the backup alone, chosen for the time", points)
	}
	in := tenants.RestoreInput{RestorePoint: tenants.RestorePoint{At: &at}, Reason: "Deleted by mistake"}
	created, err := a.RestoreShop(t.Context(), shaila, "acme", in)
	if got := a.ended(t, shaila, created, err); got.OK == nil || !*got.OK {
		t.Fatalf("got %+v, want a restore", got)
	}
	if got := a.products(t, "acme"); got != 1 {
		t.Errorf("got %d products, want the one of the backup", got)
	}
	s, err := a.FindIncludingSuspended(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	for name, log := range map[string]*staff.Staff{"the installation": a.own.Staff, "the shop": s.Staff} {
		list, err := log.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{Action: access.ToRestoreShop.Action})
		if err != nil || len(list.Nodes) != 1 || list.Nodes[0].Actor.Name != "Shaila" || list.Nodes[0].Changes[0].After != "Deleted by mistake" {
			t.Errorf("log of %s: got %+v, %v, want the restore", name, list, err)
		}
	}

	if points, err = a.ListRestorePoints(t.Context(), shaila, "acme", nil); err != nil || points.Copies[0].Kind != tenants.KindTrash {
		t.Fatalf("got %+v, %v, want the replaced file first", points, err)
	}
	now := a.clock.Now()
	points, err = a.ListRestorePoints(t.Context(), shaila, "acme", &now)
	if err != nil || points.Chosen.Kind != tenants.KindBackup {
		t.Errorf("got %+v, %v, want no file of the trash chosen by a time", points.Chosen, err)
	}
	in.RestorePoint = tenants.RestorePoint{File: points.Copies[0].File}
	created, err = a.RestoreShop(t.Context(), shaila, "acme", in)
	if got := a.ended(t, shaila, created, err); got.OK == nil || !*got.OK {
		t.Fatalf("got %+v, want a restore", got)
	}
	if got := a.products(t, "acme"); got != 2 {
		t.Errorf("undone: got %d products, want both", got)
	}
}

// A shop is restored as another one in any engine. A shop in a database is not replaced.
func TestCopyShop_Past(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	a.addProduct(t, "Coffee")
	a.backUp(t)
	shaila := a.operator(t, staff.OperatorOwner, "Shaila")
	a.addProduct(t, "Tea")
	at := a.clock.Now()
	created, err := a.CopyShop(t.Context(), shaila, "acme", tenants.CopyInput{UID: "past", RestorePoint: tenants.RestorePoint{At: &at}})
	if got := a.ended(t, shaila, created, err); got.OK == nil || !*got.OK {
		t.Fatalf("got %+v, want a copy", got)
	}
	if got := a.products(t, "past"); got != 1 {
		t.Errorf("got %d products, want the one of the backup", got)
	}
	if got := a.products(t, "acme"); got != 2 {
		t.Errorf("got %d products in the shop itself, want both", got)
	}
	list, err := a.ListShops(t.Context(), shaila, tenants.ShopFilter{Search: "past"})
	if err != nil || len(list.Nodes) != 1 || list.Nodes[0].State != tenants.ShopClosed || list.Nodes[0].Mode != plugin.Sandbox {
		t.Errorf("got %+v, %v, want a closed copy in sandbox mode", list, err)
	}
	if database(t, a.Dir()) == "" {
		return
	}
	move, err := a.MoveShop(t.Context(), shaila, "acme", tenants.MoveInput{To: tenants.InPostgres})
	a.ended(t, shaila, move, err)
	in := tenants.RestoreInput{RestorePoint: tenants.RestorePoint{At: &at}, Reason: "Lost"}
	_, err = a.RestoreShop(t.Context(), shaila, "acme", in)
	wantCode(t, err, fault.CodeValidationFailed)
}

// An interrupted restore is repeated unless it was complete: what happened since then remains.
func TestRestoreShop_Interrupted(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	a := newAgency(t)
	a.addProduct(t, "Coffee")
	a.backUp(t)
	shaila := a.operator(t, staff.OperatorOwner, "Shaila")
	at := a.clock.Now()
	in := tenants.RestoreInput{RestorePoint: tenants.RestorePoint{At: &at}, Reason: "Deleted by mistake"}
	created, err := a.RestoreShop(t.Context(), shaila, "acme", in)
	a.ended(t, shaila, created, err)
	for _, c := range []struct {
		name, mark string // a statement on the audit log of the shop
		want       int
	}{
		{"complete", `DELETE FROM audit_log WHERE action = 'none'`, 2},
		{"not complete", `DELETE FROM audit_log WHERE action = 'shop.restore'`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if a.acme, err = a.FindIncludingSuspended(t.Context(), "acme"); err != nil {
				t.Fatal(err)
			}
			if a.products(t, "acme") == 1 {
				a.addProduct(t, "Tea")
			}
			shoptest.Exec(t, tenants.StoreOf(a.Tenants), "acme", c.mark)
			store := tenants.StoreOf(a.Tenants)
			shoptest.Exec(t, store, tenants.Installation, `UPDATE jobs SET status = 'running', done = 0, finished_at = NULL`)
			shoptest.Exec(t, store, tenants.Installation, `UPDATE job_items SET status = 'running', started_at = 1`)
			if _, err := a.own.Jobs.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := a.ended(t, shaila, created, nil); got.OK == nil || !*got.OK {
				t.Errorf("got %+v, want a success", got)
			}
			if got := a.products(t, "acme"); got != c.want {
				t.Errorf("got %d products, want %d", got, c.want)
			}
		})
	}
}
