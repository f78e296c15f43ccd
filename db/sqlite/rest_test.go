package sqlite_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"storefront/db"
	"storefront/db/sqlite"
)

// A tenant at rest is closed: its readers first, and then its writer. The next use opens it again.
func TestCloseUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, t.TempDir(), sqlite.Options{})
		create(t, s, "acme")
		create(t, s, "other")
		want := func(when string, open, readers int) {
			t.Helper()
			s.CloseUnused()
			synctest.Wait()
			if st := s.Stats(); st.Open != open || st.Readers != readers {
				t.Errorf("%s: got %d open tenants and %d readers, want %d and %d", when, st.Open, st.Readers, open, readers)
			}
		}
		var views sync.WaitGroup
		for range 2 {
			views.Go(func() {
				_ = s.View(t.Context(), "acme", func(context.Context, *db.Tx) error {
					time.Sleep(time.Second)
					return nil
				})
			})
		}
		update(t, s, "other", addOrder(1))
		views.Wait()
		time.Sleep(58 * time.Second)
		want("after 59 seconds", 2, 2)
		time.Sleep(2 * time.Second)
		want("after a minute", 2, 0)
		update(t, s, "acme", addOrder(1))
		time.Sleep(4 * time.Minute)
		want("five minutes after one of them was used", 1, 0)
		if got := orders(t, s, "other"); len(got) != 1 {
			t.Errorf("got the orders %v, want one", got)
		}
		want("after the other one was used again", 2, 1)
		time.Sleep(5 * time.Minute)
		want("after five minutes", 0, 0)
	})
}

// A busy tenant closes the readers that it no longer needs.
func TestCloseUnused_BusyTenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, t.TempDir(), sqlite.Options{})
		create(t, s, "acme")
		var views sync.WaitGroup
		for range 3 {
			views.Go(func() {
				_ = s.View(t.Context(), "acme", func(context.Context, *db.Tx) error {
					time.Sleep(time.Second)
					return nil
				})
			})
		}
		views.Wait()
		for range 90 {
			orders(t, s, "acme")
			time.Sleep(time.Second)
		}
		s.CloseUnused()
		if st := s.Stats(); st.Open != 1 || st.Readers != 1 {
			t.Errorf("got %d open tenants and %d readers, want one of each", st.Open, st.Readers)
		}
	})
}

// Work that visits all tenants closes those that nobody else uses.
func TestBriefly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := openStore(t, dir, sqlite.Options{})
	for _, id := range []db.ID{"acme", "used"} {
		create(t, made, id)
	}
	if err := made.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, dir, sqlite.Options{})
	orders(t, s, "used")
	for _, id := range []db.ID{"acme", "used"} {
		s.Briefly(t.Context(), id, func(ctx context.Context) {
			for range 2 {
				if err := s.View(ctx, id, func(context.Context, *db.Tx) error { return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if st := s.Stats(); st.Opened != 2 || st.Open-st.Closing != 1 {
		t.Errorf("got %d openings and %d open tenants, want 2, and only the one that is in use", st.Opened, st.Open-st.Closing)
	}
	orders(t, s, "acme")
}
