// Package dbtest is the test kit for stores and files: a small schema with items and orders and the
// helpers of the tests of all engines, a PostgreSQL server, and waiting for another goroutine or
// process. It must not depend on shops, which package shoptest creates.
package dbtest

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"storefront/db"
)

// Schema is a small schema: an order must not reserve more items than there are.
const Schema = `
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

// Shop is the tenant that most tests use.
const Shop = db.ID("demo")

// Store is the part of a [db.Store] that the kit uses.
type Store interface {
	Create(ctx context.Context, id db.ID, init func(context.Context, *db.Tx) error) error
	View(ctx context.Context, id db.ID, fn func(context.Context, *db.Tx) error) error
	Update(ctx context.Context, id db.ID, fn func(context.Context, *db.Tx) error) error
	Version(ctx context.Context, id db.ID) (uint64, error)
	Stats() db.Stats
}

// Create creates a tenant with 100 of item "a".
func Create(tb testing.TB, s Store, id db.ID) {
	tb.Helper()
	if err := s.Create(tb.Context(), id, AddItem("a", 100)); err != nil {
		tb.Fatal(err)
	}
}

// AddItem returns the function of a transaction that inserts an item.
func AddItem(id string, stock int64) func(context.Context, *db.Tx) error {
	return func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO items (id, stock) VALUES (?, ?)`, id, stock)
		return err
	}
}

// AddOrder returns the function of a transaction that inserts an order of item "a".
func AddOrder(id int64) func(context.Context, *db.Tx) error {
	return func(_ context.Context, tx *db.Tx) error { return InsertOrder(tx, id) }
}

// InsertOrder inserts an order of item "a".
func InsertOrder(tx *db.Tx, id int64) error {
	_, err := tx.Exec(`INSERT INTO orders (id, item_id) VALUES (?, 'a')`, id)
	return err
}

// Update runs fn in a transaction, which must succeed.
func Update(tb testing.TB, s Store, id db.ID, fn func(context.Context, *db.Tx) error) {
	tb.Helper()
	if err := s.Update(tb.Context(), id, fn); err != nil {
		tb.Fatal(err)
	}
}

// Version returns the version of a tenant's data.
func Version(tb testing.TB, s Store, id db.ID) uint64 {
	tb.Helper()
	v, err := s.Version(tb.Context(), id)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// Orders returns the identifiers of all orders, sorted.
func Orders(tb testing.TB, s Store, id db.ID) []int64 {
	tb.Helper()
	var ids []int64
	err := s.View(tb.Context(), id, func(_ context.Context, tx *db.Tx) (err error) {
		ids, err = db.Query(tx, ScanInt, `SELECT id FROM orders ORDER BY id`)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return ids
}

// WantOrders checks the identifiers of all orders.
func WantOrders(tb testing.TB, s Store, id db.ID, want ...int64) {
	tb.Helper()
	if got := Orders(tb, s, id); !slices.Equal(got, want) {
		tb.Errorf("orders of %s: got %v, want %v", id, got, want)
	}
}

// ScanInt scans a row of one integer.
func ScanInt(r db.Row) (n int64, err error) { return n, r.Scan(&n) }

// HoldWriter occupies the writer of [Shop] until release is called, so that updates queued before
// that share one commit with it. release returns the result of the holding update.
func HoldWriter(tb testing.TB, s Store) (release func() error) {
	tb.Helper()
	started, proceed, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		var once sync.Once
		result <- s.Update(context.Background(), Shop, func(context.Context, *db.Tx) error {
			once.Do(func() { close(started) })
			<-proceed
			return nil
		})
	}()
	<-started
	return func() error {
		close(proceed)
		return <-result
	}
}

// Queue starts an update of [Shop] and waits until it is queued behind a held writer.
func Queue(tb testing.TB, s Store, ctx context.Context, fn func(context.Context, *db.Tx) error) <-chan error {
	tb.Helper()
	return QueueAt(tb, s, s.Update, ctx, fn)
}

// Updater is [db.Store.Update] or [db.Store.UpdateAlone].
type Updater func(context.Context, db.ID, func(context.Context, *db.Tx) error) error

// QueueAt is [Queue] for an update by any method.
func QueueAt(tb testing.TB, s Store, update Updater, ctx context.Context, fn func(context.Context, *db.Tx) error) <-chan error {
	tb.Helper()
	queued := s.Stats().Queued
	result := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				result <- v.(*db.PanicError)
			}
		}()
		result <- update(ctx, Shop, fn)
	}()
	for s.Stats().Queued == queued {
		runtime.Gosched()
	}
	return result
}
