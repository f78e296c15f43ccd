package shop_test

import (
	"context"
	"flag"
	"sync/atomic"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/shoptest"
)

var growthRows = flag.Int("growth.rows", 20_000, "orders of the larger shop whose work is compared with that of a smaller one")

// steps returns how many instructions of the engine fn causes in a shop's idle readers.
func steps(tb testing.TB, a *shoptest.Accounts, fn func()) int64 {
	tb.Helper()
	fn() // prepares the statements
	before := a.Files.Steps(db.ID(a.UID()))
	fn()
	return a.Files.Steps(db.ID(a.UID())) - before
}

// wantLinear checks that work on four times as many rows is about four times as much.
func wantLinear(tb testing.TB, what string, small, large int64) {
	tb.Helper()
	if small == 0 || large > 5*small {
		tb.Errorf("%s: got %d steps for a quarter of the rows and %d for all, want at most five times as many", what, small, large)
	}
}

// busyShop returns a shop with that many orders, each of a guest of its own.
func busyShop(tb testing.TB, orders int) *shoptest.Accounts {
	tb.Helper()
	a := shoptest.NewAccounts(tb)
	if a.Files == nil {
		tb.Skip("counts the steps of SQLite")
	}
	a.InsertOrder(tb, "FIRST", "+8801500000000")
	a.InsertLines(tb)
	a.Exec(tb, `UPDATE orders SET status = 'completed', payment_status = 'paid', fulfillment_status = 'delivered'`)
	a.Exec(tb, `INSERT INTO counters (name, value) VALUES ('order', 1) ON CONFLICT (name) DO UPDATE SET value = 1`)
	shoptest.InsertDelivered(tb, a.Store, a.UID(), orders)
	a.Exec(tb, `UPDATE orders SET customer_phone = '+88015' || substr('00000000' || number, length('' || number) + 1), placed_at = number`)
	a.Exec(tb, `DELETE FROM contacts`)
	a.Exec(tb, `
		INSERT INTO contacts (phone, note, tags, blocked, reason, updated_at, name, orders, spent, last_order_at)
		SELECT customer_phone, '', '[]', 'none', '', 1, customer_name, 1, total, placed_at
		FROM orders`)
	return a
}

// What `doctor`, `backup verify` and `restore` check of a shop grows with its orders and guests.
func TestInvariants_Growth(t *testing.T) {
	t.Parallel()
	var work [2]int64
	for i, orders := range []int{*growthRows / 4, *growthRows} {
		a := busyShop(t, orders)
		work[i] = steps(t, a, func() {
			faults, err := a.CheckInvariants(t.Context())
			if err != nil || len(faults) > 0 {
				t.Fatalf("got %q, %v, want a sound shop", faults, err)
			}
		})
	}
	wantLinear(t, "invariants", work[0], work[1])
}

// accepting accepts all webhooks.
type accepting struct{ accepted atomic.Int64 }

func (s *accepting) Send(context.Context, endpoint.Webhook) (endpoint.Response, error) {
	s.accepted.Add(1)
	return endpoint.Response{Status: 200}, nil
}

// A queue of webhooks takes as much work for each of them, whatever waits behind it.
func TestEndpoints_QueueGrowth(t *testing.T) {
	t.Parallel()
	var work [2]int64
	for i, waiting := range []int64{1_000, 4_000} {
		a, sender := shoptest.NewAccounts(t), &accepting{}
		if a.Files == nil {
			t.Skip("counts the steps of SQLite")
		}
		a.Config.WebhookSender = sender
		a = a.Reopened()
		if _, _, err := a.Endpoints.CreateEndpoint(t.Context(), access.Operator(), endpoint.Input{URL: "https://example.com/"}); err != nil {
			t.Fatal(err)
		}
		a.Exec(t, `
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO outbox (seq, at, type, subject, data)
			SELECT (SELECT COALESCE(MAX(seq), 0) FROM outbox) + i, ?, 'order.placed', 'ORDER' || i, '{}'
			FROM n`, waiting, db.Millis(a.Clock.Now()))
		before := a.Files.Steps(db.ID(a.UID()))
		dbtest.Eventually(t, "all webhooks are sent", func() bool {
			if _, err := a.Endpoints.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			return sender.accepted.Load() >= waiting && a.Number(t, `SELECT COUNT(*) FROM webhook_deliveries WHERE next_at IS NOT NULL`) == 0
		})
		work[i] = a.Files.Steps(db.ID(a.UID())) - before
	}
	wantLinear(t, "queue of webhooks", work[0], work[1])
}
