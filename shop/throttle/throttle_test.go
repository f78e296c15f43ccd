package throttle_test

import (
	"context"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/throttle"
)

// kit runs a throttle in transactions of a store whose clock it sets.
type kit struct {
	*shoptest.Clock
	store *db.Store
}

func newKit(t *testing.T) kit {
	t.Helper()
	clock := shoptest.NewClock()
	store := shoptest.NewStore(t, clock)
	nothing := func(context.Context, *db.Tx) error { return nil }
	if err := store.Create(t.Context(), "test", nothing); err != nil {
		t.Fatal(err)
	}
	return kit{clock, store}
}

func (k kit) do(t *testing.T, fn func(tx *db.Tx) error) {
	t.Helper()
	run := func(_ context.Context, tx *db.Tx) error { return fn(tx) }
	if err := k.store.Update(t.Context(), "test", run); err != nil {
		t.Fatal(err)
	}
}

// wait returns the seconds that a throttle blocks, 0 if it does not.
func (k kit) wait(t *testing.T, limit throttle.Throttle) (seconds int) {
	t.Helper()
	k.do(t, func(tx *db.Tx) error {
		err := limit.Check(tx)
		if err != nil {
			seconds = shoptest.WantCode(t, err, fault.CodeRateLimited).RetryAfter
		}
		return nil
	})
	return seconds
}

// A throttle blocks after its limit, until the window since the first failure has passed.
func TestThrottle_Window(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	limit := throttle.New([]byte("key"), 2, time.Minute)
	other := throttle.New([]byte("other"), 2, time.Minute)
	for failures := range 3 {
		want := 0
		if failures == 2 {
			want = 40
		}
		if got := k.wait(t, limit); got != want {
			t.Errorf("after %d failures: got a wait of %d s, want %d", failures, got, want)
		}
		if failures < 2 {
			k.do(t, limit.Count)
			k.Advance(10 * time.Second)
		}
	}
	if got := k.wait(t, other); got != 0 {
		t.Errorf("another key: got a wait of %d s, want none", got)
	}
	k.Advance(40 * time.Second)
	if got := k.wait(t, limit); got != 0 {
		t.Errorf("after the window: got a wait of %d s, want none", got)
	}
}

// Each failure beyond the limit doubles the wait, up to an hour. A success ends it.
func TestThrottle_Delay(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	limit := throttle.NewDelayed([]byte("key"), 1, 24*time.Hour, 20*time.Minute)
	for _, want := range []int{1200, 2400, 3600, 3600} {
		k.do(t, limit.Count)
		if got := k.wait(t, limit); got != want {
			t.Errorf("got a wait of %d s, want %d", got, want)
		}
		k.Advance(time.Hour)
	}
	k.do(t, limit.Count)
	k.do(t, limit.Reset)
	if got := k.wait(t, limit); got != 0 {
		t.Errorf("after a reset: got a wait of %d s, want none", got)
	}
}

// What turns out to be no failure is not counted.
func TestThrottle_Uncount(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	limit := throttle.New([]byte("key"), 2, time.Minute)
	for range 2 {
		k.do(t, limit.Count)
	}
	k.do(t, limit.Uncount)
	if got := k.wait(t, limit); got != 0 {
		t.Errorf("got a wait of %d s, want none", got)
	}
	k.do(t, limit.Count)
	if got := k.wait(t, limit); got != 60 {
		t.Errorf("got a wait of %d s, want 60", got)
	}
}

// Addresses of one network share a count; kinds and networks do not.
func TestSource_PerNetwork(t *testing.T) {
	t.Parallel()
	source := throttle.NewSource([]byte("secret"))
	key := func(kind, client string) string {
		return string(source.PerNetwork(kind, client, 1).Key())
	}
	first := key("sign-in", "192.0.2.1")
	if key("sign-in", "192.0.2.200") != first {
		t.Error("got different counts in one network")
	}
	for _, other := range []string{key("sign-in", "192.0.3.1"), key("code", "192.0.2.1")} {
		if other == first {
			t.Error("got one count for different networks or kinds")
		}
	}
}
