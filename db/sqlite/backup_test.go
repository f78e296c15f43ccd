package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
)

// A backup during updates is one moment of the shop: it contains every order acknowledged before it
// began, and no partial one.
func TestBackup_ConcurrentUpdates(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{})
	var next, stored atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
					if err := insertOrder(tx, next.Add(1)); err != nil {
						return err
					}
					_, err := tx.Exec(`UPDATE items SET stock = stock + 1 WHERE id = 'a'`)
					return err
				})
				stored.Add(1)
			}
		})
	}
	dest := filepath.Join(t.TempDir(), "backup.db")
	before := stored.Load()
	err := s.Backup(t.Context(), shop, dest)
	close(stop)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), shop, dest); !errors.Is(err, db.ErrExists) {
		t.Errorf("backup over a backup: got %v, want ErrExists", err)
	}
	left, err := os.ReadDir(filepath.Dir(dest))
	if err != nil || len(left) != 1 {
		t.Errorf("files beside the backup: got %v, %v, want only the backup", left, err)
	}

	if _, err := s.Restore(t.Context(), "copy", dest, nil); err != nil {
		t.Fatal(err)
	}
	err = s.View(t.Context(), "copy", func(_ context.Context, tx *db.Tx) error {
		var n, stock int64
		err := tx.QueryRow(`SELECT count(*), (SELECT stock FROM items WHERE id = 'a') FROM orders`).Scan(&n, &stock)
		if n < before || stock != 100+n {
			t.Errorf("got %d orders and stock %d, want at least %d orders and stock %d", n, stock, before, 100+n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBackup_Nested(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{})
	err := s.View(t.Context(), shop, func(ctx context.Context, _ *db.Tx) error { return s.Backup(ctx, shop, "x") })
	if !errors.Is(err, db.ErrNested) {
		t.Errorf("got %v, want ErrNested", err)
	}
}

func TestRestore_ExistingTenant(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	dest := filepath.Join(t.TempDir(), "backup.db")
	if err := s.Backup(t.Context(), shop, dest); err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, dir)
	p.mustDo("order %s 2", shop)
	old := version(t, s, shop)

	refused := errors.New("refused")
	_, err := s.Restore(t.Context(), shop, dest, func(context.Context, *db.Tx) error { return refused })
	if !errors.Is(err, refused) {
		t.Errorf("restore: got %v, want the refusal", err)
	}
	if got := orders(t, s, shop); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("after a failed restore: got orders %v, want [1 2]", got)
	}
	previous, err := s.Restore(t.Context(), shop, dest, addOrder(7))
	if err != nil {
		t.Fatal(err)
	}
	p.mustDo("order %s 8", shop) // it has the old file open and must switch to the new one
	wantOrders(t, s, shop, 1, 7, 8)
	if v := version(t, s, shop); v <= old {
		t.Errorf("got version %d after %d, want a higher one", v, old)
	}

	// The replaced file is in the trash and can be restored from there.
	trash, err := filepath.Glob(filepath.Join(dir, "trash", "demo-*.db"))
	if err != nil || len(trash) != 1 || trash[0] != previous {
		t.Fatalf("trash: got %v, %v, want %s", trash, err, previous)
	}
	if _, err := s.Restore(t.Context(), "again", previous, nil); err != nil {
		t.Fatal(err)
	}
	if got := orders(t, s, "again"); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("orders from the trash: got %v, want [1 2]", got)
	}
}

func TestRestore_Invalid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	junk := filepath.Join(t.TempDir(), "junk.db")
	if err := os.WriteFile(junk, bytes.Repeat([]byte("junk "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := openStore(t, t.TempDir(), sqlite.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}})
	create(t, newer, shop)
	ahead := filepath.Join(t.TempDir(), "newer.db")
	if err := newer.Backup(t.Context(), shop, ahead); err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]error{junk: db.ErrCorrupt, ahead: db.ErrNewer, junk + "x": os.ErrNotExist} {
		if _, err := s.Restore(t.Context(), "copy", src, nil); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", filepath.Base(src), err, want)
		}
	}
	own := filepath.Join(dir, "tenants", "demo.db")
	if _, err := s.Restore(t.Context(), "copy", own, nil); err == nil || !strings.Contains(err.Error(), "backup") {
		t.Errorf("a tenant's current file: got %v, want an error that names the backup", err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "tenants"))
	if err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.Contains(e.Name(), "copy") }) {
		t.Errorf("files left behind: got %v, %v, want none of the copy", left, err)
	}
	// An older backup is upgraded.
	dest := filepath.Join(t.TempDir(), "old.db")
	if err := s.Backup(t.Context(), shop, dest); err != nil {
		t.Fatal(err)
	}
	if err := newer.RestoreNew(t.Context(), "old", dest, nil); err != nil {
		t.Fatal(err)
	}
	if err := newer.RestoreNew(t.Context(), "old", dest, nil); !errors.Is(err, db.ErrExists) {
		t.Errorf("restored beside itself: got %v, want ErrExists", err)
	}
	update(t, newer, "old", func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO orders (id, item_id, placed_at) VALUES (1, 'a', 5)`)
		return err
	})
}
