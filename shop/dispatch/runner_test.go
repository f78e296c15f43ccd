package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"storefront/shop/dispatch"
)

// A queue has one item at work, queues that share a limit no more than it allows, and a slow limit
// holds up nobody else.
func TestRunner_Limits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dispatch.NewRunner(6)
		defer r.Close(t.Context())
		var mu sync.Mutex
		all, most := 0, 0
		started := time.Now()
		ended := map[string]time.Duration{}
		for shop := range 3 {
			for i := range 10 {
				var left, running atomic.Int32
				left.Store(3)
				name := fmt.Sprintf("%d/%d", shop, i)
				q := dispatch.Queue{
					Name: name, Within: []dispatch.Limit{{Name: fmt.Sprint("shop ", shop), Max: 2}},
					Next: func(context.Context) bool {
						if n := running.Add(1); n != 1 {
							t.Errorf("got %d items of queue %s at once, want 1", n, name)
						}
						mu.Lock()
						all++
						most = max(most, all)
						mu.Unlock()
						time.Sleep(time.Second)
						running.Add(-1)
						mu.Lock()
						defer mu.Unlock()
						all--
						if left.Add(-1) > 0 {
							return true
						}
						ended[name] = time.Since(started)
						return false
					},
				}
				r.Start(q)
			}
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if most != 6 {
			t.Errorf("got %d items at once, want 6: two of each shop", most)
		}
		if len(ended) != 30 {
			t.Fatalf("got %d queues done, want 30", len(ended))
		}
		for name, at := range ended {
			if at > 15*time.Second {
				t.Errorf("queue %s was done after %v, want within 15 s: 30 items of a shop, two at a time", name, at)
			}
		}
	})
}

// What is started while its queue is at work is found by that work.
func TestRunner_StartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dispatch.NewRunner(1)
		defer r.Close(t.Context())
		runs := 0
		q := dispatch.Queue{Name: "one", Next: func(context.Context) bool {
			runs++
			time.Sleep(time.Second)
			return false
		}}
		r.Start(q)
		synctest.Wait()
		r.Start(q)
		r.Start(q)
		time.Sleep(time.Minute)
		synctest.Wait()
		if runs != 2 {
			t.Errorf("got %d runs, want 2", runs)
		}
	})
}

// A panic ends neither the process nor other queues, and holds no limit. Its queue runs when it is
// started again.
func TestRunner_Panic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dispatch.NewRunner(1)
		defer r.Close(t.Context())
		var failures []error
		runs, others := 0, 0
		poison := dispatch.Queue{
			Name: "poison", Within: []dispatch.Limit{{Name: "shop", Max: 1}}, Failed: func(err error) { failures = append(failures, err) },
			Next: func(context.Context) bool {
				if runs++; runs == 1 {
					panic("an item")
				}
				return false
			},
		}
		r.Start(poison)
		synctest.Wait()
		r.Start(dispatch.Queue{Name: "other", Within: poison.Within, Next: func(context.Context) bool {
			others++
			return others < 3
		}})
		synctest.Wait()
		if len(failures) != 1 || !errors.Is(failures[0], dispatch.ErrPanic) || others != 3 {
			t.Errorf("got failures %v and %d items of another queue, want one panic and 3 items", failures, others)
		}
		r.Start(poison)
		synctest.Wait()
		if runs != 2 || len(failures) != 1 {
			t.Errorf("got %d runs and failures %v, want a second run", runs, failures)
		}
	})
}

// Close waits for items that run, begins no others, and abandons those that take too long.
func TestRunner_Close(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dispatch.NewRunner(1)
		abandoned := false
		r.Start(dispatch.Queue{Name: "long", Next: func(ctx context.Context) bool {
			select {
			case <-ctx.Done():
				abandoned = true
			case <-time.After(time.Hour):
			}
			return true
		}})
		synctest.Wait()
		r.Start(dispatch.Queue{Name: "waiting", Next: func(context.Context) bool {
			t.Error("an item began after Close")
			return false
		}})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := time.Now()
		r.Close(ctx)
		if took := time.Since(begun); !abandoned || took != time.Minute {
			t.Errorf("got abandoned = %v after %v, want true after 1m0s", abandoned, took)
		}
		r.Start(dispatch.Queue{Name: "late", Next: func(context.Context) bool {
			t.Error("an item began after Close")
			return false
		}})
		synctest.Wait()
	})
}
