package staff_test

import (
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/page"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
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

// The whole log is counted exactly, what a filter finds to 10,000, and its later pages exist.
func TestListAudit_BoundedCount(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	const entries = 10_060
	a.Exec(t, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO audit_log (id, at, actor_kind, actor_id, actor_name, via, client, request_id, action, subject_kind, subject_id, label, changes)
		SELECT 'id' || i, 1, 'cli', '', '', 'cli', '', '', 'order.confirm', 'order', '', '', '[]' FROM n`, entries)
	for name, tc := range map[string]struct {
		filter  staff.AuditFilter
		nodes   int
		count   int
		bounded bool
		next    bool
	}{
		"all":       {staff.AuditFilter{}, 20, entries, false, true},
		"filtered":  {staff.AuditFilter{Action: "order.confirm"}, 20, 10_000, true, true},
		"its last":  {staff.AuditFilter{Action: "order.confirm", Request: page.Request{Page: new(503)}}, 20, 10_000, true, true},
		"after it":  {staff.AuditFilter{Action: "order.confirm", Request: page.Request{Page: new(504)}}, 0, 10_000, true, false},
		"none such": {staff.AuditFilter{Action: "order.cancel"}, 0, 0, false, false},
	} {
		list, err := a.Staff.ListAudit(t.Context(), access.Operator(), tc.filter)
		if err != nil {
			t.Fatal(err)
		}
		if m := list.Meta; len(list.Nodes) != tc.nodes || m.TotalCount != tc.count || m.Bounded != tc.bounded || m.HasNextPage != tc.next {
			t.Errorf("%s: got %d entries and %+v, want %+v", name, len(list.Nodes), m, tc)
		}
	}
}

// The audit log is selected by kind of actor too: the command line has no ID.
func TestListAudit_ActorKind(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0000000000000001", shoptest.RahimsPhone)
	if _, err := a.Orders.ConfirmOrder(t.Context(), a.KeyCaller(t), "0000000000000001"); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{"cli": "key.create", "key": "order.confirm"} {
		log, err := a.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{Actor: kind})
		if err != nil || len(log.Nodes) != 1 || log.Nodes[0].Action != want {
			t.Errorf("%s: got %+v, %v, want %s", kind, log, err, want)
		}
	}
}
