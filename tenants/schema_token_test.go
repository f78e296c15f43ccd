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

// An administrator's token of earlier versions is an API key with every scope, without an end and a
// creator.
func TestSteps_Tokens(t *testing.T) {
	t.Parallel()
	dir, steps := t.TempDir(), tenants.Steps()
	step := slices.IndexFunc(steps, func(s db.Step) bool { return s.Name == "staff members, scopes of API keys, and the audit log" })
	createShop(t, dir, sqlite.Options{Schema: readOldest(t)})
	before := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: steps[:step]})
	err := before.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		return tx.Do(`INSERT INTO admin_tokens (id, hash, label, created_at) VALUES ('k1', ?, 'panel', 1)`, []byte("hash"))
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
		got, err = db.Query(tx, db.ScanText, `
			SELECT label || ' ' || scopes || ' ' || COALESCE(expires_at, 0) || ' ' || COALESCE(created_by, '-')
			FROM admin_tokens`)
		return err
	})
	if want := []string{`panel ["*"] 0 -`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got tokens %q, %v, want %q", got, err, want)
	}
}
