package sequence

import (
	"crypto/rand"
	"testing"
	"time"
)

// Later identifiers sort later even if the clock goes back, so that timeline entries with equal
// times keep their order.
func TestSource_Next_Order(t *testing.T) {
	t.Parallel()
	g := NewSource(rand.Reader)
	now := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	last := ""
	for i := range 1000 {
		id := g.Next(now.Add(time.Duration(i%3-1) * time.Millisecond))
		if id <= last {
			t.Fatalf("got %s after %s, want a greater identifier", id, last)
		}
		last = id
	}
}
