package order_test

import (
	"strings"
	"testing"

	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// indexOfList names the index whose range each list reads.
var indexOfList = map[string]string{
	"city and status of orders": "orders_by_city", "city's sorted orders": "orders_by_city",
	"walk of sorted orders": "orders_by_total", "walk of updated orders": "orders_by_updated", "returned today": "orders_by_updated",
	"count of a status of sorted orders": "orders_by_status", "all orders of a status": "orders_by_status", "pending sorted orders": "orders_by_work",
}

// TestOrderQueries_Plan checks that no order statement slows down with the catalogue or with other
// orders: rows are found by key, and lists are read from an index in their order.
func TestOrderQueries_Plan(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for name, query := range order.OrderQueries() {
		plan := shoptest.QueryPlan(t, s.store, s.UID(), query, make([]any, strings.Count(query, "?")))
		list := strings.HasSuffix(name, "orders") || name == "all orders of a status"
		wantSorts := 1 // of the page
		if strings.HasSuffix(name, "sorted orders") {
			wantSorts = 2
		}
		if sorts := strings.Count(strings.Join(plan, "\n"), "TEMP B-TREE"); list && sorts > wantSorts {
			t.Errorf("%s: got plan %s, want %d sorts", name, strings.Join(plan, "; "), wantSorts)
		}
		for _, step := range plan {
			switch {
			case list && step == "USE TEMP B-TREE FOR ORDER BY", // the rows of the page
				strings.HasPrefix(step, "SCAN orders USING COVERING INDEX orders_by_placed") && list && !strings.HasPrefix(name, "city"),
				step == "SCAN orders USING COVERING INDEX orders_by_city" && name == "a view's sorted orders",
				strings.HasPrefix(step, "SCAN orders USING") && name == "due next",
				strings.HasPrefix(step, "SCAN o USING INDEX orders_unconfirmed"), step == "SCAN uses",
				step == "SCAN shipments USING INDEX shipments_open": // those under way
			case strings.HasPrefix(step, "SEARCH orders") && !strings.Contains(step, "(rowid=?)") && indexOfList[name] != "" &&
				!strings.Contains(step, "INDEX "+indexOfList[name]):
				t.Errorf("%s: got plan %s, want %s", name, strings.Join(plan, "; "), indexOfList[name])
			case name == "last use of a coupon" && !strings.Contains(step, "INDEX orders_of_coupon (coupon_id=?)"):
				t.Errorf("%s: got plan %s, want the newest entry of orders_of_coupon", name, strings.Join(plan, "; "))
			case name == "open orders of buyers" && !strings.Contains(step, "orders_by_phone"):
				t.Errorf("%s: got plan %s, want those of the phone numbers", name, strings.Join(plan, "; "))
			case strings.HasPrefix(step, "SCAN"), strings.Contains(step, "products_by_published"),
				strings.Contains(step, "TEMP B-TREE") && name != "uses of a coupon":
				t.Errorf("%s: got plan %s", name, strings.Join(plan, "; "))
			}
		}
	}
}
