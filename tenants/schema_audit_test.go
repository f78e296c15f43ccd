package tenants_test

import (
	"context"
	"slices"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// Earlier versions named webhook endpoints in the audit log with a hyphen, unlike every other kind
// of subject.
func TestSteps_AuditedEndpoints(t *testing.T) {
	t.Parallel()
	dir, steps := t.TempDir(), tenants.Steps()
	step := slices.IndexFunc(steps, func(s db.Step) bool { return s.Name == "webhook endpoints in the audit log" })
	createShop(t, dir, sqlite.Options{Schema: readOldest(t)})
	before := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: steps[:step]})
	err := before.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		return tx.Do(`
			INSERT INTO audit_log (id, at, actor_kind, actor_id, actor_name, via, client, request_id, action, subject_kind, subject_id, label, changes)
			VALUES ('A', 1, 'cli', '', '', 'cli', '', '', 'endpoint.create', 'webhook-endpoint', 'E', 'ERP', '[]'),
				('B', 2, 'cli', '', '', 'cli', '', '', 'coupon.save', 'coupon', 'C', 'webhook-endpoint', '[]')`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := before.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	after := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: steps})
	defer after.Close(context.Background())
	var got []string
	err = after.View(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		got, err = db.Query(tx, db.ScanText, `SELECT subject_kind || ' ' || label FROM audit_log ORDER BY id`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"webhook_endpoint ERP", "coupon webhook-endpoint"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
