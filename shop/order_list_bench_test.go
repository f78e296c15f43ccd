package shop_test

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// fillOrders adds orders to a shop, a minute apart, of which every fiftieth is open.
func (s *orderShop) fillOrders(tb testing.TB, orders int) {
	tb.Helper()
	if s.store.Dialect("test") != db.SQLite {
		tb.Skip("the orders are written by functions of SQLite")
	}
	first := s.clock.Now().Add(-time.Duration(orders) * time.Minute).UnixMilli()
	s.exec(tb, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?),
		o AS (
			SELECT i, CASE WHEN i % 50 = 0 THEN 'pending' WHEN i % 50 = 1 THEN 'confirmed' WHEN i % 11 = 0 THEN 'cancelled'
				WHEN i % 13 = 0 THEN 'returned' ELSE 'completed' END AS status
			FROM n
		)
		INSERT INTO orders (number, id, status, payment_status, fulfillment_status, payment_method, test, customer_name, customer_phone,
			line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name, subtotal, discount, delivery_charge,
			rounding, total, placed_at, updated_at, courier, shipment_status, work)
		SELECT 1000 + i, printf('%016d', i), status, CASE status WHEN 'completed' THEN 'paid' ELSE 'unpaid' END,
			CASE status WHEN 'completed' THEN 'delivered' WHEN 'returned' THEN 'returned' ELSE 'unfulfilled' END,
			CASE WHEN i % 10 = 0 THEN 'gateway_a' ELSE 'cod' END, i % 997 = 0, char(65 + i % 23, 97 + i % 7, 98 + i % 17) || 'ima Khatun ' || i,
			'+88017' || printf('%08d', i % 40000),
			'House ' || i || ', Road 5', '', 'Mirpur', CASE i % 8 WHEN 0 THEN 'Dhaka' WHEN 1 THEN 'Sylhet' ELSE 'Rajshahi ' || i % 40 END,
			'1216', 'BD', '', 'inside', 'Inside Dhaka', 1000 + i % 7000, 0, 6000, 0, 7000 + i % 7000,
			? + i * 60000, ? + i * 60000, CASE WHEN status IN ('completed', 'returned') THEN 'courier_a' ELSE '' END,
			CASE status WHEN 'completed' THEN 'delivered' WHEN 'returned' THEN 'returned' ELSE '' END, status IN ('pending', 'confirmed')
		FROM o`, orders, first, first)
	s.exec(tb, `
		WITH lines(n) AS (VALUES (1), (2))
		INSERT INTO order_items (order_number, position, product_id, variant_id, title, variant_title, sku, image_url, quantity, unit_price,
			discount, stock_taken)
		SELECT number, n, 'product-' || (number * n % 1000), 'variant-' || (number * n % 1000), 'Panjabi ' || (number * n % 1000), '', '', '',
			1, 1000, 0, 0
		FROM orders, lines`)
	s.exec(tb, `
		INSERT INTO shipments (id, order_id, provider, consignment_id, tracking_code, status, moved_at, created_at, updated_at)
		SELECT 's' || id, id, courier, 'c' || number, '', shipment_status, placed_at, placed_at, placed_at
		FROM orders
		WHERE courier <> ''`)
	s.exec(tb, `
		INSERT INTO payment_attempts (id, order_id, method, mode, status, amount, transaction_id, redirect_url, error_code, created_at, updated_at)
		SELECT 'a' || id, id, payment_method, 'live', CASE payment_status WHEN 'paid' THEN 'succeeded' ELSE 'failed' END, total, '', '', '',
			placed_at, placed_at
		FROM orders
		WHERE payment_method = 'gateway_a'`)
	s.exec(tb, `INSERT INTO counters (name, value) VALUES ('order', ?)`, 1000+orders)
}

// processorTime returns how long this process has used the processors, in whole hundredths of a
// second; 0 on systems without /proc.
func processorTime(tb testing.TB) time.Duration {
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

// BenchmarkListOrderRows measures a page of orders with its count in a shop of 100,000, and reports
// the median, the 99th percentile and, since others may use the machine too, the processor time.
func BenchmarkListOrderRows(b *testing.B) {
	s := newOrderShop(b, nil)
	s.fillOrders(b, 100_000)
	rows := func(filter shop.OrderListFilter) func() error {
		return func() error {
			filter.Limit = new(50)
			_, err := s.ListOrderRows(b.Context(), access.Operator(), filter)
			return err
		}
	}
	type benchmark struct {
		name string
		run  func() error
	}
	list := []benchmark{{"all", rows(shop.OrderListFilter{})}}
	for _, view := range shop.WorkViews() {
		list = append(list, benchmark{"view " + string(view), rows(shop.OrderListFilter{View: view})})
	}
	for name, filter := range map[string]shop.OrderListFilter{
		"last page":         {Request: page.Request{Page: new(2000)}},
		"by total":          {SortBy: shop.SortTotal},
		"done by total":     {View: shop.ViewDone, SortBy: shop.SortTotal},
		"city by total":     {City: "Dhaka", SortBy: shop.SortTotal},
		"status by total":   {Status: []status.Order{status.OrderReturned}, SortBy: shop.SortTotal},
		"by update":         {SortBy: shop.SortUpdated, Ascending: true},
		"rare city":         {City: "Rajshahi 7", PaymentMethod: []status.PaymentMethod{status.PayGatewayA}},
		"city and status":   {City: "Dhaka", Status: []status.Order{status.OrderCompleted, status.OrderReturned}},
		"nothing":           {Courier: []plugin.Provider{plugin.CourierB}, MinTotal: new(int64(9000))},
		"product":           {ProductID: "product-7", PaymentMethod: []status.PaymentMethod{status.PayCOD}},
		"total and payment": {MinTotal: new(int64(9000)), PaymentStatus: []status.Payment{status.PaymentPaid}},
		"delivery":          {FulfillmentStatus: []status.Fulfillment{status.Returned}, Test: new(true)},
		"shipment by total": {ShipmentStatus: []status.Shipment{status.ShipmentReturned}, City: "Sylhet", SortBy: shop.SortTotal},
		"name":              {Search: "khatun"},
		"three letters":     {Search: "kac"},
		"last digits":       {Search: "1234"},
		"two common words":  {Search: "mirpur house"},
		"beginning of all":  {Search: "khat"},
		"name and city":     {Search: "ima sylhet", City: "Sylhet"},
	} {
		list = append(list, benchmark{name, rows(filter)})
	}
	list = append(list, benchmark{"counts", func() error {
		_, err := s.CountOrders(b.Context(), access.Operator())
		return err
	}}, benchmark{"one order", func() error {
		_, err := s.FindOrderAsStaff(b.Context(), access.Operator(), "0000000000050003")
		return err
	}}, benchmark{"summary", func() error {
		_, err := s.FindSummary(b.Context(), access.Operator())
		return err
	}})
	for _, by := range shop.SalesGroupings() {
		list = append(list, benchmark{"sales of all days by " + string(by), func() error {
			_, err := s.ReportSales(b.Context(), access.Operator(), shop.SalesFilter{From: "2025-12-20", To: "2026-03-01", By: by})
			return err
		}})
	}
	if _, err := s.Sales.CountDays(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := s.ListOrderRows(b.Context(), access.Operator(), shop.OrderListFilter{Search: "x"}); err != nil { // fills the index
		b.Fatal(err)
	}
	for _, one := range list {
		b.Run(one.name, func(b *testing.B) {
			var times []time.Duration
			used := processorTime(b)
			for b.Loop() {
				began := time.Now()
				if err := one.run(); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(began))
			}
			used = processorTime(b) - used
			slices.Sort(times)
			b.ReportMetric(float64(used.Microseconds())/1000/float64(len(times)), "cpu-ms")
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// BenchmarkListCoupons measures a page of coupons, of which one is used by 100,000 orders.
func BenchmarkListCoupons(b *testing.B) {
	s := newOrderShop(b, nil)
	s.fillOrders(b, 100_000)
	for _, code := range []string{"TEN", "TAKA5", "FREE"} {
		s.mustSaveCoupon(b, shop.CouponSpec{Code: code, Kind: shop.CouponFreeDelivery})
	}
	s.exec(b, `UPDATE orders SET coupon_id = (SELECT id FROM coupons WHERE code = 'TEN')`)
	s.exec(b, `UPDATE coupons SET used = (SELECT COUNT(*) FROM orders WHERE coupon_id = coupons.id AND status NOT IN ('cancelled', 'expired'))`)
	for b.Loop() {
		list, err := s.ListCoupons(b.Context(), access.Operator(), shop.CouponFilter{Request: page.Request{Limit: new(50)}})
		if err != nil || len(list.Nodes) != 3 {
			b.Fatal(list, err)
		}
	}
}
