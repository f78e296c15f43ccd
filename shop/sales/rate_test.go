package sales_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// Rates, the median of delivery times and the cash that a courier holds are by the orders of the
// period, in the overview, the rows and the file.
func TestReportSales_Rates(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, map[string]any{"openOrdersPerPhone": 10_000, "autoConfirm": true})
	place := func() string { return s.Place(t, access.Caller{}, shoptest.GuestOrder(s.Mug.ID, 1)).ID }
	ship := func(status status.Shipment, days int) {
		t.Helper()
		uid := place()
		in := order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: uid}
		if _, err := s.Orders.RecordShipment(t.Context(), access.Operator(), uid, in); err != nil {
			t.Fatal(err)
		}
		s.Move(t, plugin.CourierA, uid, status)
		s.Exec(t, `UPDATE shipments SET moved_at = created_at + ? WHERE order_id = ?`, int64(days)*24*time.Hour.Milliseconds(), uid)
	}
	for _, days := range []int{1, 2, 9, 16} {
		ship(status.ShipmentDelivered, days)
	}
	ship(status.ShipmentReturned, 4)
	ship(status.ShipmentReturning, 4)
	for range 2 {
		if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), place(), "test"); err != nil {
			t.Fatal(err)
		}
	}
	for _, status := range []string{"paid", "unpaid"} { // by one of three ways to pay online, the other two are never paid
		s.Exec(t, `UPDATE orders SET payment_method = 'gateway_a', payment_status = ? WHERE id = ?`, status, place())
	}
	s.Exec(t, `UPDATE orders SET status = 'expired', payment_method = 'gateway_b' WHERE id = ?`, place())
	at := s.Clock.Now()
	s.Clock.Advance(20 * 24 * time.Hour)
	s.Exec(t, `UPDATE shipments SET moved_at = ? WHERE status = 'delivered' AND moved_at > ?`, at.AddDate(0, 0, 16).UnixMilli(),
		at.AddDate(0, 0, 15).UnixMilli())

	period := sales.Filter{From: "2026-03-01", To: "2026-03-01"}
	value := func(n *int64) string {
		if n == nil {
			return "none"
		}
		return fmt.Sprint(*n)
	}
	o, err := s.Sales.ReportOverview(t.Context(), access.Operator(), period)
	if err != nil {
		t.Fatal(err)
	}
	// 8 orders count. Of them 4 were delivered, and 2 came back or will; 2 more were cancelled, and
	// 1 of 3 was paid online. What came back is no sale.
	for name, one := range map[string][2]string{
		"orders": {value(o.Orders.Value), "8"}, "return rate": {value(o.ReturnRate.Value), "333"}, "cancel rate": {value(o.CancelRate.Value), "200"},
		"payment success": {value(o.PaymentSuccess.Value), "333"}, "delivery days": {value(o.DeliveryDays.Value), "2"},
		"average": {value(o.AverageOrder.Value), "45500"}, "delivery times": {fmt.Sprint(o.DeliveryTimes), "[0 1 1 0 0 0 0 0 1 0 1]"},
	} {
		if one[0] != one[1] {
			t.Errorf("%s: got %s, want %s", name, one[0], one[1])
		}
	}
	period.By = sales.ByMethod
	_, r := reportSales(t, s, period)
	got := map[string]string{}
	for _, row := range r.Rows {
		got[row.Key] = value(row.PaymentSuccess)
	}
	if got["cod"] != "none" || got["gateway_a"] != "500" || got["gateway_b"] != "0" {
		t.Errorf("payment success by method: got %v, want a half of gateway A and nothing of B", got)
	}
	if _, err := s.Cash.CountCash(t.Context()); err != nil {
		t.Fatal(err)
	}
	period.By = sales.ByCourier
	var file strings.Builder
	if err := s.ExportSales(t.Context(), access.Operator(), period, &file); err != nil {
		t.Fatal(err)
	}
	want := "courier_a,courier_a,6,5,2250.00,350.00,2600.00,4,2,0,BDT,1,6,0.00,2,,33.3,0.0,,2080.00,2080.00,19\n"
	if !strings.Contains(file.String(), want) {
		t.Errorf("got\n%s\nwant the row\n%s", file.String(), want)
	}
}

// Buyers spell a city and its areas in many ways. Reports have one row of each place, called as
// most of its orders call it.
func TestReportSales_Places(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, map[string]any{"openOrdersPerPhone": 10_000, "autoConfirm": true})
	place := func(city, area string) {
		t.Helper()
		in := shoptest.GuestOrder(s.Mug.ID, 1)
		in.ShippingAddress.City, in.ShippingAddress.Area = city, &area
		s.Place(t, access.Caller{}, in)
	}
	place("Dhaka", "Mirpur-10")
	s.Clock.Advance(24 * time.Hour) // the day before, which reports compare with
	for _, of := range [][2]string{
		{"ঢাকা", "Mirpur 10"}, {"ঢাকা", "mirpur 10"}, {"dhaka city", "Mirpur 10"}, {"DHAKA 1216", "Uttara"}, {"Chittagong", "Agrabad"},
		{"Chattogram", "Agrabad"}, {"Chattogram", "agrabad"}, {"Elsewhere", ""},
	} {
		place(of[0], of[1])
	}
	rows := func(by sales.Grouping) string {
		t.Helper()
		_, r := reportSales(t, s, sales.Filter{From: "2026-03-02", To: "2026-03-02", By: by, Compare: sales.ComparePrevious, Limit: 3})
		var all []string
		for _, row := range r.Rows {
			before := 0
			if row.Before != nil {
				before = row.Before.Orders
			}
			all = append(all, fmt.Sprintf("%s %d after %d", row.Name, row.Orders, before))
		}
		return strings.Join(all, ", ")
	}
	for _, counted := range []string{"orders", "stored sums"} {
		if got, want := rows(sales.ByCity), "ঢাকা 4 after 1, Chattogram 3 after 0, Elsewhere 1 after 0"; got != want {
			t.Errorf("cities of %s: got %s, want %s", counted, got, want)
		}
		if got := rows(sales.ByArea); !strings.Contains(got, " 3 after 1") || !strings.Contains(got, "agrabad 3 after 0") &&
			!strings.Contains(got, "Agrabad 3 after 0") {
			t.Errorf("areas of %s: got %s, want three orders to one, and three to the other", counted, got)
		}
		s.Clock.Advance(24 * time.Hour)
		s.CountDays(t)
	}
	s.CheckDays(t)
}
