package db_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Options{})
	update(t, s, shop, addOrder(1))
	update(t, s, shop, addOrder(2))
	wantOrders(t, s, shop, 1, 2)

	if err := s.Create(t.Context(), shop, nil); !errors.Is(err, db.ErrExists) {
		t.Errorf("create again: got %v, want ErrExists", err)
	}
	boom := errors.New("boom")
	if err := s.Create(t.Context(), "half", func(_ context.Context, tx *db.Tx) error {
		return errors.Join(addItem("x", 1)(nil, tx), boom)
	}); !errors.Is(err, boom) {
		t.Errorf("failing create: got %v, want boom", err)
	}
	if err := s.Create(t.Context(), "swallowed", func(_ context.Context, tx *db.Tx) error {
		_ = addItem("x", -1)(nil, tx)
		return nil
	}); !errors.Is(err, db.ErrCheck) {
		t.Errorf("create with a swallowed failure: got %v, want ErrCheck", err)
	}
	ids, err := s.List(t.Context())
	if err != nil || !slices.Equal(ids, []db.ID{shop}) {
		t.Errorf("list after failed creations: got %v, %v, want only demo", ids, err)
	}
}

func TestUnknownTenant(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), db.Options{})
	nothing := func(context.Context, *db.Tx) error { return nil }
	_, versionErr := s.Version(t.Context(), "nobody")
	for name, err := range map[string]error{
		"view":    s.View(t.Context(), "nobody", nothing),
		"update":  s.Update(t.Context(), "nobody", nothing),
		"drop":    s.Drop(t.Context(), "nobody"),
		"version": versionErr,
	} {
		if !errors.Is(err, db.ErrNoTenant) || errors.Is(err, db.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNoTenant", name, err)
		}
	}
	// A failed opening must not affect a later one.
	create(t, s, "nobody")
	if err := s.View(t.Context(), "nobody", nothing); err != nil {
		t.Errorf("view after create: %v", err)
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, db.Options{})
	for _, good := range []string{"abc", "a-b", "0-9", "x" + strings.Repeat("-", 38) + "y"} {
		id, err := db.ParseID(good)
		if err != nil || string(id) != good {
			t.Errorf("ParseID(%q): got %q, %v, want no error", good, id, err)
		}
		create(t, s, id)
	}
	for _, bad := range []string{
		"", "a", "ab", "-ab", "ab-", "Abc", "a_b", "a.b", "a/b", "../etc", "..", "a\x00b", "a b", "äbc", "abc\n",
		strings.Repeat("a", 41), "a/../b", `a\b`, "con:",
	} {
		if _, err := db.ParseID(bad); !errors.Is(err, db.ErrInvalidID) {
			t.Errorf("ParseID(%q): got %v, want ErrInvalidID", bad, err)
		}
		id := db.ID(bad) // unparsed: the store must not access the file system
		_, existsErr := s.Exists(t.Context(), id)
		for _, err := range []error{
			s.Create(t.Context(), id, nil), s.Drop(t.Context(), id),
			s.View(t.Context(), id, nil), s.Update(t.Context(), id, nil), existsErr,
		} {
			if !errors.Is(err, db.ErrInvalidID) {
				t.Errorf("use of %q: got %v, want ErrInvalidID", bad, err)
			}
		}
	}
	if ids, err := s.List(t.Context()); err != nil || len(ids) != 4 {
		t.Errorf("list: got %v, %v, want 4 tenants", ids, err)
	}
}

func TestOpen_Concurrent(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Options{})
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() { update(t, s, shop, func(context.Context, *db.Tx) error { return nil }) })
	}
	wg.Wait()
	if n := s.Stats().Opened; n != 1 {
		t.Errorf("opened %d times, want once", n)
	}
}

func TestLRU(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), db.Options{MaxOpen: 2})
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
	s := openStore(t, t.TempDir(), db.Options{MaxOpen: 1})
	others := []db.ID{"one", "two", "three"}
	for _, id := range append(others, "busy") {
		create(t, s, id)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
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
		t.Skip("counts open files in " + fds)
	}
	t.Parallel()
	opts := db.Options{Readers: 3}
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
	s := openStore(t, dir, db.Options{})
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

func TestDrop_TenantInUse(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Options{})
	started, proceed, dropped := make(chan struct{}), make(chan struct{}), make(chan error)
	var viewErr error
	var wg sync.WaitGroup
	wg.Go(func() {
		viewErr = s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
			close(started)
			<-proceed
			return tx.QueryRow(`SELECT stock FROM items`).Scan(new(int64))
		})
	})
	<-started
	// A cancelled drop leaves the tenant in service.
	ctx, cancel := context.WithCancel(t.Context())
	go func() { dropped <- s.Drop(ctx, shop) }()
	for s.Stats().Closing == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-dropped; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled drop: got %v, want context.Canceled", err)
	}
	if ok, err := s.Exists(t.Context(), shop); !ok || err != nil {
		t.Errorf("exists = %v, %v", ok, err)
	}

	go func() { dropped <- s.Drop(context.Background(), shop) }()
	select {
	case err := <-dropped:
		t.Errorf("drop during a view: returned %v, want it to wait", err)
	default:
	}
	close(proceed)
	wg.Wait()
	if err := <-dropped; err != nil || viewErr != nil {
		t.Errorf("drop: %v, view: %v", err, viewErr)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, db.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	started, proceed := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
			close(started)
			<-proceed
			return insertOrder(tx, 2)
		})
	})
	<-started
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Close(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("close while in use: got %v, want context.Canceled", err)
	}
	if err := s.Update(t.Context(), shop, addOrder(3)); !errors.Is(err, db.ErrClosed) {
		t.Errorf("update after close: got %v, want ErrClosed", err)
	}
	close(proceed)
	wg.Wait()

	again := openStore(t, dir, db.Options{})
	wantOrders(t, again, shop, 1, 2)
}

// After a clean close the data file is complete without its log, so that a copy of it, or of the
// folder, has all data.
func TestClose_EmptiesLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, db.Options{})
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
	a, b := openStore(t, dir, db.Options{}), openStore(t, dir, db.Options{})
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
	s := openStore(t, t.TempDir(), db.Options{MaxOpen: 2})
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

// Repeating a drop finishes one that was interrupted after the moved mark.
func TestDrop_Interrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, db.Options{})
	create(t, s, shop)
	if err := db.MarkMoved(filepath.Join(dir, "tenants", "demo.db")); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), shop, addOrder(1)); !errors.Is(err, db.ErrNoTenant) {
		t.Errorf("update: got %v, want ErrNoTenant", err)
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
	s := openStore(t, dir, db.Options{})
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
