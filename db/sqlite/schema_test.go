package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/sqlite"
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

// oldShop returns a folder with a shop that has the first schema and one order.
func oldShop(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A command that upgrades a shop waits for as long as another process holds the write lock.
func TestSteps_CommandWaits(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	p := startProcess(t, dir)
	p.mustDo("hold %s 2", shop)
	s := openStore(t, dir, sqlite.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}, Command: true})
	s.SetBusyTimeout(1)
	upgraded := make(chan error, 1)
	go func() {
		_, err := s.Upgrade(t.Context(), shop)
		upgraded <- err
	}()
	dbtest.Eventually(t, "the command waits for its turn", func() bool {
		_, err := os.Stat(filepath.Join(dir, "writer-"+string(shop)+".lock"))
		return err == nil || len(upgraded) > 0
	})
	p.mustDo("release %s", shop)
	if err := <-upgraded; err != nil {
		t.Errorf("upgrade: got %v, want it to wait", err)
	}
	wantOrders(t, s, shop, 1, 2)
}

func TestSteps_ConcurrentOpen(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	opts := sqlite.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}}
	stores := []*sqlite.Store{openStore(t, dir, opts), openStore(t, dir, opts)} // as two processes
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
			t.Errorf("got stock %d, placed_at %d, want -10, 0", stock, placed)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	// Foreign keys to the rebuilt table are still enforced.
	err = s.Update(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO orders (id, item_id) VALUES (2, 'nothing')`)
		return err
	})
	if !errors.Is(err, db.ErrForeignKey) {
		t.Errorf("broken reference: got %v, want ErrForeignKey", err)
	}

	// The copy contains the data from before and can be restored.
	copies, err := filepath.Glob(filepath.Join(dir, "before-steps", "demo-v1-*.db"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("copies: got %v, %v, want one", copies, err)
	}
	old := openStore(t, t.TempDir(), sqlite.Options{})
	if _, err := old.Restore(t.Context(), shop, copies[0], nil); err != nil {
		t.Fatal(err)
	}
	if got := orders(t, old, shop); !slices.Equal(got, []int64{1}) {
		t.Errorf("orders in the copy: got %v, want [1]", got)
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
			s := openStore(t, dir, sqlite.Options{Steps: []db.Step{addColumn, bad}})
			for range 2 {
				err := s.Update(t.Context(), shop, addOrder(2))
				if err == nil || errors.Is(err, db.ErrNoTenant) {
					t.Errorf("update: got %v, want the error of the step", err)
				}
			}
			copies, err := os.ReadDir(filepath.Join(dir, "before-steps"))
			if err != nil || len(copies) != 0 {
				t.Errorf("copies of an unchanged file: got %v, %v, want none", copies, err)
			}
			old := openStore(t, dir, sqlite.Options{}) // the older program still works
			update(t, old, shop, addOrder(3))
			wantOrders(t, old, shop, 1, 3)
		})
	}
}

// upgradeEndlessly upgrades a shop by two steps, of which the second does not end.
func upgradeEndlessly(ctx context.Context, dir string, id db.ID) error {
	endless := db.Step{Name: "endless", SQL: `
		WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n)
		INSERT INTO orders (id, item_id) SELECT i, 'a' FROM n`}
	s, err := sqlite.Open(dir, sqlite.Options{Schema: secondSchema, Steps: []db.Step{addColumn, endless}})
	if err == nil {
		_, err = s.Upgrade(ctx, id)
	}
	return err
}

// A program that is killed in the middle of the steps leaves the shop as it was, for the older
// program and for the next upgrade, which removes the copy that it has left.
func TestUpgrade_Killed(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	p := startProcess(t, dir)
	if _, err := fmt.Fprintf(p.in, "upgrade %s\n", shop); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "the second step has written to the disk", func() bool {
		log, err := os.Stat(filepath.Join(dir, "tenants", string(shop)+".db-wal"))
		return err == nil && log.Size() > 1<<20
	})
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()

	old := openStore(t, dir, sqlite.Options{})
	update(t, old, shop, addOrder(2))
	wantOrders(t, old, shop, 1, 2)
	if err := old.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	newer := openStore(t, dir, sqlite.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}})
	up, err := newer.Upgrade(t.Context(), shop)
	if err != nil || up.From != 1 || up.To != 3 {
		t.Errorf("upgrade: got %+v, %v, want from 1 to 3", up, err)
	}
	wantOrders(t, newer, shop, 1, 2)
	if saved, err := filepath.Glob(filepath.Join(dir, "before-steps", "*")); err != nil || !slices.Equal(saved, []string{up.Copy}) {
		t.Errorf("copies: got %v, %v, want %s", saved, err, up.Copy)
	}
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	var saved []string
	for i, steps := range [][]db.Step{{addColumn}, {addColumn, rebuild}} {
		s := openStore(t, dir, sqlite.Options{Steps: steps})
		up, err := s.Upgrade(t.Context(), shop)
		if err != nil || up.From != i+1 || up.To != i+2 {
			t.Fatalf("upgrade: got %+v, %v, want from %d to %d", up, err, i+1, i+2)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Only the copy of the latest upgrade remains.
		saved, err = filepath.Glob(filepath.Join(dir, "before-steps", "*"))
		if err != nil || !slices.Equal(saved, []string{up.Copy}) {
			t.Errorf("copies: got %v, %v, want %s", saved, err, up.Copy)
		}
		again, err := openStore(t, dir, sqlite.Options{Steps: steps}).Upgrade(t.Context(), shop)
		if err != nil || again != (sqlite.Upgrade{From: i + 2, To: i + 2}) {
			t.Errorf("upgrade again: got %+v, %v, want from and to %d", again, err, i+2)
		}
	}
	if _, err := openStore(t, dir, sqlite.Options{}).Upgrade(t.Context(), "nobody"); !errors.Is(err, db.ErrNoTenant) {
		t.Errorf("nobody: got %v, want ErrNoTenant", err)
	}
}

// An older program with an open file must stop using it once a newer program has upgraded it.
func TestUpgrade_OlderProgramRunning(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	old := openStore(t, dir, sqlite.Options{})
	update(t, old, shop, addOrder(2))
	newer := openStore(t, dir, sqlite.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}})
	up, err := newer.Upgrade(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Update(t.Context(), shop, addOrder(3)); !errors.Is(err, db.ErrNewer) {
		t.Errorf("an update by the older program: got %v, want ErrNewer", err)
	}
	wantOrders(t, newer, shop, 1, 2)
	// Downgrade: the older program restores the copy created before the upgrade.
	if _, err := old.Restore(t.Context(), shop, up.Copy, nil); err != nil {
		t.Fatal(err)
	}
	update(t, old, shop, addOrder(4))
	if got := orders(t, old, shop); !slices.Equal(got, []int64{1, 2, 4}) {
		t.Errorf("orders after the downgrade: got %v, want [1 2 4]", got)
	}
}

func TestOpen_NewerFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	create(t, openStore(t, dir, sqlite.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}}), shop)
	old := openStore(t, dir, sqlite.Options{})
	err := old.View(t.Context(), shop, func(context.Context, *db.Tx) error { return nil })
	if !errors.Is(err, db.ErrNewer) || !strings.Contains(err.Error(), "demo") {
		t.Errorf("view: got %v, want ErrNewer with the UID", err)
	}
	if err := old.Drop(t.Context(), shop); err != nil {
		t.Errorf("drop of a newer file: %v", err)
	}
}

func TestOpen_NotTenantFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
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
			t.Errorf("%.10q: got %v, want %v", content, err, want)
		}
		if err := s.Drop(t.Context(), shop); err != nil {
			t.Errorf("%.10q: drop: %v", content, err)
		}
	}
}
