package graphql_test

import "testing"

// No document costs more before its execution than its size and the limits allow.
func FuzzDocument_Cost(f *testing.F) {
	c := newIdleClient(f)
	for family := range hostile {
		f.Add(c.hostileBody(family, 2000))
		f.Add(c.hostileBody(family, 6000))
	}
	f.Fuzz(func(t *testing.T, body string) {
		got := c.allocated(body)
		if got <= maxAllocated(body) {
			return
		}
		if got = min(got, c.allocated(body)); got > maxAllocated(body) { // the engine allocates too
			t.Errorf("%q: got %d KiB allocated, want at most %d", body, got>>10, maxAllocated(body)>>10)
		}
	})
}
