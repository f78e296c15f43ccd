package order_test

import (
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/page"
)

// A long list is counted to 10,000 if it is filtered, and has its later pages all the same.
func TestListOrderRows_BoundedCount(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	const orders = 10_300
	s.Fill(t, orders)
	for name, tc := range map[string]struct {
		filter order.ListFilter
		count  int
		more   bool // than the count
	}{
		"all":       {order.ListFilter{}, orders, false},
		"open view": {order.ListFilter{View: order.ViewToConfirm, Request: page.Request{Limit: new(2)}}, 206, false},
		"filtered":  {order.ListFilter{MinTotal: page.Some[int64](1)}, 10_000, true},
		"beyond":    {order.ListFilter{MinTotal: page.Some[int64](1), Request: page.Request{Page: new(102), Limit: new(100)}}, 10_000, true},
		"sorted":    {order.ListFilter{MinTotal: page.Some[int64](1), SortBy: order.SortTotal}, 10_000, true},
		"narrow":    {order.ListFilter{ProductID: "product-7"}, 11, false},
	} {
		list, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), tc.filter)
		if err != nil {
			t.Fatal(err)
		}
		if list.Meta.TotalCount != tc.count || list.Meta.Bounded != tc.more || list.Meta.HasNextPage != (tc.count > len(list.Nodes)) {
			t.Errorf("%s: got %d orders and %+v, want count %d, bounded %v", name, len(list.Nodes), list.Meta, tc.count, tc.more)
		}
	}
	last, err := s.Orders.ListOrderRows(t.Context(), access.Operator(),
		order.ListFilter{MinTotal: page.Some[int64](1), Request: page.Request{Page: new(104), Limit: new(100)}})
	if err != nil || len(last.Nodes) != 0 || last.Meta.HasNextPage {
		t.Errorf("after the last page: got %+v (%v), want none", last, err)
	}
	// Every order is on one page, whatever the sort and the filter.
	for _, filter := range []order.ListFilter{{}, {City: "Sylhet"}, {View: order.ViewDone}} {
		for _, filter.SortBy = range order.Sorts() {
			seen := map[string]bool{}
			last := int64(-1)
			for number := 1; number <= 3; number++ {
				filter.Request, filter.Sort = page.Request{Page: &number, Limit: new(100)}, page.Ascending
				list, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), filter)
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range list.Nodes {
					seen[row.ID] = true
					if filter.SortBy == order.SortTotal && row.Total.Amount < last {
						t.Fatalf("%+v: got a total of %d after %d", filter, row.Total.Amount, last)
					}
					last = row.Total.Amount
				}
			}
			if len(seen) != 300 {
				t.Errorf("%s: got %d orders on three pages, want 300", filter.SortBy, len(seen))
			}
		}
	}
	s.exec(t, `UPDATE orders SET status = 'pending', payment_status = 'unpaid', fulfillment_status = 'unfulfilled', test = 0, work = 1`)
	open, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{View: order.ViewToConfirm})
	if err != nil || open.Meta.TotalCount != orders || open.Meta.Bounded {
		t.Errorf("long open view: got %v, want the exact count %d", err, orders)
	}
}

// The views of ended orders are counted to 10,000 until the days are counted, and then exactly:
// with what has just changed, and with the orders of today.
func TestCountOrders_Many(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"autoConfirm": true})
	s.Fill(t, 13_000)
	check := func(when string, bounded bool) {
		t.Helper()
		counts, err := s.Orders.CountOrders(t.Context(), access.Operator())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range counts.Views {
			statuses, ok := map[order.WorkView]string{
				order.ViewDone: "'completed'", order.ViewClosed: "'cancelled', 'expired', 'returned'", order.ViewAll: "status",
			}[c.View]
			if !ok {
				continue
			}
			want := int(s.number(t, `SELECT COUNT(*) FROM orders WHERE test = 0 AND status IN (`+statuses+`)`))
			limited := bounded && want > page.MaxCount
			if limited {
				want = page.MaxCount
			}
			if c.Count != want || c.Bounded != limited {
				t.Errorf("%s, %s: got %d, bounded %v, want %d, %v", when, c.View, c.Count, c.Bounded, want, limited)
			}
		}
	}
	check("nothing stored", true)
	s.CountDays(t)
	check("stored", false)
	const confirmed = "0000000000000051" // nine days ago
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), confirmed, "test"); err != nil {
		t.Fatal(err)
	}
	s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	check("an order moved and one was placed", false)
	s.CountDays(t)
	check("stored again", false)
	s.exec(t, `DELETE FROM day_stats WHERE kind = 'all' AND day IN (SELECT MIN(day) FROM day_stats)`)
	s.exec(t, `DELETE FROM day_stats WHERE kind = 'all' AND day IN (SELECT MIN(day) FROM day_stats WHERE kind = 'all')`)
	check("two days are not stored", false)
	s.exec(t, `DELETE FROM day_stats WHERE kind = 'all' AND day > (SELECT MIN(day) FROM day_stats WHERE kind = 'all')`)
	check("too much is not stored", true)
}
