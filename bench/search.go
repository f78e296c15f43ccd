package main

import (
	"context"
	"path/filepath"
)

// searchCount is the size of the catalogue for searches.
const searchCount = 10_000

// searchKinds are searches of different cost. All products have the words handmade and bangladesh.
var searchKinds = []struct{ name, search string }{
	{"a SKU", "honey-4717"},
	{"a word", "kettle"},
	{"a beginning", "kett"},
	{"two words", "red saree"},
	{"misspelt", "ketle"},
	{"a synonym", "sharee"},
	{"the word of all", "bangladesh"},
	{"the beginning of all", "bangla"},
	{"a word of none", "wardrobe"},
}

// measureSearch measures uncached searches of a large catalogue, one at a time.
func (b *bench) measureSearch(ctx context.Context) error {
	csvFile := filepath.Join(b.folder, "search.csv")
	if err := writeCatalogue(csvFile, searchCount); err != nil {
		return err
	}
	if err := createShop(b.binary, filepath.Join(b.folder, "data-search"), csvFile); err != nil {
		return err
	}
	p, err := b.startShop(ctx, "search", "data-search", nil, "--cache-size", "0")
	if err != nil {
		return err
	}
	for _, kind := range searchKinds {
		_, err := b.compare(ctx, "search of 10,000, "+kind.name, contestant{
			name: "storefront", process: p, connections: 1,
			requests: []request{b.get(p, query("/api/v1/products", "limit", "20", "search", kind.search))},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
