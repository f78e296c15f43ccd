package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"

	"storefront/db"
)

// facetRow is a facetProduct with the texts of its terms.
type facetRow struct {
	facetProduct
	vendor, kind      string
	optionNames       []string
	rows              []facetVariantRow // in any order
	tags, collections []string
}

type facetVariantRow struct {
	position int64
	values   [MaxOptions]string
	canBuy   bool
}

type facetRevision struct {
	id       string
	revision int64
}

const publishedIDs = `
		SELECT p.id
		FROM products p
		WHERE p.status = 'active' AND p.published_at IS NOT NULL AND ` + notHidden

// findFacetRevisions returns the revisions of the products that are published, or will be, by ID.
// Two scans and a merge take half the time of a join.
func findFacetRevisions(tx *db.Tx) ([]facetRevision, error) {
	published, err := db.Query(tx, db.ScanText, publishedIDs)
	if err != nil {
		return nil, fmt.Errorf("find published products: %w", err)
	}
	slices.Sort(published)
	revisions := make([]facetRevision, 0, len(published))
	err = tx.Each(`
		SELECT product_id, revision
		FROM product_revisions
		ORDER BY product_id`, nil, func(r db.Row) error {
		var p facetRevision
		if err := r.Scan(&p.id, &p.revision); err != nil {
			return err
		}
		for len(published) > 0 && published[0] < p.id {
			published = published[1:]
		}
		if len(published) > 0 && published[0] == p.id {
			revisions = append(revisions, p)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find revisions of products: %w", err)
	}
	return revisions, nil
}

// facetIDs selects the parts of products by a column with their IDs.
type facetIDs []string

// condition returns the SQL condition and its arguments. Many products are found faster by reading
// all.
func (ids facetIDs) condition(column string) (condition string, args []any) {
	if len(ids) > db.MaxList {
		return "1 = 1", nil
	}
	list, args := db.InList(ids)
	return column + " IN " + list, args
}

// findFacetRows returns the products with these IDs.
func findFacetRows(tx *db.Tx, ids facetIDs) ([]*facetRow, error) {
	byID := make(map[string]*facetRow, len(ids))
	for _, id := range ids {
		byID[id] = nil
	}
	rows := make([]*facetRow, 0, len(ids))
	condition, args := ids.condition("p.id")
	err := tx.Each(`
		SELECT p.id, p.number, p.published_at, p.price, p.on_sale, p.vendor, p.type, p.options
		FROM products p
		WHERE p.published_at IS NOT NULL AND `+condition, args, func(r db.Row) error {
		var p facetRow
		var options string
		err := r.Scan(&p.id, &p.number, &p.publishedAt, &p.price, &p.onSale, &p.vendor, &p.kind, &options)
		if err != nil {
			return err
		}
		if _, ok := byID[p.id]; !ok {
			return nil
		}
		byID[p.id], rows = &p, append(rows, &p)
		if options == "[]" {
			return nil
		}
		return json.Unmarshal([]byte(options), &p.optionNames)
	})
	if err != nil {
		return nil, fmt.Errorf("load products of facets: %w", err)
	}
	return rows, findFacetParts(tx, byID, ids)
}

// findFacetParts adds variants, tags and collections to products.
func findFacetParts(tx *db.Tx, byID map[string]*facetRow, ids facetIDs) error {
	var productID, text string
	condition, args := ids.condition("v.product_id")
	err := tx.Each(`
		SELECT v.product_id, v.position, v.option1, v.option2, v.option3, `+canBuy+`
		FROM variants v
		WHERE `+condition, args, func(r db.Row) error {
		var v facetVariantRow
		if err := r.Scan(&productID, &v.position, &v.values[0], &v.values[1], &v.values[2], &v.canBuy); err != nil {
			return err
		}
		if p := byID[productID]; p != nil {
			p.rows = append(p.rows, v)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("load variants of facets: %w", err)
	}
	condition, args = ids.condition("t.product_id")
	err = tx.Each(`
		SELECT t.product_id, t.tag
		FROM product_tags t
		WHERE `+condition, args, func(r db.Row) error {
		if err := r.Scan(&productID, &text); err != nil {
			return err
		}
		if p := byID[productID]; p != nil {
			p.tags = append(p.tags, text)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("load tags of facets: %w", err)
	}
	condition, args = ids.condition("cp.product_id")
	err = tx.Each(`
		SELECT cp.product_id, cp.collection_id
		FROM collection_products cp
		WHERE `+condition, args, func(r db.Row) error {
		if err := r.Scan(&productID, &text); err != nil {
			return err
		}
		if p := byID[productID]; p != nil {
			p.collections = append(p.collections, text)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("load collections of facets: %w", err)
	}
	return nil
}
