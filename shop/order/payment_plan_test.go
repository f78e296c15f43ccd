package order_test

import (
	"testing"

	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// Counts and lists of payments that wait for staff do not read those that do not.
func TestPaymentQueries_Plan(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for name, query := range order.PaymentQueries() {
		shoptest.WantPaymentsSearched(t, s.Stocked, name, query)
	}
}
