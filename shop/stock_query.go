package shop

import (
	"fmt"
	"strings"

	"storefront/db"
)

// takeVariant takes units of a counted variant. ok is false, and nothing is taken, where too
// little is left and it may not be sold below zero.
func takeVariant(tx *db.Tx, id string, units int) (ok bool, err error) {
	n, err := tx.Exec(`
		UPDATE variants
		SET stock = stock - ?
		WHERE id = ? AND (stock >= ? OR backorder = 1)`, units, id, units)
	if err != nil {
		return false, fmt.Errorf("take stock: %w", err)
	}
	return n == 1, nil
}

// returnVariant brings units of a variant back. ok is false where there is no such variant any more.
func returnVariant(tx *db.Tx, id string, units int) (ok bool, err error) {
	n, err := tx.Exec(`
		UPDATE variants
		SET stock = stock + ?
		WHERE id = ?`, units, id)
	if err != nil {
		return false, fmt.Errorf("return stock: %w", err)
	}
	return n == 1, nil
}

func addSold(tx *db.Tx, productID string, units int) error {
	now := millis(tx.Now())
	_, err := tx.Exec(`
		UPDATE products
		SET sold = sold + ?, `+raiseRevision+`
		WHERE id = ?`, units, now, now, productID)
	if err != nil {
		return fmt.Errorf("count sold units: %w", err)
	}
	return nil
}

// insertSizes are the numbers of rows that one INSERT has: few sizes, few statements to prepare.
var insertSizes = [...]int{8, 4, 2, 1}

// insertRows inserts rows of one length by an INSERT that ends in VALUES.
func insertRows(tx *db.Tx, insert string, rows [][]any) error {
	for _, size := range insertSizes {
		for len(rows) >= size {
			one := "(?" + strings.Repeat(", ?", len(rows[0])-1) + ")"
			args := make([]any, 0, size*len(rows[0]))
			for _, row := range rows[:size] {
				args = append(args, row...)
			}
			if _, err := tx.Exec(insert+one+strings.Repeat(", "+one, size-1), args...); err != nil {
				return err
			}
			rows = rows[size:]
		}
	}
	return nil
}
