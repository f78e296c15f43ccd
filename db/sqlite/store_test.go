package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/sqlite"
)

func TestLRU(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), sqlite.Options{MaxOpen: 2})
	ids := []db.ID{"one", "two", "three", "four", "five"}
	for _, id := range ids {
		create(t, s, id)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		for n, id := range ids {
			wg.Go(func() {
				update(t, s, id, addOrder(int64(100*n+i)))
				version(t, s, id)
			})
		}
	}
	wg.Wait()
	for n, id := range ids {
		if got := orders(t, s, id); len(got) != 20 || got[0] != int64(100*n) {
			t.Errorf("%s: got orders %v, want 20 from %d", id, got, 100*n)
		}
	}
	if st := s.Stats(); st.Evicted == 0 {
		t.Errorf("got no evictions, want some: %+v", st)
	}
}

// A tenant in use stays open, however many others are opened meanwhile.
func TestLRU_TenantInUse(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), sqlite.Options{MaxOpen: 1})
	others := []db.ID{"one", "two", "three"}
	for _, id := range append(others, "busy") {
		create(t, s, id)
	}
	ctx, cancel := context.WithDeadline(t.Context(), dbtest.Deadline(t))
	defer cancel()
	err := s.View(ctx, "busy", func(_ context.Context, tx *db.Tx) error {
		var before, after int64
		if err := tx.QueryRow(`SELECT stock FROM items WHERE id = 'a'`).Scan(&before); err != nil {
			return err
		}
		for _, id := range others {
			update(t, s, id, addOrder(1))
		}
		st := s.Stats()
		if st.Evicted < 2 {
			t.Errorf("evicted %d other tenants, want at least 2", st.Evicted)
		}
		err := s.Update(ctx, "busy", func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(`UPDATE items SET stock = 1`)
			return err
		})
		if err != nil {
			t.Errorf("update during the view: %v", err)
		}
		if got := s.Stats().Opened; got != st.Opened {
			t.Errorf("opened the tenant %d more times during its view, want 0", got-st.Opened)
		}
		if err := tx.QueryRow(`SELECT stock FROM items WHERE id = 'a'`).Scan(&after); err != nil {
			return err
		}
		if before != 100 || after != before {
			t.Errorf("stock in the view: got %d, then %d, want 100 both times", before, after)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOptions_FilesPerTenant(t *testing.T) {
	const fds = "/proc/self/fd"
	if _, err := os.Stat(fds); err != nil {
		t.Skipf("this system does not list open files in %s: %v", fds, err)
	}
	t.Parallel()
	opts := sqlite.Options{Readers: 3}
	dir := t.TempDir()
	s := openStore(t, dir, opts)
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	var reading, counted, views sync.WaitGroup
	reading.Add(opts.Readers)
	counted.Add(1)
	for range opts.Readers {
		views.Go(func() {
			err := s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
				defer counted.Wait()
				defer reading.Done()
				return tx.QueryRow(`SELECT id FROM orders`).Scan(new(int64))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	reading.Wait()
	links, err := os.ReadDir(fds)
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	for _, link := range links {
		// One that was closed meanwhile cannot be read.
		if file, err := os.Readlink(filepath.Join(fds, link.Name())); err == nil && strings.HasPrefix(file, filepath.Join(dir, "tenants")) {
			got++
		}
	}
	counted.Done()
	views.Wait()
	if want := opts.FilesPerTenant(); got != want {
		t.Errorf("got %d open files, want %d", got, want)
	}
}

func TestDrop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	old := version(t, s, shop)
	if err := s.Drop(t.Context(), shop); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.Exists(t.Context(), shop); ok || err != nil {
		t.Errorf("exists = %v, %v", ok, err)
	}
	if err := s.Update(t.Context(), shop, addOrder(2)); !errors.Is(err, db.ErrNoTenant) {
		t.Errorf("update: got %v, want ErrNoTenant", err)
	}
	trash, err := filepath.Glob(filepath.Join(dir, "trash", "demo-*.db"))
	if err != nil || len(trash) != 1 {
		t.Fatalf("trash: got %v, %v, want one file", trash, err)
	}
	create(t, s, shop)
	if got := orders(t, s, shop); len(got) != 0 {
		t.Errorf("orders of the new tenant: got %v, want none", got)
	}
	if v := version(t, s, shop); v <= old {
		t.Errorf("got version %d after %d, want a higher one", v, old)
	}
	if err := s.Drop(t.Context(), shop); err != nil {
		t.Fatal(err)
	}
	if trash, _ = filepath.Glob(filepath.Join(dir, "trash", "demo-*.db")); len(trash) != 2 {
		t.Errorf("trash: got %v, want two files", trash)
	}
}

// After a clean close the data file is complete without its log, so that a copy of it, or of the
// folder, has all data.
func TestClose_EmptiesLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	orders(t, s, shop)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "tenants", "demo.db-wal"))
	if err != nil && !os.IsNotExist(err) || err == nil && info.Size() != 0 {
		t.Errorf("log: got %v, %v, want it empty or missing", info, err)
	}
}

func TestLockServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := openStore(t, dir, sqlite.Options{}), openStore(t, dir, sqlite.Options{})
	unlock, err := a.LockServer()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.LockServer(); !errors.Is(err, db.ErrLocked) {
		t.Errorf("second lock: got %v, want ErrLocked", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = b.LockServer()
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

// Tenants are created, dropped and used concurrently, and more of them than may be open.
func TestStore_ConcurrentCreateAndDrop(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), sqlite.Options{MaxOpen: 2})
	ids := []db.ID{"one", "two", "three", "four"}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(2, uint64(worker)))
			for i := range 60 {
				id := ids[rnd.IntN(len(ids))]
				var err error
				switch rnd.IntN(10) {
				case 0:
					err = s.Drop(t.Context(), id)
				case 1, 2, 3:
					err = s.Create(t.Context(), id, addItem("a", 1))
				case 4, 5:
					_, err = s.Version(t.Context(), id)
				case 6, 7:
					err = s.View(t.Context(), id, func(_ context.Context, tx *db.Tx) error {
						return tx.QueryRow(`SELECT stock FROM items WHERE id = 'a'`).Scan(new(int64))
					})
				default:
					err = s.Update(t.Context(), id, addOrder(int64(worker*1000+i)))
				}
				if err != nil && !errors.Is(err, db.ErrNoTenant) && !errors.Is(err, db.ErrExists) {
					t.Errorf("%s: got %v, want ErrExists", id, err)
				}
			}
		})
	}
	wg.Wait()
	present, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range present {
		if found, err := s.Check(t.Context(), id); err != nil || len(found.Faults) != 0 {
			t.Errorf("check of %s: got %v, %v, want no faults", id, found, err)
		}
	}
}

// A drop that was interrupted after the moved mark is finished when the file is next opened.
func TestDrop_Interrupted(t *testing.T) {
	t.Parallel()
	for name, find := range map[string]func(s *sqlite.Store) error{
		"update": func(s *sqlite.Store) error { return s.Update(t.Context(), shop, addOrder(1)) },
		"check":  func(s *sqlite.Store) error { _, err := s.Check(t.Context(), shop); return err },
		"backup": func(s *sqlite.Store) error { return s.Backup(t.Context(), shop, filepath.Join(t.TempDir(), "copy")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := openStore(t, dir, sqlite.Options{})
			create(t, s, shop)
			if err := sqlite.MarkMoved(filepath.Join(dir, "tenants", "demo.db")); err != nil {
				t.Fatal(err)
			}
			if err := find(s); !errors.Is(err, db.ErrNoTenant) {
				t.Errorf("got %v, want ErrNoTenant", err)
			}
			if ids, err := s.List(t.Context()); err != nil || len(ids) > 0 {
				t.Errorf("got %v, %v, want no tenant", ids, err)
			}
			trashed, err := filepath.Glob(filepath.Join(dir, "trash", "demo-*.db"))
			if err != nil || len(trashed) != 1 {
				t.Errorf("got %v, %v in the trash, want the file", trashed, err)
			}
			create(t, s, shop)
			update(t, s, shop, addOrder(1))
		})
	}
}

// A drop that is repeated finishes one that was interrupted after the moved mark.
func TestDrop_Repeated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	if err := sqlite.MarkMoved(filepath.Join(dir, "tenants", "demo.db")); err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(t.Context(), shop); err != nil {
		t.Fatal(err)
	}
	// One that was interrupted later leaves a log, which must not become that of a new file.
	log := filepath.Join(dir, "tenants", "demo.db-wal")
	if err := os.WriteFile(log, []byte("log of another file"), 0o600); err != nil {
		t.Fatal(err)
	}
	create(t, s, shop)
	if _, err := os.Stat(log); !os.IsNotExist(err) {
		t.Errorf("old log: got %v, want it moved away", err)
	}
	update(t, s, shop, addOrder(2))
}

// Deleted and changed values do not remain in unused bytes of the file.
func TestDelete_Overwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	for _, query := range []string{
		`INSERT INTO items (id, stock, note) VALUES ('short', 1, 'a customer')`,
		`INSERT INTO items (id, stock, note) VALUES ('long', 1, '` + strings.Repeat("a customer ", 5000) + `')`,
		`UPDATE items SET note = 'erased' WHERE id = 'short'`,
		`DELETE FROM items WHERE id = 'long'`,
	} {
		update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(query)
			return err
		})
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"demo.db", "demo.db-wal"} {
		content, err := os.ReadFile(filepath.Join(dir, "tenants", name))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(content, []byte("a customer")); n > 0 {
			t.Errorf("deleted value found %d times in %s, want 0", n, name)
		}
	}
}
