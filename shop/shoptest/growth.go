package shoptest

import (
	"testing"

	"storefront/db"
)

// Steps returns the number of engine instructions that fn causes in a shop's idle readers.
func Steps(tb testing.TB, a *Accounts, fn func()) int64 {
	tb.Helper()
	fn() // prepares the statements
	before := a.Files.Steps(db.ID(a.UID()))
	fn()
	return a.Files.Steps(db.ID(a.UID())) - before
}

// WantLinear checks that four times as many rows cause about four times the work.
func WantLinear(tb testing.TB, what string, small, large int64) {
	tb.Helper()
	if small == 0 || large > 5*small {
		tb.Errorf("%s: got %d steps for a quarter of the rows and %d for all, want at most five times as many", what, small, large)
	}
}
