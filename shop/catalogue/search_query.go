package catalogue

import (
	"context"
	"fmt"

	"storefront/db"
)

// The full-text index is the one place where the engines' SQL differs; all of it is in this file.

const (
	// searchFilter, after the number of a product, narrows to those that the index finds.
	searchFilter = ` IN (
			SELECT rowid
			FROM product_search
			WHERE product_search MATCH ?)`
	// searchJoin is the same as a source of rows, for ordering by searchRank.
	searchJoin = `product_search
		CROSS JOIN products p ON p.number = product_search.rowid`
	searchMatch = `product_search MATCH ?`
	// searchRank is lower for better matches; the weights follow the index's columns: title, tags,
	// vendor, type, skus, description.
	searchRank = `bm25(product_search, 10.0, 5.0, 3.0, 3.0, 5.0, 1.0)`
)

// indexProduct writes the index's row of a product whose number has none.
func indexProduct(tx *db.Tx, number int64, d searchDocument) error {
	_, err := tx.Exec(`
		INSERT INTO product_search (rowid, title, tags, vendor, type, skus, description)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		number, d.title, d.tags, d.vendor, d.kind, d.skus, d.description)
	if err != nil {
		return fmt.Errorf("index product: %w", err)
	}
	return nil
}

// unindexProduct removes the index's row of a product.
func unindexProduct(tx *db.Tx, number int64) error {
	if _, err := tx.Exec(`
		DELETE FROM product_search
		WHERE rowid = ?`, number); err != nil {
		return fmt.Errorf("unindex product: %w", err)
	}
	return nil
}

// RebuildSearch makes the search index anew from the products. An export of a shop's tables leaves
// the index out, so whoever imports one calls this in the same transaction.
func RebuildSearch(ctx context.Context, tx *db.Tx) error {
	if _, err := tx.Exec(`
		INSERT INTO product_search (product_search)
		VALUES ('delete-all')`); err != nil {
		return fmt.Errorf("empty the search index: %w", err)
	}
	ids, err := findAllProductIDs(tx)
	if err != nil {
		return err
	}
	for chunk := range db.Chunks(ids) {
		products, err := findProductRows(tx, chunk)
		if err != nil {
			return err
		}
		for _, p := range products {
			if err := indexProduct(tx, p.number, p.searchDocument()); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}
