package order_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
)

// benchShops returns shops in one data folder with unlimited stock and no limit of open orders.
func benchShops(b *testing.B, n int) []*orderShop {
	shops := make([]*orderShop, n)
	store := shoptest.NewStore(b, nil)
	limits := map[string]any{"openOrdersPerPhone": 1_000_000}
	for i := range shops {
		uid := fmt.Sprintf("shop-%d", i)
		s := &orderShop{Stocked: &shoptest.Stocked{Shop: shoptest.New(b, &shoptest.Options{UID: uid, Store: store, Settings: limits})}, store: store}
		s.mug = s.sell(b, catalogue.ProductInput{Title: "Mug", Variants: []catalogue.VariantInput{{Price: 450_00, Tracked: true, Backorder: true}}})
		s.shirt = s.sell(b, catalogue.ProductInput{Title: "Shirt", Variants: []catalogue.VariantInput{{Price: 990_50, Tracked: true, Backorder: true}}})
		s.lamp = s.sell(b, catalogue.ProductInput{Title: "Lamp", Variants: []catalogue.VariantInput{{Price: 1200_00, Tracked: true, Backorder: true}}})
		shops[i] = s
	}
	return shops
}

// buy runs orders in the given number of goroutines, distributed over the shops.
func buy(b *testing.B, buyers int, shops []*orderShop, one func(s *orderShop, n int64) error) {
	var done atomic.Int64
	before := shops[0].store.Stats().Statements
	b.ResetTimer()
	finished := make(chan error, buyers)
	for i := range buyers {
		go func() {
			for {
				n := done.Add(1)
				if n > int64(b.N) {
					finished <- nil
					return
				}
				if err := one(shops[i%len(shops)], n); err != nil {
					finished <- err
					return
				}
			}
		}()
	}
	for range buyers {
		if err := <-finished; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
	b.ReportMetric(float64(shops[0].store.Stats().Statements-before)/float64(b.N), "statements/order")
}

// BenchmarkPlaceOrder measures orders of three lines, and for comparison the bare SQL statements of
// the same order in the same store.
func BenchmarkPlaceOrder(b *testing.B) {
	for _, tenants := range []int{1, 8} {
		for _, buyers := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("tenants=%d/buyers=%d/place", tenants, buyers), func(b *testing.B) {
				buy(b, buyers, benchShops(b, tenants), func(s *orderShop, _ int64) error {
					in := guestOrder(wants(s.mug, 1), wants(s.shirt, 2), wants(s.lamp, 1))
					_, err := s.Orders.PlaceOrder(context.Background(), access.Caller{}, in, "")
					return err
				})
			})
			b.Run(fmt.Sprintf("tenants=%d/buyers=%d/statements", tenants, buyers), func(b *testing.B) {
				buy(b, buyers, benchShops(b, tenants), func(s *orderShop, n int64) error {
					return s.store.Update(context.Background(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
						return bareOrder(tx, s, fmt.Sprintf("%016d", n))
					})
				})
			})
		}
	}
}

// bareOrder runs only the SQL statements of PlaceOrder.
func bareOrder(tx *db.Tx, s *orderShop, id string) error {
	products := []catalogue.Product{s.mug, s.shirt, s.lamp}
	ids := []any{0, s.mug.ID, s.shirt.ID, s.lamp.ID, s.lamp.ID}
	const phone, account = "+8801711223344", `
		SELECT id, name, email, phone, email_verified_at, phone_verified_at, email_trusted, phone_trusted,
			password_hash, password_reset, token_version, created_at
		FROM customers
		WHERE `
	now := db.Millis(tx.Now())
	err := tx.Do(`
		INSERT INTO counters (name, value)
		VALUES ('order', ?)
		ON CONFLICT (name) DO UPDATE SET value = counters.value + 1`, 1001)
	if err != nil {
		return err
	}
	var number int64
	if err := tx.QueryRow("SELECT value FROM counters WHERE name = 'order'").Scan(&number); err != nil {
		return err
	}
	for _, read := range []struct {
		query string
		args  []any
	}{
		{account + "phone = ?", []any{phone}},
		{account + "email = ?", []any{"rahima@example.com"}},
		{"SELECT blocked FROM contacts WHERE phone = ? OR phone = ?", []any{phone, ""}},
		{"SELECT COALESCE(MAX(placed_at), 0) FROM orders WHERE placed_at <= ?", []any{now}},
		{`
		SELECT v.id, v.product_id, p.title, v.option1, v.option2, v.option3, v.sku, v.price, v.tracked, v.backorder, v.stock, v.low_stock,
			COALESCE(
				(SELECT i.url FROM images i WHERE i.id = v.image_id),
				(SELECT i.url FROM images i WHERE i.product_id = v.product_id ORDER BY i.position LIMIT 1),
				''),
			CASE WHEN p.published_at <= ? THEN 1 ELSE 0 END
		FROM variants v
		JOIN products p ON p.id = v.product_id
		WHERE p.id IN (?, ?, ?, ?)`, ids},
	} {
		if err := tx.Each(read.query, read.args, func(db.Row) error { return nil }); err != nil {
			return err
		}
	}
	do := func(query string, args ...any) {
		if err == nil {
			err = tx.Do(query, args...)
		}
	}
	do(`
		INSERT INTO orders (number, id, status, payment_status, fulfillment_status, payment_method, test,
			customer_name, customer_phone, line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name,
			subtotal, discount, delivery_charge, rounding, total, placed_at, updated_at, client, work)
		VALUES (?, ?, 'pending', 'unpaid', 'unfulfilled', 'cod', 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
		number, id, "Rahima Khatun", phone, "House 12, Road 5", "Flat 4B", "Mirpur", "Dhaka", "1216", "BD", "Ring twice",
		"inside-dhaka", "Inside Dhaka", 3631_00, 0, 70_00, 0, 3701_00, now, now, []byte(id))
	const row = "(?, ?, ?, ?, ?, '', '', '', 1, 45000, 0, 1)"
	var items []any
	var taken [][]any
	for i, p := range products {
		items = append(items, number, i+1, p.ID, p.Variants[0].ID, p.Title)
		taken = append(taken, []any{1, p.Variants[0].ID, 1})
	}
	const lines = `
		INSERT INTO order_items (order_number, position, product_id, variant_id, title, variant_title, sku,
			image_url, quantity, unit_price, discount, stock_taken)
		VALUES `
	do(lines+row+", "+row+", "+row, items...)
	do(`
		INSERT INTO order_events (order_number, at, id, type, message, cause)
		VALUES (?, ?, ?, 'placed', 'Order placed.', 'buyer')`, number, now, id)
	if err == nil {
		_, err = tx.ExecEach(`
		UPDATE variants
		SET stock = stock - ?
		WHERE id = ? AND (stock >= ? OR backorder = 1)`, taken)
	}
	do(`
		UPDATE product_revisions
		SET revision = CASE WHEN revision < ? THEN ? ELSE revision + 1 END
		WHERE product_id IN (?, ?, ?, ?)`, append([]any{now, now}, ids[1:]...)...)
	do(`
		INSERT INTO outbox (seq, at, type, subject, data)
		VALUES (COALESCE((SELECT MAX(seq) FROM outbox), 0) + 1, ?, 'order.placed', ?, '{"status":"pending","total":370100}')`, now, id)
	return err
}

func BenchmarkQuoteOrder(b *testing.B) {
	s := newOrderShop(b, nil)
	in := guestOrder(wants(s.mug, 1), wantsVariant(s.shirt, 0, 2), wants(s.lamp, 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Orders.QuoteOrder(context.Background(), access.Caller{}, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFindOrder(b *testing.B) {
	s := newOrderShop(b, nil)
	order := s.mustPlace(b, access.Caller{}, guestOrder(wants(s.mug, 1), wants(s.lamp, 1)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Orders.FindOrder(context.Background(), access.Caller{}, order.ID); err != nil {
			b.Fatal(err)
		}
	}
}
