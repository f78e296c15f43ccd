package catalogue

import (
	"fmt"

	"storefront/db"
)

// maxSearchedCollections limits the titles that are searched for a suggestion.
const maxSearchedCollections = 1000

// searchedCollection is a collection with the titles by which it is found.
type searchedCollection struct {
	SuggestedCollection
	titles string
}

// findCollectionTitles returns the first collections in the merchant's order.
func findCollectionTitles(tx *db.Tx) ([]searchedCollection, error) {
	found, err := db.Query(tx, func(r db.Row) (c searchedCollection, err error) {
		return c, r.Scan(&c.ID, &c.Handle, &c.Title, &c.titles)
	}, `
		SELECT c.id, c.handle, c.title, c.title_key
		FROM collections c
		WHERE `+collectionNotHidden+`
		ORDER BY c.position, c.id
		LIMIT ?`, maxSearchedCollections)
	if err != nil {
		return nil, fmt.Errorf("find titles of collections: %w", err)
	}
	return found, nil
}
