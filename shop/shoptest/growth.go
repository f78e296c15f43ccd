package shoptest

import (
	"slices"
	"strings"
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

// WantPaymentsSearched checks that a query does not read all payments, unless it is the page of the
// newest.
func WantPaymentsSearched(t *testing.T, s *Stocked, name, query string) {
	t.Helper()
	plan := QueryPlan(t, s.Store, s.UID(), query, make([]any, strings.Count(query, "?")))
	for _, step := range plan {
		table, _, _ := strings.Cut(strings.TrimPrefix(step, "SCAN "), " ")
		whole := strings.HasPrefix(step, "SCAN") && slices.Contains([]string{"payment_attempts", "a", "refunds", "payment_checks"}, table) &&
			!strings.Contains(step, "INDEX payment_attempts_unstarted") && name != "a page of the newest"
		if whole || strings.Contains(step, "TEMP B-TREE") {
			t.Errorf("%s: got plan %s", name, strings.Join(plan, "; "))
			return
		}
	}
}
