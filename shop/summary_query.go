package shop

import (
	"fmt"

	"storefront/db"
)

// hasOrder reports whether the shop has an order, in any mode.
func hasOrder(tx *db.Tx) (has bool, err error) {
	if err := tx.QueryRow("SELECT EXISTS (SELECT 1 FROM orders)").Scan(&has); err != nil {
		return false, fmt.Errorf("find any order: %w", err)
	}
	return has, nil
}

func countUnmatched(tx *db.Tx) (count int, err error) {
	if err := tx.QueryRow("SELECT COUNT(*) FROM provider_webhooks WHERE verdict = 'unmatched'").Scan(&count); err != nil {
		return 0, fmt.Errorf("count unmatched webhooks: %w", err)
	}
	return count, nil
}
