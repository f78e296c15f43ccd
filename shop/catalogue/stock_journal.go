package catalogue

import (
	"fmt"

	"storefront/db"
)

// stockMove is one change of a variant's stock.
type Movement struct {
	VariantID string
	Delta     int64
}

var movementInsertion = db.NewInsertion("stock_movements (variant_id, id, delta, reason, order_number, note, at)")

// insertMoves writes movements down; number is nil for those that no order made.
func (c *Catalogue) RecordMovements(tx *db.Tx, number *int64, reason, note string, moves []Movement) error {
	values := make([]any, 0, len(moves)*movementInsertion.Columns)
	for _, move := range moves {
		values = append(values, move.VariantID, c.ids.Next(tx.Now()), move.Delta, reason, number, note, tx.Now())
	}
	if err := movementInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("insert stock movements: %w", err)
	}
	return nil
}
