package order

import (
	"fmt"

	"storefront/db"
	"storefront/shop/access"
)

// maxPrints is the number of prints that an order stores; older ones are deleted.
const maxPrints = 50

// findPrints returns the prints of an order, newest first.
func findPrints(tx *db.Tx, number int64) ([]Print, error) {
	prints, err := db.Query(tx, func(r db.Row) (p Print, err error) {
		var author string
		if err := r.Scan(&p.At, &p.Kind, &author); err != nil {
			return p, err
		}
		p.By, err = parseActor(author)
		return p, err
	}, `
		SELECT at, kind, author
		FROM order_prints
		WHERE order_number = ?
		ORDER BY at DESC, kind`, number)
	if err != nil {
		return nil, fmt.Errorf("find prints: %w", err)
	}
	return db.OrEmpty(prints), nil
}

// insertPrint records that an order was printed now, and deletes its oldest prints beyond
// maxPrints.
func insertPrint(tx *db.Tx, number int64, kind PrintKind, by access.Actor) error {
	author, err := formatActor(by)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`
		INSERT INTO order_prints (order_number, at, kind, author)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (order_number, at, kind) DO NOTHING`, number, db.Millis(tx.Now()), kind, author)
	if err != nil {
		return fmt.Errorf("insert print: %w", err)
	}
	_, err = tx.Exec(`
		DELETE FROM order_prints
		WHERE order_number = ? AND at < (
			SELECT MIN(at)
			FROM (
				SELECT at
				FROM order_prints
				WHERE order_number = ?
				ORDER BY at DESC
				LIMIT ?) AS newest)`, number, number, maxPrints)
	if err != nil {
		return fmt.Errorf("delete old prints: %w", err)
	}
	return nil
}
