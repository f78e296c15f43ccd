package db_test

import (
	"context"
	"errors"
	"testing"

	"storefront/db"
)

func TestVersion_Commits(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	seen := version(t, s, shop)
	same := func(name string) {
		t.Helper()
		if v := version(t, s, shop); v != seen {
			t.Errorf("%s: got version %d, want %d", name, v, seen)
		}
	}
	raised := func(name string) {
		t.Helper()
		v := version(t, s, shop)
		if v <= seen {
			t.Errorf("%s: got version %d after %d, want a higher one", name, v, seen)
		}
		seen = v
	}
	same("nothing happened")
	update(t, s, shop, addOrder(1))
	raised("insert")
	update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE items SET stock = 5 WHERE id = 'nothing'`)
		return errors.Join(err, tx.QueryRow(`SELECT count(*) FROM items`).Scan(new(int64)))
	})
	same("nothing written")
	update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(`UPDATE items SET stock = 5 RETURNING stock`).Scan(new(int64))
	})
	raised("update that returns")
	update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`WITH n AS (SELECT 2 AS id) INSERT INTO orders (id, item_id) SELECT id, 'a' FROM n`)
		return err
	})
	raised("insert with")
	if err := s.Update(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		return errors.Join(insertOrder(tx, 3), errors.New("refused"))
	}); err == nil {
		t.Error("got no error, want the refusal")
	}
	same("rolled back")
	orders(t, s, shop)
	same("read")
}

func TestExternalVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, other := openAt(t, dir, options{}), openAt(t, dir, options{})
	create(t, s, shop)
	before, err := s.ExternalVersion(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	update(t, s, shop, addOrder(1))
	if v, err := s.ExternalVersion(t.Context(), shop); err != nil || v != before {
		t.Errorf("after a commit of this store: got %d, %v, want %d", v, err, before)
	}
	update(t, other, shop, addOrder(2))
	update(t, s, shop, addOrder(3)) // checks for external commits
	if v, err := s.ExternalVersion(t.Context(), shop); err != nil || v <= before {
		t.Errorf("after a commit of the other store: got %d, %v, want more than %d", v, err, before)
	}
}
