package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/cash"
	"storefront/shop/order"
)

// invariant is a condition that every shop's data must meet at any time, beyond the constraints of
// the schema. Its query counts the violations; broken describes them.
type invariant struct {
	broken, query string
	count         func(*db.Tx) (int64, error) // instead of a query; nil if there is none
}

// entriesByShipment sums up the entries of each shipment.
const entriesByShipment = `(
			SELECT shipment_id, MAX(at) AS at, MAX(CASE WHEN kind = 'remitted' THEN 1 ELSE 0 END) AS paid_out,
				MAX(CASE WHEN kind = 'remitted' AND source = 'statement' THEN 1 ELSE 0 END) AS reconciled,
				COUNT(DISTINCT kind) AS kinds
			FROM ` + cash.AllEntries + `
			GROUP BY shipment_id)`

var invariants = []invariant{
	{broken: "variants whose stock is not the sum of its movements", query: `
		SELECT COUNT(*)
		FROM variants v
		LEFT JOIN (SELECT variant_id, SUM(delta) AS stock FROM stock_movements GROUP BY variant_id) m ON m.variant_id = v.id
		LEFT JOIN (
			SELECT variant_id, SUM(quantity) AS units
			FROM order_items
			WHERE stock_taken = 1 AND order_number > ` + order.Posted + `
			GROUP BY variant_id) n ON n.variant_id = v.id
		WHERE v.stock <> COALESCE(m.stock, 0) - COALESCE(n.units, 0)`},
	{broken: "products whose units sold differ from those in orders that are not cancelled or expired", query: `
		SELECT COUNT(*)
		FROM products p
		LEFT JOIN (
			SELECT i.product_id, SUM(i.quantity) AS sold
			FROM order_items i
			JOIN orders o ON o.number = i.order_number
			WHERE o.status NOT IN ('cancelled', 'expired') AND o.number <= ` + order.Posted + `
			GROUP BY i.product_id) l ON l.product_id = p.id
		WHERE p.sold <> COALESCE(l.sold, 0)`},
	{broken: "posted orders that are not listed by their products, or by others", query: `
		SELECT (
			SELECT COUNT(*)
			FROM order_items i
			LEFT JOIN product_orders p ON p.product_id = i.product_id AND p.order_number = i.order_number
			WHERE p.order_number IS NULL AND i.order_number <= ` + order.Posted + `
		) + (
			SELECT COUNT(*)
			FROM product_orders p
			LEFT JOIN order_items i ON i.order_number = p.order_number AND i.product_id = p.product_id
			WHERE i.order_number IS NULL
		)`},
	{broken: "products with prices that differ from their variants", query: `
		SELECT COUNT(*)
		FROM products p
		JOIN (SELECT product_id, MIN(price) AS low, MAX(price) AS high FROM variants GROUP BY product_id) v ON v.product_id = p.id
		WHERE p.price <> v.low OR p.price_max <> v.high`},
	{broken: "coupons whose uses differ from the orders that are not cancelled or expired", query: `
		SELECT COUNT(*)
		FROM coupons c
		WHERE c.code_key IS NOT NULL
			AND c.used <> (SELECT COUNT(*) FROM orders o WHERE o.coupon_id = c.id AND o.status NOT IN ('cancelled', 'expired'))`},
	{broken: "automatic discounts whose uses differ from the orders that are not cancelled or expired", query: `
		SELECT COUNT(*)
		FROM coupons c
		WHERE c.code_key IS NULL AND c.used <> (
			SELECT COUNT(*)
			FROM orders o
			WHERE o.discounts IS NOT NULL AND lower(o.discounts) LIKE '%"id":"' || lower(c.id) || '"%'
				AND o.status NOT IN ('cancelled', 'expired'))`},
	{broken: "automatic discounts with sums that differ from their orders, except cancelled and expired ones", query: `
		SELECT COUNT(*)
		FROM (SELECT COALESCE(SUM(discount_given), 0) AS given FROM coupons WHERE code_key IS NULL) c
		WHERE c.given <> (SELECT COALESCE(SUM(automatic_discount), 0) FROM orders WHERE status NOT IN ('cancelled', 'expired'))`},
	{broken: "coupons with discounts that differ from their orders, except cancelled and expired ones", query: `
		SELECT COUNT(*)
		FROM coupons c
		WHERE c.code_key IS NOT NULL AND c.discount_given <> (
			SELECT COALESCE(SUM(o.discount - o.staff_discount - o.automatic_discount - o.quantity_discount), 0)
			FROM orders o
			WHERE o.coupon_id = c.id AND o.status NOT IN ('cancelled', 'expired'))`},
	{broken: "accounts with orders, spending or a last order that differ from their orders",
		query: order.WrongSums("customers", "id", "customer_id", "customer_id IS NOT NULL", "")},
	{broken: "guests with orders, spending, a last order or a name that differ from their orders",
		query: order.WrongSums("contacts", "phone", "customer_phone", "customer_id IS NULL AND customer_phone <> ''", `
			OR b.name <> COALESCE((
				SELECT n.customer_name
				FROM orders n
				WHERE n.customer_phone = b.phone AND n.customer_id IS NULL AND n.test = 0 AND n.number <= `+order.Posted+`
				ORDER BY n.placed_at DESC, n.number DESC
				LIMIT 1), '')`)},
	{broken: "orders whose amounts are not the sums of their lines", query: `
		SELECT COUNT(*)
		FROM orders o
		LEFT JOIN (
			SELECT order_number, SUM(unit_price * quantity) AS subtotal, SUM(discount) AS discount,
				SUM(quantity_discount) AS quantity_discount
			FROM order_items
			GROUP BY order_number) i ON i.order_number = o.number
		WHERE i.order_number IS NULL OR o.subtotal <> i.subtotal OR o.discount <> i.discount
			OR o.quantity_discount <> i.quantity_discount`},
	{broken: "orders whose stock was not reserved or not released", query: `
		SELECT COUNT(*)
		FROM orders o
		JOIN (
			SELECT i.order_number, SUM(CASE WHEN i.stock_taken = 1 THEN i.quantity - i.restocked ELSE 0 END) AS taken
			FROM order_items i
			JOIN variants v ON v.id = i.variant_id
			GROUP BY i.order_number) l ON l.order_number = o.number
		LEFT JOIN (SELECT order_number, -SUM(delta) AS taken FROM stock_movements GROUP BY order_number) m ON m.order_number = o.number
		WHERE o.number <= ` + order.Posted + `
			AND COALESCE(m.taken, 0) <> CASE WHEN o.status IN ('cancelled', 'expired', 'returned') THEN 0 ELSE l.taken END`},
	{broken: "orders whose advances differ from their sum, or that are open and not paid although advances cover the total", query: `
		SELECT COUNT(*)
		FROM orders o
		LEFT JOIN (SELECT order_number, SUM(amount) AS advance FROM order_advances GROUP BY order_number) a ON a.order_number = o.number
		WHERE o.advance <> COALESCE(a.advance, 0) OR o.advance > 0 AND (o.payment_method <> 'cod'
			OR o.advance + o.prepaid >= o.total AND o.payment_status = 'unpaid'
			OR o.status IN ('cancelled', 'expired', 'returned') AND o.payment_status NOT IN ('refund_due', 'refunded', 'needs_review'))`},
	{broken: "orders with credits that differ from their sums, or from the restocked units of their lines", query: `
		SELECT COUNT(*)
		FROM orders o
		LEFT JOIN (
			SELECT order_number, SUM(amount) AS credited, SUM(amount * uncollected) AS uncollected, SUM(restocked) AS restocked
			FROM order_credits
			GROUP BY order_number) c ON c.order_number = o.number
		LEFT JOIN (SELECT order_number, SUM(restocked) AS restocked FROM order_items GROUP BY order_number) i ON i.order_number = o.number
		WHERE o.credited <> COALESCE(c.credited, 0) OR o.uncollected <> COALESCE(c.uncollected, 0)
			OR COALESCE(i.restocked, 0) <> COALESCE(c.restocked, 0)`},
	{broken: "lines with more credited units than were ordered, or a larger amount", query: `
		SELECT COUNT(*)
		FROM (
			SELECT order_number, position, SUM(quantity) AS units
			FROM order_credits
			WHERE position > 0
			GROUP BY order_number, position) c
		LEFT JOIN order_items i ON i.order_number = c.order_number AND i.position = c.position
		WHERE i.quantity IS NULL OR c.units > i.quantity`},
	{broken: "orders whose paid or refunded amounts are not the sums of their cash, advances and payments", query: `
		SELECT COUNT(*)
		FROM orders o
		LEFT JOIN (
			SELECT order_id, SUM(CASE WHEN status IN ('succeeded', 'refund_due', 'refunded') THEN amount ELSE 0 END) AS paid,
				SUM(refunded) AS refunded
			FROM payment_attempts
			GROUP BY order_id) a ON a.order_id = o.id
		LEFT JOIN (SELECT order_number, SUM(amount) AS refunded FROM cash_refunds GROUP BY order_number) r ON r.order_number = o.number
		WHERE o.paid <> o.cash_paid + o.advance + COALESCE(a.paid, 0) OR o.refunded <> o.cash_refunded + COALESCE(a.refunded, 0)
			OR o.cash_refunded <> COALESCE(r.refunded, 0) OR o.payment_method <> 'cod' AND o.cash_paid <> 0`},
	{broken: "orders with another amount paid in advance at gateways than the sum of their attempts", query: `
		SELECT COUNT(*)
		FROM orders o
		LEFT JOIN (
			SELECT order_id, SUM(amount - refunded) AS prepaid
			FROM payment_attempts
			WHERE advance = 1 AND status IN ('succeeded', 'refund_due', 'refunded')
			GROUP BY order_id) a ON a.order_id = o.id
		WHERE o.prepaid <> COALESCE(a.prepaid, 0) OR o.prepaid > 0 AND o.payment_method <> 'cod'`},
	{broken: "confirmed payments to wallets that are not advances of the same amount", query: `
		SELECT COUNT(*)
		FROM wallet_payments w
		LEFT JOIN order_advances a ON a.order_number = w.order_number AND a.id = w.id
		WHERE w.status = 'confirmed' AND (a.amount IS NULL OR a.amount <> w.amount) OR w.status <> 'confirmed' AND a.id IS NOT NULL`},
	{broken: "cash orders that are paid without an amount", query: `
		SELECT COUNT(*)
		FROM orders
		WHERE payment_method = 'cod' AND payment_status IN ('paid', 'refund_due', 'partially_refunded', 'refunded')
			AND paid = 0 AND total > uncollected`},
	{broken: "variants with damaged units that differ from the returned orders", query: `
		SELECT COUNT(*)
		FROM variants v
		LEFT JOIN (SELECT variant_id, -SUM(delta) AS units FROM stock_movements WHERE reason = 'damaged' GROUP BY variant_id) m
			ON m.variant_id = v.id
		LEFT JOIN (SELECT variant_id, SUM(damaged) AS units FROM order_items WHERE stock_taken = 1 GROUP BY variant_id) i ON i.variant_id = v.id
		WHERE COALESCE(m.units, 0) <> COALESCE(i.units, 0)`},
	{broken: "orders with damaged units that are not returned", query: `
		SELECT COUNT(*)
		FROM order_items i
		JOIN orders o ON o.number = i.order_number
		WHERE i.damaged > 0 AND o.status <> 'returned'`},
	{broken: "orders with restocked units that are neither delivered nor returned, or with more units back than were sold", query: `
		SELECT COUNT(*)
		FROM order_items i
		JOIN orders o ON o.number = i.order_number
		WHERE i.restocked > 0 AND (o.fulfillment_status NOT IN ('delivered', 'returned') OR i.restocked + i.damaged > i.quantity)`},
	{broken: "payments whose refunded amount is not the sum of their refunds", query: `
		SELECT COUNT(*)
		FROM payment_attempts a
		LEFT JOIN (SELECT attempt_id, SUM(amount) AS refunded FROM refunds WHERE status = 'done' GROUP BY attempt_id) r ON r.attempt_id = a.id
		WHERE a.refunded <> COALESCE(r.refunded, 0) OR (a.status = 'refunded') <> (a.refunded = a.amount)`},
	{broken: "payments with refunds that exceed the paid amount", query: `
		SELECT COUNT(*)
		FROM payment_attempts a
		JOIN (SELECT attempt_id, SUM(amount) AS reserved FROM refunds WHERE status <> 'failed' GROUP BY attempt_id) r ON r.attempt_id = a.id
		WHERE r.reserved > a.amount OR a.status NOT IN ('succeeded', 'refund_due', 'refunded')`},
	{broken: "orders with a payment status that differs from their payments", query: `
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
			OR o.payment_method <> 'cod' AND (o.payment_status = 'partially_refunded') <> (a.part = 1)
			OR o.payment_method <> 'cod' AND a.paid = 0 AND a.due = 1 AND o.payment_status <> 'refund_due'`},
	{broken: "shipments with a line in the COD ledger that differs from its entries", query: `
		SELECT COUNT(*)
		FROM ` + entriesByShipment + ` e
		LEFT JOIN cash_lines l ON l.shipment_id = e.shipment_id
		WHERE l.shipment_id IS NULL OR l.at <> e.at OR l.paid_out <> e.paid_out OR l.reconciled <> e.reconciled
			OR e.kinds <> l.paid_out + (CASE WHEN l.due IS NULL THEN 0 ELSE 1 END) + (CASE WHEN l.collected IS NULL THEN 0 ELSE 1 END)
				+ (CASE WHEN l.fee IS NULL THEN 0 ELSE 1 END)`},
	{broken: "lines in the COD ledger without entries", query: `
		SELECT COUNT(*)
		FROM cash_lines l
		LEFT JOIN ` + entriesByShipment + ` e ON e.shipment_id = l.shipment_id
		WHERE e.shipment_id IS NULL`},
	{broken: "orders with a courier or shipment status that differs from their current shipment", query: `
		SELECT COUNT(*)
		FROM orders o
		LEFT JOIN shipments p ON p.id = (
			SELECT n.id
			FROM shipments n
			WHERE n.order_id = o.id
			ORDER BY CASE WHEN n.status IN ('delivered', 'returned', 'cancelled', 'exchanged') THEN 1 ELSE 0 END, n.id DESC
			LIMIT 1)
		WHERE o.courier <> COALESCE(p.provider, '') OR o.shipment_status <> COALESCE(p.status, '')`},
	{broken: "orders that do not show why staff must check them", query: `
		SELECT COUNT(*)
		FROM orders o
		WHERE o.attention <> CASE
			WHEN o.payment_status = 'needs_review' THEN 'review'
			WHEN o.attention = 'unanswered'
				AND EXISTS (SELECT 1 FROM parcel_bookings b WHERE b.order_id = o.id AND b.shipment_id IS NULL) THEN 'unanswered'
			WHEN o.status IN ('cancelled', 'expired', 'returned') AND EXISTS (
				SELECT 1 FROM shipments p WHERE p.order_id = o.id AND p.status NOT IN (
					'delivered', 'partially_delivered', 'exchanged', 'returning', 'returned', 'cancelled')) THEN 'stray'
			WHEN EXISTS (SELECT 1 FROM shipments p WHERE p.order_id = o.id AND p.status IN ('on_hold', 'delivery_failed')) THEN 'shipment'
			WHEN EXISTS (SELECT 1 FROM order_flags f WHERE f.order_id = o.id AND f.resolved_at IS NULL) THEN 'flag'
			ELSE '' END`},
	{broken: "orders that are in the lists of open work and do not belong there, or the other way round", query: `
		SELECT COUNT(*)
		FROM orders
		WHERE work <> CASE WHEN ` + order.OpenWork() + ` THEN 1 ELSE 0 END`},
	{broken: "orders with a number that was not assigned yet", query: `
		SELECT COUNT(*)
		FROM orders
		WHERE number > COALESCE((SELECT value FROM counters WHERE name = 'order'), 0)`},
	{broken: "shipments or couriers whose stored cash is not what the ledger adds up to", count: countWrongCash},
	{broken: "products missing from the search index, or superfluous entries in it", query: `
		SELECT ABS((SELECT COUNT(*) FROM products) - (SELECT COUNT(*) FROM product_search))`},
}

// countWrongCash counts the shipments and couriers whose stored cash is wrong.
func countWrongCash(tx *db.Tx) (int64, error) {
	currency, err := currencyIn(tx)
	if err != nil {
		return 0, err
	}
	return cash.CountWrong(tx, currency)
}

// CheckInvariants returns a description of every broken invariant of the shop's data. It reads one
// snapshot and does not block writes.
func (s *Shop) CheckInvariants(ctx context.Context) (faults []string, err error) {
	err = s.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) error {
		faults, err = BrokenInvariants(tx)
		return err
	})
	return faults, err
}

// BrokenInvariants is [Shop.CheckInvariants] inside a transaction.
func BrokenInvariants(tx *db.Tx) (faults []string, err error) {
	for _, in := range invariants {
		var n int64
		if in.count != nil {
			n, err = in.count(tx)
		} else {
			err = tx.QueryRow(in.query).Scan(&n)
		}
		if err != nil {
			return nil, fmt.Errorf("count %s: %w", in.broken, err)
		}
		if n != 0 {
			faults = append(faults, fmt.Sprintf("%d %s", n, in.broken))
		}
	}
	return faults, nil
}
