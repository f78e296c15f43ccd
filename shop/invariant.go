package shop

import (
	"context"
	"fmt"

	"storefront/db"
)

// invariant is a condition that every shop's data must meet at any time, beyond the constraints of
// the schema. Its query counts the violations, which broken describes.
type invariant struct{ broken, query string }

var invariants = []invariant{
	{"variants whose stock is not the sum of its movements", `
		SELECT COUNT(*)
		FROM variants v
		LEFT JOIN (SELECT variant_id, SUM(delta) AS stock FROM stock_movements GROUP BY variant_id) m ON m.variant_id = v.id
		WHERE v.stock <> COALESCE(m.stock, 0)`},
	{"products whose units sold differ from those in orders that are not cancelled or expired", `
		SELECT COUNT(*)
		FROM products p
		LEFT JOIN (
			SELECT i.product_id, SUM(i.quantity) AS sold
			FROM order_items i
			JOIN orders o ON o.number = i.order_number
			WHERE o.status NOT IN ('cancelled', 'expired')
			GROUP BY i.product_id) l ON l.product_id = p.id
		WHERE p.sold <> COALESCE(l.sold, 0)`},
	{"products whose prices are not those of their variants", `
		SELECT COUNT(*)
		FROM products p
		JOIN (SELECT product_id, MIN(price) AS low, MAX(price) AS high FROM variants GROUP BY product_id) v ON v.product_id = p.id
		WHERE p.price <> v.low OR p.price_max <> v.high`},
	{"coupons whose uses differ from the orders that are not cancelled or expired", `
		SELECT COUNT(*)
		FROM coupons c
		WHERE c.used <> (SELECT COUNT(*) FROM orders o WHERE o.coupon_id = c.id AND o.status NOT IN ('cancelled', 'expired'))`},
	{"orders whose amounts are not the sums of their lines", `
		SELECT COUNT(*)
		FROM orders o
		LEFT JOIN (
			SELECT order_number, SUM(unit_price * quantity) AS subtotal, SUM(discount) AS discount
			FROM order_items
			GROUP BY order_number) i ON i.order_number = o.number
		WHERE i.order_number IS NULL OR o.subtotal <> i.subtotal OR o.discount <> i.discount`},
	{"orders whose stock was not reserved or not released", `
		SELECT COUNT(*)
		FROM orders o
		JOIN (
			SELECT i.order_number, SUM(CASE WHEN i.stock_taken = 1 THEN i.quantity ELSE 0 END) AS taken
			FROM order_items i
			JOIN variants v ON v.id = i.variant_id
			GROUP BY i.order_number) l ON l.order_number = o.number
		LEFT JOIN (SELECT order_number, -SUM(delta) AS taken FROM stock_movements GROUP BY order_number) m ON m.order_number = o.number
		WHERE COALESCE(m.taken, 0) <> CASE WHEN o.status IN ('cancelled', 'expired', 'returned') THEN 0 ELSE l.taken END`},
	{"payments whose refunded amount is not the sum of their refunds", `
		SELECT COUNT(*)
		FROM payment_attempts a
		LEFT JOIN (SELECT attempt_id, SUM(amount) AS refunded FROM refunds WHERE status = 'done' GROUP BY attempt_id) r ON r.attempt_id = a.id
		WHERE a.refunded <> COALESCE(r.refunded, 0) OR (a.status = 'refunded') <> (a.refunded = a.amount)`},
	{"payments of which more is refunded or being refunded than was paid", `
		SELECT COUNT(*)
		FROM payment_attempts a
		JOIN (SELECT attempt_id, SUM(amount) AS reserved FROM refunds WHERE status <> 'failed' GROUP BY attempt_id) r ON r.attempt_id = a.id
		WHERE r.reserved > a.amount OR a.status NOT IN ('succeeded', 'refund_due', 'refunded')`},
	{"orders whose payment status is not that of their payments", `
		SELECT COUNT(*)
		FROM orders o
		JOIN (
			SELECT order_id, MAX(CASE WHEN status = 'succeeded' THEN 1 ELSE 0 END) AS paid,
				MAX(CASE WHEN status = 'succeeded' AND refunded > 0 THEN 1 ELSE 0 END) AS part,
				MAX(CASE WHEN status = 'refund_due' THEN 1 ELSE 0 END) AS due
			FROM payment_attempts
			GROUP BY order_id) a ON a.order_id = o.id
		WHERE o.payment_method <> 'cod'
			AND (o.payment_status IN ('paid', 'partially_refunded')) <> (a.paid = 1)
			OR (o.payment_status = 'partially_refunded') <> (a.part = 1)
			OR o.payment_method <> 'cod' AND a.paid = 0 AND a.due = 1 AND o.payment_status <> 'refund_due'`},
	{"orders with a number that was not assigned yet", `
		SELECT COUNT(*)
		FROM orders
		WHERE number > COALESCE((SELECT value FROM counters WHERE name = 'order'), 0)`},
	{"products missing from the search index, or superfluous entries in it", `
		SELECT ABS((SELECT COUNT(*) FROM products) - (SELECT COUNT(*) FROM product_search))`},
}

// CheckInvariants returns a description of every broken invariant of the shop's data. It reads one
// snapshot and does not block writes.
func (s *Shop) CheckInvariants(ctx context.Context) (faults []string, err error) {
	err = s.viewMany(ctx, func(_ context.Context, tx *db.Tx) error {
		faults, err = BrokenInvariants(tx)
		return err
	})
	return faults, err
}

// BrokenInvariants is [Shop.CheckInvariants] inside a transaction.
func BrokenInvariants(tx *db.Tx) (faults []string, err error) {
	for _, in := range invariants {
		var n int64
		if err := tx.QueryRow(in.query).Scan(&n); err != nil {
			return nil, fmt.Errorf("count %s: %w", in.broken, err)
		}
		if n != 0 {
			faults = append(faults, fmt.Sprintf("%d %s", n, in.broken))
		}
	}
	return faults, nil
}
