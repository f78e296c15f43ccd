package tenants

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
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
	// lookBack is how long before the last look a shop can have been written to and still have work
	// that waits. It is beyond the longest wait of any job: providers' calls are purged after 90 days.
	lookBack = 100 * 24 * time.Hour
	// settled is how old a file's time must be to tell the next write apart from the last one.
	settled = 2 * time.Second
	// retryAfter is when a job that failed is tried again.
	retryAfter = time.Minute
	// rememberEvery is how often the time of the last look is written down.
	rememberEvery = 10 * time.Minute
	// backgroundFile in the data folder says when all shops were last looked at.
	backgroundFile = "background"
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
		{"purge provider calls", (*shop.Shop).PurgeCalls},
	}
}

// background does the jobs of all shops and opens the files of those only that may have something
// to do. Work comes into being by a write, so a shop is looked at when its file's time changes, and
// when a job asked for it. What waits across a restart was written within lookBack of the last look
// before it, which a file in the data folder tells; where that is missing, after a move of the
// folder or a power cut at the wrong moment, every shop is looked at once.
type background struct {
	tenants *Tenants
	log     *slog.Logger
	started bool // the shops of earlier runs are known
	watched map[db.ID]*watch
	saved   time.Time // when the file in the data folder was written
}

// watch is what is known of one shop between two looks.
type watch struct {
	touched time.Time // the file's time when it was last looked at; zero: look again
	due     time.Time // by the clock of the shops; zero: nothing waits
}

// RunBackground does what no request does, such as ending orders that were not paid in time, until
// ctx ends. One process of a data folder runs it: the one that holds the lock of LockServer.
func (t *Tenants) RunBackground(ctx context.Context, log *slog.Logger) {
	b := newBackground(t, log)
	tick := time.NewTicker(backgroundPause)
	defer tick.Stop()
	began, clock := time.Now(), &clockWatch{log: log}
	for {
		clock.look(time.Now(), time.Since(began))
		if err := b.look(ctx); err != nil && ctx.Err() == nil {
			b.log.Error("background work", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func newBackground(t *Tenants, log *slog.Logger) *background {
	return &background{tenants: t, log: log, watched: map[db.ID]*watch{}}
}

// look does what is due in all shops.
func (b *background) look(ctx context.Context) error {
	began := time.Now()
	touched, err := b.tenants.store.Touched(ctx)
	if err != nil {
		return err
	}
	for id := range b.watched {
		if _, there := touched[id]; !there {
			delete(b.watched, id)
		}
	}
	if !b.started {
		b.recall(touched)
	}
	b.visit(ctx, b.choose(touched))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b.started = true
	if began.Sub(b.saved) < rememberEvery {
		return nil
	}
	b.saved = began
	return b.remember(began)
}

// recall lets the shops alone that were not written to since before the last look of an earlier run.
func (b *background) recall(touched map[db.ID]time.Time) {
	text, err := os.ReadFile(b.file())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.log.Warn("background work: every shop is looked at", "error", err)
	}
	last, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
	if err != nil || last.After(time.Now()) { // or the clock was set back
		return
	}
	for id, at := range touched {
		if at.Before(last.Add(-lookBack)) {
			b.watched[id] = &watch{touched: at}
		}
	}
}

// choose gives the shops that may have something to do, and notes the state in which they are
// looked at: what is written from now on is seen the next time.
func (b *background) choose(touched map[db.ID]time.Time) []db.ID {
	var chosen []db.ID
	now := b.tenants.now()
	for id, at := range touched {
		w := b.watched[id]
		if w == nil {
			w = &watch{}
			b.watched[id] = w
		}
		if at.Equal(w.touched) && (w.due.IsZero() || now.Before(w.due)) {
			continue
		}
		if w.touched = at; time.Since(at) < settled {
			w.touched = time.Time{}
		}
		chosen = append(chosen, id)
	}
	return chosen
}

func (b *background) visit(ctx context.Context, ids []db.ID) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, backgroundSlots)
	for _, id := range ids {
		w := b.watched[id]
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			w.due = b.work(ctx, id)
		})
	}
	wg.Wait()
}

// work does the jobs of one shop and says when the next one is due.
func (b *background) work(ctx context.Context, id db.ID) (due time.Time) {
	earlier := func(at time.Time) {
		if !at.IsZero() && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}
	s, err := b.tenants.Any(ctx, string(id))
	if shop.HasCode(err, shop.CodeTenantNotFound) { // deleted since
		return time.Time{}
	}
	if err != nil {
		b.failed(ctx, id, "open", err)
		return b.tenants.now().Add(retryAfter)
	}
	for _, j := range jobs() {
		next, err := j.run(s, ctx)
		if err != nil {
			b.failed(ctx, id, j.name, err)
			next = b.tenants.now().Add(retryAfter)
		}
		earlier(next)
	}
	return due
}

func (b *background) failed(ctx context.Context, id db.ID, what string, err error) {
	if ctx.Err() == nil {
		b.log.Error("background work", "tenant", string(id), "job", what, "error", err)
	}
}

func (b *background) file() string { return filepath.Join(b.tenants.dir, backgroundFile) }

// remember writes down when all shops were looked at. Losing it costs one look at every shop.
func (b *background) remember(at time.Time) error {
	next := b.file() + ".next"
	err := os.WriteFile(next, []byte(at.UTC().Format(time.RFC3339)+"\n"), 0o600)
	if err == nil {
		err = os.Rename(next, b.file())
	}
	if err != nil {
		return fmt.Errorf("remember the last look: %w", err)
	}
	return nil
}
