package queue

import (
	"math/rand/v2"
	"time"
)

// Retry returns the time of the next attempt after the given number of failed ones, nil if that was
// the last. requested is the delay that the service requests; 0 means none.
func (q *Table) Retry(now time.Time, failed int, requested time.Duration) *time.Time {
	if failed > len(q.Delays) {
		return nil
	}
	delay := q.Delays[failed-1]
	delay += time.Duration((2*rand.Float64() - 1) * q.Jitter * float64(delay))
	return new(now.Add(max(delay, min(requested, q.MaxRetryAfter))))
}
