package catalogue

import (
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/page"
)

// ProductRecord is a product with the fields for staff members, in any status, published or not.
type ProductRecord struct {
	Product
	Status ProductStatus `json:"status"`
	Stock  int           `json:"stock" doc:"Total units of the variants with tracked stock"`
	// Variants replaces the variants of Product.
	Variants []VariantRecord `json:"variants" nullable:"false"`
}

// VariantRecord is a variant with the fields for staff members.
type VariantRecord struct {
	Variant
	Stock     *int         `json:"stock" doc:"Units in stock, below zero if backorders were sold; null if stock is not tracked"`
	Backorder bool         `json:"backorder" doc:"Whether it may be sold below zero"`
	LowStock  int          `json:"lowStock" doc:"Units at or below which stock is low"`
	Cost      *money.Money `json:"cost" doc:"Cost of a unit, hidden from buyers; null if unknown, or without costs.read"`
}

// StockFilter selects products by the stock of their variants.
//
//api:enum StockFilter
type StockFilter string

// The stock filters. A product can match several, by different variants.
const (
	FilterInStock    StockFilter = "in"  // a variant can be bought
	FilterLowStock   StockFilter = "low" // few are left of a variant
	FilterOutOfStock StockFilter = "out" // a variant is sold out
)

// stockFilters are the conditions of the stock filters on a variant v.
var stockFilters = map[StockFilter]string{
	FilterInStock:    "(v.tracked = 0 OR v.backorder = 1 OR v.stock > 0)",
	FilterLowStock:   "v.tracked = 1 AND v.stock > 0 AND v.stock <= v.low_stock",
	FilterOutOfStock: "v.tracked = 1 AND v.backorder = 0 AND v.stock <= 0",
}

// ProductListSort is what a list of products is sorted by.
//
// Equal products follow the order of creation.
//
//api:enum ProductListSort
type ProductListSort string

// The sorts of products for staff.
const (
	ListByNumber  ProductListSort = ""          // the order of creation
	ListByTitle   ProductListSort = "title"     // the title, in the order of the alphabet
	ListByCreated ProductListSort = "createdAt" // when the product was created
	ListByUpdated ProductListSort = "updatedAt" // when it last changed
	ListByStock   ProductListSort = "stock"     // units in stock
	ListByPrice   ProductListSort = "price"     // the lowest price of its variants
	ListBySold    ProductListSort = "sold"      // units sold
)

// listSorts are the expressions of the sorts on a product p.
var listSorts = map[ProductListSort]string{
	ListByNumber: "p.number", ListByTitle: "p.title_key", ListByCreated: "p.created_at", ListByUpdated: "p.updated_at",
	ListByPrice: "p.price", ListBySold: "p.sold",
	ListByStock: "(SELECT COALESCE(SUM(v.stock), 0) FROM variants v WHERE v.product_id = p.id AND v.tracked = 1)",
}

// ProductListFilter selects products for staff members. The zero value selects the first page of
// all, in the order of creation. A zero field means any value.
type ProductListFilter struct {
	page.Request
	Status       []ProductStatus `query:"status,explode" doc:"Only products with one of these statuses"`
	Search       string          `query:"search" doc:"Words or their beginnings, in any spelling"` // as in ProductFilter
	CollectionID string          `query:"collectionId" doc:"Only products of this collection"`
	Stock        StockFilter     `query:"stock" enum:"in,low,out" doc:"Only products with a variant in this state"`
	NoImage      bool            `query:"noImage" doc:"Only products without an image"`
	SortBy       ProductListSort `query:"sortBy" enum:"title,createdAt,updatedAt,stock,price,sold" doc:"Defaults to creation"`
	Sort         string          `query:"sort" enum:"asc,desc" doc:"Defaults to asc"`
}

func (f *ProductListFilter) check(bad *fault.Invalid) {
	for _, status := range f.Status {
		if !slices.Contains([]ProductStatus{ProductActive, ProductDraft, ProductArchived}, status) {
			bad.Add("status", fault.CodeInvalidValue, "Must be active, draft or archived.")
			break
		}
	}
	if len(f.Status) > maxFilterValues {
		bad.Add("status", fault.CodeInvalidValue, "Must be at most %d values.", maxFilterValues)
	}
	if f.Stock != "" && stockFilters[f.Stock] == "" {
		bad.Add("stock", fault.CodeInvalidValue, "Must be in, low or out.")
	}
	if listSorts[f.SortBy] == "" {
		bad.Add("sortBy", fault.CodeInvalidValue, "Must be title, createdAt, updatedAt, stock, price or sold.")
	}
}

// ListProducts returns one page of the shop's products, of any status. Codes: validation_failed,
// unauthenticated, forbidden.
func (c *Catalogue) ListProducts(ctx context.Context, caller access.Caller, filter ProductListFilter) (*page.List[ProductRecord], error) {
	who, err := c.data.Authorize(ctx, caller, access.ToListProducts)
	if err != nil {
		return nil, err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	synonyms, err := c.synonyms(ctx)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	filter.check(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if filter.SortBy == ListBySold {
		if err := c.postOrders(ctx); err != nil && !db.IsUnwritable(err) {
			return nil, err
		}
	}
	list := &page.List[ProductRecord]{}
	var rows []*productRow
	err = c.data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		ids, count, err := filter.find(ctx, tx, synonyms, w)
		if err != nil {
			return err
		}
		list.Meta = w.ListMetaFor(count, len(ids))
		rows, err = findProductRows(tx, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	list.Nodes = make([]ProductRecord, len(rows))
	for i, row := range rows {
		list.Nodes[i] = row.record(who, shown)
	}
	return list, nil
}

// record returns the product for a staff member who may or may not view costs. It must be called
// after the caller's check.
func (p *productRow) record(who access.Staff, shown display) ProductRecord {
	costs := who.Permits(access.CostsRead)
	record := ProductRecord{Product: p.product(shown), Status: p.status, Variants: make([]VariantRecord, len(p.variants))}
	record.QuantityPrices = p.quantityPrices.views(shown.Currency)
	for i, v := range p.variants {
		r := &record.Variants[i]
		r.Variant, r.Backorder, r.LowStock = record.Product.Variants[i], v.backorder, int(v.lowStock)
		if v.cost != nil && costs {
			r.Cost = new(shown.Money(*v.cost))
		}
		if v.tracked {
			r.Stock = new(int(v.stock))
			record.Stock += int(v.stock)
		}
	}
	return record
}

// find returns one page of product IDs, and the count of the list.
func (f *ProductListFilter) find(ctx context.Context, tx *db.Tx, synonyms *Synonyms, w page.Window) (ids []string, count page.Count, err error) {
	if f.Search == "" {
		return f.findMatching(tx, nil, w)
	}
	words := searchWords(f.Search)
	if len(words) == 0 {
		return nil, count, nil
	}
	expression := newSearchExpression(words, synonyms)
	ids, count, err = f.findMatching(tx, expression, w)
	if err != nil {
		return ids, count, err
	}
	if count.Total > 0 {
		return ids, count, nil
	}
	corrected, err := correctSearch(ctx, tx, expression, synonyms, visibility{condition: notHidden}, f.isFiltered())
	if err != nil {
		return nil, count, err
	}
	if corrected == nil {
		return nil, count, nil
	}
	return f.findMatching(tx, corrected, w)
}

// isFiltered reports whether products that match the search may be omitted.
func (f *ProductListFilter) isFiltered() bool {
	return len(f.Status) > 0 || f.CollectionID != "" || f.Stock != "" || f.NoImage
}

// findMatching is find for an expression, or for any product if it is nil.
func (f *ProductListFilter) findMatching(tx *db.Tx, search searchExpression, w page.Window) (ids []string, count page.Count, err error) {
	where, args := f.where(tx, search)
	limit := page.MaxCount
	if search == nil && !f.isFiltered() || w.Limit == page.NoLimit {
		limit = 1 << 40 // exact
	}
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM products p WHERE `+where+` LIMIT ?) found`, append(slices.Clone(args), limit+1)...).Scan(&count.Total)
	if err != nil {
		return nil, count, fmt.Errorf("count products: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, limit), count.Total > limit
	direction := ""
	if f.Sort == page.Descending {
		direction = " DESC"
	}
	query := `
		SELECT p.id
		FROM products p
		WHERE ` + where + `
		ORDER BY ` + listSorts[f.SortBy] + direction + `, p.number` + direction
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
	}
	if ids, err = db.Query(tx, db.ScanText, query, args...); err != nil {
		return nil, count, fmt.Errorf("list products: %w", err)
	}
	return ids, count, nil
}

func (f *ProductListFilter) where(tx *db.Tx, search searchExpression) (where string, args []any) {
	where = notHidden
	add := func(condition string, values ...any) {
		where, args = where+" AND "+condition, append(args, values...)
	}
	if len(f.Status) > 0 {
		statuses := make([]string, len(f.Status))
		for i, status := range f.Status {
			statuses[i] = string(status)
		}
		list, values := db.InList(statuses)
		add("p.status IN "+list, values...)
	}
	if f.CollectionID != "" {
		add("p.id IN (SELECT product_id FROM collection_products WHERE collection_id = ?)", f.CollectionID)
	}
	if f.Stock != "" {
		add("EXISTS (SELECT 1 FROM variants v WHERE v.product_id = p.id AND " + stockFilters[f.Stock] + ")")
	}
	if f.NoImage {
		add("NOT EXISTS (SELECT 1 FROM images i WHERE i.product_id = p.id)")
	}
	if search != nil {
		sql := searchOn(tx.Dialect())
		add("p.number"+sql.filter, sql.expression(search, searchView{}))
	}
	return where, args
}
