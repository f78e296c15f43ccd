package postgres_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
)

// twoServers returns the engines of two servers of one installation, and that of another.
func twoServers(t *testing.T, c *dbtest.Cluster) (first, second, foreign *postgres.Engine) {
	t.Helper()
	open := func(space string) *postgres.Engine {
		e, err := postgres.Open(t.Context(), c.Address("postgres"), postgres.Options{Schema: dbtest.Schema, Space: space})
		if err != nil {
			t.Fatal(err)
		}
		s := db.New(e, db.Options{})
		t.Cleanup(func() {
			if err := s.Close(context.Background()); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		return e
	}
	return open(""), open(""), open("foreign")
}

// A database that was created before these tables existed gets them from the next server.
func TestSharedValues_DatabaseOfEarlierRelease(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	twoServers(t, c)
	c.SQL(`DROP TABLE storefront.shared_values, storefront.shared_locks`)
	first, second, _ := twoServers(t, c)
	if err := first.PutValue(t.Context(), "a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if got, _, err := second.Value(t.Context(), "a"); err != nil || string(got) != "1" {
		t.Errorf("got %q, %v", got, err)
	}
	unlock, err := first.LockShared(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

func TestSharedValues(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	first, second, foreign := twoServers(t, c)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(name, want string) {
		t.Helper()
		got, storedAt, err := second.Value(t.Context(), name)
		if err != nil || string(got) != want || storedAt.IsZero() {
			t.Errorf("%s: got %q, %v, %v; want %q", name, got, storedAt, err, want)
		}
	}
	wantNone := func(e *postgres.Engine, name string) {
		t.Helper()
		if got, _, err := e.Value(t.Context(), name); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%s: got %q, %v; want that it is not found", name, got, err)
		}
	}
	wantNone(first, "a/b")
	for name, value := range map[string]string{"a": "\x00\xff", "a/b": "1", "a/b/c": "2", "ab": "", "a%/d": "3"} {
		must(first.PutValue(t.Context(), name, []byte(value)))
		want(name, value)
		wantNone(foreign, name)
	}
	must(first.PutValue(t.Context(), "ab", nil))
	want("ab", "")
	must(second.PutValue(t.Context(), "a/b", []byte("another")))
	want("a/b", "another")
	names, err := second.ValueNames(t.Context(), "a/")
	must(err)
	if want := []string{"a/b", "a/b/c"}; !slices.Equal(names, want) {
		t.Errorf("got names %q, want %q", names, want)
	}
	must(foreign.DeleteValues(t.Context(), "a", "a/"))
	must(first.DeleteValues(t.Context(), "a/b", "a/b/"))
	must(first.DeleteValues(t.Context(), "a/b", "a/b/"))
	names, err = second.ValueNames(t.Context(), "")
	must(err)
	if want := []string{"a", "a%/d", "ab"}; !slices.Equal(names, want) {
		t.Errorf("got names %q, want %q", names, want)
	}

	// Work continues when the server is killed and started again.
	c.Kill()
	stored := make(chan error, 1)
	go func() { stored <- first.PutValue(context.Background(), "later", []byte("4")) }()
	c.Start()
	must(<-stored)
	want("later", "4")
}

// One process holds a lock at a time. That of a process that has ended passes to another one, which
// the late release of the first does not disturb.
func TestLockShared(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	first, second, foreign := twoServers(t, c)
	lock := func(e *postgres.Engine) (unlock func()) {
		t.Helper()
		release, err := e.LockShared(t.Context(), "l")
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			t.Helper()
			if err := release(); err != nil {
				t.Error(err)
			}
		}
	}
	var holders sync.Mutex
	var work sync.WaitGroup
	for i := range 6 {
		work.Go(func() {
			e := []*postgres.Engine{first, second}[i%2]
			unlock, err := e.LockShared(t.Context(), "many")
			if err != nil {
				t.Error(err)
				return
			}
			if !holders.TryLock() {
				t.Error("two hold the lock")
				return
			}
			if _, err := e.ValueNames(t.Context(), ""); err != nil {
				t.Error(err)
			}
			holders.Unlock()
			if err := unlock(); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()

	unlock := lock(first)
	lock(foreign)()
	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan error)
	go func() {
		_, err := second.LockShared(ctx, "l")
		refused <- err
	}()
	cancel()
	if err := <-refused; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the wait was ended", err)
	}
	// As half a minute after the end of the first.
	c.SQL(`UPDATE storefront.shared_locks SET until = 0 WHERE name = 'l'`)
	next := lock(second)
	unlock()
	if n := c.SQL(`SELECT count(*) FROM storefront.shared_locks WHERE name = 'l'`); n != "1" {
		t.Errorf("the first released the lock of the second: %s locks", n)
	}
	next()
	if n := c.SQL(`SELECT count(*) FROM storefront.shared_locks`); n != "0" {
		t.Errorf("got %s locks at the end, want 0", n)
	}
}
