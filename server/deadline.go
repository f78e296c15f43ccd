package server

import (
	"context"
	"sync"
	"time"
)

// deadline is a request's context with a deadline. Its timer starts at the first wait. A cached
// response never waits, and the timer would be a good part of its cost.
type deadline struct {
	context.Context // the connection's
	at              time.Time

	mu     sync.Mutex
	timed  context.Context // nil until the first wait
	cancel context.CancelFunc
	ended  bool // the request has ended
}

// begin sets the parent context and the deadline.
func (d *deadline) begin(parent context.Context, at time.Time) { d.Context, d.at = parent, at }

// extend moves the deadline. Nobody may be waiting.
func (d *deadline) extend(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		d.cancel()
	}
	d.at, d.timed, d.cancel = at, nil, nil
}

// Deadline returns the deadline.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done returns the channel that is closed at the deadline, and starts the timer.
func (d *deadline) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed == nil {
		d.timed, d.cancel = context.WithDeadline(d.Context, d.at)
		if d.ended {
			d.cancel()
		}
	}
	return d.timed.Done()
}

// Err reports an expired deadline even if the timer has not been started.
func (d *deadline) Err() error {
	d.mu.Lock()
	timed, ended := d.timed, d.ended
	d.mu.Unlock()
	switch {
	case timed != nil:
		return timed.Err()
	case ended:
		return context.Canceled
	case d.Context.Err() != nil:
		return d.Context.Err()
	case !time.Now().Before(d.at):
		return context.DeadlineExceeded
	}
	return nil
}

// Value returns a value of the parent. It also lets the context package find the timer's context,
// so that contexts derived from this one need no goroutine to follow it.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	timed := d.timed
	d.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return d.Context.Value(key)
}

// end stops the timer when the request ends.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.cancel != nil {
		d.cancel()
	}
}
