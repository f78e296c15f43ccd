package throttle

import (
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

// Throttle limits failures of one kind: it counts them and, above its limit, returns an error until
// its window or delay ends. The zero Throttle counts nothing.
type Throttle struct {
	key    []byte
	limit  int64         // failures after which it blocks
	window time.Duration // how long a failure counts
	delay  time.Duration // the first wait, doubled by each further failure; 0 means until the window ends
}

// maxDelay limits the doubled delay.
const maxDelay = time.Hour

// New returns a throttle that blocks after limit failures until its window ends.
func New(key []byte, limit int64, window time.Duration) Throttle {
	return Throttle{key: key, limit: limit, window: window}
}

// NewDelayed returns a throttle that blocks for a delay after limit failures, and for twice as long
// after each further one, up to an hour. A failure counts until window has passed without another.
func NewDelayed(key []byte, limit int64, window, delay time.Duration) Throttle {
	return Throttle{key: key, limit: limit, window: window, delay: delay}
}

// Key returns the key of the count, which is the same for the same kind and client. It is nil for a
// throttle that counts nothing.
func (t Throttle) Key() []byte { return t.key }

// Check returns an error while the throttle blocks. Codes: rate_limited.
func (t Throttle) Check(tx *db.Tx) error {
	if t.key == nil {
		return nil
	}
	row, err := findFailures(tx, t.key)
	if err != nil {
		return err
	}
	return TooMany(tx.Now(), t.blockedUntil(row), "There were too many failed attempts")
}

func (t Throttle) blockedUntil(row failureRow) time.Time {
	switch {
	case row.count < t.limit:
		return time.Time{}
	case t.delay == 0:
		return row.firstAt.Add(t.window)
	}
	doublings := min(row.count-t.limit, 16) // more would exceed the longest delay anyway
	return row.lastAt.Add(min(t.delay<<doublings, maxDelay))
}

// Count records one failure.
func (t Throttle) Count(tx *db.Tx) error {
	if t.key == nil {
		return nil
	}
	row, err := findFailures(tx, t.key)
	if err != nil {
		return err
	}
	if row.count == 0 {
		row.firstAt = tx.Now()
	}
	row.count, row.lastAt = row.count+1, tx.Now()
	expires := row.firstAt.Add(t.window)
	if t.delay > 0 {
		expires = row.lastAt.Add(t.window)
	}
	return saveFailures(tx, t.key, row, expires)
}

// CheckAll returns an error while one of the throttles blocks. Codes: rate_limited.
func CheckAll(tx *db.Tx, all []Throttle) error {
	for _, t := range all {
		if err := t.Check(tx); err != nil {
			return err
		}
	}
	return nil
}

// CountAll records one failure in each of the throttles.
func CountAll(tx *db.Tx, all []Throttle) error {
	for _, t := range all {
		if err := t.Count(tx); err != nil {
			return err
		}
	}
	return nil
}

// Uncount removes one failure.
func (t Throttle) Uncount(tx *db.Tx) error {
	if t.key == nil {
		return nil
	}
	return reduceFailures(tx, t.key)
}

// Reset removes all failures.
func (t Throttle) Reset(tx *db.Tx) error { return deleteFailures(tx, t.key) }

// TooMany returns an error with the time to wait until a retry, or nil if until is past or zero.
func TooMany(now, until time.Time, why string) error {
	wait := until.Sub(now)
	if until.IsZero() || wait <= 0 {
		return nil
	}
	e := fault.Errorf(fault.CodeRateLimited, "%s: try again in %s.", why, roughly(wait))
	e.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return e
}

// roughly formats a wait in words, rounded up.
func roughly(wait time.Duration) string {
	unit, each := "second", time.Second
	switch {
	case wait > 2*time.Hour:
		unit, each = "hour", time.Hour
	case wait > 2*time.Minute:
		unit, each = "minute", time.Minute
	}
	n := (wait + each - 1) / each
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
