package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// phase is what a writer is doing, as far as others must know.
type phase int

const (
	idle    phase = iota
	waiting       // for the write lock: another process may commit meanwhile
	holding       // the write lock: nobody else can commit
)

// job is one call of Update.
type job struct {
	ctx  context.Context // the caller's; never reaches SQLite
	fn   func(context.Context, *Tx) error
	done chan struct{} // closed when err and panicked are final

	err      error
	panicked *PanicError
	alone    bool // runs in a commit of its own: as asked for, or since its group was lost
	after    []func()
}

// final reports whether the job's verdict depends on nothing but itself, so
// that it stays when its group is run again or its commit fails.
func (j *job) isFinal() bool {
	return j.panicked != nil || j.err != nil && j.ctx.Err() != nil && errors.Is(j.err, j.ctx.Err())
}

// writer owns the one connection that writes to a tenant's file. Its goroutine
// takes the jobs that wait, runs each in a savepoint of one transaction, or
// alone in one, and tells all of them what happened after the commit.
type writer struct {
	t    *tenant
	wake chan struct{} // a token: there may be something to do

	mu      sync.Mutex
	queue   []*job
	phase   phase
	limiter groupLimiter
	check   *externalCheck // wanted by waiting readers of the version
	stopped bool

	ended chan struct{} // closed when the goroutine has ended for good

	// The rest belongs to the goroutine.
	conn  *conn // nil after a failure that may have left it unusable
	seen  int64 // data_version at the last look
	group []*job
}

func newWriter(t *tenant, c *conn, seen int64) *writer {
	w := &writer{t: t, conn: c, seen: seen, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go w.loop()
	return w
}

// update queues fn and waits for its verdict. A caller whose context ends
// takes its job back, unless it has been started.
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

// withdraw takes j out of the queue, if it is still there.
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
		// A job ended this goroutine by runtime.Goexit (its panics are caught).
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

// step does what is wanted now and reports whether there was anything.
func (w *writer) step() bool {
	w.mu.Lock()
	wanted, work := w.check, len(w.queue) > 0
	w.mu.Unlock()
	if wanted == nil && !work {
		return false
	}
	// Before waiting for the lock too, so that while it waits the version is
	// no older than it may be.
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

// fillGroup moves waiting jobs into the group, as many as it may still hold.
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

// reconnect opens the connection again after a failure.
func (w *writer) reconnect() error {
	if w.conn != nil {
		return nil
	}
	c, seen, err := w.t.connectWriter()
	if err != nil {
		return fmt.Errorf("reopen: %w", err)
	}
	w.conn, w.seen = c, seen
	w.t.bumpExternal() // what happened in between is unknown
	w.t.ship()
	return nil
}

func (w *writer) disconnect() {
	if w.conn == nil {
		return
	}
	if err := w.conn.close(); err != nil {
		w.t.store.log.Warn("closing a connection failed", "tenant", w.t.id, "err", err)
	}
	w.conn = nil
}
