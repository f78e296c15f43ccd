package shop_test

import (
	"slices"
	"strings"
	"testing"

	"storefront/shop"
	"storefront/shop/shoptest"
)

// Counts and lists of payments that wait for staff do not read those that do not.
func TestPaymentQueries_Plan(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for name, query := range shop.PaymentQueries() {
		plan := shoptest.QueryPlan(t, s.store, s.UID(), query, make([]any, strings.Count(query, "?")))
		for _, step := range plan {
			table, _, _ := strings.Cut(strings.TrimPrefix(step, "SCAN "), " ")
			whole := strings.HasPrefix(step, "SCAN") && slices.Contains([]string{"payment_attempts", "a", "refunds", "payment_checks"}, table) &&
				!strings.Contains(step, "INDEX payment_attempts_unstarted") && name != "a page of the newest"
			if whole || strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s: got plan %s", name, strings.Join(plan, "; "))
				break
			}
		}
	}
}
