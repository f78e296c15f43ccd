package catalogue

import (
	"fmt"

	"storefront/db"
)

// VisibleProducts returns the handles among these, at most db.MaxList, that products have or had
// which buyers see.
func VisibleProducts(tx *db.Tx, handles []string) ([]string, error) {
	if len(handles) == 0 {
		return nil, nil
	}
	list, args := db.InList(handles)
	now := db.Millis(tx.Now())
	return visible(tx, "products", []string{`
		SELECT p.handle
		FROM products p
		WHERE ` + Published + ` AND p.handle IN ` + list, `
		SELECT h.handle
		FROM product_handles h
		JOIN products p ON p.id = h.product_id
		WHERE ` + Published + ` AND h.handle IN ` + list,
	}, append([]any{now}, args...))
}

// VisibleCollections returns the handles among these, at most db.MaxList, that collections have or
// had which buyers see.
func VisibleCollections(tx *db.Tx, handles []string) ([]string, error) {
	if len(handles) == 0 {
		return nil, nil
	}
	list, args := db.InList(handles)
	return visible(tx, "collections", []string{`
		SELECT c.handle
		FROM collections c
		WHERE ` + collectionNotHidden + ` AND c.handle IN ` + list, `
		SELECT h.handle
		FROM collection_handles h
		JOIN collections c ON c.id = h.collection_id
		WHERE ` + collectionNotHidden + ` AND h.handle IN ` + list,
	}, args)
}

// visible returns the handles that queries with these arguments find.
func visible(tx *db.Tx, kind string, queries []string, args []any) ([]string, error) {
	var all []string
	for _, query := range queries {
		found, err := db.Query(tx, db.ScanText, query, args...)
		if err != nil {
			return nil, fmt.Errorf("find visible %s: %w", kind, err)
		}
		all = append(all, found...)
	}
	return all, nil
}
