package job

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"storefront/db"
)

// Limits of what runs at once.
const (
	maxPerShop    = 2
	maxPerProcess = 8
)

// leaseTime is how long a job waits for a run that has stopped without a trace, as by a crash. A
// lease is renewed three times as often.
const leaseTime = 10 * time.Second

// Runner runs the jobs of all shops of a process. Create one with [NewRunner].
type Runner struct {
	slots    chan struct{}
	stopping chan struct{} // closed: no further items are begun
	hard     context.Context
	abort    context.CancelFunc
	running  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	workers map[*Jobs]*workers
}

// workers are the goroutines that work on the jobs of a shop.
type workers struct {
	count int
	woken bool // a job may have been created since the queue was read
}

// NewRunner returns a runner without work. The caller must close it with [Runner.Close].
func NewRunner() *Runner {
	r := &Runner{slots: make(chan struct{}, maxPerProcess), stopping: make(chan struct{}), workers: map[*Jobs]*workers{}}
	r.hard, r.abort = context.WithCancel(context.Background())
	return r
}

// Close lets items in progress end, and aborts them when ctx ends. Jobs continue in the process
// that next runs them.
func (r *Runner) Close(ctx context.Context) {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.stopping)
	}
	r.mu.Unlock()
	defer context.AfterFunc(ctx, r.abort)()
	r.running.Wait()
}

// start lets the queue of a shop be worked on. It does not wait.
func (r *Runner) start(j *Jobs) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	w := r.workers[j]
	if w == nil {
		w = &workers{}
		r.workers[j] = w
	}
	w.woken = true
	if w.count < maxPerShop {
		w.count++
		r.running.Go(func() { r.work(j, w) })
	}
}

// work runs jobs of a shop until none is left.
func (r *Runner) work(j *Jobs, w *workers) {
	for {
		r.mu.Lock()
		w.woken = false
		r.mu.Unlock()
		ran := r.workOnce(j)
		r.mu.Lock()
		if !ran && !w.woken || r.closed {
			if w.count--; w.count == 0 {
				delete(r.workers, j)
			}
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
	}
}

// workOnce runs the next job of a shop, if there is one.
func (r *Runner) workOnce(j *Jobs) (ran bool) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-r.stopping:
		return false
	}
	row, err := j.claim(r.hard)
	if err != nil {
		j.cfg.Log.Error("job not begun", "error", err)
		return false
	}
	if row == nil {
		return false
	}
	if err := newRun(j, row).execute(r.hard); err != nil {
		j.cfg.Log.Error("job interrupted", "job", row.id, "error", err)
		return false
	}
	return true
}

// claim acquires the lease of the first job that nobody works on, nil if there is none or enough
// jobs of the shop are running.
func (j *Jobs) claim(ctx context.Context) (claimed *jobRow, err error) {
	var waiting bool
	err = j.view(ctx, func(tx *db.Tx) error {
		row, err := findNext(tx, tx.Now())
		waiting = row != nil
		return err
	})
	if err != nil || !waiting {
		return nil, err
	}
	lease := rand.Text()
	err = j.update(ctx, func(tx *db.Tx) error {
		claimed = nil
		leased, err := countLeased(tx, tx.Now())
		if err != nil || leased >= maxPerShop {
			return err
		}
		row, err := findNext(tx, tx.Now())
		if err != nil || row == nil {
			return err
		}
		if row.status == StatusQueued {
			row.status = StatusRunning
		}
		row.lease = &lease
		if err := acquireLease(tx, row, tx.Now().Add(leaseTime)); err != nil {
			return err
		}
		claimed = row
		return nil
	})
	return claimed, err
}

// Continue starts the jobs that no process runs, as after a restart, and returns when the lease of
// another run ends. A zero time means that there is none.
func (j *Jobs) Continue(ctx context.Context) (next time.Time, err error) {
	waiting := false
	err = j.view(ctx, func(tx *db.Tx) error {
		row, err := findNext(tx, tx.Now())
		if err != nil {
			return err
		}
		waiting = row != nil
		next, err = findLeaseEnd(tx, tx.Now())
		return err
	})
	if waiting {
		j.cfg.Runner.start(j)
	}
	return next, err
}
