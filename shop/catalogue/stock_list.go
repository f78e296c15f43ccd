package catalogue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// StockSelection selects variants by their stock.
//
//api:enum StockSelection
type StockSelection string

// The selections. All exclude variants of archived products.
const (
	StockSelectShort StockSelection = ""    // tracked, and at or below the low-stock level
	StockSelectLow   StockSelection = "low" // few are left
	StockSelectOut   StockSelection = "out" // it is sold out
	StockSelectAll   StockSelection = "all" // every variant, its stock tracked or not
)

// stockSelections are the conditions of the selections on a variant v.
var stockSelections = map[StockSelection]string{
	StockSelectShort: "v.tracked = 1 AND v.stock <= v.low_stock",
	StockSelectLow:   stockFilters[FilterLowStock],
	StockSelectOut:   stockFilters[FilterOutOfStock],
	StockSelectAll:   "1 = 1",
}

// StockListFilter selects variants for staff members. The zero value selects the first page of
// variants that are low or out of stock.
type StockListFilter struct {
	page.Request
	Status StockSelection `query:"status" enum:"low,out,all" doc:"Defaults to low or out of stock"`
	// Search is a SKU or barcode, in any case, which selects only its variants; otherwise as in
	// ProductFilter.
	Search string `query:"search" doc:"A whole SKU or barcode; otherwise words of the product or their beginnings"`
}

// ListStock returns one page of the variants' stock: in ascending order, or with StockSelectAll in
// the order of creation, which sales do not change during a count. Codes: validation_failed,
// unauthenticated, forbidden.
func (c *Catalogue) ListStock(ctx context.Context, caller access.Caller, filter StockListFilter) (*page.List[ListedStock], error) {
	who, err := c.data.Authorize(ctx, caller, access.ToListStock)
	if err != nil {
		return nil, err
	}
	synonyms, err := c.synonyms(ctx)
	if err != nil {
		return nil, err
	}
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	if stockSelections[filter.Status] == "" {
		bad.Add("status", fault.CodeInvalidValue, "Must be low, out or all.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	list := &page.List[ListedStock]{}
	err = c.data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		rows, count, err := filter.find(ctx, tx, synonyms, w)
		if err != nil {
			return err
		}
		list.Meta = w.ListMetaFor(count, len(rows))
		list.Nodes, err = listedStock(tx, address, rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// listedStock returns the stock of variants with their pictures.
func listedStock(tx *db.Tx, address MediaAddress, rows []*stockRow) ([]ListedStock, error) {
	stored, err := findStockImages(tx, rows)
	if err != nil {
		return nil, err
	}
	pictures, err := FindPictures(tx, address, slices.Collect(maps.Values(stored)))
	listed := make([]ListedStock, len(rows))
	for i, row := range rows {
		listed[i].StockLevel = row.level()
		url := stored[row.id]
		if picture, ok := pictures[url]; ok {
			url = picture.URL
		}
		if url != "" && !strings.HasPrefix(url, mediaScheme) {
			listed[i].ImageURL = &url
		}
	}
	return listed, err
}

// find returns one page of variants, and the count of the list.
func (f *StockListFilter) find(ctx context.Context, tx *db.Tx, synonyms *Synonyms, w page.Window) (rows []*stockRow, count page.Count, err error) {
	const active = "p.status <> 'archived' AND " + notHidden
	code := strings.TrimSpace(f.Search)
	if code == "" {
		return f.findMatching(tx, active, nil, w)
	}
	words := searchWords(code)
	if len(words) == 0 {
		return nil, count, nil
	}
	expression := newSearchExpression(words, synonyms)
	sql := searchOn(tx.Dialect())
	where, args := active+" AND p.number"+sql.filter, []any{sql.expression(expression, searchView{})}
	named, values := where+" AND (LOWER(v.sku) = ? OR LOWER(v.barcode) = ?)", append(slices.Clone(args), strings.ToLower(code), strings.ToLower(code))
	var isCode bool
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM products p
			JOIN variants v ON v.product_id = p.id
			WHERE `+named+`)`, values...).Scan(&isCode)
	if err != nil {
		return nil, count, fmt.Errorf("find variants by code: %w", err)
	}
	if isCode {
		where, args = named, values
	}
	rows, count, err = f.findMatching(tx, where, args, w)
	if err != nil {
		return rows, count, err
	}
	if count.Total > 0 || isCode {
		return rows, count, nil
	}
	corrected, err := correctSearch(ctx, tx, expression, synonyms, visibility{condition: notHidden}, true)
	if err != nil {
		return nil, count, err
	}
	if corrected == nil {
		return nil, count, nil
	}
	args[0] = sql.expression(corrected, searchView{})
	return f.findMatching(tx, where, args, w)
}

// findMatching is find for the products p and variants v of a condition.
func (f *StockListFilter) findMatching(tx *db.Tx, where string, args []any, w page.Window) (rows []*stockRow, count page.Count, err error) {
	from, order := `
			FROM variants v
			JOIN products p ON p.id = v.product_id
			WHERE `, "v.stock, v.id"
	if f.Status == StockSelectAll { // in the order of an index, so that a page needs no sorting
		from, order = `
			FROM products p
			CROSS JOIN variants v
			WHERE v.product_id = p.id AND `, "p.number, v.position, v.id"
	}
	from += where + " AND " + stockSelections[f.Status]
	limit := page.MaxCount
	if w.Limit == page.NoLimit {
		limit = 1 << 40 // exact
	}
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (
			SELECT 1`+from+`
			LIMIT ?) found`, append(slices.Clone(args), limit+1)...).Scan(&count.Total)
	if err != nil {
		return nil, count, fmt.Errorf("count stock: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, limit), count.Total > limit
	query := "SELECT " + stockColumns + from + `
		ORDER BY ` + order
	if w.Limit != page.NoLimit {
		query += `
		LIMIT ? OFFSET ?`
		args = append(slices.Clone(args), w.Limit, w.Offset())
	}
	if rows, err = db.Query(tx, scanStock, query, args...); err != nil {
		return nil, count, fmt.Errorf("list stock: %w", err)
	}
	return rows, count, nil
}
