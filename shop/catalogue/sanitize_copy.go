package catalogue

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/input"
)

// SanitizeCopy sanitizes the descriptions in a copied file, which another program may have written,
// and indexes the products again if any has changed. The descriptions of a pending import are
// sanitized when it is applied.
func SanitizeCopy(ctx context.Context, tx *db.Tx) error {
	products, err := sanitizeTable(ctx, tx, "products")
	if err != nil {
		return err
	}
	if _, err := sanitizeTable(ctx, tx, "collections"); err != nil {
		return err
	}
	if _, err := tx.Exec(`
		UPDATE import_changes
		SET sanitized = 0`); err != nil {
		return fmt.Errorf("sanitize changes of an import: %w", err)
	}
	if len(products) == 0 {
		return nil
	}
	if err := TouchProducts(tx, products); err != nil {
		return err
	}
	return RebuildSearch(ctx, tx)
}

// description is the HTML of a product or of a collection.
type description struct{ id, html string }

// sanitizeTable sanitizes description_html in all rows of a table and returns the IDs of changed
// rows.
func sanitizeTable(ctx context.Context, tx *db.Tx, table string) (changed []string, err error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT id
		FROM `+table+`
		WHERE description_html <> ''`)
	if err != nil {
		return nil, fmt.Errorf("find descriptions of %s: %w", table, err)
	}
	for chunk := range db.Chunks(ids) {
		in, args := db.InList(chunk)
		rows, err := db.Query(tx, func(r db.Row) (d description, err error) {
			return d, r.Scan(&d.id, &d.html)
		}, `
			SELECT id, description_html
			FROM `+table+`
			WHERE id IN `+in, args...)
		if err != nil {
			return nil, fmt.Errorf("find descriptions of %s: %w", table, err)
		}
		for _, d := range rows {
			clean := input.SanitizeHTML(d.html)
			if clean == d.html {
				continue
			}
			if _, err := tx.Exec(`
				UPDATE `+table+`
				SET description_html = ?
				WHERE id = ?`, clean, d.id); err != nil {
				return nil, fmt.Errorf("sanitize %s: %w", table, err)
			}
			changed = append(changed, d.id)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return changed, nil
}
