package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop"
)

const (
	// backgroundPause lies between two looks at all shops.
	backgroundPause = 15 * time.Second
	// backgroundSlots bounds the shops that are worked on at once.
	backgroundSlots = 4
	// minModTimeAge is how old a file's time must be to tell the next write apart from the last one.
	minModTimeAge = 2 * time.Second
	// retryAfter is when a job that failed is tried again.
	retryAfter = time.Minute
	// saveInterval is how often what is known of the shops is written down, and their folder tidied.
	saveInterval = 10 * time.Minute
	// backgroundFile in the data folder says what is known of the shops, so that a start opens the
	// files of those only that have news. It can be deleted: then every shop is looked at once.
	backgroundFile = "background.json"
)

// job is work on one shop that no request does. It says when it wants to be called again; the zero
// time: not before the shop's data changes.
type job struct {
	name string
	run  func(s *shop.Shop, ctx context.Context) (next time.Time, err error)
}

// jobs are done one after the other, in this order.
func jobs() []job {
	return []job{
		{"look after payments", (*shop.Shop).SweepPayments}, // first: a paid order does not expire
		{"expire orders", (*shop.Shop).ExpireOrders},
		{"purge provider calls", (*shop.Shop).PurgeWebhooks},
	}
}

// background does the jobs of all shops and opens the files of those only that may have something
// to do. Work comes into being by a write, so a shop is looked at when its file's time changes, and
// when a job asked for it. That holds across a restart too: a file in the data folder remembers.
type background struct {
	tenants *Tenants
	log     *slog.Logger
	started bool // the shops of earlier runs are known
	watched map[db.ID]*shopState
	saved   time.Time // when the file in the data folder was written
}

// shopState is what is known of one shop between two looks.
type shopState struct {
	ModTime time.Time `json:"touched,omitzero"` // the file's time when it was last looked at; zero: look again
	Due     time.Time `json:"due,omitzero"`     // by the clock of the shops; zero: nothing waits
}

// savedState is what the file in the data folder holds.
type savedState struct {
	Jobs  []string             `json:"jobs"` // those that were done; others would not have looked yet
	Shops map[db.ID]*shopState `json:"shops"`
}

func jobNames() []string {
	var names []string
	for _, j := range jobs() {
		names = append(names, j.name)
	}
	return names
}

// RunBackground does what no request does, such as ending orders that were not paid in time, until
// ctx ends. One process of a data folder runs it: the one that holds the lock of LockServer.
func (t *Tenants) RunBackground(ctx context.Context, log *slog.Logger) {
	b := newBackground(t, log)
	tick := time.NewTicker(backgroundPause)
	defer tick.Stop()
	began, clock := time.Now(), &clockWatch{log: log}
	for {
		clock.check(time.Now(), time.Since(began))
		if err := b.runOnce(ctx); err != nil && ctx.Err() == nil {
			b.log.Error("background work", "error", err)
		}
		select {
		case <-ctx.Done():
			b.end()
			return
		case <-tick.C:
		}
	}
}

// end spares the next start what this run has done.
func (b *background) end() {
	if !b.started {
		return // not all is known yet
	}
	if err := b.saveState(); err != nil {
		b.log.Error("background work", "error", err)
	}
}

func newBackground(t *Tenants, log *slog.Logger) *background {
	return &background{tenants: t, log: log, watched: map[db.ID]*shopState{}}
}

// runOnce does what is due in all shops.
func (b *background) runOnce(ctx context.Context) error {
	began := time.Now()
	touched, err := b.tenants.store.ModTimes(ctx)
	if err != nil {
		return err
	}
	if !b.started {
		b.loadState()
	}
	for id := range b.watched {
		if _, there := touched[id]; !there {
			delete(b.watched, id)
		}
	}
	b.runShops(ctx, b.selectDue(touched))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b.started = true
	if began.Sub(b.saved) < saveInterval {
		return nil
	}
	b.saved = began
	return errors.Join(b.saveState(), b.tenants.store.Tidy(ctx))
}

// loadState brings back what an earlier run knew.
func (b *background) loadState() {
	text, err := os.ReadFile(b.file())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var known savedState
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil {
		b.log.Warn("background work: every shop is looked at", "error", err)
		return
	}
	if !slices.Equal(known.Jobs, jobNames()) {
		return // another version's
	}
	for id, w := range known.Shops {
		if w != nil {
			b.watched[id] = w
		}
	}
}

// selectDue gives the shops that may have something to do, and notes the state in which they are
// looked at: what is written from now on is seen the next time.
func (b *background) selectDue(touched map[db.ID]time.Time) []db.ID {
	var chosen []db.ID
	now := b.tenants.now()
	for id, at := range touched {
		w := b.watched[id]
		if w == nil {
			w = &shopState{}
			b.watched[id] = w
		}
		if at.Equal(w.ModTime) && (w.Due.IsZero() || now.Before(w.Due)) {
			continue
		}
		if w.ModTime = at; time.Since(at) < minModTimeAge {
			w.ModTime = time.Time{}
		}
		chosen = append(chosen, id)
	}
	return chosen
}

func (b *background) runShops(ctx context.Context, ids []db.ID) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, backgroundSlots)
	for _, id := range ids {
		w := b.watched[id]
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			w.Due = b.runJobs(ctx, id)
		})
	}
	wg.Wait()
}

// runJobs does the jobs of one shop and says when the next one is due.
func (b *background) runJobs(ctx context.Context, id db.ID) (due time.Time) {
	earlier := func(at time.Time) {
		if !at.IsZero() && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}
	s, err := b.tenants.FindIncludingSuspended(ctx, string(id))
	if shop.HasCode(err, shop.CodeTenantNotFound) { // deleted since
		return time.Time{}
	}
	if err != nil {
		b.logFailure(ctx, id, "open", err)
		return b.tenants.now().Add(retryAfter)
	}
	for _, j := range jobs() {
		next, err := j.run(s, ctx)
		if err != nil {
			b.logFailure(ctx, id, j.name, err)
			next = b.tenants.now().Add(retryAfter)
		}
		earlier(next)
	}
	return due
}

func (b *background) logFailure(ctx context.Context, id db.ID, what string, err error) {
	if ctx.Err() == nil {
		b.log.Error("background work", "tenant", string(id), "job", what, "error", err)
	}
}

func (b *background) file() string { return filepath.Join(b.tenants.dir, backgroundFile) }

// saveState writes down what is known. Losing it costs one look at every shop.
func (b *background) saveState() error {
	text, err := json.Marshal(savedState{jobNames(), b.watched})
	if err != nil {
		return fmt.Errorf("remember the shops: %w", err)
	}
	next := b.file() + ".next"
	if err = os.WriteFile(next, text, 0o600); err == nil {
		err = os.Rename(next, b.file())
	}
	if err != nil {
		return fmt.Errorf("remember the shops: %w", err)
	}
	return nil
}
