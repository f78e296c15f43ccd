package order_test

import (
	"fmt"
	"slices"
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// Each view has the orders whose columns it is about, and counts them. Orders placed in sandbox
// mode are only in lists that request them.
func TestListOrderRows_Views(t *testing.T) {
	t.Parallel()
	const open, none = true, ""
	a := shoptest.NewAccounts(t)
	type views = []order.WorkView
	cases := []struct {
		status, payment, delivery, shipment, attention string
		work, test                                     bool
		want                                           views
	}{
		{"pending", "unpaid", "unfulfilled", none, none, open, false, views{order.ViewToConfirm}},
		{"pending", "unpaid", "unfulfilled", none, none, open, true, nil},
		{"pending_payment", "pending", "unfulfilled", none, none, open, false, views{order.ViewUnpaid}},
		{"pending_payment", "needs_review", "unfulfilled", none, "review", open, false, views{order.ViewUnpaid, order.ViewProblems}},
		{"confirmed", "unpaid", "unfulfilled", none, none, open, false, views{order.ViewToPack}},
		{"confirmed", "unpaid", "unfulfilled", none, "unanswered", open, false, views{order.ViewToPack, order.ViewProblems}},
		{"processing", "unpaid", "unfulfilled", "cancelled", none, open, false, views{order.ViewToPack}},
		{"processing", "unpaid", "unfulfilled", "created", none, open, false, views{order.ViewToHandOver}},
		{"processing", "unpaid", "unfulfilled", "pickup_requested", none, open, false, views{order.ViewToHandOver}},
		{"processing", "unpaid", "in_progress", "picked", none, open, false, views{order.ViewOnTheWay}},
		{"processing", "unpaid", "in_progress", "at_hub", none, open, false, views{order.ViewOnTheWay}},
		{"processing", "unpaid", "in_progress", "in_transit", none, open, false, views{order.ViewOnTheWay}},
		{"processing", "unpaid", "in_progress", "out_for_delivery", none, open, false, views{order.ViewOnTheWay}},
		{"processing", "unpaid", "in_progress", "on_hold", "shipment", open, false, views{order.ViewProblems}},
		{"processing", "unpaid", "in_progress", "delivery_failed", "shipment", open, false, views{order.ViewProblems}},
		{"processing", "unpaid", "in_progress", "returning", none, open, false, views{order.ViewReturning}},
		{"processing", "unpaid", "partially_delivered", "partially_delivered", none, open, false, views{order.ViewReturning}},
		{"processing", "unpaid", "returning", "on_hold", "shipment", open, false, views{order.ViewReturning, order.ViewProblems}},
		{"cancelled", "unpaid", "unfulfilled", "in_transit", "stray", open, false, views{order.ViewOnTheWay, order.ViewProblems, order.ViewClosed}},
		{"cancelled", "refund_due", "unfulfilled", none, none, open, false, views{order.ViewToRefund, order.ViewClosed}},
		{"completed", "paid", "delivered", "delivered", none, false, false, views{order.ViewDone}},
		{"completed", "paid", "delivered", "delivered", none, false, true, nil},
		{"cancelled", "unpaid", "unfulfilled", none, none, false, false, views{order.ViewClosed}},
		{"expired", "unpaid", "unfulfilled", none, none, false, false, views{order.ViewClosed}},
		{"returned", "unpaid", "returned", "returned", none, false, false, views{order.ViewClosed}},
	}
	want := map[order.WorkView][]int{}
	for i, tc := range cases {
		id := fmt.Sprintf("%016d", i)
		a.InsertOrder(t, id, shoptest.RahimsPhone)
		a.Exec(t, `UPDATE orders SET status = ?, payment_status = ?, fulfillment_status = ?, shipment_status = ?, attention = ?, work = ?, test = ?,
			payment_method = 'gateway_a'
			WHERE id = ?`, tc.status, tc.payment, tc.delivery, tc.shipment, tc.attention, tc.work, tc.test, id)
		if !tc.test {
			tc.want = append(tc.want, order.ViewAll)
		}
		for _, view := range tc.want {
			want[view] = append(want[view], i)
		}
	}
	// listed returns the cases that are in a view.
	listed := func(filter order.ListFilter) (found []int) {
		t.Helper()
		filter.Sort, filter.Limit = page.Ascending, new(100)
		list, err := a.Orders.ListOrderRows(t.Context(), access.Operator(), filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range list.Nodes {
			var i int
			if _, err := fmt.Sscanf(row.ID, "%d", &i); err != nil {
				t.Fatal(err)
			}
			found = append(found, i)
		}
		slices.Sort(found)
		return found
	}
	counts, err := a.Orders.CountOrders(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	if len(counts.Views) != len(order.WorkViews()) {
		t.Errorf("got counts of %d views, want %d", len(counts.Views), len(order.WorkViews()))
	}
	for _, c := range counts.Views {
		if got := listed(order.ListFilter{View: c.View}); !slices.Equal(got, want[c.View]) || c.Count != len(got) {
			t.Errorf("%s: got orders %v and the count %d, want %v", c.View, got, c.Count, want[c.View])
		}
	}
	if got := listed(order.ListFilter{View: order.ViewToConfirm, Test: page.Some(true)}); !slices.Equal(got, []int{1}) {
		t.Errorf("to confirm in sandbox mode: got %v, want the second order", got)
	}
}

// Each column that lists and counts of orders read instead of other tables is compared with its
// source.
func TestInvariants_WorkColumns(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	const id = "0123456789ABCDEF"
	a.InsertOrder(t, id, shoptest.RahimsPhone)
	a.Exec(t, `UPDATE orders SET work = 1 WHERE id = ?`, id) // it is to be confirmed
	faults := func() []string {
		t.Helper()
		list, err := a.CheckInvariants(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	sound := faults() // what the inserted order lacks otherwise
	const shipmentColumns = "1 orders with a courier or shipment status that differs from their current shipment"
	for _, tc := range []struct{ wrong, right, want string }{
		{`courier = 'courier_a'`, `courier = ''`, shipmentColumns},
		{`shipment_status = 'on_hold'`, `shipment_status = ''`, shipmentColumns},
		{`attention = 'review'`, `attention = ''`, "1 orders that do not show why staff must check them"},
		{`work = 0`, `work = 1`, "1 orders that are in the lists of open work and do not belong there, or the other way round"},
	} {
		a.Exec(t, `UPDATE orders SET `+tc.wrong+` WHERE id = ?`, id)
		if got := faults(); len(got) != len(sound)+1 || !slices.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q beside %q", tc.wrong, got, tc.want, sound)
		}
		a.Exec(t, `UPDATE orders SET `+tc.right+` WHERE id = ?`, id)
	}
	if got := faults(); !slices.Equal(got, sound) {
		t.Errorf("with the right columns: got %q, want %q", got, sound)
	}
}
