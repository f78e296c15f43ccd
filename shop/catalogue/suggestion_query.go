package catalogue

import (
	"fmt"

	"storefront/db"
)

// maxSearchedCollections limits the titles that are searched for a suggestion.
const maxSearchedCollections = 1000

// findCollectionTitles returns the first collections in the merchant's order.
func findCollectionTitles(tx *db.Tx) ([]SuggestedCollection, error) {
	found, err := db.Query(tx, func(r db.Row) (c SuggestedCollection, err error) {
		return c, r.Scan(&c.ID, &c.Handle, &c.Title)
	}, `
		SELECT c.id, c.handle, c.title
		FROM collections c
		WHERE `+collectionNotHidden+`
		ORDER BY c.position, c.id
		LIMIT ?`, maxSearchedCollections)
	if err != nil {
		return nil, fmt.Errorf("find titles of collections: %w", err)
	}
	return found, nil
}
