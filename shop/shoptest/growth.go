package shoptest

import (
	"testing"

	"storefront/db"
)

// Steps returns how many instructions of the engine fn causes in a shop's idle readers.
func Steps(tb testing.TB, a *Accounts, fn func()) int64 {
	tb.Helper()
	fn() // prepares the statements
	before := a.Files.Steps(db.ID(a.UID()))
	fn()
	return a.Files.Steps(db.ID(a.UID())) - before
}

// WantLinear checks that work on four times as many rows is about four times as much.
func WantLinear(tb testing.TB, what string, small, large int64) {
	tb.Helper()
	if small == 0 || large > 5*small {
		tb.Errorf("%s: got %d steps for a quarter of the rows and %d for all, want at most five times as many", what, small, large)
	}
}
