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
