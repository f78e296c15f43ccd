package order

import (
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// orderQuery selects orders. Its zero value selects all, newest first.
type orderQuery struct {
	ids          []string // empty means any
	customerID   string
	phone        string                 // "" means any
	statuses     []status.Order         // empty means any
	payments     []status.Payment       // empty means any
	fulfillments []status.Fulfillment   // empty means any
	methods      []status.PaymentMethod // empty means any
	couriers     []plugin.Provider      // empty means any
	shipments    []status.Shipment      // empty means any
	sources      []status.Source        // empty means any
	city         string                 // "" means any
	productID    string                 // "" means any
	from         *time.Time             // placed at this time or later
	before       *time.Time             // placed before this time
	// nil means any; otherwise orders that came back at this time or later
	returned *time.Time
	calls    CallFilter // "" means any
	// keys of tags; an order must have one of them; empty means any
	tags               []string
	now                time.Time // the time by which calls are due
	minTotal, maxTotal *int64    // in minor units
	view               WorkView  // "" means any
	test               *bool     // nil means any mode
	search             *Search   // nil means any
	wide               bool      // sets of orders are large: see prepare
	// the city has so few orders that each is read: see prepare
	fewInCity bool
	// a walk over the index of its sort finds the page: see find
	walks bool

	sortBy    Sort // "" means SortPlaced
	ascending bool
}

// filters reports whether orders are filtered or sorted by columns that only orders_by_placed has.
func (q orderQuery) filters() bool {
	return q.isSorted() || q.returned != nil || q.minTotal != nil || q.maxTotal != nil || q.city != "" ||
		len(q.payments)+len(q.fulfillments)+len(q.methods)+len(q.couriers)+len(q.shipments)+len(q.sources) > 0 ||
		q.calls == CallsNone || q.calls == CallsSome
}

// isCityIndexed reports whether orders_by_city has all that the query filters and sorts by.
func (q orderQuery) isCityIndexed() bool {
	if view := findView(q.view); q.city == "" || view != nil && view.open {
		return false
	}
	return (!q.isSorted() || q.sortBy == SortTotal) && q.returned == nil && q.search == nil &&
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

// maxNarrow is the size of a set of orders up to which each of them is read.
const maxNarrow = 500

// setColumn returns the column that is compared with a set of orders. The orders of a narrow set
// are looked up; otherwise each order is tested against the set.
func (q orderQuery) setColumn() string {
	if q.wide {
		return unindexed("number", "0")
	}
	return "number"
}

// prepare runs the search, and chooses how sets of orders are read.
func (q *orderQuery) prepare(tx *db.Tx) error {
	narrow := false
	if q.search != nil {
		if err := q.search.find(tx); err != nil {
			return err
		}
		narrow = len(q.search.found.numbers) <= maxNarrow
	}
	if q.productID != "" && !narrow {
		var size int
		err := tx.QueryRow(`
			SELECT COUNT(*)
			FROM (SELECT 1 FROM order_items WHERE product_id = ? LIMIT ?) found`, q.productID, maxNarrow+1).Scan(&size)
		if err != nil {
			return fmt.Errorf("count orders of a product: %w", err)
		}
		narrow = size <= maxNarrow
	}
	if len(q.tags) > 0 && !narrow {
		var size int
		list, args := db.InList(q.tags)
		err := tx.QueryRow(`
			SELECT COUNT(*)
			FROM (SELECT 1 FROM order_tags WHERE tag_key IN `+list+` LIMIT ?) found`, append(args, maxNarrow+1)...).Scan(&size)
		if err != nil {
			return fmt.Errorf("count orders of tags: %w", err)
		}
		narrow = size <= maxNarrow
	}
	q.wide = !narrow
	if q.city != "" && !narrow && !q.isCityIndexed() {
		var size int
		err := tx.QueryRow(`
			SELECT COUNT(*)
			FROM (SELECT 1 FROM orders WHERE city = ? LIMIT ?) found`, q.city, maxNarrow+1).Scan(&size)
		if err != nil {
			return fmt.Errorf("count orders of a city: %w", err)
		}
		q.fewInCity = size <= maxNarrow
	}
	return nil
}

// isExact reports whether the orders are few or easily counted: all orders, or those of one view of
// open work.
func (q orderQuery) isExact() bool {
	view := findView(q.view)
	if view != nil && view.open {
		q.view, q.test = "", nil
	}
	return q.isAll() || view != nil && view.view == ViewAll && q.test == nil
}

// isAll reports whether the query selects all orders.
func (q orderQuery) isAll() bool {
	if q.view == ViewAll {
		q.view = ""
	}
	where, _ := q.where()
	everything, _ := orderQuery{}.where()
	return where == everything
}

// find returns one page of order IDs and the count of the list, which is exact or bounded.
func (q orderQuery) find(tx *db.Tx, w page.Window) (ids []string, count page.Count, err error) {
	limit := page.MaxCount
	if q.isExact() || w.Limit == page.NoLimit {
		limit = 0
	}
	if q.hasSortIndex() && w.Limit != page.NoLimit && q.search == nil && !q.fewInCity && !q.isCityIndexed() {
		if count, err = q.unsorted().count(tx, limit); err != nil {
			return nil, count, err
		}
		if count.Total == 0 {
			return nil, count, nil
		}
		// If every nth order is listed, a walk reads n rows for each order so far.
		q.walks = (w.Offset()+w.Limit)*walkCost <= count.Total
		ids, err = q.findIDs(tx, w)
		return ids, count, err
	}
	if ids, err = q.findIDs(tx, w); err != nil {
		return nil, count, err
	}
	seen := w.Offset() + len(ids)
	if isLast := len(ids) > 0 || seen == 0; isLast && len(ids) < w.Limit && (limit == 0 || seen <= limit) {
		return ids, page.Count{Total: seen}, nil
	}
	if search := q.search; search != nil {
		if q.search = nil; q.isAll() {
			size := len(search.found.numbers)
			return ids, page.Count{Total: min(size, page.MaxCount), Bounded: size > page.MaxCount}, nil
		}
		q.search = search
	}
	count, err = q.unsorted().count(tx, limit)
	return ids, count, err
}

// walkCost is the cost of reading one row of an order, in entries passed over in an index.
const walkCost = 8

// unsorted returns the query in an order that an index has.
func (q orderQuery) unsorted() orderQuery {
	q.sortBy, q.ascending = "", false
	return q
}

// count counts the orders to limit; 0 means that there is no limit.
func (q orderQuery) count(tx *db.Tx, limit int) (count page.Count, err error) {
	where, args := q.where()
	if limit == 0 {
		err = tx.QueryRow(`
			SELECT COUNT(*)
			FROM orders
			WHERE `+where, args...).Scan(&count.Total)
	} else {
		err = tx.QueryRow(`
			SELECT COUNT(*)
			FROM (SELECT 1 FROM orders WHERE `+where+` LIMIT ?) found`, append(args, limit+1)...).Scan(&count.Total)
		count.Total, count.Bounded = min(count.Total, limit), count.Total > limit
	}
	if err != nil {
		return page.Count{}, fmt.Errorf("count orders: %w", err)
	}
	return count, nil
}

// findNumbers returns the numbers of all orders of the list.
func (q orderQuery) findNumbers(tx *db.Tx) ([]int64, error) {
	where, args := q.where()
	numbers, err := db.Query(tx, func(r db.Row) (n int64, err error) { return n, r.Scan(&n) }, `
		SELECT number
		FROM orders
		WHERE `+where+`
		ORDER BY `+q.order(), args...)
	if err != nil {
		return nil, fmt.Errorf("find numbers of orders: %w", err)
	}
	return numbers, nil
}

// findOrderIDs returns the IDs of the orders with these numbers, in any order.
func findOrderIDs(tx *db.Tx, numbers []int64) ([]string, error) {
	list, err := numberList(tx, numbers)
	if err != nil {
		return nil, err
	}
	ids, err := db.Query(tx, db.ScanText, "SELECT id FROM orders WHERE number IN ("+list.query+")", list.args...)
	if err != nil {
		return nil, fmt.Errorf("find IDs of orders: %w", err)
	}
	return ids, nil
}

// findIDs returns the IDs of one page. An order that the search names by its number or invoice UID
// comes first, regardless of its time. It is found separately, so that the others are read in the
// order of their index.
func (q orderQuery) findIDs(tx *db.Tx, w page.Window) ([]string, error) {
	first, err := q.findExact(tx)
	if err != nil {
		return nil, err
	}
	limit, offset := w.Limit, w.Offset()
	if first == nil {
		return q.findSlice(tx, limit, offset)
	}
	if q.search, err = q.search.without(tx); err != nil {
		return nil, err
	}
	if offset > 0 {
		return q.findSlice(tx, limit, offset-1)
	}
	if limit == 1 {
		return first, nil
	}
	if limit != page.NoLimit {
		limit--
	}
	others, err := q.findSlice(tx, limit, 0)
	return append(first, others...), err
}

// findExact returns the ID of the order that the search names, if the list contains it and begins
// with it.
func (q orderQuery) findExact(tx *db.Tx) (id []string, err error) {
	if q.search == nil || q.search.exact == 0 || q.isSorted() {
		return nil, nil
	}
	where, args := q.where()
	id, err = db.Query(tx, db.ScanText, `
		SELECT id
		FROM orders
		WHERE `+where+` AND number = ?`, append(args, q.search.exact)...)
	if err != nil {
		return nil, fmt.Errorf("find order by number: %w", err)
	}
	return id, nil
}

func (q orderQuery) findSlice(tx *db.Tx, limit, offset int) ([]string, error) {
	query, args := q.slice(limit, offset)
	ids, err := db.Query(tx, db.ScanText, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find orders: %w", err)
	}
	return ids, nil
}

// slice returns the query of some IDs of the list. A limit of [page.NoLimit] means all.
func (q orderQuery) slice(limit, offset int) (query string, args []any) {
	where, args := q.where()
	list := " FROM orders WHERE " + where + " ORDER BY " + q.order()
	if limit != page.NoLimit {
		list, args = list+" LIMIT ? OFFSET ?", append(args, limit, offset)
	}
	// The numbers of the page are found in an index, and then their rows.
	q.walks = false
	return "SELECT id FROM orders WHERE number IN (SELECT number" + list + ") ORDER BY " + q.order(), args
}

// order returns the total order of the list in SQL.
func (q orderQuery) order() string {
	direction := " DESC"
	if q.ascending {
		direction = ""
	}
	return q.orderColumn() + direction + ", number" + direction
}

// orderColumn returns the column by which the list is sorted, in SQL.
func (q orderQuery) orderColumn() string {
	switch {
	case q.sortBy == "":
		return orderSorts[SortPlaced]
	case q.hasSortIndex() && !q.walks:
		return unindexed(orderSorts[q.sortBy], "0")
	case q.sortBy == SortCallDue && !q.ascending:
		return "COALESCE(call_due_at, 0)" // orders without a planned call are last, too
	}
	return orderSorts[q.sortBy]
}
