package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// phase is the state of a writer that readers of the version depend on.
type phase int

const (
	idle    phase = iota
	waiting       // for the write lock: another process may commit meanwhile
	holding       // the write lock: no other process can commit
)

// job is one call of Update.
type job struct {
	ctx  context.Context // the caller's; never reaches SQLite
	fn   func(context.Context, *Tx) error
	done chan struct{} // closed when err and panicked are final

	err      error
	panicked *PanicError
	alone    bool // runs in a commit of its own: on request, or since its group was lost
	after    []func()
}

// isFinal reports whether the job's result depends on the job alone, so that it stands when its group
// runs again or its commit fails.
func (j *job) isFinal() bool {
	return j.panicked != nil || j.err != nil && j.ctx.Err() != nil && errors.Is(j.err, j.ctx.Err())
}

// writer owns the one connection that writes to a tenant's file. Its goroutine dequeues the waiting
// jobs, runs each in a savepoint of one shared transaction, or alone in one, and delivers the results
// after the commit.
type writer struct {
	t    *tenant
	wake chan struct{} // holds a token if there may be work

	mu      sync.Mutex
	queue   []*job
	phase   phase
	limiter groupLimiter
	check   *externalCheck // requested by waiting readers of the version
	stopped bool

	ended chan struct{} // closed when the goroutine has ended for good

	// The rest belongs to the goroutine.
	conn *conn // nil after a failure that may have left it unusable
	seen int64 // data_version at the last check
	// contentCount is the file's content counter; unknownCount until it is read.
	contentCount int64
	group        []*job
}

func newWriter(t *tenant, c *conn, seen int64) *writer {
	w := &writer{t: t, conn: c, seen: seen, contentCount: unknownCount, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go w.loop()
	return w
}

// update queues fn and waits for its result. If ctx ends before the job has started, it is withdrawn.
func (w *writer) update(ctx context.Context, fn func(context.Context, *Tx) error, alone bool) error {
	j := &job{ctx: ctx, fn: fn, alone: alone, done: make(chan struct{})}
	w.mu.Lock()
	w.queue = append(w.queue, j)
	w.mu.Unlock()
	w.signal()

	select {
	case <-j.done:
	case <-ctx.Done():
		if w.withdraw(j) {
			return ctx.Err()
		}
		<-j.done
	}
	if j.panicked != nil {
		panic(j.panicked)
	}
	if j.err == nil {
		for _, fn := range j.after {
			fn()
		}
	}
	return j.err
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// withdraw removes j from the queue and reports whether it was still there.
func (w *writer) withdraw(j *job) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, q := range w.queue {
		if q == j {
			w.queue = append(w.queue[:i], w.queue[i+1:]...)
			return true
		}
	}
	return false
}

// stop ends the goroutine and closes the connection. Nothing may be queued.
func (w *writer) stop() {
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
	w.signal()
	<-w.ended
}

func (w *writer) loop() {
	stopped := false
	defer func() {
		if stopped {
			close(w.ended)
			return
		}
		// A job ended this goroutine by runtime.Goexit (panics are recovered).
		w.rollback()
		w.deliverResults(ErrExited)
		w.signal()
		go w.loop()
	}()
	for range w.wake {
		for w.step() {
		}
		w.mu.Lock()
		stopped = w.stopped
		w.mu.Unlock()
		if stopped {
			w.disconnect()
			return
		}
	}
}

// step does the pending work, if any, and reports whether there was some.
func (w *writer) step() bool {
	w.mu.Lock()
	wanted, work := w.check, len(w.queue) > 0
	w.mu.Unlock()
	if wanted == nil && !work {
		return false
	}
	// Also before waiting for the write lock, so that the version is up to date when the wait starts.
	var err error
	if !w.t.fresh() {
		err = w.checkExternalCommits()
	}
	w.mu.Lock()
	wanted, w.check = w.check, nil
	if work {
		w.phase = waiting
	}
	w.mu.Unlock()
	if wanted != nil {
		wanted.err = err
		close(wanted.done)
	}
	if work {
		w.commitGroup()
	}
	return true
}

// fillGroup moves jobs from the queue to the group, up to its limit.
func (w *writer) fillGroup() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > 0 && len(w.group) < w.limiter.limit() {
		j := w.queue[0]
		if len(w.group) > 0 && (j.alone || w.group[0].alone) {
			return
		}
		w.queue[0] = nil
		w.queue = w.queue[1:]
		w.group = append(w.group, j)
	}
}

// reconnect opens the connection if a failure has closed it.
func (w *writer) reconnect() error {
	if w.conn != nil {
		return nil
	}
	c, seen, err := w.t.connectWriter()
	if err != nil {
		return fmt.Errorf("reopen: %w", err)
	}
	w.conn, w.seen = c, seen
	w.t.bumpExternal() // other processes may have committed meanwhile
	w.contentCount = unknownCount
	w.t.bumpContent()
	w.t.ship()
	return nil
}

func (w *writer) disconnect() {
	if w.conn == nil {
		return
	}
	if err := w.conn.close(); err != nil {
		w.t.store.log.Warn("connection not closed cleanly", "tenant", w.t.id, "err", err)
	}
	w.conn = nil
}
