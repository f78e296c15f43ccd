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

// ProductRecord is a product as the merchant sees it: of any status, published or not.
type ProductRecord struct {
	Product
	Status ProductStatus `json:"status"`
	Stock  int           `json:"stock" doc:"Units of all variants whose stock is counted"`
}

// ProductListFilter chooses products for the merchant. The zero value is the first page of all,
// in the order in which they were made.
type ProductListFilter struct {
	page.Request
	Status ProductStatus // "": any
	Search string        // as in ProductFilter
}

// ListProducts gives one page of the shop's products for its merchant. Codes: validation_failed.
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
		bad.Add("status", fault.CodeInvalidValue, "A status is active, draft or archived.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var total int
	var rows []*productRow
	err = c.view(ctx, func(ctx context.Context, tx *db.Tx) error {
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

// findIDs gives all that the filter finds: a merchant's list is asked for seldom, and counting
// would read as many.
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
