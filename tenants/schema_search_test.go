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

// The step that replaces the search index of orders by an empty one clears how far the index was,
// so that it is filled again. Other consumers continue where they were.
func TestSteps_OrderSearchIndexedAgain(t *testing.T) {
	t.Parallel()
	dir, steps := t.TempDir(), tenants.Steps()
	step := slices.IndexFunc(steps, func(s db.Step) bool { return s.Name == "faster beginnings of words in the search of orders" })
	createShop(t, dir, sqlite.Options{Schema: readOldest(t)})
	before := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: steps[:step]})
	err := before.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		if err := tx.Do(`INSERT INTO order_search (rowid, text) VALUES (1, 'rahima')`); err != nil {
			return err
		}
		return tx.Do(`INSERT INTO cursors (name, seq) VALUES ('order_search', 7), ('order_search_backfill', 3), ('webhooks', 7)`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := before.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	after := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: steps})
	defer after.Close(context.Background())
	err = after.View(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		cursors, err := db.Query(tx, db.ScanText, `SELECT name FROM cursors`)
		if err != nil {
			return err
		}
		if want := []string{"webhooks"}; !slices.Equal(cursors, want) {
			t.Errorf("got cursors %q, want %q", cursors, want)
		}
		var indexed int
		err = tx.QueryRow(`SELECT COUNT(*) FROM order_search WHERE order_search MATCH 'rahima'`).Scan(&indexed)
		if indexed != 0 {
			t.Errorf("got %d orders in the index, want none", indexed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
