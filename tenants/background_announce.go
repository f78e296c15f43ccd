package tenants

import (
	"context"
	"time"

	"storefront/db"
)

// announce runs the announcing jobs of a shop, if they are due or after a commit. Other jobs of the
// shop, which may wait for a slow provider, do not delay them.
func (b *background) announce(ctx context.Context, id db.ID) {
	if works, err := b.tenants.worksOn(ctx, id); err != nil || !works {
		return // runOnce reports the error
	}
	b.mu.Lock()
	begun := !b.announcing[id]
	b.announcing[id] = true
	b.mu.Unlock()
	if !begun {
		b.tenants.announced.add(id) // they may have missed the commit
		return
	}
	due := b.runJobs(ctx, id, announcingJobs())
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.announcing, id)
	if w := b.watched[id]; w != nil {
		if w.Announce = due; !due.IsZero() && due.Before(b.dueAt) {
			b.checkSooner()
		}
	}
}

// announceAgain makes the announcing jobs of a shop due.
func (b *background) announceAgain(id db.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w := b.watched[id]; w != nil {
		w.Announce = b.tenants.now()
	}
}

// followDue runs the announcing jobs when they are due, such as another attempt at a webhook after
// 5 s, until ctx ends.
func (b *background) followDue(ctx context.Context) {
	for {
		timer := time.NewTimer(b.addDue())
		select {
		case <-ctx.Done():
		case <-b.sooner:
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// addDue adds the shops with due announcing jobs to the announced ones, and returns the time of the
// next check, at the latest after the interval of checks: the clock may be set.
func (b *background) addDue() (wait time.Duration) {
	now := b.tenants.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dueAt = now.Add(b.pause)
	for id, w := range b.watched {
		if w.Announce.IsZero() {
			continue
		}
		if !w.Announce.After(now) {
			b.tenants.announced.add(id)
			w.Announce = now.Add(retryAfter) // its run replaces this
		}
		if w.Announce.Before(b.dueAt) {
			b.dueAt = w.Announce
		}
	}
	return b.dueAt.Sub(now)
}

// checkSooner lets followDue check before the time that it waits for.
func (b *background) checkSooner() {
	select {
	case b.sooner <- struct{}{}:
	default: // it will
	}
}
