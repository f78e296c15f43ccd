package shoptest

import (
	"context"
	"testing"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/plugin"
)

// GuestOrder returns an order of a guest in Dhaka for one product. The guest pays cash on delivery.
func GuestOrder(productID string, quantity int) shop.OrderInput {
	return shop.OrderInput{
		Items:           []shop.OrderItemInput{{ProductID: productID, Quantity: quantity}},
		Customer:        &shop.OrderCustomerInput{Name: new("Rahima Khatun"), PhoneNumber: new("01711-223344")},
		ShippingAddress: &account.Address{Line1: "House 12, Road 5", City: "Dhaka"},
	}
}

// ConfigurePlugin sets settings of a provider as the operator.
func ConfigurePlugin(tb testing.TB, s *shop.Shop, provider plugin.Provider, settings map[string]any) {
	tb.Helper()
	if _, err := s.ConfigurePlugin(context.Background(), access.Operator(), provider, Raw(tb, settings)); err != nil {
		tb.Fatalf("configure %s: %v", provider, err)
	}
}

// Exec runs a statement on the shop uid, for states that no use case produces.
func Exec(tb testing.TB, store *db.Store, uid, query string, args ...any) {
	tb.Helper()
	err := store.Update(context.Background(), db.ID(uid), func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// Number runs a query on the shop uid that returns one number.
func Number(tb testing.TB, store *db.Store, uid, query string, args ...any) (n int64) {
	tb.Helper()
	err := store.View(context.Background(), db.ID(uid), func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(query, args...).Scan(&n)
	})
	if err != nil {
		tb.Fatal(err)
	}
	return n
}
