package order

import (
	"fmt"

	"storefront/db"
	"storefront/shop/page"
)

// This file is the only place that knows how the engines read a list. Without it each condition and
// each sort would be plain SQL. Measured on a shop of 100,000 orders, as the median of a page of 50
// with its count, plain SQL against this: the work that is done sorted by the total 60 ms, 3 ms; a
// status sorted by the total 26, 4; a total and a payment status 25, 4. Each part was left out:
// without walks the list by the total takes 34 ms instead of 3, without the test of wide sets a
// common product 162 instead of 39, without the index of cities a city with a shipment's status
// 22 instead of 6. Lists of staff should take 15 ms.

// listPlan is how the engine reads a list. Its zero value suits a list without a sort of its own.
type listPlan struct {
	wide  bool // sets of orders are large: each order is tested against them
	walks bool // a walk over the index of the sort finds the page
}

// maxNarrow is the size of a set of orders up to which each of them is read.
const maxNarrow = 500

// prepare runs the search, and chooses how sets of orders are read: narrow ones by their orders.
func (q *orderQuery) prepare(tx *db.Tx) error {
	narrow := false
	if q.search != nil {
		if err := q.search.find(tx); err != nil {
			return err
		}
		narrow = len(q.search.found.numbers) <= maxNarrow
	}
	for _, set := range []*orderSet{q.tagged(), q.ofProduct()} {
		if set == nil || narrow {
			continue
		}
		var size int
		err := tx.QueryRow("SELECT COUNT(*) FROM (SELECT 1 FROM ("+set.query+") orders_of_set LIMIT ?) found", append(set.args, maxNarrow+1)...).
			Scan(&size)
		if err != nil {
			return fmt.Errorf("count orders of a set: %w", err)
		}
		narrow = size <= maxNarrow
	}
	q.plan.wide = !narrow
	return nil
}

// walkCost is the cost of reading one row of an order, in entries passed over in an index.
const walkCost = 8

// mayWalk reports whether a walk over the index of its sort may find a page of the list.
func (q orderQuery) mayWalk(w page.Window) bool {
	return q.hasSortIndex() && w.Limit != page.NoLimit && q.search == nil && !q.isCityIndexed()
}

// setColumn returns the column that is compared with a set of orders. The orders of a narrow set
// are looked up.
func (q orderQuery) setColumn() string {
	if q.plan.wide {
		return unindexed("number", "0")
	}
	return "number"
}

// cityColumn returns the column that is compared with a city.
func (q orderQuery) cityColumn() string {
	if q.isCityIndexed() {
		return "city"
	}
	return unindexed("city", "''")
}

// orderColumn returns the column by which the list is sorted, in SQL.
func (q orderQuery) orderColumn() string {
	switch {
	case q.sortBy == "":
		return orderSorts[SortPlaced]
	case q.hasSortIndex() && !q.plan.walks:
		return unindexed(orderSorts[q.sortBy], "0")
	case q.sortBy == SortCallDue && !q.ascending:
		return "COALESCE(call_due_at, 0)" // orders without a planned call are last, too
	}
	return orderSorts[q.sortBy]
}

// filters reports whether orders are filtered or sorted by columns that only orders_by_placed or
// orders_by_customer has.
func (q orderQuery) filters() bool {
	return q.customerID != "" || q.isSorted() || !q.returned.IsZero() || q.minTotal != nil || q.maxTotal != nil || q.city != "" ||
		len(q.payments)+len(q.fulfillments)+len(q.methods)+len(q.couriers)+len(q.shipments)+len(q.sources) > 0 ||
		q.calls == CallsNone || q.calls == CallsSome
}

// isCityIndexed reports whether orders_by_city has all that the query filters and sorts by.
func (q orderQuery) isCityIndexed() bool {
	if view := findView(q.view); q.city == "" || view != nil && view.open {
		return false
	}
	return (!q.isSorted() || q.sortBy == SortTotal) && q.returned.IsZero() && q.search == nil &&
		q.customerID == "" && q.phone == "" && q.productID == "" && q.calls == "" &&
		len(q.ids)+len(q.tags)+len(q.payments)+len(q.fulfillments)+len(q.methods)+len(q.couriers)+len(q.sources) == 0
}

// isSorted reports whether the list is not sorted by the time of placing.
func (q orderQuery) isSorted() bool { return q.sortBy != "" && q.sortBy != SortPlaced }

// hasSortIndex reports whether an index contains the sort of the list and little else.
func (q orderQuery) hasSortIndex() bool { return q.sortBy == SortTotal || q.sortBy == SortUpdated }

// unindexed returns a column in a form for which the engine uses no index. With an index it would
// read the row of each order. A pass over orders_by_placed, which has all columns of the
// conditions, reads only the rows of the page.
func unindexed(column, never string) string { return "COALESCE(" + column + ", " + never + ")" }
