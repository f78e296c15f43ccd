package db_test

import (
	"context"
	"slices"
	"testing"

	"storefront/db"
)

const schema = `
CREATE TABLE items (
	id    TEXT    PRIMARY KEY,
	stock INTEGER NOT NULL CHECK (stock >= 0),
	note  TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE orders (
	id      INTEGER PRIMARY KEY,
	item_id TEXT    NOT NULL REFERENCES items (id),
	data    BLOB,
	UNIQUE (item_id, data)
) STRICT;
`

const shop = db.ID("demo")

func openStore(tb testing.TB, dir string, opts db.Options) *db.Store {
	tb.Helper()
	if opts.Schema == "" {
		opts.Schema = schema
	}
	s, err := db.Open(dir, opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

// newShop returns a store with the tenant demo, which has 100 of item "a".
func newShop(tb testing.TB, opts db.Options) *db.Store {
	tb.Helper()
	s := openStore(tb, tb.TempDir(), opts)
	create(tb, s, shop)
	return s
}

func create(tb testing.TB, s *db.Store, id db.ID) {
	tb.Helper()
	if err := s.Create(tb.Context(), id, addItem("a", 100)); err != nil {
		tb.Fatal(err)
	}
}

func addItem(id string, stock int64) func(context.Context, *db.Tx) error {
	return func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO items (id, stock) VALUES (?, ?)`, id, stock)
		return err
	}
}

func addOrder(id int64) func(context.Context, *db.Tx) error {
	return func(_ context.Context, tx *db.Tx) error { return insertOrder(tx, id) }
}

func insertOrder(tx *db.Tx, id int64) error {
	_, err := tx.Exec(`INSERT INTO orders (id, item_id) VALUES (?, 'a')`, id)
	return err
}

func update(tb testing.TB, s *db.Store, id db.ID, fn func(context.Context, *db.Tx) error) {
	tb.Helper()
	if err := s.Update(tb.Context(), id, fn); err != nil {
		tb.Fatal(err)
	}
}

func version(tb testing.TB, s *db.Store, id db.ID) uint64 {
	tb.Helper()
	v, err := s.Version(tb.Context(), id)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// orders returns the identifiers of all orders, sorted.
func orders(tb testing.TB, s *db.Store, id db.ID) []int64 {
	tb.Helper()
	var ids []int64
	err := s.View(tb.Context(), id, func(_ context.Context, tx *db.Tx) (err error) {
		ids, err = db.Query(tx, scanInt, `SELECT id FROM orders ORDER BY id`)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return ids
}

func wantOrders(tb testing.TB, s *db.Store, id db.ID, want ...int64) {
	tb.Helper()
	if got := orders(tb, s, id); !slices.Equal(got, want) {
		tb.Errorf("orders of %s: got %v, want %v", id, got, want)
	}
}

func scanInt(r db.Row) (n int64, err error) { return n, r.Scan(&n) }
