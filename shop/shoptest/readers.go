package shoptest

import (
	"context"
	"testing"
	"time"

	"storefront/db"
)

// HoldReaders occupies the readers that a shop has for lists, until release is called.
func HoldReaders(tb testing.TB, store *db.Store, uid string) (release func()) {
	tb.Helper()
	release, _ = holdReaders(tb, store.ViewMany, uid, 0)
	return release
}

// HoldAllReaders occupies all readers of a shop, until release is called. They are n, or if n is 0
// it finds that out, which takes a second. It returns their number.
func HoldAllReaders(tb testing.TB, store *db.Store, uid string, n int) (release func(), readers int) {
	tb.Helper()
	return holdReaders(tb, store.View, uid, n)
}

type view func(context.Context, db.ID, func(context.Context, *db.Tx) error) error

func holdReaders(tb testing.TB, view view, uid string, n int) (release func(), readers int) {
	tb.Helper()
	proceed := make(chan struct{})
	var held []chan error
	release = func() {
		close(proceed)
		for _, ended := range held {
			<-ended
		}
	}
	for n == 0 || len(held) < n {
		started, ended := make(chan struct{}), make(chan error, 1)
		ctx, cancel := context.Background(), func() {}
		if n == 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Second)
		}
		go func() {
			ended <- view(ctx, db.ID(uid), func(context.Context, *db.Tx) error {
				close(started)
				<-proceed
				return nil
			})
		}()
		select {
		case <-started:
			defer cancel()
			held = append(held, ended)
			continue
		case err := <-ended: // no reader is left
			cancel()
			if len(held) == 0 || n > 0 {
				tb.Fatalf("hold readers of %s: %v", uid, err)
			}
		}
		break
	}
	return release, len(held)
}
