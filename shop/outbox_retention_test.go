package shop_test

import (
	"testing"
	"time"

	"storefront/shop/outbox"
	"storefront/shop/shoptest"
)

// Events are deleted after 30 days, but not before every consumer has processed them. The last one
// stays: it has the number that the next one follows.
func TestOutbox_LaggingConsumer(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	began := a.Clock.Now()
	a.Exec(t, `
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
		INSERT INTO outbox (seq, at, type, subject, data) SELECT 1001 + i, ? + i * 86400000, 'settings.changed', '', '{}' FROM n`,
		began.UnixMilli())
	work := func(want int64, reason string) {
		t.Helper()
		if _, err := a.Orders.IndexOrders(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := a.Number(t, `SELECT COUNT(*) FROM outbox`); n != want {
			t.Errorf("got %d events, want %d: %s", n, want, reason)
		}
	}
	a.Exec(t, `INSERT INTO cursors (name, seq) VALUES ('lagging', 1003)`)
	a.Clock.Advance(outbox.Retention)
	work(10, "none is older than 30 days")
	a.Clock.Advance(24 * time.Hour)
	work(9, "one is")
	a.Clock.Advance(60 * 24 * time.Hour)
	work(7, "a consumer has processed three of them")
	a.Exec(t, `UPDATE cursors SET seq = 1008 WHERE name = 'lagging'`)
	work(2, "it has processed eight")
	a.Exec(t, `DELETE FROM cursors WHERE name = 'lagging'`)
	work(1, "it is no more")
}
