package staff_test

import (
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/shoptest"
)

// Entries are deleted after 400 days, and the oldest above a bound.
func TestPurgeAudit(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	insert := func(id string, age time.Duration, count int) {
		a.Exec(t, `
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO audit_log (id, at, actor_kind, actor_id, actor_name, via, client, request_id, action, subject_kind, subject_id, label, changes)
			SELECT ? || i, ?, 'cli', '', '', 'cli', '', '', 'order.confirm', 'order', '', '', '[]' FROM n`,
			count, id, db.Millis(a.Clock.Now().Add(-age)))
	}
	insert("old", 401*24*time.Hour, 2500)
	insert("kept", 399*24*time.Hour, 1)
	next, err := a.Staff.PurgeAudit(t.Context())
	if want := a.Clock.Now().Add(24 * time.Hour); err != nil || !next.Equal(want) {
		t.Errorf("got %v, %v, want the next entry due at %v", next, err, want)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log`); n != 1 {
		t.Errorf("got %d entries, want the one that is not old", n)
	}
	a.Staff.SetMaxAudit(50)
	insert("new", time.Hour, 50)
	if _, err := a.Staff.PurgeAudit(t.Context()); err != nil {
		t.Fatal(err)
	}
	total, kept := a.Number(t, `SELECT COUNT(*) FROM audit_log`), a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE id LIKE 'kept%'`)
	if total != 50 || kept != 0 {
		t.Errorf("got %d entries with %d of the oldest, want 50 and 0", total, kept)
	}
}
