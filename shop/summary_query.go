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

const countNeedReviewQuery = "SELECT COUNT(*) FROM payment_attempts WHERE status = 'needs_review' AND " + attemptWaits

func countNeedReview(tx *db.Tx) (count int, err error) {
	if err := tx.QueryRow(countNeedReviewQuery).Scan(&count); err != nil {
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
