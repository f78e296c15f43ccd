package order_test

import (
	"slices"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// BenchmarkListOrderRows measures a page of orders with its count in a shop of 100,000, and reports
// the median, the 99th percentile and, since others may use the machine too, the processor time.
func BenchmarkListOrderRows(b *testing.B) {
	s := newOrderShop(b, nil)
	s.Fill(b, 100_000)
	rows := func(filter order.ListFilter) func() error {
		return func() error {
			filter.Limit = new(50)
			_, err := s.Orders.ListOrderRows(b.Context(), access.Operator(), filter)
			return err
		}
	}
	type benchmark struct {
		name string
		run  func() error
	}
	list := []benchmark{{"all", rows(order.ListFilter{})}}
	for _, view := range order.WorkViews() {
		list = append(list, benchmark{"view " + string(view), rows(order.ListFilter{View: view})})
	}
	for name, filter := range map[string]order.ListFilter{
		"last page":         {Request: page.Request{Page: new(2000)}},
		"by total":          {SortBy: order.SortTotal},
		"done by total":     {View: order.ViewDone, SortBy: order.SortTotal},
		"city by total":     {City: "Dhaka", SortBy: order.SortTotal},
		"status by total":   {Status: []status.Order{status.OrderReturned}, SortBy: order.SortTotal},
		"by update":         {SortBy: order.SortUpdated, Sort: page.Ascending},
		"rare city":         {City: "Rajshahi 7", PaymentMethod: []status.PaymentMethod{status.PayGatewayA}},
		"city and status":   {City: "Dhaka", Status: []status.Order{status.OrderCompleted, status.OrderReturned}},
		"nothing":           {Courier: []plugin.Provider{plugin.CourierB}, MinTotal: page.Some[int64](9000)},
		"product":           {ProductID: "product-7", PaymentMethod: []status.PaymentMethod{status.PayCOD}},
		"total and payment": {MinTotal: page.Some[int64](9000), PaymentStatus: []status.Payment{status.PaymentPaid}},
		"delivery":          {FulfillmentStatus: []status.Fulfillment{status.Returned}, Test: page.Some(true)},
		"shipment by total": {ShipmentStatus: []status.Shipment{status.ShipmentReturned}, City: "Sylhet", SortBy: order.SortTotal},
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
		_, err := s.Orders.CountOrders(b.Context(), access.Operator())
		return err
	}}, benchmark{"one order", func() error {
		_, err := s.Orders.FindOrderAsStaff(b.Context(), access.Operator(), "0000000000050003")
		return err
	}}, benchmark{"summary", func() error {
		_, err := s.FindSummary(b.Context(), access.Operator())
		return err
	}})
	for _, by := range sales.Groupings() {
		list = append(list, benchmark{"sales of all days by " + string(by), func() error {
			_, err := s.ReportSales(b.Context(), access.Operator(), sales.Filter{From: "2025-12-20", To: "2026-03-01", By: by})
			return err
		}})
	}
	if _, err := s.Sales.CountDays(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Orders.IndexOrders(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, one := range list {
		b.Run(one.name, func(b *testing.B) {
			var times []time.Duration
			used := shoptest.ProcessorTime(b)
			for b.Loop() {
				began := time.Now()
				if err := one.run(); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(began))
			}
			used = shoptest.ProcessorTime(b) - used
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
	s.Fill(b, 100_000)
	for _, code := range []string{"TEN", "TAKA5", "FREE"} {
		s.mustSaveCoupon(b, order.CouponSpec{Code: code, Kind: order.CouponFreeDelivery})
	}
	s.exec(b, `UPDATE orders SET coupon_id = (SELECT id FROM coupons WHERE code = 'TEN')`)
	s.exec(b, `UPDATE coupons SET used = (SELECT COUNT(*) FROM orders WHERE coupon_id = coupons.id AND status NOT IN ('cancelled', 'expired'))`)
	for b.Loop() {
		list, err := s.Orders.ListCoupons(b.Context(), access.Operator(), order.CouponFilter{Request: page.Request{Limit: new(50)}})
		if err != nil || len(list.Nodes) != 3 {
			b.Fatal(list, err)
		}
	}
}
