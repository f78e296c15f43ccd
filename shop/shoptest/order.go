package shoptest

import (
	"context"
	"strings"
	"testing"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// GuestOrder returns an order of a guest in Dhaka for one product. The guest pays cash on delivery.
func GuestOrder(productID string, quantity int) order.Input {
	return order.Input{
		Items:           []order.ItemInput{{ProductID: productID, Quantity: quantity}},
		Customer:        &order.CustomerInput{Name: new("Rahima Khatun"), PhoneNumber: new("01711-223344")},
		ShippingAddress: &account.Address{Line1: "House 12, Road 5", City: "Dhaka"},
	}
}

// Wants returns an item of a product with one variant.
func Wants(p catalogue.Product, quantity int) order.ItemInput {
	return order.ItemInput{ProductID: p.ID, Quantity: quantity}
}

// RahimasOrder returns a guest's order to Dhaka. Leak tests search for each of its values.
func RahimasOrder(items ...order.ItemInput) order.Input {
	return order.Input{
		Items:    items,
		Customer: &order.CustomerInput{Name: new("Rahima Khatun"), PhoneNumber: new("01711-223344"), Email: new("rahima@example.com")},
		ShippingAddress: &account.Address{
			Line1: "House 12, Road 5", Line2: new("Flat 4B"), Area: new("Mirpur"), City: "Dhaka", Postcode: new("1216"),
		},
		Note: new("Ring twice"),
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

// Texts returns what the columns of text have in a shop's file, by table and column.
func Texts(tb testing.TB, store *db.Store, uid string) map[string][]string {
	tb.Helper()
	found := map[string][]string{}
	err := store.View(context.Background(), db.ID(uid), func(_ context.Context, tx *db.Tx) error {
		columns, err := db.Query(tx, db.ScanText, `
			SELECT t.name || '.' || c.name
			FROM sqlite_master t
			JOIN pragma_table_info(t.name) c
			WHERE t.type = 'table' AND c.type = 'TEXT'`)
		for _, column := range columns {
			table, name, _ := strings.Cut(column, ".")
			query := `SELECT ` + name + ` FROM ` + table + ` WHERE ` + name + ` IS NOT NULL`
			if found[column], err = db.Query(tx, db.ScanText, query); err != nil {
				return err
			}
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return found
}
