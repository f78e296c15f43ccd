package tenants

import (
	"context"
	"sync"
	"time"

	"storefront/db"
)

// announce runs the jobs that announce a commit to a shop, or are due, beside others of the shop,
// which may wait for a slow provider.
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

// announceShops runs the jobs that announce of shops that a check has found, of some at once. Those
// that it has not begun when ctx ends are checked again.
func (b *background) announceShops(ctx context.Context, ids []db.ID) {
	var running sync.WaitGroup
	slots := make(chan struct{}, backgroundSlots)
	for _, id := range ids {
		if slots <- struct{}{}; ctx.Err() != nil {
			<-slots
			b.checkAgain(id)
			continue
		}
		running.Go(func() {
			defer func() { <-slots }()
			b.announce(ctx, id)
		})
	}
	running.Wait()
}

// followDue lets the jobs that announce run when they are due, such as another attempt at a webhook
// after 5 s, until ctx ends.
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

// addDue adds the shops whose jobs that announce are due to those that are announced, and returns
// when to check again, at the latest after the interval of checks: the clock may be set.
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

// checkSooner lets followDue check before the time for which it waits.
func (b *background) checkSooner() {
	select {
	case b.sooner <- struct{}{}:
	default: // it will
	}
}
