package db_test

import (
	"context"
	"errors"
	"testing"

	"storefront/db"
)

// contentOptions makes items public and orders private. The counter is the note of an item.
func contentOptions() options {
	return options{Options: db.Options{Content: db.Content{
		Private: []string{"orders"},
		Raise: `INSERT INTO items (id, stock) VALUES ('counter', 1), ('pages', 1)
			ON CONFLICT (id) DO UPDATE SET stock = items.stock + 1`,
		RaiseQuantities: `INSERT INTO items (id, stock) VALUES ('counter', 1)
			ON CONFLICT (id) DO UPDATE SET stock = items.stock + 1`,
		Read: `SELECT COALESCE((SELECT stock FROM items WHERE id = 'counter'), 0), COALESCE((SELECT stock FROM items WHERE id = 'pages'), 0)`,
	}}}
}

func contentVersion(tb testing.TB, s *db.Store) uint64 {
	tb.Helper()
	v, _, err := s.ContentVersion(tb.Context(), shop)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func TestContentVersion(t *testing.T) {
	t.Parallel()
	s := newShop(t, contentOptions())
	seen := contentVersion(t, s)
	for _, step := range []struct {
		name, query string
		changes     bool
	}{
		{"private", `INSERT INTO orders (id, item_id) VALUES (1, 'a')`, false},
		{"private update", `UPDATE orders SET data = NULL`, false},
		{"private delete", "DELETE\n\tFROM orders", false},
		{"no row", `UPDATE items SET stock = 1 WHERE id = 'none'`, false},
		{"public", `INSERT INTO items (id, stock) VALUES ('b', 1)`, true},
		{"public update", `UPDATE items SET stock = 2 WHERE id = 'b'`, true},
		{"public delete", `DELETE FROM items WHERE id = 'b'`, true},
		{"unknown table", `WITH n AS (SELECT 2 AS id) INSERT INTO orders (id, item_id) SELECT id, 'a' FROM n`, true},
	} {
		update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(step.query)
			return err
		})
		got := contentVersion(t, s)
		if changed := got != seen; changed != step.changes {
			t.Errorf("%s: got a change of the content version %v, want %v", step.name, changed, step.changes)
		}
		seen = got
	}
	err := s.Update(t.Context(), shop, func(ctx context.Context, tx *db.Tx) error {
		return errors.Join(addItem("c", 1)(ctx, tx), errors.New("refused"))
	})
	if got := contentVersion(t, s); err == nil || got != seen {
		t.Errorf("rolled back: got version %d, %v, want %d", got, err, seen)
	}
}

// Another process's commits change the content version only if they change the content.
func TestContentVersion_OtherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, other := openAt(t, dir, contentOptions()), openAt(t, dir, contentOptions())
	create(t, s, shop)
	contentVersion(t, s)
	update(t, other, shop, addOrder(1))
	update(t, s, shop, addOrder(2)) // checks for external commits, for the first time
	seen := contentVersion(t, s)
	for i, step := range []struct {
		store   *db.Store
		fn      func(context.Context, *db.Tx) error
		changes bool
	}{
		{other, addOrder(10), false}, {other, addItem("b", 1), true}, {s, addItem("c", 1), true}, {other, addOrder(11), false},
		{s, addOrder(12), false}, {other, addItem("d", 1), true}, {other, addItem("e", 1), true}, {other, addOrder(13), false},
	} {
		update(t, step.store, shop, step.fn)
		update(t, s, shop, addOrder(int64(100+i))) // checks for external commits
		got := contentVersion(t, s)
		if changed := got != seen; changed != step.changes {
			t.Errorf("step %d: got a change of the content version %v, want %v", i, changed, step.changes)
		}
		seen = got
	}
}

// countUnits changes a quantity of an item, and the item's public content too if visible.
func countUnits(visible bool) func(context.Context, *db.Tx) error {
	return func(_ context.Context, tx *db.Tx) error {
		end := tx.OnlyQuantities()
		_, err := tx.Exec(`UPDATE items SET stock = stock + 1 WHERE id = 'b'`)
		end()
		if err == nil && visible {
			_, err = tx.Exec(`UPDATE items SET stock = stock + 1 WHERE id = 'b'`)
		}
		return err
	}
}

type change = func(context.Context, *db.Tx) error

func both(fn change) [2]change { return [2]change{fn, fn} }

// Commits that change quantities alone leave the page version unchanged, also for another process.
// Any other commit raises both versions.
func TestPageVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, other := openAt(t, dir, contentOptions()), openAt(t, dir, contentOptions())
	create(t, s, shop)
	update(t, s, shop, addItem("b", 1))
	versions := func(s *db.Store) (pages, content uint64) {
		pages, content, err := s.PageVersion(t.Context(), shop)
		if err != nil {
			t.Fatal(err)
		}
		return pages, content
	}
	versions(other)
	update(t, other, shop, addOrder(1)) // checks for external commits, for the first time
	for i, step := range []struct {
		name           string
		changes        [2]change // one for each observer
		pages, content bool
	}{
		{"quantities", both(countUnits(false)), false, true},
		{"private", [2]change{addOrder(10), addOrder(11)}, false, false},
		{"visible quantities", both(countUnits(true)), true, true},
		{"content", [2]change{addItem("c", 1), addItem("d", 1)}, true, true},
		{"quantities again", both(countUnits(false)), false, true},
	} {
		for at, observer := range []*db.Store{s, other} {
			update(t, observer, shop, addOrder(int64(100+10*i+at))) // checks for external commits
			pages, content := versions(observer)
			update(t, s, shop, step.changes[at])
			update(t, observer, shop, addOrder(int64(200+10*i+at)))
			nextPages, nextContent := versions(observer)
			if nextPages != pages != step.pages || nextContent != content != step.content {
				t.Errorf("%s, process %d: got changes of pages %v and content %v, want %v and %v",
					step.name, at, nextPages != pages, nextContent != content, step.pages, step.content)
			}
		}
	}
}
