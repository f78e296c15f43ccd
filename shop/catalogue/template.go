package catalogue

import (
	"fmt"

	"storefront/db"
)

// IsImporting reports whether an import of products is under way.
func IsImporting(tx *db.Tx) (is bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM imports)`).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("find an import: %w", err)
	}
	return is, nil
}

// AdoptTemplate prepares copied products for a new shop: nobody has ordered or reviewed them, and
// their stock begins with one movement. Images that nothing shows are deleted, and with them the
// photos of reviews.
func (c *Catalogue) AdoptTemplate(tx *db.Tx) error {
	for _, query := range []string{
		`UPDATE products
		SET sold = 0, rating_count = 0, rating_sum = 0`,
		`UPDATE product_revisions
		SET changed = 0`, // the counter begins too
		`UPDATE variants
		SET stock = 0
		WHERE stock < 0`, // units that the template's buyers wait for
		`DELETE FROM media
		WHERE id IN (
			SELECT m.id
			FROM media m
			WHERE ` + mediaUnused + `)`,
	} {
		if _, err := tx.Exec(query); err != nil {
			return fmt.Errorf("adopt products of a template: %w", err)
		}
	}
	stocked, err := db.Query(tx, func(r db.Row) (m Movement, err error) {
		return m, r.Scan(&m.VariantID, &m.Delta)
	}, `
		SELECT id, stock
		FROM variants
		WHERE stock <> 0
		ORDER BY id`)
	if err != nil {
		return fmt.Errorf("find stock of a template: %w", err)
	}
	return c.RecordMovements(tx, nil, MovedByImport, "", stocked)
}
