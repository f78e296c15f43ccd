package db_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/db"
)

// The second schema adds a column and rebuilds a table that others refer to.
const secondSchema = `
CREATE TABLE items (
	id    TEXT    PRIMARY KEY,
	stock INTEGER NOT NULL CHECK (stock >= -10),
	note  TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE orders (
	id      INTEGER PRIMARY KEY,
	item_id TEXT    NOT NULL REFERENCES items (id),
	data    BLOB,
	placed_at INTEGER NOT NULL DEFAULT 0,
	UNIQUE (item_id, data)
) STRICT;
`

var (
	addColumn = db.Step{Name: "orders have a time", SQL: `ALTER TABLE orders ADD COLUMN placed_at INTEGER NOT NULL DEFAULT 0`}
	rebuild   = db.Step{Name: "stock may be negative", SQL: `
		CREATE TABLE new_items (id TEXT PRIMARY KEY, stock INTEGER NOT NULL CHECK (stock >= -10), note TEXT) STRICT, WITHOUT ROWID;
		INSERT INTO new_items SELECT id, stock, note FROM items;
		DROP TABLE items;
		ALTER TABLE new_items RENAME TO items;`}
)

// oldShop makes a folder with a shop of the first schema, and one order.
func oldShop(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := openStore(t, dir, db.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSteps_ConcurrentOpen(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	opts := db.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}}
	stores := []*db.Store{openStore(t, dir, opts), openStore(t, dir, opts)} // as two processes
	var wg sync.WaitGroup
	for _, s := range stores {
		wg.Go(func() {
			update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
				_, err := tx.Exec(`UPDATE items SET stock = stock - 55`)
				return err
			})
		})
	}
	wg.Wait()
	s := stores[0]
	err := s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		var stock, placed int64
		err := tx.QueryRow(`SELECT stock, placed_at FROM items JOIN orders ON item_id = items.id`).Scan(&stock, &placed)
		if stock != -10 || placed != 0 {
			t.Errorf("stock = %d, placed = %d", stock, placed)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	// References to the rebuilt table still count.
	err = s.Update(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO orders (id, item_id) VALUES (2, 'nothing')`)
		return err
	})
	if !errors.Is(err, db.ErrForeignKey) {
		t.Errorf("broken reference: got %v, want ErrForeignKey", err)
	}

	// The copy is what the shop was before, and can be restored.
	copies, err := filepath.Glob(filepath.Join(dir, "before-steps", "demo-v1-*.db"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("copies = %v, %v", copies, err)
	}
	old := openStore(t, t.TempDir(), db.Options{})
	if _, err := old.Restore(t.Context(), shop, copies[0], nil); err != nil {
		t.Fatal(err)
	}
	if got := orders(t, old, shop); !slices.Equal(got, []int64{1}) {
		t.Errorf("orders in the copy = %v", got)
	}
}

func TestSteps_Failure(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]db.Step{
		"bad SQL":          {Name: "bad", SQL: `ALTER TABLE nothing ADD COLUMN x`},
		"half-way":         {Name: "bad", SQL: `UPDATE items SET stock = 1; DELETE FROM orders; INSERT INTO nothing VALUES (1)`},
		"broken reference": {Name: "bad", SQL: `DELETE FROM items`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := oldShop(t)
			s := openStore(t, dir, db.Options{Steps: []db.Step{addColumn, bad}})
			for range 2 {
				err := s.Update(t.Context(), shop, addOrder(2))
				if err == nil || errors.Is(err, db.ErrNoTenant) {
					t.Errorf("update: %v", err)
				}
			}
			copies, err := os.ReadDir(filepath.Join(dir, "before-steps"))
			if err != nil || len(copies) != 0 {
				t.Errorf("copies of an unchanged file = %v, %v", copies, err)
			}
			old := openStore(t, dir, db.Options{}) // the older program still works
			update(t, old, shop, addOrder(3))
			wantOrders(t, old, shop, 1, 3)
		})
	}
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	var saved []string
	for i, steps := range [][]db.Step{{addColumn}, {addColumn, rebuild}} {
		s := openStore(t, dir, db.Options{Steps: steps})
		up, err := s.Upgrade(t.Context(), shop)
		if err != nil || up.From != i+1 || up.To != i+2 {
			t.Fatalf("upgraded %+v, %v", up, err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Only the copy of the latest upgrade stays.
		saved, err = filepath.Glob(filepath.Join(dir, "before-steps", "*"))
		if err != nil || !slices.Equal(saved, []string{up.Copy}) {
			t.Errorf("copies %v, %v; told was %s", saved, err, up.Copy)
		}
		again, err := openStore(t, dir, db.Options{Steps: steps}).Upgrade(t.Context(), shop)
		if err != nil || again != (db.Upgrade{From: i + 2, To: i + 2}) {
			t.Errorf("upgraded again %+v, %v", again, err)
		}
	}
	if _, err := openStore(t, dir, db.Options{}).Upgrade(t.Context(), "nobody"); !errors.Is(err, db.ErrNoTenant) {
		t.Errorf("nobody: got %v, want ErrNoTenant", err)
	}
}

// An older program that has a file open when a newer one upgrades it lets go of it.
func TestUpgrade_OlderProgramRunning(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	old := openStore(t, dir, db.Options{})
	update(t, old, shop, addOrder(2))
	newer := openStore(t, dir, db.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}})
	up, err := newer.Upgrade(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Update(t.Context(), shop, addOrder(3)); !errors.Is(err, db.ErrNewer) {
		t.Errorf("an update by the older program: got %v, want ErrNewer", err)
	}
	wantOrders(t, newer, shop, 1, 2)
	// The way back: the older program restores the copy that was made first.
	if _, err := old.Restore(t.Context(), shop, up.Copy, nil); err != nil {
		t.Fatal(err)
	}
	update(t, old, shop, addOrder(4))
	if got := orders(t, old, shop); !slices.Equal(got, []int64{1, 2, 4}) {
		t.Errorf("orders after going back = %v", got)
	}
}

func TestOpen_NewerFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	create(t, openStore(t, dir, db.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}}), shop)
	old := openStore(t, dir, db.Options{})
	err := old.View(t.Context(), shop, func(context.Context, *db.Tx) error { return nil })
	if !errors.Is(err, db.ErrNewer) || !strings.Contains(err.Error(), "demo") {
		t.Errorf("view: %v", err)
	}
	if err := old.Drop(t.Context(), shop); err != nil {
		t.Errorf("it can still be dropped: %v", err)
	}
}

func TestOpen_NotTenantFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, db.Options{})
	path := filepath.Join(dir, "tenants", "demo.db")
	for content, want := range map[string]error{
		"":                                     db.ErrNotTenantFile,
		strings.Repeat("not a database ", 500): db.ErrCorrupt,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := s.View(t.Context(), shop, func(context.Context, *db.Tx) error { return nil })
		if !errors.Is(err, want) {
			t.Errorf("%.10q: %v, want %v", content, err, want)
		}
		if err := s.Drop(t.Context(), shop); err != nil {
			t.Errorf("%.10q: drop: %v", content, err)
		}
	}
}
