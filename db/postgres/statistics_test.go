package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
)

// A transaction that fills tables has them analyzed while it runs: without, it would keep the plans
// that were made while they were empty, since autovacuum sees none of its rows.
func TestStatistics_FilledInOneTransaction(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t, "autovacuum=off")
	s := mustOpen(t, c.Address("postgres"))
	dbtest.Create(t, s, dbtest.Shop)
	dbtest.Update(t, s, dbtest.Shop, func(ctx context.Context, tx *db.Tx) error {
		for n := range 500 {
			if err := dbtest.AddItem(fmt.Sprint("item-", n), 10)(ctx, tx); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO orders (id, item_id) VALUES (?, ?)`, n, fmt.Sprint("item-", n)); err != nil {
				return err
			}
		}
		const analyzed = `SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relname IN ('items', 'orders') AND reltuples > 0`
		if tables := c.SQL(analyzed); tables != "items orders" {
			t.Errorf("before the transaction ends: got statistics of %q, want items orders", tables)
		}
		return nil
	})
}

// Rows that fill the places of deleted ones, whose table does not become longer, have it analyzed
// too.
func TestStatistics_FilledAfterDeletion(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t, "autovacuum=off")
	s := mustOpen(t, c.Address("postgres"))
	const items = 2000
	fill := func(id db.ID) {
		t.Helper()
		if err := s.Import(t.Context(), id, strings.NewReader(itemsExport(items, -1, "")), nil); err != nil {
			t.Fatal(err)
		}
	}
	fill(dbtest.Shop)
	dbtest.Create(t, s, "last") // so that the table is not cut
	if err := s.Drop(t.Context(), dbtest.Shop); err != nil {
		t.Fatal(err)
	}
	const known, size = `SELECT reltuples FROM pg_class WHERE oid = 'storefront.items'::regclass`, `SELECT pg_relation_size('storefront.items')`
	c.SQL(`VACUUM ANALYZE storefront.items`)
	if got := c.SQL(known); got != "1" {
		t.Fatalf("after the deletion: got statistics of %s items, want 1", got)
	}
	before := c.SQL(size)
	fill(dbtest.Shop)
	if after := c.SQL(size); after != before {
		t.Fatalf("the table has %s bytes, want %s as before", after, before)
	}
	if got := c.SQL(known); got != fmt.Sprint(items+1) {
		t.Errorf("after an import: got statistics of %s items, want %d", got, items+1)
	}
}
