package order

import (
	"fmt"

	"storefront/db"
)

// findAdvances returns the advances of the order with this number, oldest first.
func findAdvances(tx *db.Tx, number int64) ([]advanceRow, error) {
	rows, err := db.Query(tx, func(r db.Row) (a advanceRow, err error) {
		return a, r.Scan(&a.id, &a.amount, &a.method, &a.reference, &a.by, &a.at)
	}, `
		SELECT id, amount, method, reference, created_by, at
		FROM order_advances
		WHERE order_number = ?
		ORDER BY id`, number)
	if err != nil {
		return nil, fmt.Errorf("find advances: %w", err)
	}
	return rows, nil
}

func insertAdvance(tx *db.Tx, number int64, a advanceRow) error {
	err := tx.Do(`
		INSERT INTO order_advances (order_number, id, amount, method, reference, transaction_id, created_by, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, number, a.id, a.amount, a.method, a.reference, a.transactionID(), a.by, a.at)
	if err != nil {
		return fmt.Errorf("insert advance: %w", err)
	}
	return nil
}

func deleteAdvance(tx *db.Tx, number int64, id string) error {
	err := tx.Do(`
		DELETE FROM order_advances
		WHERE order_number = ? AND id = ?`, number, id)
	if err != nil {
		return fmt.Errorf("delete advance: %w", err)
	}
	return nil
}
