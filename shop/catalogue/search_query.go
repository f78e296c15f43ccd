package catalogue

import (
	"context"
	"fmt"

	"storefront/db"
)

// The SQL of the full-text index differs between the engines; all of it is in this file.

const (
	// searchFilter, after the column of a product's number, selects the products that match.
	searchFilter = ` IN (
			SELECT rowid
			FROM product_search
			WHERE product_search MATCH ?)`
	// searchJoin is the same as a source of rows, for sorting by searchRank.
	searchJoin = `product_search
		CROSS JOIN products p ON p.number = product_search.rowid`
	searchMatch = `product_search MATCH ?`
	// searchRank is lower for better matches. The weights are those of title, tags, vendor, type,
	// skus and description.
	searchRank = `bm25(product_search, 10.0, 5.0, 3.0, 3.0, 5.0, 1.0)`
	// searchNumber is the product's number, by which the index can return its matches in order.
	searchNumber = `product_search.rowid`
)

// countMatches returns the number of products that match, at most limit.
func countMatches(tx *db.Tx, match string, limit int) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (
			SELECT 1
			FROM product_search
			WHERE product_search MATCH ?
			LIMIT ?)`, match, limit).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count matches: %w", err)
	}
	return n, nil
}

// indexProduct inserts the index entry of a product. It must not exist.
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

// unindexProduct deletes the index entry of a product.
func unindexProduct(tx *db.Tx, number int64) error {
	if _, err := tx.Exec(`
		DELETE FROM product_search
		WHERE rowid = ?`, number); err != nil {
		return fmt.Errorf("unindex product: %w", err)
	}
	return nil
}

// RebuildSearch rebuilds the search index from the products. An export of a shop's tables does not
// include the index, so an import must call RebuildSearch in its transaction.
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
