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
	return holdReaders(tb, store.ViewMany, uid)
}

// HoldAllReaders occupies all readers of a shop, until release is called.
func HoldAllReaders(tb testing.TB, store *db.Store, uid string) (release func()) {
	tb.Helper()
	return holdReaders(tb, store.View, uid)
}

type view func(context.Context, db.ID, func(context.Context, *db.Tx) error) error

func holdReaders(tb testing.TB, view view, uid string) (release func()) {
	tb.Helper()
	proceed := make(chan struct{})
	var held []chan error
	for {
		started, ended := make(chan struct{}), make(chan error, 1)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
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
			if len(held) == 0 {
				tb.Fatalf("hold readers of %s: %v", uid, err)
			}
		}
		return func() {
			close(proceed)
			for _, ended := range held {
				<-ended
			}
		}
	}
}
