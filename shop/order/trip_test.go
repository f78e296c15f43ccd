package order_test

import (
	"testing"

	"storefront/db/dbtest"
	"storefront/shop/access"
)

// maxOrderTrips limits how often an order waits for the database: to begin and to commit, for what
// it reads, and for the result of each statement on which the next one depends.
const maxOrderTrips = 5

func TestPlaceOrder_Trips(t *testing.T) {
	dbtest.NeedPostgres(t)
	t.Parallel()
	s := newOrderShop(t, nil)
	place := func() {
		if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, guestOrder(wants(s.mug, 1), wants(s.card, 1)), ""); err != nil {
			t.Fatal(err)
		}
	}
	place() // reads settings and keys
	before := s.store.Stats().Trips
	const orders = 4
	for range orders {
		place()
	}
	// A version is checked every 50 ms.
	t.Logf("%.1f trips for an order", float64(s.store.Stats().Trips-before)/orders)
	if trips := s.store.Stats().Trips - before; trips > orders*maxOrderTrips {
		t.Errorf("got %d trips for %d orders, want at most %d each", trips, orders, maxOrderTrips)
	}
}
