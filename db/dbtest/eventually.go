package dbtest

import (
	"testing"
	"time"
)

// Eventually returns as soon as done reports true. Some time before the tests' deadline it prints
// logs and ends the test; what describes the awaited condition. It calls done the less often the
// longer it waits, since done may be a whole request.
func Eventually(tb testing.TB, what string, done func() bool, logs ...func() string) {
	tb.Helper()
	for began, deadline := time.Now(), Deadline(tb); !done(); {
		took := time.Since(began)
		if time.Now().Before(deadline) {
			time.Sleep(min(max(took/10, 5*time.Millisecond), 200*time.Millisecond))
			continue
		}
		for _, log := range logs {
			tb.Log(log())
		}
		tb.Fatalf("not after %s: %s", took, what)
	}
}

// Deadline returns until when a test may wait: some time before the deadline of all tests, however
// slow the machine is.
func Deadline(tb testing.TB) time.Time {
	if t, ok := tb.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := t.Deadline(); ok {
			return deadline.Add(-reserve)
		}
	}
	return time.Now().Add(unlimited)
}

const (
	reserve   = 20 * time.Second // for what tests print and remove at their end
	unlimited = 24 * time.Hour
)
