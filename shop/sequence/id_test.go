package sequence

import (
	"crypto/rand"
	"testing"
	"time"
)

// What was made later sorts later, whatever the clocks of those who make it say: so the entries of a
// timeline that have one time stay in their order.
func TestIDs_SortAsTheyWereMade(t *testing.T) {
	t.Parallel()
	g := NewSource(rand.Reader)
	now := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	last := ""
	for i := range 1000 {
		id := g.Next(now.Add(time.Duration(i%3-1) * time.Millisecond))
		if id <= last {
			t.Fatalf("%s comes after %s", id, last)
		}
		last = id
	}
}
