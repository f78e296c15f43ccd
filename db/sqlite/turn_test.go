package sqlite_test

import (
	"context"
	"errors"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
)

// A command waits for as long as another process holds the write lock.
func TestUpdate_CommandWaits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{Command: true})
	create(t, s, shop)
	s.SetBusyTimeout(1)
	p := startProcess(t, dir)
	p.mustDo("hold %s 1", shop)
	waiting := queue(t, s, t.Context(), addOrder(2))
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := queue(t, s, ctx, addOrder(3))
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled update: got %v, want context.Canceled", err)
	}
	server := openStore(t, dir, sqlite.Options{})
	server.SetBusyTimeout(100)
	if err := server.Update(t.Context(), shop, addOrder(4)); !errors.Is(err, db.ErrBusy) {
		t.Errorf("a server's update: got %v, want ErrBusy", err)
	}
	p.mustDo("release %s", shop)
	if err := <-waiting; err != nil {
		t.Errorf("update: got %v, want it to wait", err)
	}
	wantOrders(t, s, shop, 1, 2)
}

// A process that writes without a pause leaves room for one that waits.
func TestUpdate_BesideRush(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	p := startProcess(t, dir)
	p.mustDo("rush %s 8", shop)
	for n := range int64(20) {
		update(t, s, shop, addOrder(n))
	}
}
