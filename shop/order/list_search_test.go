package order_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/page"
)

// A search that finds many orders reads them in the order of the list.
func TestListOrderRows_WideSearch(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.Fill(t, 700)
	for name, tc := range map[string]struct {
		filter order.ListFilter
		count  int
		first  int64
	}{
		"all":      {order.ListFilter{Search: "khatun"}, 700, 1700},
		"oldest":   {order.ListFilter{Search: "khatun", Sort: page.Ascending}, 700, 1001},
		"filtered": {order.ListFilter{Search: "khatun", City: "Sylhet"}, 88, 1697},
		"view":     {order.ListFilter{Search: "khatun", View: order.ViewToConfirm}, 14, 1700},
	} {
		list, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), tc.filter)
		if err != nil {
			t.Fatal(err)
		}
		if list.Meta.TotalCount != tc.count || list.Nodes[0].OrderNumber != tc.first {
			t.Errorf("%s: got %d orders from number %d, want %d from %d", name, list.Meta.TotalCount, list.Nodes[0].OrderNumber, tc.count, tc.first)
		}
	}
}

// The order that a search names by its number is the first one, however many newer orders have the
// number as a postcode, and no page repeats or lacks an order for that.
func TestListOrderRows_ExactNumber(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.Fill(t, 700)
	s.exec(t, `UPDATE orders SET postcode = '1009' WHERE number <> 1009`)
	list := func(filter order.ListFilter, number, limit int) (numbers []int64, total int) {
		t.Helper()
		filter.Page, filter.Limit = &number, &limit
		if filter.Search == "" {
			filter.Search = "#১০০৯"
		}
		found, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range found.Nodes {
			numbers = append(numbers, row.OrderNumber)
		}
		return numbers, found.Meta.TotalCount
	}
	for _, limit := range []int{1, 30, 100, page.NoLimit} {
		var all []int64
		for number := 1; ; number++ {
			numbers, total := list(order.ListFilter{}, number, limit)
			if total != 700 {
				t.Fatalf("page %d of %d: got %d orders in total, want 700", number, limit, total)
			}
			if all = append(all, numbers...); len(numbers) == 0 || limit == page.NoLimit || limit == 1 && number == 3 {
				break
			}
		}
		want := []int64{1009}
		for n := int64(1700); n > 1000; n-- {
			if n != 1009 {
				want = append(want, n)
			}
		}
		if limit == 1 {
			want = want[:3]
		}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
	for name, one := range map[string]struct {
		filter order.ListFilter
		first  int64
	}{
		"its city":      {order.ListFilter{City: "Sylhet"}, 1009},
		"oldest first":  {order.ListFilter{Sort: page.Ascending}, 1009},
		"invoice":       {order.ListFilter{Search: "0000000000000009"}, 1009},
		"later orders":  {order.ListFilter{PlacedFrom: s.clock.Now().Add(time.Hour)}, 0},
		"another phone": {order.ListFilter{Search: "1009 khatun"}, 1700},
	} {
		numbers, _ := list(one.filter, 1, 30)
		if len(numbers) == 0 && one.first != 0 || len(numbers) > 0 && numbers[0] != one.first {
			t.Errorf("%s: got %v, want %d first", name, numbers, one.first)
		}
	}
	if numbers, total := list(order.ListFilter{City: "Dhaka"}, 1, 30); total == 0 || slices.Contains(numbers, 1009) {
		t.Errorf("another city: got %d orders, %v, want those of the city", total, numbers)
	}
	if numbers, _ := list(order.ListFilter{SortBy: order.SortTotal}, 1, 30); numbers[0] == 1009 {
		t.Errorf("by total: got %v, want the order of the totals", numbers)
	}
}
