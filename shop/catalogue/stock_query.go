package catalogue

import (
	"fmt"

	"storefront/db"
)

// reserveVariant takes units of a counted variant. ok is false, and nothing is taken, where too
// little is left and it may not be sold below zero.
func ReserveVariant(tx *db.Tx, id string, units int) (ok bool, err error) {
	n, err := tx.Exec(`
		UPDATE variants
		SET stock = stock - ?
		WHERE id = ? AND (stock >= ? OR backorder = 1)`, units, id, units)
	if err != nil {
		return false, fmt.Errorf("take stock: %w", err)
	}
	return n == 1, nil
}

// releaseVariant brings units of a variant back. ok is false where there is no such variant any more.
func ReleaseVariant(tx *db.Tx, id string, units int) (ok bool, err error) {
	n, err := tx.Exec(`
		UPDATE variants
		SET stock = stock + ?
		WHERE id = ?`, units, id)
	if err != nil {
		return false, fmt.Errorf("return stock: %w", err)
	}
	return n == 1, nil
}

func AddSold(tx *db.Tx, productID string, units int) error {
	now := db.Millis(tx.Now())
	_, err := tx.Exec(`
		UPDATE products
		SET sold = sold + ?, `+raiseRevision+`
		WHERE id = ?`, units, now, now, productID)
	if err != nil {
		return fmt.Errorf("count sold units: %w", err)
	}
	return nil
}
