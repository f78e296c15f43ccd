package catalogue

import (
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// ProductRecord is a product as staff members see it, of any status, published or not.
type ProductRecord struct {
	Product
	Status ProductStatus `json:"status"`
	Stock  int           `json:"stock" doc:"Total units of the variants whose stock is tracked"`
}

// ProductListFilter selects products for staff members. The zero value selects the first page of
// all, in the order of creation.
type ProductListFilter struct {
	page.Request
	Status ProductStatus // empty means any
	Search string        // as in ProductFilter
}

// ListProducts returns one page of the shop's products, of any status, in the order of creation.
// Codes: validation_failed.
func (c *Catalogue) ListProducts(ctx context.Context, caller access.Caller, filter ProductListFilter) (*page.Page[ProductRecord], error) {
	if err := c.authorize(ctx, caller); err != nil {
		return nil, err
	}
	currency, err := c.currency(ctx)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	if filter.Status != "" && !slices.Contains([]ProductStatus{ProductActive, ProductDraft, ProductArchived}, filter.Status) {
		bad.Add("status", fault.CodeInvalidValue, "Must be active, draft or archived.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var total int
	var rows []*productRow
	err = c.viewMany(ctx, func(ctx context.Context, tx *db.Tx) error {
		ids, err := filter.findIDs(tx)
		if err != nil {
			return err
		}
		total = len(ids)
		if w.Limit != page.NoLimit {
			from := min(w.Offset(), total)
			ids = ids[from:min(from+w.Limit, total)]
		}
		rows, err = findProductRows(tx, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	nodes := make([]ProductRecord, len(rows))
	for i, row := range rows {
		nodes[i] = ProductRecord{Product: row.product(currency), Status: row.status}
		for _, v := range row.variants {
			if v.tracked {
				nodes[i].Stock += int(v.stock)
			}
		}
	}
	return &page.Page[ProductRecord]{Nodes: nodes, Meta: w.MetaFor(total)}, nil
}

// findIDs returns the IDs of all matching products. The list is requested rarely, and counting would
// read as many rows.
func (f *ProductListFilter) findIDs(tx *db.Tx) ([]string, error) {
	where, args := "1 = 1", []any{}
	if f.Status != "" {
		where, args = "p.status = ?", append(args, string(f.Status))
	}
	if f.Search != "" {
		words := searchWords(f.Search)
		if len(words) == 0 {
			return nil, nil
		}
		where, args = where+" AND p.number"+searchFilter, append(args, matchExpression(words))
	}
	ids, err := db.Query(tx, db.ScanText, `
		SELECT p.id
		FROM products p
		WHERE `+where+`
		ORDER BY p.number`, args...)
	if err != nil {
		return nil, fmt.Errorf("list products: %w", err)
	}
	return ids, nil
}
