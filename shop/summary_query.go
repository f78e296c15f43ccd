package shop

import (
	"fmt"
	"strings"
	"time"

	"storefront/db"
)

// hasOrder reports whether the shop has an order, in any mode.
func hasOrder(tx *db.Tx) (has bool, err error) {
	if err := tx.QueryRow("SELECT EXISTS (SELECT 1 FROM orders)").Scan(&has); err != nil {
		return false, fmt.Errorf("find any order: %w", err)
	}
	return has, nil
}

// findDaySales returns the number of orders placed in a period, and their prices less discounts.
func findDaySales(tx *db.Tx, from, before time.Time) (orders int, sales int64, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*), COALESCE(SUM(subtotal - discount), 0)
		FROM orders
		WHERE placed_at >= ? AND placed_at < ? AND test = 0 AND status NOT IN ('pending_payment', 'expired', 'cancelled')`,
		db.Millis(from), db.Millis(before)).Scan(&orders, &sales)
	if err != nil {
		return 0, 0, fmt.Errorf("find sales of a day: %w", err)
	}
	return orders, sales, nil
}

// countLate returns the number of orders placed before a time that have not left the shop.
func countLate(tx *db.Tx, before time.Time) (count int, err error) {
	var either []string
	for _, name := range []WorkView{ViewToConfirm, ViewToPack, ViewToHandOver} {
		either = append(either, findView(name).condition("status"))
	}
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM orders
		WHERE work = 1 AND test = 0 AND placed_at < ? AND (`+strings.Join(either, " OR ")+`)`, db.Millis(before)).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count late orders: %w", err)
	}
	return count, nil
}

func countNeedReview(tx *db.Tx) (count int, err error) {
	if err := tx.QueryRow("SELECT COUNT(*) FROM payment_attempts WHERE status = 'needs_review'").Scan(&count); err != nil {
		return 0, fmt.Errorf("count payments to review: %w", err)
	}
	return count, nil
}

func countUnmatched(tx *db.Tx) (count int, err error) {
	if err := tx.QueryRow("SELECT COUNT(*) FROM provider_calls WHERE verdict = 'unmatched'").Scan(&count); err != nil {
		return 0, fmt.Errorf("count unmatched webhooks: %w", err)
	}
	return count, nil
}
