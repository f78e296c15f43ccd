package db

import (
	"context"
	"time"
)

// Slices sizes the transactions of a long job, so that others can write between them.
type Slices struct {
	Time  time.Duration // how long a slice should hold the write lock
	Pause time.Duration // how long others can acquire it before the next slice
	Min   int           // minimum number of records, also of the first slice
	Max   int           // maximum number of records

	size int
}

// Size returns the number of records of the next slice.
func (s *Slices) Size() int { return max(s.size, s.Min) }

// Next sizes the next slice after a slice that held the write lock for some time, and waits for the
// pause.
func (s *Slices) Next(ctx context.Context, held time.Duration) error {
	size := s.Size()
	s.size = min(int(s.Time*time.Duration(size)/max(held, 1)), 2*size, s.Max)
	select {
	case <-time.After(s.Pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
