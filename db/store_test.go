package db_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/db"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
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
	s := open(t, options{})
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
	s := openAt(t, dir, options{})
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
	s := newShop(t, options{})
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() { update(t, s, shop, func(context.Context, *db.Tx) error { return nil }) })
	}
	wg.Wait()
	if n := s.Stats().Opened; n != 1 {
		t.Errorf("opened %d times, want once", n)
	}
}

func TestDrop_TenantInUse(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
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
	s := openAt(t, dir, options{})
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

	again := openAt(t, dir, options{})
	wantOrders(t, again, shop, 1, 2)
}
