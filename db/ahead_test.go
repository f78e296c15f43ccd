package db_test

import (
	"context"
	"errors"
	"testing"

	"storefront/db"
)

// An announced query returns what it would return without the announcement.
func TestTx_Ahead(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	const count, stock = `SELECT COUNT(*) FROM orders WHERE id > ?`, `SELECT stock FROM items WHERE id = ?`
	check := func(tx *db.Tx, query string, arg any, want int64) {
		t.Helper()
		var got int64
		if err := tx.QueryRow(query, arg).Scan(&got); err != nil || got != want {
			t.Errorf("%s: got %d and %v, want %d", query, got, err, want)
		}
	}
	update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
		announce := func() {
			if err := errors.Join(tx.Ahead(count, 0), tx.Ahead(stock, "a"), tx.Ahead(stock, "none")); err != nil {
				t.Fatal(err)
			}
		}
		announce()
		check(tx, count, 1, 0) // other arguments
		check(tx, count, 0, 0)
		check(tx, count, 0, 0)
		announce()
		if err := tx.Do(`INSERT INTO orders (id, item_id) VALUES (1, 'a')`); err != nil {
			return err
		}
		check(tx, stock, "a", 100)
		check(tx, count, 0, 1) // read again
		announce()
		check(tx, stock, "a", 100)
		if _, err := tx.Exec(`UPDATE items SET stock = 7 WHERE id = 'a'`); err != nil {
			return err
		}
		check(tx, count, 0, 1)
		check(tx, stock, "a", 7)
		announce()
		check(tx, count, 1, 0) // sends the others
		if _, err := tx.Exec(`DELETE FROM orders WHERE id = 1`); err != nil {
			return err
		}
		check(tx, count, 0, 0)
		if err := tx.QueryRow(stock, "none").Scan(new(int64)); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("got %v, want no row", err)
		}
		return nil
	})
}

// A statement that fails when it is sent later is the failure of its own update.
func TestUpdate_LateFailure(t *testing.T) {
	t.Parallel()
	insert := func(id int64, item string) func(context.Context, *db.Tx) error {
		return func(_ context.Context, tx *db.Tx) error {
			return tx.Do(`INSERT INTO orders (id, item_id) VALUES (?, ?)`, id, item)
		}
	}
	for _, bad := range []int64{0, 1, 2} {
		s := newShop(t, options{})
		release := holdWriter(t, s)
		var results []<-chan error
		for i := range int64(3) {
			item := "a"
			if i == bad {
				item = "none"
			}
			results = append(results, queue(t, s, t.Context(), insert(i, item)))
		}
		if err := release(); err != nil {
			t.Fatal(err)
		}
		var want []int64
		for i, result := range results {
			err := <-result
			if int64(i) == bad != errors.Is(err, db.ErrForeignKey) || int64(i) != bad && err != nil {
				t.Errorf("update %d of 3 of which %d fails: got %v", i, bad, err)
			}
			if int64(i) != bad {
				want = append(want, int64(i))
			}
		}
		wantOrders(t, s, shop, want...)
	}
}
