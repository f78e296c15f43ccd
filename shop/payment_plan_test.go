package shop_test

import (
	"testing"

	"storefront/shop"
	"storefront/shop/shoptest"
)

// Counts and lists of payments that wait for staff do not read those that do not.
func TestPaymentQueries_Plan(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for name, query := range shop.PaymentQueries() {
		shoptest.WantPaymentsSearched(t, s.Stocked, name, query)
	}
}
