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
	from         time.Time              // placed at this time or later
	before       time.Time              // placed before this time; zero means any
	returned     time.Time              // came back at this time or later; zero means any
	calls        CallFilter             // "" means any
	// keys of tags; an order must have one of them; empty means any
	tags               []string
	now                time.Time // the time by which calls are due
	minTotal, maxTotal *int64    // in minor units
	view               WorkView  // "" means any
	test               *bool     // nil means any mode
	search             *Search   // nil means any
	plan               listPlan

	sortBy    Sort // "" means SortPlaced
	ascending bool
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
	if q.mayWalk(w) {
		if count, err = q.unsorted().count(tx, limit); err != nil {
			return nil, count, err
		}
		if count.Total == 0 {
			return nil, count, nil
		}
		// If every nth order is listed, a walk reads n rows for each order so far.
		q.plan.walks = (w.Offset()+w.Limit)*walkCost <= count.Total
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
	q.plan.walks = false
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
