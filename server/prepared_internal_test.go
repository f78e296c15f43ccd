package server

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// Whole lists are built a few at a time, for all clients together. Pages do not wait for them.
func TestWholeLists_BuiltInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const maxAtOnce = 3
		s := &Server{wholeLists: make(chan struct{}, maxAtOnce)}
		release := make(chan struct{})
		var running atomic.Int32
		list := s.limitWholeLists("inStock=true&limit=-1", func(ctx context.Context) *bufferedContext {
			running.Add(1)
			select {
			case <-release:
			case <-ctx.Done():
			}
			return nil
		})
		for range maxAtOnce + 2 {
			go list(t.Context())
			synctest.Wait()
		}
		if running.Load() != maxAtOnce {
			t.Errorf("got %d whole lists at once, want %d", running.Load(), maxAtOnce)
		}
		page := s.limitWholeLists("limit=-10", func(context.Context) *bufferedContext { return &bufferedContext{} })
		if page(t.Context()) == nil {
			t.Error("another list is not built")
		}
		left, leave := context.WithCancel(t.Context())
		leave()
		list(left) // returns
		close(release)
		synctest.Wait()
		if running.Load() != maxAtOnce+3 || len(s.wholeLists) != 0 {
			t.Errorf("got %d whole lists in all, %d slots in use, want all of them and none", running.Load(), len(s.wholeLists))
		}
	})
}
