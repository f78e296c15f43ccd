package catalogue

import (
	"fmt"

	"storefront/shop/page"
)

// ListQuery is the SQL of one kind of product list, for tests of its plan.
type ListQuery struct {
	Name, SQL string
	Args      []any
	Index     string // the index that the plan must use; empty means any
	Sorts     bool   // whether the plan may sort
}

// ProductListQueries returns the SQL of the lists that buyers browse.
func ProductListQueries() []ListQuery {
	one, two := []string{"a"}, []string{"a", "b"}
	lists := []struct {
		ListQuery
		filter ProductFilter
	}{
		{ListQuery{Name: "collection", Sorts: true}, ProductFilter{CollectionIDs: one}},
		{ListQuery{Name: "collections", Sorts: true}, ProductFilter{CollectionIDs: two}},
		{ListQuery{Name: "manual", Index: "collection_products_by_position"}, ProductFilter{CollectionIDs: one, SortBy: sortManual}},
		{ListQuery{Name: "manualDesc", Index: "collection_products_by_position"}, ProductFilter{CollectionIDs: one, SortBy: sortManual, Sort: descending}},
		{ListQuery{Name: "tags", Sorts: true}, ProductFilter{Tags: two}},
		{ListQuery{Name: "search", Index: "VIRTUAL TABLE INDEX"}, ProductFilter{Search: "a"}},
		{ListQuery{Name: "searchByPrice", Sorts: true}, ProductFilter{Search: "a", SortBy: "price"}},
		{ListQuery{Name: "prices", Index: "products_by_price"}, ProductFilter{MinPrice: new(int64(1)), MaxPrice: new(int64(2)), SortBy: "price"}},
		{ListQuery{Name: "inStock", Index: "variants_by_product"}, ProductFilter{InStock: new(true)}},
	}
	for by, index := range map[string]string{
		sortCreated: "products_by_created", "updatedAt": "products_by_updated", "title": "products_by_title",
		"price": "products_by_price", "bestSelling": "products_by_sold",
	} {
		for _, direction := range sortDirections {
			list := lists[0]
			list.ListQuery = ListQuery{Name: by + "/" + direction, Index: "COVERING INDEX " + index}
			list.filter = ProductFilter{SortBy: by, Sort: direction}
			lists = append(lists, list)
		}
	}
	queries := make([]ListQuery, len(lists), len(lists)+1)
	for i, list := range lists {
		q, err := list.filter.query(&sqliteSearch, nil, "")
		if err != nil {
			panic(err)
		}
		queries[i] = list.ListQuery
		queries[i].SQL, queries[i].Args = q.idsSQL(0, 0, page.DefaultLimit)
	}
	return append(queries, ListQuery{Name: "facets", SQL: publishedIDs, Index: "COVERING INDEX products_by_published"})
}

// ProductFilterQueries returns the SQL of lists and counts for every combination of filters. Index
// is how the plan must find p if it is joined to another table.
func ProductFilterQueries() []ListQuery {
	var queries []ListQuery
	for _, by := range productSorts {
		for chosen := range 1 << 5 {
			filter := ProductFilter{SortBy: by}
			if chosen&1 != 0 {
				filter.Search = "a"
			}
			if chosen&2 != 0 {
				filter.CollectionIDs = []string{"a"}
			}
			if chosen&4 != 0 {
				filter.Tags = []string{"a"}
			}
			if chosen&8 != 0 {
				filter.MinPrice, filter.MaxPrice = new(int64(1)), new(int64(2))
			}
			if chosen&16 != 0 {
				filter.InStock, filter.OnSale = new(true), new(true)
			}
			q, err := filter.query(&sqliteSearch, nil, "")
			if err != nil {
				continue // the manual order requires a collection
			}
			query := ListQuery{Name: fmt.Sprintf("%s/%05b", by, chosen)}
			switch {
			case by == sortManual:
				query.Index = "(id=?)"
			case by == sortRelevance && filter.Search != "":
				query.Index = "(number=?"
			}
			query.SQL, query.Args = q.idsSQL(0, 0, page.DefaultLimit)
			queries = append(queries, query)
			if q.search != nil && len(q.where) == 1 {
				query.Index = "" // it reads what is not visible once, not for each match
			}
			query.SQL, query.Args = q.countSQL(0)
			queries = append(queries, query)
		}
	}
	return queries
}

// SimilarWordQueries returns the SQL that finds words to which others are corrected.
func SimilarWordQueries() []ListQuery {
	args := []any{4, 5, 6, "a", "b", 10}
	return []ListQuery{
		{Name: "beginning", SQL: similarByBeginning, Args: args, Index: "(length=? AND word>? AND word<?)"},
		{Name: "end", SQL: similarByEnd, Args: args, Index: "search_words_by_end (length=? AND reversed>? AND reversed<?)"},
	}
}

// ChangeQueries returns the index of each query of product changes.
func ChangeQueries() map[string]string {
	return map[string]string{
		selectPublications: "products_by_published", selectChanged: "product_revisions_by_changed", selectRemoved: "product_removals_by_changed",
	}
}
