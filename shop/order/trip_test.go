package order_test

import (
	"math"
	"testing"

	"storefront/db/dbtest"
	"storefront/shop/access"
)

// orderTrips is how often an order that is alone waits for the database: to begin and to commit,
// for what it reads, and for the result of reserving the stock.
const orderTrips = 4

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
	fewest := uint64(math.MaxUint64)
	for range 4 { // versions are checked meanwhile, every 50 ms
		before := s.store.Stats().Trips
		place()
		fewest = min(fewest, s.store.Stats().Trips-before)
	}
	if fewest != orderTrips {
		t.Errorf("got %d trips for an order, want %d", fewest, orderTrips)
	}
}
