package dispatch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Runner runs the work of the queues of all shops of a process. It is safe for concurrent use.
// Create one with [NewRunner].
type Runner struct {
	slots    chan struct{}
	stopping chan struct{} // closed: no further items are begun
	hard     context.Context
	abort    context.CancelFunc
	running  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	working map[string]*worker    // by queue
	shared  map[string]*semaphore // by limit
}

// worker runs the items of one queue.
type worker struct{ woken bool }

// semaphore holds the slots of a limit. It exists while it is used.
type semaphore struct {
	slots chan struct{}
	users int
}

// Limit lets at most Max items run at the same time among all queues that have it.
type Limit struct {
	Name string
	Max  int
}

// Queue is a source of items.
type Queue struct {
	// Name distinguishes it from all other queues of the runner.
	Name string
	// Within are its limits besides the runner's own, narrow before wide: a queue that waits for a
	// wide limit holds only slots of narrower ones.
	Within []Limit
	// Next runs the next item, and reports whether there may be another. Otherwise no further item
	// runs until the queue is started again. ctx ends when an item must be abandoned.
	Next func(ctx context.Context) (more bool)
	// Failed is called after a panic of Next. No further item runs until the queue is started again.
	Failed func(err error)
}

// NewRunner returns a runner without work that runs at most limit items at the same time. The
// caller must close it with [Runner.Close].
func NewRunner(limit int) *Runner {
	r := &Runner{
		slots: make(chan struct{}, limit), stopping: make(chan struct{}), working: map[string]*worker{}, shared: map[string]*semaphore{},
	}
	r.hard, r.abort = context.WithCancel(context.Background())
	return r
}

// Stopping returns a channel that is closed when no further items are begun.
func (r *Runner) Stopping() <-chan struct{} { return r.stopping }

// Close lets items that are running end, and abandons them when ctx ends: their queues must find
// them again in the next process.
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

// Start lets the items of a queue run until none is left. It does not wait. If the queue is at work
// already, it checks for items once more.
func (r *Runner) Start(q Queue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if w := r.working[q.Name]; w != nil {
		w.woken = true
		return
	}
	w := &worker{}
	r.working[q.Name] = w
	r.running.Go(func() { r.work(q, w) })
}

// work runs the items of a queue until none is left.
func (r *Runner) work(q Queue, w *worker) {
	for {
		r.mu.Lock()
		w.woken = false
		r.mu.Unlock()
		more := r.runNext(q)
		r.mu.Lock()
		if r.closed || !more && !w.woken {
			delete(r.working, q.Name)
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
	}
}

// runNext runs the next item of a queue, as soon as its limits allow.
func (r *Runner) runNext(q Queue) (more bool) {
	slots := make([]chan struct{}, 0, len(q.Within)+1)
	for _, limit := range q.Within {
		of, done := r.use(limit)
		defer done()
		slots = append(slots, of)
	}
	for _, of := range append(slots, r.slots) {
		select {
		case of <- struct{}{}:
			defer func() { <-of }()
		case <-r.stopping:
			return false
		}
	}
	err := Recovered(func() error {
		more = q.Next(r.hard)
		return nil
	})
	if err != nil {
		q.Failed(err)
		return false
	}
	return more
}

// ErrPanic is the error of panicked code.
var ErrPanic = errors.New("panic")

// Recovered returns the error of fn. If fn panics, it wraps [ErrPanic]: work in the background must
// not end the process.
func Recovered(fn func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, value, debug.Stack())
		}
	}()
	return fn()
}

// use returns the slots of a limit, and a function that must be called when they are no longer
// needed.
func (r *Runner) use(limit Limit) (slots chan struct{}, done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.shared[limit.Name]
	if s == nil {
		s = &semaphore{slots: make(chan struct{}, limit.Max)}
		r.shared[limit.Name] = s
	}
	s.users++
	return s.slots, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(r.shared, limit.Name)
		}
	}
}
