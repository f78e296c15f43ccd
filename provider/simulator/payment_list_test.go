package simulator_test

import (
	"slices"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/status"
)

// What waits for staff is listed oldest first, what is history newest first.
func TestListPaymentAttempts_Order(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var due, paid []string
	for range 3 {
		due = append(due, ref(s.refundDue(status.PayGatewayA)))
		s.clock.Advance(time.Minute)
		order := s.place(status.PayGatewayA)
		s.finish(ref(order), simulator.Pays)
		paid = append(paid, ref(order))
		s.clock.Advance(time.Minute)
	}
	all := slices.Concat(due, paid)
	slices.Sort(all) // attempts have ascending IDs
	newest := func(ids []string) []string {
		ids = slices.Clone(ids)
		slices.Reverse(ids)
		return ids
	}
	for name, tt := range map[string]struct {
		status []status.Attempt
		want   []string
	}{
		"due":          {[]status.Attempt{status.AttemptRefundDue}, due},
		"all waiting":  {[]status.Attempt{status.AttemptRefundDue, status.AttemptNeedsReview}, due},
		"paid":         {[]status.Attempt{status.AttemptSucceeded}, newest(paid)},
		"paid and due": {[]status.Attempt{status.AttemptRefundDue, status.AttemptSucceeded}, newest(all)},
		"all":          {nil, newest(all)},
	} {
		for page := 1; page <= len(tt.want); page++ {
			filter := order.AttemptFilter{Status: tt.status}
			filter.Page, filter.Limit = &page, new(1)
			list, err := s.Orders.ListPaymentAttempts(t.Context(), access.Operator(), filter)
			s.must(err)
			if len(list.Nodes) != 1 || list.Nodes[0].ID != tt.want[page-1] || list.Meta.TotalCount != len(tt.want) {
				t.Errorf("%s, page %d: got %+v of %d, want %s of %d", name, page, list.Nodes, list.Meta.TotalCount, tt.want[page-1], len(tt.want))
			}
		}
	}
}
