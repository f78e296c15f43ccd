package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
)

// While another process repeatedly restores a tenant, reads and writes here use the old or the new
// file, and the tenant is never missing.
func TestRestore_ConcurrentUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	if err := s.Backup(t.Context(), shop, filepath.Join(dir, "copy.db")); err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for n := int64(10 + worker); ctx.Err() == nil; n += 4 {
				if err := s.Update(t.Context(), shop, addOrder(n)); err != nil {
					t.Errorf("update: %v", err)
					return
				}
				err := s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
					var first int64
					return tx.QueryRow(`SELECT min(id) FROM orders`).Scan(&first)
				})
				if err != nil {
					t.Errorf("view: %v", err)
					return
				}
				if found, err := s.Check(t.Context(), shop); err != nil || len(found.Faults) > 0 {
					t.Errorf("check: got %v, %v, want no faults", found, err)
				}
				if ok, err := s.Exists(t.Context(), shop); !ok || err != nil {
					t.Errorf("exists: got %v, %v, want true", ok, err)
				}
				if ids, err := s.List(t.Context()); len(ids) != 1 || err != nil {
					t.Errorf("list: got %v, %v, want one tenant", ids, err)
				}
			}
		})
	}
	p.mustDo("restore %s 20", shop)
	stop()
	wg.Wait()
	trash, err := filepath.Glob(filepath.Join(dir, "trash", "demo-*.db"))
	if err != nil || len(trash) != 20 {
		t.Errorf("trash: got %d files, %v, want 20", len(trash), err)
	}
}

// An interrupted restore is later finished or undone.
func TestRestore_Interrupted(t *testing.T) {
	t.Parallel()
	old, restored := []int64{1, 2}, []int64{1}
	for name, tt := range map[string]struct {
		cut  func(own, trash string) error
		want []int64
	}{
		"before the mark": {func(string, string) error { return nil }, old},
		"after the mark":  {func(own, _ string) error { return sqlite.MarkMoved(own) }, restored},
		"without a file":  {func(own, trash string) error { return errors.Join(sqlite.MarkMoved(own), os.Rename(own, trash)) }, restored},
	} {
		for _, then := range []string{"open", "tidy", "drop", "restore", "create"} {
			t.Run(name+", then "+then, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				s := openStore(t, dir, sqlite.Options{})
				create(t, s, shop)
				update(t, s, shop, addOrder(1))
				own, copied := filepath.Join(dir, "tenants", "demo.db"), filepath.Join(t.TempDir(), "copy.db")
				if err := s.Backup(t.Context(), shop, copied); err != nil {
					t.Fatal(err)
				}
				update(t, s, shop, addOrder(2))
				if err := s.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				// The state after the first steps of a restore.
				content, err := os.ReadFile(copied)
				if err != nil {
					t.Fatal(err)
				}
				pending := filepath.Join(dir, "tenants", ".next-demo.db")
				err = errors.Join(os.WriteFile(pending, content, 0o600), tt.cut(own, filepath.Join(dir, "trash", "demo-x.db")))
				if err != nil {
					t.Fatal(err)
				}

				s = openStore(t, dir, sqlite.Options{})
				if ids, err := s.List(t.Context()); err != nil || !slices.Equal(ids, []db.ID{shop}) {
					t.Errorf("list: got %v, %v, want only the tenant", ids, err)
				}
				switch then {
				case "tidy":
					tidyStore(t, s)
				case "create":
					if err := s.Create(t.Context(), shop, nil); !errors.Is(err, db.ErrExists) {
						t.Errorf("create: got %v, want ErrExists", err)
					}
				case "drop":
					if err := s.Drop(t.Context(), shop); err != nil {
						t.Fatal(err)
					}
					trash, err := filepath.Glob(filepath.Join(dir, "trash", "demo-2*.db"))
					if err != nil || len(trash) == 0 {
						t.Fatalf("trash: got %v, %v, want the dropped file", trash, err)
					}
					if _, err := s.Restore(t.Context(), shop, trash[len(trash)-1], nil); err != nil {
						t.Fatal(err)
					}
				case "restore":
					previous, err := s.Restore(t.Context(), shop, copied, nil)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := s.Restore(t.Context(), shop, previous, nil); err != nil {
						t.Fatal(err)
					}
				}
				if got := orders(t, s, shop); !slices.Equal(got, tt.want) {
					t.Errorf("orders: got %v, want %v", got, tt.want)
				}
				tidyStore(t, s)
				if _, err := os.Stat(pending); err == nil {
					t.Error("the pending file still exists")
				}
			})
		}
	}
}
