package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
)

// A shop is dropped although others look it up at the same time, before it exists, while it does
// and afterwards: a look-up that waits for the drop is no use that the drop waits for.
func TestDrop_WhileLookedUp(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, dbtest.NewCluster(t).Address("postgres"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	stop := make(chan struct{})
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := s.View(ctx, dbtest.Shop, func(context.Context, *db.Tx) error { return nil })
				if err != nil && !errors.Is(err, db.ErrNoTenant) {
					t.Errorf("view: got %v", err)
					return
				}
			}
		})
	}
	for n := range 50 {
		if err := s.Drop(ctx, dbtest.Shop); !errors.Is(err, db.ErrNoTenant) {
			t.Errorf("drop %d of no shop: got %v, want %v", n, err, db.ErrNoTenant)
			break
		}
		if err := s.Create(ctx, dbtest.Shop, nil); err != nil {
			t.Errorf("create %d: %v", n, err)
			break
		}
		if err := s.Drop(ctx, dbtest.Shop); err != nil {
			t.Errorf("drop %d: %v", n, err)
			break
		}
	}
	close(stop)
	work.Wait()
}
