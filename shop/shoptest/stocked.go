package shoptest

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/order"
)

// Stocked is a shop with products, with its store and its clock.
type Stocked struct {
	*shop.Shop
	Store *db.Store
	Clock *Clock
	// Mug has one variant of ৳450, 10 in stock; Shirt has sizes S and M of ৳990.50, 5 and 0 in
	// stock; Card is not tracked, ৳100; Lamp may be sold below zero, ৳1,200, 1 in stock.
	Mug, Shirt, Card, Lamp catalogue.Product
}

// NewStocked creates a shop whose buyers may have many open orders, unless the options have
// settings. Those without a store have their own, and a clock.
func NewStocked(tb testing.TB, opts *Options) *Stocked {
	tb.Helper()
	if opts.Store == nil {
		opts.Clock = NewClock()
		opts.Store = NewStore(tb, opts.Clock)
	}
	if opts.Settings == nil {
		opts.Settings = map[string]any{"openOrdersPerPhone": 10_000}
	}
	s := &Stocked{Shop: New(tb, opts), Store: opts.Store, Clock: opts.Clock}
	s.Mug = s.Sell(tb, catalogue.ProductInput{Title: "Mug", Variants: []catalogue.VariantInput{{SKU: "MUG-1", Price: 450_00, Tracked: true,
		Stock: new(10)}},
		Images: []catalogue.ImageInput{{URL: "https://img.example/mug.jpg"}}})
	s.Shirt = s.Sell(tb, catalogue.ProductInput{Title: "Shirt", Options: []string{"Size"}, Variants: []catalogue.VariantInput{
		{Options: []string{"S"}, Price: 990_50, Tracked: true, Stock: new(5)},
		{Options: []string{"M"}, Price: 990_50, Tracked: true, Stock: new(0)},
	}})
	s.Card = s.Sell(tb, catalogue.ProductInput{Title: "Gift card", Variants: []catalogue.VariantInput{{Price: 100_00}}})
	s.Lamp = s.Sell(tb, catalogue.ProductInput{Title: "Lamp", Variants: []catalogue.VariantInput{{Price: 1200_00, Tracked: true, Backorder: true,
		Stock: new(1)}}})
	return s
}

// Sell saves a product.
func (s *Stocked) Sell(tb testing.TB, in catalogue.ProductInput) catalogue.Product {
	tb.Helper()
	product, err := s.Catalogue.CreateProduct(context.Background(), access.Operator(), in)
	if err != nil {
		tb.Fatalf("save %s: %v", in.Title, err)
	}
	return product.Product
}

// Place places an order.
func (s *Stocked) Place(tb testing.TB, caller access.Caller, in order.Input) *order.Placed {
	tb.Helper()
	order, err := s.Orders.PlaceOrder(context.Background(), caller, in, "")
	if err != nil {
		tb.Fatalf("place order: %v", err)
	}
	return order
}

// Register creates an account and returns its caller.
func (s *Stocked) Register(tb testing.TB, in account.RegisterInput) access.Caller {
	tb.Helper()
	in.Password = "correct horse battery"
	auth, err := s.Accounts.Register(context.Background(), access.Caller{}, in)
	if err != nil {
		tb.Fatalf("register %s: %v", in.Name, err)
	}
	return access.Caller{Bearer: auth.AccessToken}
}

// Exec is [Exec] on the shop.
func (s *Stocked) Exec(tb testing.TB, query string, args ...any) {
	tb.Helper()
	Exec(tb, s.Store, s.UID(), query, args...)
}

// Number is [Number] of the shop.
func (s *Stocked) Number(tb testing.TB, query string, args ...any) int64 {
	tb.Helper()
	return Number(tb, s.Store, s.UID(), query, args...)
}

// CheckBooks fails the test unless the invariants of the shop's data hold.
func (s *Stocked) CheckBooks(tb testing.TB) {
	tb.Helper()
	faults, err := s.CheckInvariants(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	for _, fault := range faults {
		tb.Error(fault)
	}
	CheckCachedProducts(tb, s.Shop, s.Store, s.Clock)
}

// Fill adds orders to the shop, a minute apart, of which every fiftieth is open.
func (s *Stocked) Fill(tb testing.TB, orders int) {
	tb.Helper()
	if s.Store.Dialect(db.ID(s.UID())) != db.SQLite {
		tb.Skip("about files: the orders are inserted with functions that only SQLite has")
	}
	first := s.Clock.Now().Add(-time.Duration(orders) * time.Minute).UnixMilli()
	s.Exec(tb, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?),
		o AS (
			SELECT i, CASE WHEN i % 50 = 0 THEN 'pending' WHEN i % 50 = 1 THEN 'confirmed' WHEN i % 11 = 0 THEN 'cancelled'
				WHEN i % 13 = 0 THEN 'returned' ELSE 'completed' END AS status
			FROM n
		)
		INSERT INTO orders (number, id, status, payment_status, fulfillment_status, payment_method, test, customer_name, customer_phone,
			line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name, subtotal, discount, delivery_charge,
			rounding, total, placed_at, updated_at, courier, shipment_status, work)
		SELECT 1000 + i, substr('0000000000000000' || i, length('' || i) + 1), status, CASE status WHEN 'completed' THEN 'paid' ELSE 'unpaid' END,
			CASE status WHEN 'completed' THEN 'delivered' WHEN 'returned' THEN 'returned' ELSE 'unfulfilled' END,
			CASE WHEN i % 10 = 0 THEN 'gateway_a' ELSE 'cod' END, i % 997 = 0, char(65 + i % 23, 97 + i % 7, 98 + i % 17) || 'ima Khatun ' || i,
			'+88017' || substr('00000000' || (i % 40000), length('' || (i % 40000)) + 1),
			'House ' || i || ', Road 5', '', 'Mirpur', CASE i % 8 WHEN 0 THEN 'Dhaka' WHEN 1 THEN 'Sylhet' ELSE 'Rajshahi ' || i % 40 END,
			'1216', 'BD', '', 'inside', 'Inside Dhaka', 1000 + i % 7000, 0, 6000, 0, 7000 + i % 7000,
			? + i * 60000, ? + i * 60000, CASE WHEN status IN ('completed', 'returned') THEN 'courier_a' ELSE '' END,
			CASE status WHEN 'completed' THEN 'delivered' WHEN 'returned' THEN 'returned' ELSE '' END, status IN ('pending', 'confirmed')
		FROM o`, orders, first, first)
	s.Exec(tb, `
		WITH lines(n) AS (VALUES (1), (2))
		INSERT INTO order_items (order_number, position, product_id, variant_id, title, variant_title, sku, image_url, quantity, unit_price,
			discount, stock_taken)
		SELECT number, n, 'product-' || (number * n % 1000), 'variant-' || (number * n % 1000), 'Panjabi ' || (number * n % 1000), '', '', '',
			1, 1000, 0, 0
		FROM orders, lines`)
	s.Exec(tb, `
		INSERT INTO shipments (id, order_id, provider, consignment_id, tracking_code, status, moved_at, created_at, updated_at)
		SELECT 's' || id, id, courier, 'c' || number, '', shipment_status, placed_at, placed_at, placed_at
		FROM orders
		WHERE courier <> ''`)
	s.Exec(tb, `
		INSERT INTO payment_attempts (id, order_id, method, mode, status, amount, transaction_id, redirect_url, error_code, created_at, updated_at)
		SELECT 'a' || id, id, payment_method, 'live', CASE payment_status WHEN 'paid' THEN 'succeeded' ELSE 'failed' END, total, '', '', '',
			placed_at, placed_at
		FROM orders
		WHERE payment_method = 'gateway_a'`)
	s.Exec(tb, `INSERT INTO counters (name, value) VALUES ('order', ?), ('posted_order', ?)`, 1000+orders, 1000+orders)
	s.Exec(tb, listLines)
}

// ProcessorTime returns how long this process has used the processors, in whole hundredths of a
// second; 0 on systems without /proc.
func ProcessorTime(tb testing.TB) time.Duration {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] { // of the program and of the system for it
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100
}
