package catalogue

import (
	"fmt"

	"storefront/db"
)

// Reservation is a number of units of a tracked variant.
type Reservation struct {
	VariantID string
	Units     int
}

// sameStatus is the condition that a change of a variant's stock by ? units changes neither its
// status nor whether it can be ordered. See variantRow.stockStatus.
const sameStatus = `(
			tracked = 0
			OR stock > low_stock AND stock + ? > low_stock
			OR stock BETWEEN 1 AND low_stock AND stock + ? BETWEEN 1 AND low_stock
			OR stock <= 0 AND stock + ? <= 0)`

// ReserveVariants subtracts each reservation from the stock of its variant. ok is true for possible
// ones. The others changed nothing, because the stock is insufficient and the variant may not be
// sold below zero. Most reservations change only a quantity, which pages do not show.
func ReserveVariants(tx *db.Tx, reservations []Reservation) (ok []bool, err error) {
	ok = make([]bool, len(reservations))
	quiet := make([][]any, len(reservations))
	for i, r := range reservations {
		quiet[i] = []any{r.Units, r.VariantID, r.Units, -r.Units, -r.Units, -r.Units}
	}
	end := tx.OnlyQuantities()
	rows, err := tx.ExecEach(`
		UPDATE variants
		SET stock = stock - ?
		WHERE id = ? AND (stock >= ? OR backorder = 1) AND `+sameStatus, quiet)
	end()
	if err != nil {
		return nil, fmt.Errorf("reserve stock: %w", err)
	}
	var others []int
	var visible [][]any
	for i, r := range reservations {
		if ok[i] = rows[i] == 1; !ok[i] {
			others, visible = append(others, i), append(visible, []any{r.Units, r.VariantID, r.Units})
		}
	}
	if len(others) == 0 {
		return ok, nil
	}
	if rows, err = tx.ExecEach(`
		UPDATE variants
		SET stock = stock - ?
		WHERE id = ? AND (stock >= ? OR backorder = 1)`, visible); err != nil {
		return nil, fmt.Errorf("reserve stock: %w", err)
	}
	for i, at := range others {
		ok[at] = rows[i] == 1
	}
	return ok, nil
}

// ReleaseVariant adds units to the stock of a variant. It returns false if the variant no longer
// exists.
func ReleaseVariant(tx *db.Tx, id string, units int) (ok bool, err error) {
	end := tx.OnlyQuantities()
	n, err := tx.Exec(`
		UPDATE variants
		SET stock = stock + ?
		WHERE id = ? AND `+sameStatus, units, id, units, units, units)
	end()
	if err == nil && n == 0 {
		n, err = tx.Exec(`
		UPDATE variants
		SET stock = stock + ?
		WHERE id = ?`, units, id)
	}
	if err != nil {
		return false, fmt.Errorf("release stock: %w", err)
	}
	return n == 1, nil
}

// CountSold adds units, which may be negative, to the sold counts of products. Their revisions stay
// the same, since buyers do not see the counts.
func CountSold(tx *db.Tx, productIDs []string, units map[string]int) error {
	lists := make([][]any, len(productIDs))
	for i, id := range productIDs {
		lists[i] = []any{units[id], id}
	}
	defer tx.OnlyQuantities()()
	_, err := tx.ExecEach(`
		UPDATE products
		SET sold = sold + ?
		WHERE id = ?`, lists)
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

// RecordMovements records stock movements that the caller has applied. orderNumber is nil if no
// order caused them.
func (c *Catalogue) RecordMovements(tx *db.Tx, orderNumber *int64, reason MovementReason, note string, movements []Movement) error {
	values := make([]any, 0, len(movements)*movementInsertion.Columns)
	for _, movement := range movements {
		values = append(values, movement.VariantID, c.ids.Next(tx.Now()), movement.Delta, reason, orderNumber, note, tx.Now())
	}
	if err := movementInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("record stock movements: %w", err)
	}
	return nil
}

// Ordered are units of a variant that an order has reserved.
type Ordered struct {
	VariantID   string
	OrderNumber int64
	Units       int
	At          int64 // in milliseconds
}

// RecordOrdered records the stock movements of new orders.
func (c *Catalogue) RecordOrdered(tx *db.Tx, units []Ordered) error {
	values := make([]any, 0, len(units)*movementInsertion.Columns)
	for _, o := range units {
		values = append(values, o.VariantID, c.ids.Next(db.FromMillis(o.At)), -int64(o.Units), MovedByOrder, o.OrderNumber, "", o.At)
	}
	if err := movementInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("record movements of orders: %w", err)
	}
	return nil
}

// WriteOffVariant subtracts units, which may be negative, from the stock of a variant. found is
// false if the variant no longer exists. enough is false, and nothing is changed, if its stock is
// less.
func WriteOffVariant(tx *db.Tx, id string, units int) (found, enough bool, err error) {
	n, err := tx.Exec(`
		UPDATE variants
		SET stock = stock - ?
		WHERE id = ? AND (stock >= ? OR backorder = 1 OR tracked = 0)`, units, id, units)
	if err != nil {
		return false, false, fmt.Errorf("write off stock: %w", err)
	}
	if n == 1 {
		return true, true, nil
	}
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM variants
			WHERE id = ?)`, id).Scan(&found)
	if err != nil {
		return false, false, fmt.Errorf("find variant: %w", err)
	}
	return found, !found, nil
}
