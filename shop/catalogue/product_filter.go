package catalogue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/page"
)

var (
	productSorts   = []string{sortCreated, "updatedAt", sortTitle, "price", "bestSelling", sortManual, sortRelevance}
	sortDirections = []string{ascending, descending}
)

// ProductSorts returns the values of [ProductFilter.SortBy].
func ProductSorts() []string { return slices.Clone(productSorts) }

// SortDirections returns the values of [ProductFilter.Sort] and [CollectionFilter.Sort].
func SortDirections() []string { return slices.Clone(sortDirections) }

const (
	sortCreated   = "createdAt"
	sortTitle     = "title"
	sortManual    = "manual"
	sortRelevance = "relevance"
	ascending     = "asc"
	descending    = "desc"
)

// maxFilterValues limits the values of each list of a filter.
const maxFilterValues = db.MaxList

// sortColumn is the column of a value of SortBy.
type sortColumn struct {
	expr string
	desc bool // the default direction
}

// titleColumns are the columns of the title that buyers read in a language. Without one it is
// title_key.
var titleColumns = map[locale.Language]string{locale.Bangla: "p.title_bn", locale.English: "p.title_en"}

var productSortColumns = map[string]sortColumn{
	sortCreated:   {"p.created_at", true},
	"updatedAt":   {"p.updated_at", true},
	sortTitle:     {"p.title_key", false},
	"price":       {"p.price", false},
	"bestSelling": {"p.sold", true},
	sortManual:    {"cp.position", false},
	// See findRanked. The index returns its matches in the order of their numbers: searchSQL.number.
	sortRelevance: {"", true},
}

// productQuery is a validated ProductFilter: SQL and its arguments. The number of different texts
// is bounded, so that statements remain prepared.
type productQuery struct {
	sql        *searchSQL
	window     page.Window
	noMatch    bool             // the search has no word to match
	search     searchExpression // nil without a search
	matchAt    int              // the index in args of the search's expression
	ranked     bool             // sorted by relevance
	worstFirst bool             // with ranked: from the worst match, or the oldest product, to the best or newest
	from       string
	joined     bool // p is joined to another table, the first of from
	conditions productConditions
	where      []string
	args       []any
	orderBy    string
}

// productConditions are the checked conditions of a ProductFilter, without its search. Values are
// distinct, and folded except IDs.
type productConditions struct {
	collections, tags, vendors, types []string
	options                           []string // NAME:VALUE
	minPrice, maxPrice                *int64
	inStock, onSale                   *bool
}

// inMemory reports whether the conditions are checked by a facetTable. The database has no index
// for vendors, types and options.
func (c *productConditions) inMemory() bool {
	return len(c.vendors) > 0 || len(c.types) > 0 || len(c.options) > 0
}

// conditions checks the filter's conditions and adds invalid fields to bad.
func (f *ProductFilter) conditions(bad *fault.Invalid) productConditions {
	c := productConditions{
		collections: filterValues(bad, "collectionIds", f.CollectionIDs, strings.TrimSpace),
		tags:        filterValues(bad, "tags", f.Tags, input.FoldKey),
		vendors:     filterValues(bad, "vendors", f.Vendors, input.FoldKey),
		types:       filterValues(bad, "types", f.Types, input.FoldKey),
		options:     filterValues(bad, "options", f.Options, input.FoldKey),
		minPrice:    f.MinPrice, maxPrice: f.MaxPrice, inStock: f.InStock, onSale: f.OnSale,
	}
	for _, option := range c.options {
		if !strings.Contains(option, ":") {
			bad.Add("options", fault.CodeInvalidValue, "Must be the name and a value of an option, such as Size:L.")
			break
		}
	}
	for _, price := range []struct {
		name   string
		amount *int64
	}{{"minPrice", f.MinPrice}, {"maxPrice", f.MaxPrice}} {
		if price.amount != nil && *price.amount < 0 {
			bad.Add(price.name, fault.CodeInvalidValue, "Must be an amount in minor units, 0 or more.")
		}
	}
	if f.MinPrice != nil && f.MaxPrice != nil && *f.MinPrice > *f.MaxPrice {
		bad.Add("minPrice", fault.CodeInvalidValue, "Must be at most maxPrice.")
	}
	return c
}

// query checks the filter of a list in a language, "" for the shop's own. Conditions that are
// checked in memory must be added by restrict. Codes: validation_failed.
func (f *ProductFilter) query(sql *searchSQL, synonyms *Synonyms, language locale.Language) (*productQuery, error) {
	var bad fault.Invalid
	q := &productQuery{sql: sql, window: f.Window(&bad), from: "products p", conditions: f.conditions(&bad)}
	searching := strings.TrimSpace(f.Search) != ""
	by, desc := f.sort(&bad, searching, len(q.conditions.collections))
	if err := bad.Err(); err != nil {
		return nil, err
	}
	q.joined = by == sortRelevance || by == sortManual
	if searching {
		words := searchWords(f.Search)
		q.noMatch = len(words) == 0
		q.search, q.matchAt = newSearchExpression(words, synonyms), len(q.args)
		match := sql.expression(q.search, searchView{})
		if by == sortRelevance {
			q.ranked, q.worstFirst = true, !desc
			q.from = sql.from
			q.filter(sql.match, match)
			desc = true
		} else {
			q.filter(q.column("number")+sql.filter, match)
		}
	}
	if by == sortManual {
		q.from = `collection_products cp
		CROSS JOIN products p ON p.id = cp.product_id`
		q.filter("cp.collection_id = ?", q.conditions.collections[0])
	}
	if !q.conditions.inMemory() {
		q.filterConditions(by)
	}
	q.order(by, desc, language)
	return q, nil
}

// filterConditions adds the conditions that the database checks, for a list sorted by by.
func (q *productQuery) filterConditions(by string) {
	c := &q.conditions
	if len(c.collections) > 0 && by != sortManual {
		q.filterIn(q.column("id")+" IN (SELECT cp.product_id FROM collection_products cp WHERE cp.collection_id IN %s)", c.collections)
	}
	if len(c.tags) > 0 {
		q.filterIn(q.column("id")+" IN (SELECT t.product_id FROM product_tags t WHERE t.tag_key IN %s)", c.tags)
	}
	if c.minPrice != nil {
		q.filter(q.column("price")+" >= ?", *c.minPrice)
	}
	if c.maxPrice != nil {
		q.filter(q.column("price")+" <= ?", *c.maxPrice)
	}
	if c.onSale != nil {
		q.filter("p.on_sale = ?", db.BoolInt(*c.onSale))
	}
	if c.inStock != nil {
		not := ""
		if !*c.inStock {
			not = "NOT "
		}
		q.filter(not + `EXISTS (
			SELECT 1
			FROM variants v
			WHERE v.product_id = p.id AND ` + canBuy + `)`)
	}
}

// canBuy is the SQL condition that a variant v can be bought now.
const canBuy = "(v.stock > 0 OR v.tracked = 0 OR v.backorder = 1)"

// fewNumbers is the largest number of products that are read before they are sorted. Otherwise
// they are found in the order of the list.
const fewNumbers = 1000

// restrict adds the condition that a product has one of the numbers.
func (q *productQuery) restrict(numbers []int64) {
	column := "p.number"
	if q.joined || len(numbers) > fewNumbers {
		column = "+p.number"
	}
	list := []byte{'['}
	for i, number := range numbers {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, number, 10)
	}
	list = append(list, ']')
	q.filter(column+" IN ("+q.sql.list+")", string(list))
}

// sort checks SortBy and Sort and returns them with their defaults.
func (f *ProductFilter) sort(bad *fault.Invalid, searching bool, collections int) (by string, desc bool) {
	by = f.SortBy
	switch {
	case by == "" && searching:
		by = sortRelevance
	case by == "", by == sortRelevance && !searching: // an empty search field
		by = sortCreated
	case by == sortManual && collections != 1:
		bad.Add("sortBy", fault.CodeInvalidValue, "The manual order requires exactly one collection: send one value of collectionIds.")
	}
	column, ok := productSortColumns[by]
	if !ok {
		bad.Add("sortBy", fault.CodeInvalidValue, "Must be one of %s.", strings.Join(productSorts, ", "))
	}
	return by, sortDescending(bad, f.Sort, column.desc)
}

// sortDescending checks a direction and reports whether it is descending. fallback is the result
// for an empty direction.
func sortDescending(bad *fault.Invalid, direction string, fallback bool) bool {
	if direction == "" {
		return fallback
	}
	if !slices.Contains(sortDirections, direction) {
		bad.Add("sort", fault.CodeInvalidValue, "Must be one of %s.", strings.Join(sortDirections, ", "))
	}
	return direction == descending
}

// column returns the SQL of a column of p for a filter. If p is joined to another table, the
// expression prevents the use of an index: the engine has no statistics. For each row of that table
// it would scan a range of prices, or a whole collection, instead of finding the one row of p.
func (q *productQuery) column(name string) string {
	switch {
	case !q.joined:
		return "p." + name
	case name == "id": // of type TEXT
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

// order sets a total order: ties are sorted by ID, in the same direction, so that one index serves
// both.
func (q *productQuery) order(by string, desc bool, language locale.Language) {
	column := productSortColumns[by]
	if by == sortTitle && language != "" {
		column.expr = titleColumns[language]
	}
	first, ties := ascending, ascending
	if desc {
		first, ties = descending, descending
	}
	if by == sortRelevance { // numbers are unique
		q.orderBy = q.sql.number + " " + first
		return
	}
	id := "p.id"
	if by == sortManual {
		id = "cp.product_id" // the same ID, and part of the index for this order
	}
	q.orderBy = column.expr + " " + first + ", " + id + " " + ties
}

// match replaces the search's expression.
func (q *productQuery) match(expression any) {
	q.args = slices.Clone(q.args)
	q.args[q.matchAt] = expression
}

// filterValues returns the distinct values of a list filter. Blank values are dropped, because an
// empty form field sends one.
func filterValues(bad *fault.Invalid, field string, values []string, clean func(string) string) []string {
	if len(values) > maxFilterValues {
		bad.Add(field, fault.CodeInvalidValue, "Must have at most %d values.", maxFilterValues)
		return nil
	}
	var distinct []string
	for _, value := range values {
		if value = clean(value); value != "" && !slices.Contains(distinct, value) {
			distinct = append(distinct, value)
		}
	}
	return distinct
}
