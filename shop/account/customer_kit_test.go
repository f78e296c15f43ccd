package account_test

import (
	"context"
	"testing"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/shoptest"
)

// set changes settings of the shop.
func (a *accounts) set(t *testing.T, settings map[string]any) {
	t.Helper()
	if err := a.SetSettings(context.Background(), access.Operator(), shoptest.Raw(t, settings)); err != nil {
		t.Fatal(err)
	}
}

// count reads one number from the shop's file.
func (a *accounts) count(t *testing.T, query string, args ...any) (n int64) {
	t.Helper()
	err := a.store.View(context.Background(), a.cfg.ID, func(ctx context.Context, tx *db.Tx) error {
		return tx.QueryRow(query, args...).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// guestOrder inserts an order of a guest.
func (a *accounts) guestOrder(t *testing.T, id, phone string) {
	t.Helper()
	a.exec(t, `
		INSERT INTO orders (id, number, status, payment_status, fulfillment_status, payment_method, test, customer_name, customer_phone,
			customer_email, line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name,
			subtotal, discount, delivery_charge, rounding, total, placed_at, updated_at)
		SELECT ?, coalesce(max(number), 0) + 1, 'pending', 'unpaid', 'unfulfilled', 'cod', 0, 'Rahim Uddin', ?,
			'guest@example.com', 'House 7', 'Flat 3', 'Dhanmondi', 'Dhaka', '1205', 'BD', 'Ring twice', '', '',
			100, 0, 0, 0, 100, 1, 1
		FROM orders`, id, phone)
}
