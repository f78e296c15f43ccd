package shop_test

import (
	"strings"
	"testing"

	"storefront/shop"
	"storefront/shop/shoptest"
)

// A page of buyers is read in the order of an index for each sort, also if names are searched.
func TestCustomerQueries_Plan(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	for by, query := range shop.CustomerQueries() {
		plan := strings.Join(shoptest.QueryPlan(t, s.Store, s.UID(), query, make([]any, strings.Count(query, "?"))), "; ")
		suffix := map[shop.CustomerSort]string{shop.SortLastOrder: "last_order", shop.SortSpent: "spent", shop.SortCustomerName: "name"}[by]
		if strings.Contains(plan, "TEMP B-TREE") || !strings.Contains(plan, "customers_by_"+suffix) || !strings.Contains(plan, "guests_by_"+suffix) {
			t.Errorf("%s: got plan %s", by, plan)
		}
	}
}

// The counts of the backlog do not read payments that do not wait for staff.
func TestBacklogQueries_Plan(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	for name, query := range shop.BacklogQueries() {
		shoptest.WantPaymentsSearched(t, s, name, query)
	}
}
