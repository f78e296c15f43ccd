package catalogue

import (
	"fmt"

	"storefront/db"
)

// ReserveVariant subtracts units from the stock of a tracked variant. It returns false and changes
// nothing if the stock is insufficient and the variant may not be sold below zero.
func ReserveVariant(tx *db.Tx, id string, units int) (ok bool, err error) {
	n, err := tx.Exec(`
		UPDATE variants
		SET stock = stock - ?
		WHERE id = ? AND (stock >= ? OR backorder = 1)`, units, id, units)
	if err != nil {
		return false, fmt.Errorf("reserve stock: %w", err)
	}
	return n == 1, nil
}

// ReleaseVariant adds units to the stock of a variant. It returns false if the variant no longer
// exists.
func ReleaseVariant(tx *db.Tx, id string, units int) (ok bool, err error) {
	n, err := tx.Exec(`
		UPDATE variants
		SET stock = stock + ?
		WHERE id = ?`, units, id)
	if err != nil {
		return false, fmt.Errorf("release stock: %w", err)
	}
	return n == 1, nil
}

// AddSold adds units, which may be negative, to the sold count of a product.
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

// Movement is a change of a variant's stock by Delta units.
type Movement struct {
	VariantID string
	Delta     int64
}

var movementInsertion = db.NewInsertion("stock_movements (variant_id, id, delta, reason, order_number, note, at)")

// RecordMovements records stock movements that the caller has applied. orderNumber is nil if no order
// caused them.
func (c *Catalogue) RecordMovements(tx *db.Tx, orderNumber *int64, reason, note string, movements []Movement) error {
	values := make([]any, 0, len(movements)*movementInsertion.Columns)
	for _, movement := range movements {
		values = append(values, movement.VariantID, c.ids.Next(tx.Now()), movement.Delta, reason, orderNumber, note, tx.Now())
	}
	if err := movementInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("record stock movements: %w", err)
	}
	return nil
}
