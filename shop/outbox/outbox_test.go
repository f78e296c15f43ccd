package outbox_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
)

// kit writes to and reads from the outbox of a store whose clock it sets.
type kit struct {
	*shoptest.Clock
	t     *testing.T
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
	return kit{clock, t, store}
}

func (k kit) do(fn func(tx *db.Tx) error) {
	k.t.Helper()
	run := func(_ context.Context, tx *db.Tx) error { return fn(tx) }
	if err := k.store.Update(k.t.Context(), "test", run); err != nil {
		k.t.Fatal(err)
	}
}

func (k kit) add(subjects ...string) {
	k.t.Helper()
	k.do(func(tx *db.Tx) error {
		for _, subject := range subjects {
			event := outbox.Event{Type: outbox.OrderPlaced, Subject: subject}
			if err := outbox.Append(tx, event); err != nil {
				return err
			}
		}
		return nil
	})
}

// after returns the subjects of the events after a number.
func (k kit) after(seq int64) (subjects []string) {
	k.t.Helper()
	k.do(func(tx *db.Tx) error {
		events, err := outbox.After(tx, seq, 100)
		subjects = nil
		for _, e := range events {
			subjects = append(subjects, e.Subject)
		}
		return err
	})
	return subjects
}

func (k kit) want(what string, got []string, want ...string) {
	k.t.Helper()
	if !slices.Equal(got, want) {
		k.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// Events are numbered without gaps, and have the time and the actor of their transaction.
func TestAppend(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.add("a", "b")
	k.do(func(tx *db.Tx) error {
		outbox.Sign(tx, outbox.Actor{Kind: "cli"})
		return outbox.Append(tx, outbox.Event{Type: outbox.OrderPaid, Subject: "c"})
	})
	k.want("all", k.after(0), "a", "b", "c")
	k.want("after the second", k.after(2), "c")
	k.do(func(tx *db.Tx) error {
		e, err := outbox.Find(tx, 3)
		if err != nil {
			return err
		}
		if !e.At.Equal(k.Now()) || e.Data.Actor == nil || e.Data.Actor.Kind != "cli" {
			t.Errorf("got %+v, want it signed, now", e)
		}
		return nil
	})
}

// Old events are deleted once every consumer has processed them. The last stays, so that no number
// is used twice.
func TestPurge(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	purge := func() {
		t.Helper()
		k.do(func(tx *db.Tx) error {
			_, err := outbox.Purge(tx, 100)
			return err
		})
	}
	advance := func(seq int64) {
		t.Helper()
		k.do(func(tx *db.Tx) error { return outbox.Advance(tx, "search", seq) })
	}
	k.add("a", "b", "c")
	advance(1)
	purge()
	k.want("at first", k.after(0), "a", "b", "c")
	k.Advance(outbox.Retention + time.Second)
	purge()
	k.want("processed in part", k.after(0), "b", "c")
	advance(3)
	purge()
	k.want("processed", k.after(0), "c")
	k.add("d")
	k.want("the next", k.after(3), "d")
}

// A range has the events from a time and before another.
func TestRange(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	start := k.Now()
	for range 4 {
		k.add("a")
		k.Advance(time.Hour)
	}
	k.do(func(tx *db.Tx) error {
		r, err := outbox.NewRange(tx, start.Add(time.Hour), start.Add(3*time.Hour))
		if err != nil {
			return err
		}
		count, err := r.Count(tx, 100)
		if err != nil || count != 2 {
			t.Errorf("got %d events, %v, want 2", count, err)
		}
		events, _, err := r.Next(tx, 100)
		if len(events) != 2 || events[0].Seq != 2 || events[1].Seq != 3 {
			t.Errorf("got %+v, want the second and the third", events)
		}
		return err
	})
}
