package dbtest

import (
	"testing"
	"time"
)

// Eventually returns as soon as done reports true. After a minute it prints logs and ends the test;
// what describes the awaited condition.
func Eventually(tb testing.TB, what string, done func() bool, logs ...func() string) {
	tb.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().Before(deadline) {
			continue
		}
		for _, log := range logs {
			tb.Log(log())
		}
		tb.Fatalf("not after a minute: %s", what)
	}
}
