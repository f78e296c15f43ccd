package server

import (
	"context"
	"sync"
	"time"
)

// deadline is a request's context with a bound of time whose timer starts when something waits for
// it. An answer that is prepared waits for nothing, and a timer would be a good part of its cost.
type deadline struct {
	context.Context // the connection's
	at              time.Time

	mu     sync.Mutex
	timed  context.Context // nil: nothing has waited yet
	cancel context.CancelFunc
	ended  bool // the request is over
}

// begin sets the connection's context and the bound.
func (d *deadline) begin(parent context.Context, at time.Time) { d.Context, d.at = parent, at }

// Deadline gives the bound.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done starts the timer.
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

// Err tells of the deadline also while nothing waits for it.
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

// Value lets the context package find the timer's context, so that contexts made from this one
// need no goroutine to follow it.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	timed := d.timed
	d.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return d.Context.Value(key)
}

// end stops the timer at the end of the request.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.cancel != nil {
		d.cancel()
	}
}
