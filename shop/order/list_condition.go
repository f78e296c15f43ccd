package order

import (
	"strings"

	"storefront/db"
	"storefront/shop/status"
)

// conditions are the conditions of a query with their arguments, all of which must hold.
type conditions struct {
	all  []string
	args []any
}

func (c *conditions) add(condition string, args ...any) {
	c.all, c.args = append(c.all, condition), append(c.args, args...)
}

// addIn adds the condition that a column has one of some values; no values mean any.
func addIn[S ~string](c *conditions, column string, values []S) {
	c.all, c.args = db.WhereIn(c.all, c.args, column, values)
}

// notPending is the condition of the index orders_by_status.
const notPending = "status NOT IN ('pending', 'pending_payment')"

// where returns the query's condition. Single comparisons come before lists: a pass over an index
// tests the conditions of each order in sequence.
func (q orderQuery) where() (condition string, args []any) {
	c := &conditions{all: []string{"1 = 1"}}
	if q.customerID != "" {
		c.add("customer_id = ?", q.customerID)
	}
	if q.phone != "" {
		c.add("customer_phone = ?", q.phone)
	}
	addIn(c, "id", q.ids)
	q.addRanges(c)
	column := "status"
	if len(q.statuses) > 1 || q.filters() {
		column = unindexed(column, "''")
	}
	addIn(c, column, q.statuses)
	if column == "status" && len(q.statuses) == 1 {
		if q.statuses[0] == status.OrderPending || q.statuses[0] == status.OrderPendingPayment {
			c.add("work = 1") // implied by the status, and the condition of the index
			if q.test == nil {
				c.add("test IN (0, 1)") // its first column
			}
		} else {
			c.add(notPending)
		}
	}
	addIn(c, "payment_status", q.payments)
	addIn(c, "fulfillment_status", q.fulfillments)
	addIn(c, "payment_method", q.methods)
	addIn(c, "courier", q.couriers)
	addIn(c, "shipment_status", q.shipments)
	addIn(c, "source", q.sources)
	q.addView(c, column)
	q.addSets(c)
	return strings.Join(c.all, " AND "), c.args
}

// addRanges adds the conditions on the city, the time and the total.
func (q orderQuery) addRanges(c *conditions) {
	if q.city != "" {
		c.add(q.cityColumn()+" = ?", q.city)
	}
	if !q.from.IsZero() {
		c.add("placed_at >= ?", db.Millis(q.from))
	}
	if !q.before.IsZero() {
		c.add("placed_at < ?", db.Millis(q.before))
	}
	if q.plan.walks {
		c.add(orderSorts[q.sortBy] + " >= 0") // a range lets the engine choose the index
	}
	total := unindexed("total", "0")
	if q.plan.walks && q.sortBy == SortTotal {
		total = "total"
	}
	if q.minTotal != nil {
		c.add(total+" >= ?", *q.minTotal)
	}
	if q.maxTotal != nil {
		c.add(total+" <= ?", *q.maxTotal)
	}
}

// addView adds the conditions of a list of open work or of returns, and of sandbox mode. column is
// the column of the order's status.
func (q orderQuery) addView(c *conditions, column string) {
	if !q.returned.IsZero() {
		at := db.Millis(q.returned)
		// A returned order was changed then or later: the orders changed in a day are few, and in an
		// index.
		c.add(column+" = ? AND updated_at >= ?"+returnedSince, string(status.OrderReturned), at, at)
	}
	test := "test"
	switch view := findView(q.view); {
	case view != nil && view.open:
		c.add("work = 1") // implied by the view, and the condition of the index
		c.add(view.condition("status"))
	case q.filters():
		test = unindexed(test, "0")
		if view != nil {
			c.add(view.condition(column))
		}
	case view != nil:
		c.add(view.condition("status"))
		if view.view != ViewAll {
			c.add(notPending)
		}
	}
	if q.test != nil {
		c.add(test+" = ?", db.BoolInt(*q.test))
	}
}

// orderSet is a query of the numbers of some orders.
type orderSet struct {
	query string
	args  []any
}

// ofProduct returns the orders with the query's product; nil if it has none.
func (q orderQuery) ofProduct() *orderSet {
	if q.productID == "" {
		return nil
	}
	return &orderSet{ordersOfProduct, []any{q.productID, q.productID}}
}

// tagged returns the orders with one of the query's tags; nil if it has none.
func (q orderQuery) tagged() *orderSet {
	if len(q.tags) == 0 {
		return nil
	}
	list, keys := db.InList(q.tags)
	return &orderSet{"SELECT order_number FROM order_tags WHERE tag_key IN " + list, keys}
}

// addSets adds the conditions on an order's lines, calls and tags, and the conditions of a search.
func (q orderQuery) addSets(c *conditions) {
	for _, set := range []*orderSet{q.ofProduct(), q.tagged()} {
		if set != nil {
			c.add(q.setColumn()+" IN ("+set.query+")", set.args...)
		}
	}
	switch q.calls {
	case CallsNone:
		c.add("call_count = 0")
	case CallsSome:
		c.add("call_count > 0")
	case CallsDue:
		c.add("call_due_at <= ?", db.Millis(q.now))
	}
	if q.search != nil {
		c.add(q.setColumn()+" IN ("+q.search.found.query+")", q.search.found.args...)
	}
}

// returnedSince is the condition that a returned order became one at a time or later.
const returnedSince = `
	AND EXISTS (SELECT 1 FROM order_events e WHERE e.order_number = orders.number AND e.type = 'returned' AND e.at >= ?)`
