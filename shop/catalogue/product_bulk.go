package catalogue

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// FindFiltered returns the IDs of the products that a filter selects, at most limit. The filter's
// page is not used. Codes: validation_failed.
func FindFiltered(ctx context.Context, tx *db.Tx, filter ProductListFilter, synonyms *Synonyms, limit int) ([]string, error) {
	var bad fault.Invalid
	filter.check(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	ids, _, err := filter.find(ctx, tx, synonyms, page.Window{Page: 1, Limit: limit})
	return ids, err
}

// FindProductTitles returns the titles of the products with these IDs, by ID.
func FindProductTitles(tx *db.Tx, ids []string) (map[string]string, error) {
	titles := make(map[string]string, len(ids))
	for part := range db.Chunks(ids) {
		list, args := db.InList(part)
		err := tx.Each(`
			SELECT p.id, p.title
			FROM products p
			WHERE p.id IN `+list+` AND `+notHidden, args, func(r db.Row) error {
			var id, title string
			err := r.Scan(&id, &title)
			titles[id] = title
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find titles of products: %w", err)
		}
	}
	return titles, nil
}

// CheckUpdate reports whether a change would change the product with this ID. Codes: as for
// [Catalogue.UpdateProduct].
func CheckUpdate(tx *db.Tx, id string, change ProductChange) (changes bool, err error) {
	before, err := findAnyProduct(tx, id)
	if err != nil {
		return false, err
	}
	edit, err := change.plan(tx, before)
	return err == nil && edit.changes(), err
}

// CheckDelete checks that the product with this ID can be deleted. Codes: as for
// [Catalogue.DeleteProduct].
func CheckDelete(tx *db.Tx, id string) error {
	p, err := findAnyProduct(tx, id)
	if err != nil {
		return err
	}
	return p.checkDelete()
}
