package shop_test

import (
	"flag"
	"testing"

	"storefront/db/dbtest"
	"storefront/shop/shoptest"
)

var growthRows = flag.Int("growth.rows", 20_000, "orders of the larger shop whose work is compared with that of a smaller one")

// busyShop returns a shop with that many orders, each of a guest of its own.
func busyShop(tb testing.TB, orders int) *shoptest.Accounts {
	tb.Helper()
	dbtest.NeedFiles(tb, "the test counts the steps of SQLite")
	a := shoptest.NewAccounts(tb)
	a.InsertOrder(tb, "FIRST", "+8801500000000")
	a.InsertLines(tb)
	a.Exec(tb, `UPDATE orders SET status = 'completed', payment_status = 'paid', fulfillment_status = 'delivered', cash_paid = 100, paid = 100`)
	a.Exec(tb, `INSERT INTO counters (name, value) VALUES ('order', 1) ON CONFLICT (name) DO UPDATE SET value = 1`)
	shoptest.InsertDelivered(tb, a.Store, a.UID(), orders)
	a.Exec(tb, `UPDATE orders SET customer_phone = '+88015' || substr('00000000' || number, length('' || number) + 1), placed_at = number`)
	a.Exec(tb, `DELETE FROM contacts`)
	a.Exec(tb, `
		INSERT INTO contacts (phone, note, tags, blocked, reason, updated_at, name, orders, spent, last_order_at)
		SELECT customer_phone, '', '[]', 'none', '', 1, customer_name, 1, total, placed_at
		FROM orders`)
	shoptest.MarkPosted(tb, a.Store, a.UID())
	return a
}

// What `doctor`, `backup verify` and `restore` check of a shop grows with its orders and guests.
func TestInvariants_Growth(t *testing.T) {
	t.Parallel()
	var work [2]int64
	for i, orders := range []int{*growthRows / 4, *growthRows} {
		a := busyShop(t, orders)
		work[i] = shoptest.Steps(t, a, func() {
			faults, err := a.CheckInvariants(t.Context())
			if err != nil || len(faults) > 0 {
				t.Fatalf("got %q, %v, want a sound shop", faults, err)
			}
		})
	}
	shoptest.WantLinear(t, "invariants", work[0], work[1])
}
