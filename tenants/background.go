package tenants

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/fault"
)

const (
	// backgroundPause is the interval of checks of all shops.
	backgroundPause = 15 * time.Second
	// backgroundSlots limits the shops that are worked on concurrently.
	backgroundSlots = 4
	// minModTimeAge is the age from which a modification time is trusted: a later write within the
	// resolution of the file system's clock may leave a younger one unchanged.
	minModTimeAge = 2 * time.Second
	// maxJobTime is far above the time of a job that waits for slow providers.
	maxJobTime = 10 * time.Minute
	// retryAfter is the delay after a failed job.
	retryAfter = time.Minute
	// pushPause is the longest time until a shop that was restored, or created while an operator
	// changed them, has the present plan and defaults.
	pushPause = time.Hour
	// saveInterval is the interval at which the state of the shops is saved and their folder is
	// tidied.
	saveInterval = 10 * time.Minute
	// backgroundFile in the data folder stores the state of the shops, so that a start opens only the
	// files with work to do. It can be deleted: then every shop is checked once.
	backgroundFile = "background.json"
)

// checkedJobs returns the jobs that run at a check of a shop, without the announcing jobs.
func checkedJobs() []shop.Work {
	return slices.DeleteFunc(shop.BackgroundWork(), func(w shop.Work) bool { return w.Announces })
}

// wokenJobs returns the jobs that run after a commit, without the announcing jobs.
func wokenJobs() []shop.Work {
	return slices.DeleteFunc(checkedJobs(), func(w shop.Work) bool { return w.Tidies })
}

// announcingJobs returns the jobs that announce a commit.
func announcingJobs() []shop.Work {
	return slices.DeleteFunc(shop.BackgroundWork(), func(w shop.Work) bool { return !w.Announces })
}

// background runs the jobs of all shops and opens only the files that may have work to do. Work is
// created by writes, so a shop is checked when its file's modification time changes, when a job is
// due, and after each commit of this process. The state is saved in the data folder and survives a
// restart. A check waits for no job: a slow provider of one shop delays nothing of another.
type background struct {
	tenants *Tenants
	log     *slog.Logger
	pause   time.Duration // interval of checks of all shops
	started bool          // the state is loaded and every shop was checked once
	saved   time.Time     // time of the last write of backgroundFile

	checked chan struct{}  // closed: the jobs of the first check have ended
	jobs    []shop.Work    // that run at a check
	slots   chan struct{}  // of the shops with running jobs
	working sync.WaitGroup // started by checks

	mu         sync.Mutex
	watched    map[db.ID]*shopState
	waiting    map[db.ID]bool // jobs that a check will start
	running    map[db.ID]bool // running jobs, except announcing ones
	announcing map[db.ID]bool // running announcing jobs
	// dueAt is the time until which followDue waits. sooner lets it check earlier.
	dueAt  time.Time
	sooner chan struct{}

	// jobTimeout limits one job on one shop, so that it cannot hold a reader or a slot forever.
	jobTimeout time.Duration
}

// RunBackground runs the background work of all shops, such as expiring unpaid orders, until ctx
// ends. Only the process with the lock of [Tenants.LockServer] may run it.
func (t *Tenants) RunBackground(ctx context.Context, log *slog.Logger) {
	newBackground(t, log).run(ctx)
}

func (b *background) run(ctx context.Context) {
	t := b.tenants
	defer startWatch(ctx, func(ctx context.Context) {
		t.files.CheckFiles(ctx)
		t.files.CloseUnused()
	})()
	for _, c := range []*commits{t.committed, t.announced} {
		c.collect(true)
		defer c.collect(false)
	}
	following, stop := context.WithCancel(ctx)
	var followers sync.WaitGroup
	followers.Go(func() { b.followCommits(following, t.committed, b.runCommitted) })
	followers.Go(func() { b.followCommits(following, t.announced, b.announce) })
	followers.Go(func() { b.followDue(following) })
	followers.Go(func() { b.followRequests(following) })
	if t.engines != nil {
		followers.Go(func() { b.followServers(following) })
	}
	stopFollowing := func() { stop(); followers.Wait() }
	defer stopFollowing()
	tick := time.NewTicker(b.pause)
	defer tick.Stop()
	began, clock := time.Now(), &clockWatch{log: b.log}
	work, checked := b.runOnce, b.checked
	for {
		clock.check(time.Now(), time.Since(began))
		at := time.Now()
		if err := work(ctx); err == nil {
			t.workedAt.Store(&at)
		} else if ctx.Err() == nil {
			b.log.Error("background work failed", "error", err)
		}
		select {
		case <-ctx.Done():
			stopFollowing()
			b.working.Wait()
			b.finish()
			t.workedAt.Store(nil)
			return
		case <-checked:
			work, checked = b.save, nil
		case <-tick.C:
			work = b.runOnce
		}
	}
}

// filesPause is the interval at which the files of all open shops are checked. If the process is
// killed after a log was removed and before that is noticed, the commits in the log are lost.
const filesPause = time.Second

// startWatch calls check at that interval until stop is called or ctx ends.
func startWatch(ctx context.Context, check func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		for sleep(ctx, filesPause) {
			check(ctx)
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

func newBackground(t *Tenants, log *slog.Logger) *background {
	return &background{
		tenants: t, log: log, pause: backgroundPause, jobTimeout: maxJobTime,
		checked: make(chan struct{}), jobs: checkedJobs(), slots: make(chan struct{}, backgroundSlots),
		watched: map[db.ID]*shopState{}, waiting: map[db.ID]bool{}, running: map[db.ID]bool{}, announcing: map[db.ID]bool{},
		sooner: make(chan struct{}, 1),
	}
}

// runOnce starts the due jobs of all shops and does not wait for them.
func (b *background) runOnce(ctx context.Context) error {
	began := time.Now()
	modified, err := b.tenants.modTimes(ctx)
	if err != nil {
		return err
	}
	if !b.started {
		b.loadState()
	}
	b.removeGone(modified)
	selected := b.selectDue(modified)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	first := !b.started
	b.started = true
	b.wait(selected)
	b.working.Go(func() {
		if b.checkShops(ctx, selected); first {
			close(b.checked)
		}
	})
	if first || began.Sub(b.saved) < saveInterval { // after the first check there is little to save
		return nil
	}
	return b.save(ctx)
}

// save saves the state and tidies the folder of the shops.
func (b *background) save(ctx context.Context) error {
	b.saved = time.Now()
	return errors.Join(b.saveState(), b.tenants.files.Tidy(ctx))
}

// wait records that the jobs of shops will start.
func (b *background) wait(ids []db.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		b.waiting[id] = true
	}
}

// isNext reports whether a shop waits for its jobs, and ends its wait.
func (b *background) isNext(id db.ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	waits := b.waiting[id]
	delete(b.waiting, id)
	return waits
}

// removeGone removes the state of shops that are no longer there.
func (b *background) removeGone(modified map[db.ID]time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range b.watched {
		if _, ok := modified[id]; !ok {
			delete(b.watched, id)
		}
	}
}

// modTimes returns the modification times of the shops for which this process does the background
// work.
func (t *Tenants) modTimes(ctx context.Context) (map[db.ID]time.Time, error) {
	if t.engines != nil && !t.engines.holdsLease(ctx, backgroundLease) {
		return t.engines.own.ModTimes(ctx)
	}
	return t.store.ModTimes(ctx)
}

// selectDue returns the shops that may have work to do, and records the modification times before
// they are opened, so that later writes are seen at the next check.
func (b *background) selectDue(modified map[db.ID]time.Time) []db.ID {
	var selected []db.ID
	now, failing := b.tenants.now(), b.tenants.Failing()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range failing { // also shops that were only used by a request
		if w := b.watched[db.ID(f.UID)]; w != nil && (w.Due.IsZero() || w.Due.After(now.Add(retryAfter))) {
			w.Due = now.Add(retryAfter)
		}
	}
	for id, at := range modified {
		w := b.watched[id]
		if w == nil {
			w = &shopState{}
			b.watched[id] = w
		}
		isUnderway := b.waiting[id] || b.running[id]
		if at.Equal(w.ModTime) && (w.Due.IsZero() || now.Before(w.Due) || isUnderway) {
			continue
		}
		if w.ModTime = at; time.Since(at) < minModTimeAge {
			w.ModTime = time.Time{}
		}
		selected = append(selected, id)
	}
	return selected
}

// slotPatience is the time that a shop, whose file is open, waits for a slot of other jobs.
const slotPatience = 100 * time.Millisecond

// checkShops runs the jobs of shops, of several concurrently: the announcing ones and then the
// others. Each file is opened once, unless slow jobs use all slots: they must not delay
// announcements. Jobs that have not begun when ctx ends wait for the next process; announcing ones
// are due at its start.
func (b *background) checkShops(ctx context.Context, ids []db.ID) {
	var announcing, running sync.WaitGroup
	slots := make(chan struct{}, backgroundSlots) // of announcing jobs
	late := make(chan db.ID, len(ids))
	for _, id := range ids {
		if slots <- struct{}{}; ctx.Err() != nil {
			<-slots
			b.announceAgain(id)
			continue
		}
		announcing.Add(1)
		running.Go(func() {
			b.tenants.files.Briefly(ctx, id, func(ctx context.Context) {
				b.announce(ctx, id)
				isNext := b.waitSlot()
				if !isNext {
					late <- id
				}
				announcing.Done()
				if <-slots; isNext {
					b.runShop(ctx, id)
				}
			})
		})
	}
	announcing.Wait()
	close(late)
	for id := range late {
		b.slots <- struct{}{}
		running.Go(func() {
			b.tenants.files.Briefly(ctx, id, func(ctx context.Context) { b.runShop(ctx, id) })
		})
	}
	running.Wait()
}

// waitSlot waits a moment for the slot of a shop.
func (b *background) waitSlot() bool {
	patience := time.NewTimer(slotPatience)
	defer patience.Stop()
	select {
	case b.slots <- struct{}{}:
		return true
	case <-patience.C:
		return false
	}
}

// runShop runs the jobs of a shop that waits for them, in a slot that it releases.
func (b *background) runShop(ctx context.Context, id db.ID) {
	defer func() { <-b.slots }()
	if ctx.Err() != nil || !b.isNext(id) {
		return
	}
	if begun := b.begin(id); !begun { // after a commit
		b.checkAgain(id)
		return
	}
	due := b.runJobs(ctx, id, b.jobs)
	b.end(id, func(w *shopState) { w.Due = due })
	if ctx.Err() != nil { // the jobs were interrupted
		b.checkAgain(id)
	}
}

// checkAgain makes the next check of all shops run the jobs of this one.
func (b *background) checkAgain(id db.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w := b.watched[id]; w != nil {
		w.ModTime = time.Time{}
	}
}

// runJobs runs jobs of one shop and returns the time at which the next one is due.
func (b *background) runJobs(ctx context.Context, id db.ID, jobs []shop.Work) (due time.Time) {
	earlier := func(at time.Time) {
		if !at.IsZero() && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}
	s, _, err := b.tenants.find(ctx, string(id))
	if fault.HasCode(err, fault.CodeTenantNotFound) { // deleted in the meantime
		return time.Time{}
	}
	if err != nil {
		b.logFailure(ctx, id, "open", err)
		return b.tenants.now().Add(retryAfter)
	}
	if id == Installation {
		again := pushPause
		if err := b.tenants.PushCopies(ctx, func(int, int) {}); err != nil {
			b.logFailure(ctx, id, "set plans and defaults", err)
			again = retryAfter
		}
		earlier(b.tenants.now().Add(again))
	}
	for _, j := range jobs {
		limited, cancel := context.WithTimeout(ctx, b.jobTimeout)
		next, err := j.Run(s, limited)
		cancel()
		if err != nil {
			b.logFailure(ctx, id, j.Name, err)
			next = b.tenants.now().Add(retryAfter)
		}
		earlier(next)
	}
	return due
}

func (b *background) logFailure(ctx context.Context, id db.ID, job string, err error) {
	if ctx.Err() == nil {
		b.log.Error("background job failed", "tenant", string(id), "job", job, "error", err)
	}
}
