package replica

import (
	"log/slog"
	"sync"
	"time"

	"storefront/db"
)

const (
	// patience is the longest pause between two attempts to reach a target that fails.
	maxBackoff = time.Minute
	// remindEvery is how often a failure that lasts is logged.
	failureLogInterval = 15 * time.Minute
	// warnEvery is how often failures of single shops are logged.
	warnInterval = 10 * time.Second
)

// health is what is known of the target. While it fails, one attempt at a time is made.
type health struct {
	log    *slog.Logger
	target string

	mu     sync.Mutex
	last   time.Time // the last upload
	since  time.Time // of the failure; zero: none
	logged time.Time
	warned time.Time
	pause  time.Duration
	retry  time.Time
}

// allowAttempt says whether an attempt makes sense now, and takes the turn.
func (h *health) allowAttempt() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		return true
	}
	now := time.Now()
	if now.Before(h.retry) {
		return false
	}
	h.retry = now.Add(h.pause)
	return true
}

// backoff is how long to wait before the next attempt.
func (h *health) backoff(atLeast time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(atLeast, time.Until(h.retry))
}

func (h *health) succeeded() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = time.Now()
	if h.since.IsZero() {
		return
	}
	h.log.Info("replication goes on", "replica", h.target, "after", time.Since(h.since).Round(time.Second).String())
	h.since, h.logged, h.pause, h.retry = time.Time{}, time.Time{}, 0, time.Time{}
}

func (h *health) failed(err error, every time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.since.IsZero() {
		h.since = now
	}
	h.pause = min(max(2*h.pause, every), maxBackoff)
	h.retry = now.Add(h.pause)
	if now.Sub(h.logged) < failureLogInterval {
		return
	}
	h.logged = now
	h.log.Error("the replica does not take changes: sales go on and are kept on this disk until it does; see that it is reachable, has room and may be written to",
		"replica", h.target, "since", h.since.UTC().Format(time.RFC3339), "error", err)
}

// warn logs a failure that is one shop's, but not each of many.
func (h *health) warn(id db.ID, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.warned) < warnInterval {
		return
	}
	h.warned = time.Now()
	h.log.Warn("a shop's replica is behind; this is tried again", "tenant", id, "error", err)
}

func (h *health) status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Status{LastUpload: h.last, Failing: !h.since.IsZero()}
}
