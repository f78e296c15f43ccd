package tenants

import (
	"context"
	"maps"
	"sync"
	"time"

	"storefront/db"
)

// commitPause is the shortest interval between two runs of a shop's jobs after commits, so that a
// busy shop's jobs cost little, and each run covers many commits.
const commitPause = time.Second

// commits are the shops with commits of this process since their jobs ran.
type commits struct {
	mu     sync.Mutex
	ids    map[db.ID]struct{} // nil if nobody waits for them
	signal chan struct{}      // has an element if there may be shops
}

func newCommits() *commits { return &commits{signal: make(chan struct{}, 1)} }

// collect begins to collect shops, or ends it if on is false.
func (c *commits) collect(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids = nil; on {
		c.ids = map[db.ID]struct{}{}
	}
}

// add adds a shop.
func (c *commits) add(id db.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids == nil {
		return
	}
	c.ids[id] = struct{}{}
	select {
	case c.signal <- struct{}{}:
	default: // there is one already
	}
}

// remove returns the shops so far and removes them.
func (c *commits) remove() (ids []db.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.ids {
		ids = append(ids, id)
	}
	clear(c.ids)
	return ids
}

// followCommits calls run for the shops with commits of this process and of other servers, until
// ctx ends. The writes of other processes to files are found by runOnce.
func (b *background) followCommits(ctx context.Context, to *commits, run func(ctx context.Context, id db.ID)) {
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, backgroundSlots)
	for {
		select {
		case <-ctx.Done():
			return
		case <-to.signal:
		}
		for _, id := range to.remove() {
			select {
			case <-ctx.Done():
				return
			case slots <- struct{}{}:
			}
			running.Go(func() {
				defer func() { <-slots }()
				run(ctx, id)
			})
		}
		if !sleep(ctx, commitPause) {
			return
		}
	}
}

// serversPause is the interval of checks for commits of other servers.
const serversPause = 250 * time.Millisecond

// followServers adds the shops with commits of other servers, until ctx ends.
func (b *background) followServers(ctx context.Context) {
	t := b.tenants
	seen, handled := map[db.ID]int64{}, map[db.ID]uint64{}
	for sleep(ctx, serversPause) {
		written, err := t.engines.writtenShops(ctx, t.store.Now())
		if err != nil {
			continue // runOnce reports it
		}
		for id, version := range written {
			if seen[id] == version {
				continue
			}
			external, err := t.store.ExternalVersion(ctx, id) // commits of this process do not change it
			if err == nil && handled[id] != external {
				handled[id] = external
				t.onCommit(id)
			}
		}
		maps.DeleteFunc(handled, func(id db.ID, _ uint64) bool { return written[id] == 0 })
		seen = written
	}
}

// runCommitted runs the jobs that may have work after a commit to a shop.
func (b *background) runCommitted(ctx context.Context, id db.ID) {
	if works, err := b.tenants.worksOn(ctx, id); err != nil || !works {
		return // runOnce reports the error
	}
	if !b.begin(id) {
		b.tenants.committed.add(id) // its jobs may have missed the commit
		return
	}
	due := b.runJobs(ctx, id, wokenJobs())
	b.end(id, func(w *shopState) {
		if !due.IsZero() && (w.Due.IsZero() || due.Before(w.Due)) {
			w.Due = due
		}
	})
}

// worksOn reports whether this process does the background work of a shop.
func (t *Tenants) worksOn(ctx context.Context, id db.ID) (bool, error) {
	if t.engines == nil || t.engines.holdsLease(ctx, backgroundLease) {
		return true, nil
	}
	return t.engines.own.Exists(ctx, id)
}

// begin reports whether no jobs of a shop are running, and marks them as running.
func (b *background) begin(id db.ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running[id] {
		return false
	}
	b.running[id] = true
	return true
}

// end records that the jobs of a shop have ended, and changes its state if it has one.
func (b *background) end(id db.ID, change func(*shopState)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, id)
	if w := b.watched[id]; w != nil {
		change(w)
	}
}
