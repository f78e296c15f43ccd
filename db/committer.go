package db

import (
	"context"
	"errors"
	"sync"
)

// phase is the state of a committer, for readers of the version.
type phase int

const (
	idle    phase = iota
	waiting       // for the write lock: another process may commit during this time
	holding       // the write lock: no other process can commit
)

// job is one call of Update.
type job struct {
	ctx  context.Context // the caller's; never reaches the engine
	fn   func(context.Context, *Tx) error
	done chan struct{} // closed when err and panicked are final

	err      error
	panicked *PanicError
	losses   int  // how often its transaction was lost with the connection
	alone    bool // runs in a commit of its own: on request, or since its group was lost
	after    []func()
}

// isFinal reports whether the job's result depends on the job alone, so that it remains valid if
// its group runs again or its commit fails.
func (j *job) isFinal() bool {
	return j.panicked != nil || j.err != nil && j.ctx.Err() != nil && errors.Is(j.err, j.ctx.Err())
}

// Committer runs the updates of one tenant. Its goroutine owns the tenant's [Writer]: it
// dequeues the waiting jobs, runs each in a savepoint of one shared transaction, or alone in
// one, and delivers the results after the commit.
type Committer struct {
	store    *Store
	versions *Versions
	wake     chan struct{} // holds a token if there may be work

	mu      sync.Mutex
	queue   []*job
	phase   phase
	limiter groupLimiter
	check   *externalCheck // requested by waiting readers of the version
	stopped bool

	ended chan struct{} // closed when the goroutine has ended for good

	// The rest belongs to the goroutine.
	writer Writer
	group  []*job
}

// externalCheck is a check for commits of other processes, with the callers that wait for it.
type externalCheck struct {
	done chan struct{}
	err  error
}

// NewCommitter starts the committer of an open tenant. The engine calls its Stop when the tenant is
// no longer in use.
func (s *Store) NewCommitter(v *Versions, w Writer) *Committer {
	c := &Committer{store: s, versions: v, writer: w, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go c.loop()
	return c
}

// Queued returns the number of updates that wait.
func (c *Committer) Queued() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue)
}

// Refresh waits for [Writer.Check] if the last check of the tenant's versions is too old. It uses
// the current versions while a transaction runs, since no other process can commit then, and while
// one waits to begin, since that may last long.
func (c *Committer) Refresh(ctx context.Context) error {
	if c.versions.Fresh() {
		return nil
	}
	c.mu.Lock()
	if c.phase != idle {
		c.mu.Unlock()
		return nil
	}
	if c.check == nil {
		c.check = &externalCheck{done: make(chan struct{})}
	}
	wanted := c.check
	c.mu.Unlock()
	c.signal()
	select {
	case <-wanted.done:
		return wanted.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// update queues fn and waits for its result. If ctx ends before the job has started, it is
// withdrawn.
func (c *Committer) update(ctx context.Context, fn func(context.Context, *Tx) error, alone bool) error {
	j := &job{ctx: ctx, fn: fn, alone: alone, done: make(chan struct{})}
	c.mu.Lock()
	c.queue = append(c.queue, j)
	c.mu.Unlock()
	c.signal()

	select {
	case <-j.done:
	case <-ctx.Done():
		if c.withdraw(j) {
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

func (c *Committer) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// withdraw removes j from the queue and reports whether it was still there.
func (c *Committer) withdraw(j *job) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, q := range c.queue {
		if q == j {
			c.queue = append(c.queue[:i], c.queue[i+1:]...)
			return true
		}
	}
	return false
}

// Stop ends the goroutine and closes the session. Nothing may be queued.
func (c *Committer) Stop() {
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	c.signal()
	<-c.ended
}

func (c *Committer) loop() {
	stopped := false
	defer func() {
		if stopped {
			close(c.ended)
			return
		}
		// A job ended this goroutine by runtime.Goexit (panics are recovered).
		c.writer.Rollback()
		c.deliverResults(ErrExited)
		c.signal()
		go c.loop()
	}()
	for range c.wake {
		for c.step() {
		}
		c.mu.Lock()
		stopped = c.stopped
		c.mu.Unlock()
		if stopped {
			c.writer.Close()
			return
		}
	}
}

// step does the pending work, if any, and reports whether there was any.
func (c *Committer) step() bool {
	c.mu.Lock()
	wanted, work := c.check, len(c.queue) > 0
	c.mu.Unlock()
	if wanted == nil && !work {
		return false
	}
	// Also before waiting for the write lock, so that the version is up to date when the wait
	// starts.
	var err error
	if !c.versions.Fresh() {
		err = c.writer.Check()
	}
	c.mu.Lock()
	wanted, c.check = c.check, nil
	if work {
		c.phase = waiting
	}
	c.mu.Unlock()
	if wanted != nil {
		wanted.err = err
		close(wanted.done)
	}
	if work {
		c.commitGroup()
	}
	return true
}

// fillGroup moves jobs from the queue to the group, up to its limit.
func (c *Committer) fillGroup() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 && len(c.group) < c.limiter.limit() {
		j := c.queue[0]
		if len(c.group) > 0 && (j.alone || c.group[0].alone) {
			return
		}
		c.queue[0] = nil
		c.queue = c.queue[1:]
		c.group = append(c.group, j)
	}
}
