package simulator_test

import (
	"slices"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop"
	"storefront/shop/access"
)

// What waits for staff is listed oldest first, what is history newest first.
func TestListPaymentAttempts_Order(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var due, paid []string
	for range 3 {
		due = append(due, ref(s.refundDue(shop.PayGatewayA)))
		s.clock.Advance(time.Minute)
		order := s.place(shop.PayGatewayA)
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
		status []shop.AttemptStatus
		want   []string
	}{
		"due":          {[]shop.AttemptStatus{shop.AttemptRefundDue}, due},
		"all waiting":  {[]shop.AttemptStatus{shop.AttemptRefundDue, shop.AttemptNeedsReview}, due},
		"paid":         {[]shop.AttemptStatus{shop.AttemptSucceeded}, newest(paid)},
		"paid and due": {[]shop.AttemptStatus{shop.AttemptRefundDue, shop.AttemptSucceeded}, newest(all)},
		"all":          {nil, newest(all)},
	} {
		for page := 1; page <= len(tt.want); page++ {
			filter := shop.AttemptFilter{Status: tt.status}
			filter.Page, filter.Limit = &page, new(1)
			list, err := s.ListPaymentAttempts(t.Context(), access.Operator(), filter)
			s.must(err)
			if len(list.Nodes) != 1 || list.Nodes[0].ID != tt.want[page-1] || list.Meta.TotalCount != len(tt.want) {
				t.Errorf("%s, page %d: got %+v of %d, want %s of %d", name, page, list.Nodes, list.Meta.TotalCount, tt.want[page-1], len(tt.want))
			}
		}
	}
}
