package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
)

// What lists of products can be sorted by, and in which direction. They are not to be changed.
var (
	ProductSorts   = []string{"createdAt", "updatedAt", "title", "price", "bestSelling", "manual", "relevance"}
	SortDirections = []string{"asc", "desc"}
)

// Names that mean more than a column.
const (
	sortCreated   = "createdAt"
	sortManual    = "manual"
	sortRelevance = "relevance"
	ascending     = "asc"
	descending    = "desc"
)

// maxFilterValues bounds collectionIds and tags.
const maxFilterValues = db.MaxList

// sortColumn is what a sort name stands for.
type sortColumn struct {
	expr string
	desc bool // the direction when none is asked for
}

var productSortColumns = map[string]sortColumn{
	sortCreated:   {"p.created_at", true},
	"updatedAt":   {"p.updated_at", true},
	"title":       {"p.title_key", false},
	"price":       {"p.price", false},
	"bestSelling": {"p.sold", true},
	sortManual:    {"cp.position", false},
	// The best match has the lowest rank, so relevance is turned around in orderBy.
	sortRelevance: {searchRank, true},
}

// productQuery is a checked ProductFilter: SQL in one of a bounded number of texts, so that
// statements stay prepared, and its arguments.
type productQuery struct {
	window  page.Window
	nothing bool // the search has no word that could find anything
	from    string
	led     bool // another table, the first of from, leads to p
	where   []string
	args    []any
	orderBy string
}

// query checks the filter. Codes: validation_failed.
func (f *ProductFilter) query() (*productQuery, error) {
	var bad fault.Invalid
	q := &productQuery{window: f.Window(&bad), from: "products p"}
	collections := filterValues(&bad, "collectionIds", f.CollectionIDs, strings.TrimSpace)
	tags := filterValues(&bad, "tags", f.Tags, input.FoldKey)
	searching := strings.TrimSpace(f.Search) != ""
	by, desc := f.sort(&bad, searching, len(collections))
	for _, price := range []struct {
		name   string
		amount *int64
	}{{"minPrice", f.MinPrice}, {"maxPrice", f.MaxPrice}} {
		if price.amount != nil && *price.amount < 0 {
			bad.Add(price.name, fault.CodeInvalidValue, "A price is an amount in minor units, 0 or more.")
		}
	}
	if f.MinPrice != nil && f.MaxPrice != nil && *f.MinPrice > *f.MaxPrice {
		bad.Add("minPrice", fault.CodeInvalidValue, "The lowest price is above the highest: send a minPrice that is at most maxPrice.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	q.led = by == sortRelevance || by == sortManual
	if searching {
		words := searchWords(f.Search)
		q.nothing = len(words) == 0
		if by == sortRelevance {
			q.from = searchJoin
			q.filter(searchMatch, matchExpression(words))
		} else {
			q.filter(q.column("number")+searchFilter, matchExpression(words))
		}
	}
	if by == sortManual {
		q.from = `collection_products cp
		CROSS JOIN products p ON p.id = cp.product_id`
		q.filter("cp.collection_id = ?", collections[0])
	} else if len(collections) > 0 {
		q.filterIn(q.column("id")+" IN (SELECT cp.product_id FROM collection_products cp WHERE cp.collection_id IN %s)", collections)
	}
	if len(tags) > 0 {
		q.filterIn(q.column("id")+" IN (SELECT t.product_id FROM product_tags t WHERE t.tag_key IN %s)", tags)
	}
	f.filterOffer(q)
	q.order(by, desc)
	return q, nil
}

// sort checks what to sort by and fills in what was left out.
func (f *ProductFilter) sort(bad *fault.Invalid, searching bool, collections int) (by string, desc bool) {
	by = f.SortBy
	switch {
	case by == "" && searching:
		by = sortRelevance
	case by == "", by == sortRelevance && !searching: // a search box that is still empty
		by = sortCreated
	case by == sortManual && collections != 1:
		bad.Add("sortBy", fault.CodeInvalidValue, "The manual order is that inside one collection: send exactly one of collectionIds.")
	}
	column, ok := productSortColumns[by]
	if !ok {
		bad.Add("sortBy", fault.CodeInvalidValue, "Sort by one of %s.", strings.Join(ProductSorts, ", "))
	}
	return by, sortDescending(bad, f.Sort, column.desc)
}

// sortDescending checks a direction; "" is the column's own.
func sortDescending(bad *fault.Invalid, direction string, fallback bool) bool {
	if direction == "" {
		return fallback
	}
	if !slices.Contains(SortDirections, direction) {
		bad.Add("sort", fault.CodeInvalidValue, "Send one of %s as sort.", strings.Join(SortDirections, ", "))
	}
	return direction == descending
}

// filterOffer narrows by what is asked for the product and whether it can be had.
func (f *ProductFilter) filterOffer(q *productQuery) {
	if f.MinPrice != nil {
		q.filter(q.column("price")+" >= ?", *f.MinPrice)
	}
	if f.MaxPrice != nil {
		q.filter(q.column("price")+" <= ?", *f.MaxPrice)
	}
	if f.OnSale != nil {
		q.filter("p.on_sale = ?", db.BoolInt(*f.OnSale))
	}
	if f.InStock != nil {
		not := ""
		if !*f.InStock {
			not = "NOT "
		}
		q.filter(not + `EXISTS (
			SELECT 1
			FROM variants v
			WHERE v.product_id = p.id AND (v.stock > 0 OR v.tracked = 0 OR v.backorder = 1))`)
	}
}

// column names a column of p for a filter. Where another table leads to p it is written so that no
// index serves it: the engine knows no sizes, and would for each row of that table look through a
// whole range of prices, or a whole collection, rather than find the one row of p.
func (q *productQuery) column(name string) string {
	switch {
	case !q.led:
		return "p." + name
	case name == "id": // a text
		return "p.id || ''"
	}
	return "+p." + name
}

func (q *productQuery) filter(condition string, args ...any) {
	q.where = append(q.where, condition)
	q.args = append(q.args, args...)
}

func (q *productQuery) filterIn(condition string, values []string) {
	list, args := db.InList(values)
	q.filter(fmt.Sprintf(condition, list), args...)
}

// order makes the order total: ties go by id, in the same direction so that one index serves both.
func (q *productQuery) order(by string, desc bool) {
	column := productSortColumns[by]
	first, ties := ascending, ascending
	if desc {
		first, ties = descending, descending
	}
	if by == sortRelevance {
		first = ascending
		if !desc {
			first = descending
		}
	}
	id := "p.id"
	if by == sortManual {
		id = "cp.product_id" // the same, and in the index of the order
	}
	q.orderBy = column.expr + " " + first + ", " + id + " " + ties
}

// filterValues gives the distinct values of a list filter; blank ones, as an empty form field
// sends them, do not count.
func filterValues(bad *fault.Invalid, field string, values []string, clean func(string) string) []string {
	if len(values) > maxFilterValues {
		bad.Add(field, fault.CodeInvalidValue, "A filter takes at most %d values.", maxFilterValues)
		return nil
	}
	var kept []string
	for _, value := range values {
		if value = clean(value); value != "" && !slices.Contains(kept, value) {
			kept = append(kept, value)
		}
	}
	return kept
}
