package shoptest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/plugin"
)

// NewDelivered is [NewCouriers] with orders as [InsertDelivered] adds them.
func NewDelivered(tb testing.TB, orders int) (s *Stocked, statement string) {
	tb.Helper()
	s = NewCouriers(tb, nil)
	s.Place(tb, access.Caller{}, GuestOrder(s.Mug.ID, 1))
	return s, InsertDelivered(tb, s.Store, s.UID(), orders)
}

// InsertDelivered adds delivered orders of the buyer of a shop's only order. Their product is
// deleted. courier_a has delivered them, as DL00000001 and so on, and has paid out every tenth. It
// returns the courier's statement of all of them, each with 520 collected, a fee of 60 and a payout
// of 460.
func InsertDelivered(tb testing.TB, store *db.Store, uid string, orders int) (statement string) {
	tb.Helper()
	const n = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) `
	// i with leading zeros, in the SQL of all engines
	const digits8, digits11 = `substr('00000000' || i, length('' || i) + 1)`, `substr('00000000000' || i, length('' || i) + 1)`
	columns := `payment_method, test, customer_name, customer_phone, line1, line2, area, city, postcode, country, note, delivery_charge_id,
		delivery_name, placed_at, updated_at`
	err := store.Update(tb.Context(), db.ID(uid), func(_ context.Context, tx *db.Tx) error {
		for _, insert := range []string{
			n + `INSERT INTO orders (number, id, status, payment_status, fulfillment_status, courier, shipment_status,
					subtotal, discount, delivery_charge, rounding, total, cash_paid, paid, ` + columns + `)
				SELECT number + i, 'ORDER' || ` + digits11 + `, 'completed', 'paid', 'delivered', 'courier_a', 'delivered',
					52000, 0, 0, 0, 52000, 52000, 52000, ` + columns + ` FROM orders, n`,
			n + `INSERT INTO order_items (order_number, position, product_id, variant_id, title, variant_title, sku, image_url, quantity, unit_price,
					discount, stock_taken)
				SELECT number, 1, 'deleted', 'deleted', 'Lamp', '', '', '', 1, 52000, 0, 0 FROM n JOIN orders ON id = 'ORDER' || ` + digits11,
			n + `INSERT INTO shipments (id, order_id, provider, consignment_id, tracking_code, status, moved_at, created_at, updated_at)
				SELECT 'shipment-' || ` + digits8 + `, 'ORDER' || ` + digits11 + `, 'courier_a', 'DL' || ` + digits8 + `, '', 'delivered', i, i, i FROM n`,
			n + `INSERT INTO cash_entries (id, shipment_id, kind, amount, source, reference, at)
				SELECT 'due-' || ` + digits8 + `, 'shipment-' || ` + digits8 + `, 'due', 52000, 'order', '', i FROM n`,
			n + `INSERT INTO cash_entries (id, shipment_id, kind, amount, source, reference, at)
				SELECT 'fee-' || ` + digits8 + `, 'shipment-' || ` + digits8 + `, 'fee', 6000, 'event', 'order.delivered', i FROM n`,
			n + `INSERT INTO cash_entries (id, shipment_id, kind, amount, source, reference, at)
				SELECT 'got-' || ` + digits8 + `, 'shipment-' || ` + digits8 + `, 'collected', 52000, 'event', 'order.delivered', i FROM n`,
			n + `INSERT INTO cash_entries (id, shipment_id, kind, amount, source, reference, at)
				SELECT 'paid-' || ` + digits8 + `, 'shipment-' || ` + digits8 + `, 'remitted', NULL, 'event', 'order.paid INV', i + 1 FROM n WHERE i % 10 = 0`,
			n + `INSERT INTO cash_lines (shipment_id, due, due_changed, collected, fee, fee_whole, paid_out, reconciled, source, at)
				SELECT 'shipment-' || ` + digits8 + `, 52000, 0, 52000, 6000, 0, CASE WHEN i % 10 = 0 THEN 1 ELSE 0 END, 0, 'event',
					CASE WHEN i % 10 = 0 THEN i + 1 ELSE i END FROM n`,
			`UPDATE counters SET value = value + ? WHERE name = 'order'`,
		} {
			if _, err := tx.Exec(insert, orders); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("consignment,collected,fee,paid\n")
	for i := 1; i <= orders; i++ {
		fmt.Fprintf(&text, "DL%08d,520,60,460\n", i)
	}
	return text.String()
}

// Reconcile reconciles a courier's statement.
func Reconcile(tb testing.TB, s *shop.Shop, courier plugin.Provider, text string) {
	tb.Helper()
	file := cash.StatementFile{Courier: courier, File: strings.NewReader(text)}
	if _, err := s.Cash.ReconcileStatement(tb.Context(), access.Operator(), file); err != nil {
		tb.Fatal(err)
	}
}
