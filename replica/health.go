package replica

import (
	"log/slog"
	"sync"
	"time"

	"storefront/db"
)

const (
	// maxBackoff is the longest pause between two attempts to reach a failing target.
	maxBackoff = time.Minute
	// failureLogInterval is how often a continuing failure is logged.
	failureLogInterval = 15 * time.Minute
	// warnInterval is the minimum interval between logged failures of single shops.
	warnInterval = 10 * time.Second
)

// health is the state of the target. While the target fails, only one attempt at a time is allowed.
type health struct {
	log    *slog.Logger
	target string

	mu     sync.Mutex
	last   time.Time // the last upload
	since  time.Time // start of the failure; zero if the target works
	logged time.Time
	warned time.Time
	pause  time.Duration
	retry  time.Time
}

// allowAttempt reports whether the target may be used now. While it fails, a true result reserves
// the attempt for the caller.
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

// backoff returns how long to wait before the next attempt.
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
	h.log.Info("replication resumed", "replica", h.target, "after", time.Since(h.since).Round(time.Second).String())
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
	h.log.Error("replica unavailable, changes are buffered on this disk: check that it is reachable, writable and not full",
		"replica", h.target, "since", h.since.UTC().Format(time.RFC3339), "error", err)
}

// warn logs a failure of one shop, but not each of many.
func (h *health) warn(id db.ID, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.warned) < warnInterval {
		return
	}
	h.warned = time.Now()
	h.log.Warn("a shop's replica is behind, retrying", "tenant", id, "error", err)
}

func (h *health) status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Status{LastUpload: h.last, Failing: !h.since.IsZero()}
}
