package sales_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
	"storefront/shop/status"
	"storefront/shop/timezone"
)

// salesFigures are the figures of sales, in the order of the command's columns.
func figuresText(name string, s *sales.Figures) string {
	amounts := fmt.Sprint(s.Sales.Amount)
	if s.Revenue != nil {
		amounts += fmt.Sprintf(" %d %d", s.Delivery.Amount, s.Revenue.Amount)
	}
	return fmt.Sprintf("%s: %d %d, %s, %d %d %d", name, s.Orders, s.Units, amounts, s.Delivered, s.Returned, s.Cancelled)
}

// withItem returns the order with an item of another product.
func withItem(in order.Input, p catalogue.Product, quantity int) order.Input {
	in.Items = append(in.Items, order.ItemInput{ProductID: p.ID, Quantity: quantity})
	return in
}

func reportSales(t *testing.T, s *shoptest.Stocked, filter sales.Filter) (rows []string, r *shop.SalesReport) {
	t.Helper()
	r, err := s.ReportSales(t.Context(), access.Operator(), filter)
	if err != nil {
		t.Fatalf("sales %+v: %v", filter, err)
	}
	for _, row := range r.Rows {
		rows = append(rows, figuresText(row.Name, &row.Figures))
	}
	return append(rows, figuresText("total", &r.Total)), r
}

// Sales count every order once, on its day in the shop's zone, to the paisa.
func TestReportSales(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, map[string]any{
		"openOrdersPerPhone": 10_000, "autoConfirm": true,
		"deliveryCharges": []map[string]any{{"name": "Dhaka", "charge": 60_00}},
	})
	must := func(_ *order.Order, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ship := func(uid string, courier plugin.Provider) {
		t.Helper()
		_, err := s.Orders.RecordShipment(t.Context(), access.Operator(), uid, order.ShipmentInput{Provider: courier, ConsignmentID: "C" + uid})
		must(nil, err)
	}
	place := func(in order.Input) string { return s.Place(t, access.Caller{}, in).ID }
	coupon := order.CouponSpec{Code: "THIRD", Kind: order.CouponPercentage, BasisPoints: new(int64(3333)), Active: true}
	if _, err := s.Orders.SaveCoupon(t.Context(), access.Operator(), coupon); err != nil {
		t.Fatal(err)
	}

	// Noon of 1 March in Dhaka.
	both := withItem(shoptest.GuestOrder(s.Mug.ID, 2), s.Shirt, 1)
	both.Items[1].VariantID = &s.Shirt.Variants[0].ID
	delivered := place(both)
	ship(delivered, plugin.CourierA)
	must(s.Orders.MarkDelivered(t.Context(), access.Operator(), delivered, nil))
	discounted := withItem(shoptest.GuestOrder(s.Mug.ID, 1), s.Card, 3)
	discounted.CouponCode = new("THIRD")
	place(discounted) // 750.00 - 249.97, rounded to whole taka
	cancelled := place(shoptest.GuestOrder(s.Mug.ID, 1))
	must(s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), cancelled, "test"))
	unpaid := place(shoptest.GuestOrder(s.Card.ID, 1))
	s.Exec(t, `UPDATE orders SET status = 'pending_payment', payment_method = 'gateway_a' WHERE id = ?`, unpaid)
	test := place(shoptest.GuestOrder(s.Card.ID, 50))
	s.Exec(t, `UPDATE orders SET test = 1 WHERE id = ?`, test)

	s.Clock.Advance(12*time.Hour - time.Millisecond) // the last instant of the day in Dhaka, 18 h in UTC
	returned := place(shoptest.GuestOrder(s.Mug.ID, 1))
	ship(returned, plugin.CourierB)
	s.Move(t, plugin.CourierB, "C"+returned, status.ShipmentReturning)
	s.Clock.Advance(time.Millisecond)
	place(shoptest.GuestOrder(s.Lamp.ID, 1))

	days := sales.Filter{From: "2026-02-28", To: "2026-03-02"}
	want := []string{
		"2026-02-28: 0 0, 0 0 0, 0 0 0",
		"2026-03-01: 3 8, 284053 18000 302000, 1 1 1",
		"2026-03-02: 1 1, 120000 6000 126000, 0 0 0",
		"total: 4 9, 404053 24000 428000, 1 1 1",
	}
	got, report := reportSales(t, s, days)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by day (-want +got):\n%s", diff)
	}
	if report.Total.Average == nil || report.Total.Average.Amount != 1070_00 || report.TimeZone != "Asia/Dhaka" || report.Rows[0].Average != nil {
		t.Errorf("got average %v in %s, want 1070.00 in Asia/Dhaka, and none without orders", report.Total.Average, report.TimeZone)
	}

	byCourier, byProduct := days, days
	byCourier.By, byProduct.By = sales.ByCourier, sales.ByProduct
	if got, _ := reportSales(t, s, byCourier); !cmp.Equal(got, []string{
		"courier_a: 1 3, 189050 6000 195000, 1 0 0",
		": 2 5, 170003 12000 182000, 0 0 1",
		"courier_b: 1 1, 45000 6000 51000, 0 1 0",
		want[3],
	}) {
		t.Errorf("by courier: got\n%s", strings.Join(got, "\n"))
	}
	if got, _ := reportSales(t, s, byProduct); !cmp.Equal(got, []string{
		"Mug: 3 4, 165002, 1 1 1",
		"Lamp: 1 1, 120000, 0 0 0",
		"Shirt: 1 1, 99050, 1 0 0",
		"Gift card: 1 3, 20001, 0 0 0",
		want[3],
	}) {
		t.Errorf("by product: got\n%s", strings.Join(got, "\n"))
	}
	byProduct.Limit = 2
	if got, r := reportSales(t, s, byProduct); len(r.Rows) != 2 || !r.MoreRows || got[2] != want[3] {
		t.Errorf("two products: got %v, more %v, want 2 rows and the total of all", got, r.MoreRows)
	}
	byProduct.Limit = page.NoLimit
	if _, r := reportSales(t, s, byProduct); len(r.Rows) != 4 || r.MoreRows {
		t.Errorf("all products: got %d rows, more %v", len(r.Rows), r.MoreRows)
	}
	if _, r := reportSales(t, s, sales.Filter{}); len(r.Rows) != 30 || r.From != "2026-02-01" || r.To != "2026-03-02" || r.Total.Orders != 4 {
		t.Errorf("without a period: got %d rows from %s to %s with %d orders", len(r.Rows), r.From, r.To, r.Total.Orders)
	}
}

func TestReportSales_Invalid(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, nil)
	for want, filter := range map[string]sales.Filter{
		"from":  {From: "1 March"},
		"to":    {From: "2026-03-02", To: "2026-03-01"},
		"by":    {By: "hour"},
		"limit": {By: sales.ByProduct, Limit: -2},
	} {
		_, err := s.ReportSales(t.Context(), access.Operator(), filter)
		fields := shop.AsError(err).Fields
		if len(fields) != 1 || fields[0].Field != want || fields[0].Code != fault.CodeInvalidValue {
			t.Errorf("%+v: got %v with %+v, want %s", filter, err, fields, want)
		}
	}
	_, err := s.ReportSales(t.Context(), access.Operator(), sales.Filter{From: "1026-03-01", To: "2026-03-01"})
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	_, err = s.ReportSales(t.Context(), access.Caller{}, sales.Filter{})
	shoptest.WantCode(t, err, fault.CodeUnauthenticated)
	// Days begin at midnight, whatever the clocks do: these have 23 and 25 hours.
	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"timeZone": "Europe/Berlin"})); err != nil {
		t.Fatal(err)
	}
	if _, r := reportSales(t, s, sales.Filter{From: "2026-03-28", To: "2026-10-26"}); len(r.Rows) != 213 || r.Rows[212].Key != "2026-10-26" {
		t.Errorf("got %d days to %s, want 213 to 2026-10-26", len(r.Rows), r.To)
	}
}

// Where clocks are put forward at midnight, the day begins at one: it is a day like others.
func TestReportSales_NoMidnight(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, map[string]any{"timeZone": "America/Havana", "autoConfirm": true})
	zone, err := timezone.Find("America/Havana")
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Date(2026, 3, 8, 1, 30, 0, 0, zone).Sub(s.Clock.Now()))
	s.Place(t, access.Caller{}, shoptest.GuestOrder(s.Mug.ID, 1))
	check := func(when string) {
		t.Helper()
		_, r := reportSales(t, s, sales.Filter{From: "2026-03-01", To: "2026-03-31"})
		if len(r.Rows) != 31 || r.Rows[6].Key != "2026-03-07" || r.Rows[7].Key != "2026-03-08" || r.Rows[6].Orders != 0 || r.Rows[7].Orders != 1 {
			t.Errorf("%s: got %d days, with %+v and %+v, want 31, with one order on the 8th", when, len(r.Rows), r.Rows[6], r.Rows[7])
		}
	}
	check("on that day")
	summary, err := s.FindSummary(t.Context(), access.Operator())
	if err != nil || summary.Today.Orders != 1 {
		t.Errorf("got %+v (%v), want one order today", summary, err)
	}
	s.Clock.Advance(24 * time.Hour)
	s.CountDays(t)
	check("after it was counted")
}

// Sums of past days are stored in the background, and a report has what changed since all the same:
// in the same moment, and after they were counted again.
func TestReportSales_StoredDays(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, map[string]any{"openOrdersPerPhone": 10_000, "autoConfirm": true})
	place := func() string {
		return s.Place(t, access.Caller{}, withItem(shoptest.GuestOrder(s.Mug.ID, 1), s.Card, 2)).ID
	}
	first := place()
	s.Clock.Advance(24 * time.Hour)
	delivered := place()
	s.Clock.Advance(24 * time.Hour)
	place()
	s.CountDays(t)
	if n := s.Number(t, "SELECT COUNT(*) FROM day_stats WHERE kind = 'all'"); n != 2 {
		t.Fatalf("got %d stored days, want two: today changes with each order", n)
	}
	s.CheckDays(t)
	days := sales.Filter{From: "2026-03-01", To: "2026-03-03"}
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), first, "test"); err != nil {
		t.Fatal(err)
	}
	if rows, _ := reportSales(t, s, days); !strings.HasSuffix(rows[0], " 0 0 1") || !strings.HasPrefix(rows[3], "total: 2 ") {
		t.Errorf("a cancelled order: got %v, want it at once", rows)
	}
	s.CheckDays(t)
	if next, err := s.Sales.CountDays(t.Context()); err != nil || !next.After(s.Clock.Now()) {
		t.Errorf("after a change: got next %v, %v, want a moment later", next, err)
	}
	if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), delivered, nil); err != nil {
		t.Fatal(err)
	}
	s.CountDays(t)
	if rows, _ := reportSales(t, s, days); !strings.HasSuffix(rows[1], " 1 0 0") {
		t.Errorf("a delivered order, counted: got %v, want it", rows)
	}
	s.CheckDays(t)

	// In another time zone other orders are of a day.
	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"timeZone": "America/New_York"})); err != nil {
		t.Fatal(err)
	}
	s.CheckDays(t)
	s.CountDays(t)
	s.CheckDays(t)
}

// A report is compared with the days before, or with the same days of the year before.
func TestReportSales_Compare(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, map[string]any{"openOrdersPerPhone": 10_000, "autoConfirm": true})
	place := func(p catalogue.Product) { s.Place(t, access.Caller{}, shoptest.GuestOrder(p.ID, 1)) }
	place(s.Mug) // 1 March
	s.Clock.Advance(24 * time.Hour)
	place(s.Mug)
	place(s.Card)
	filter := sales.Filter{From: "2026-03-02", To: "2026-03-02", Compare: sales.ComparePrevious}
	_, r := reportSales(t, s, filter)
	if r.Before == nil || r.Before.From != "2026-03-01" || r.Before.To != "2026-03-01" || r.Before.Total.Orders != 1 || r.Total.Orders != 2 {
		t.Errorf("the day before: got %+v, want that of one order", r.Before)
	}
	if row := r.Rows[0]; row.Before == nil || row.Before.Orders != 1 {
		t.Errorf("by day: got %+v, want the first day beside the first", row.Before)
	}
	filter.By = sales.ByProduct
	_, r = reportSales(t, s, filter)
	if len(r.Rows) != 2 || r.Rows[0].Before == nil || r.Rows[0].Before.Units != 1 || r.Rows[1].Before != nil {
		t.Errorf("by product: got %+v, want the mug's sales alone compared", r.Rows)
	}
	filter = sales.Filter{From: "2028-02-29", To: "2028-03-01", Compare: sales.CompareYear}
	if _, r = reportSales(t, s, filter); r.Before.From != "2027-02-28" || r.Before.To != "2027-03-01" {
		t.Errorf("a leap day: got %s to %s", r.Before.From, r.Before.To)
	}
	filter.Compare = "decade"
	_, err := s.ReportSales(t.Context(), access.Operator(), filter)
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
}

// What changes the sums of a day without an event of its orders is in the report at once, and after
// the day was counted again: an earlier order of the buyer that no longer counts or is another's, a
// fee, and a cost.
func TestReportSales_ChangedElsewhere(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, map[string]any{"openOrdersPerPhone": 10_000, "autoConfirm": true})
	place := func(phone string) string {
		in := shoptest.GuestOrder(s.Mug.ID, 1)
		in.Customer.PhoneNumber = &phone
		defer s.Clock.Advance(24 * time.Hour)
		return s.Place(t, access.Caller{}, in).ID
	}
	first, second, third := place("01711000001"), place("01711000002"), place("01711000001")
	fourth := place("01711000002")
	newBuyers := func(want ...int) {
		t.Helper()
		for range 2 {
			_, r := reportSales(t, s, sales.Filter{From: "2026-03-01", To: "2026-03-04"})
			got := []int{}
			for _, row := range r.Rows {
				got = append(got, *row.NewBuyers)
			}
			if !cmp.Equal(got, want) {
				t.Errorf("got new buyers %v, want %v", got, want)
			}
			s.CheckDays(t)
			s.CountDays(t)
		}
	}
	newBuyers(1, 1, 0, 0)
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), first, "test"); err != nil {
		t.Fatal(err)
	}
	newBuyers(0, 1, 1, 0)
	if _, err := s.Orders.EditOrder(t.Context(), access.Operator(), second, order.Edit{PhoneNumber: new("01711000003")}); err != nil {
		t.Fatal(err)
	}
	newBuyers(0, 1, 1, 1)
	_, r := reportSales(t, s, sales.Filter{From: "2026-03-01", To: "2026-03-04", By: sales.ByBuyer})
	if len(r.Rows) != 1 || r.Rows[0].Key != "new" || r.Rows[0].Orders != 3 || len(r.Customers) == 0 {
		t.Errorf("by buyer: got %+v, want three orders of new ones, and customers", r)
	}

	for _, uid := range []string{third, fourth} {
		if _, err := s.Orders.RecordShipment(t.Context(), access.Operator(), uid, order.ShipmentInput{
			Provider: plugin.CourierA, ConsignmentID: uid,
		}); err != nil {
			t.Fatal(err)
		}
	}
	s.Clock.Advance(50 * time.Hour)
	if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), third, nil); err != nil {
		t.Fatal(err)
	}
	s.CountDays(t)
	for _, amounts := range []string{",450,60", ",450,70"} { // the second changes the fee alone
		csv := "consignment_id,collected,fee\n" + fourth + amounts + "\n"
		shoptest.Reconcile(t, s.Shop, plugin.CourierA, csv)
		s.CheckDays(t)
		s.CountDays(t)
	}
	for range 2 {
		_, r := reportSales(t, s, sales.Filter{From: "2026-03-01", To: "2026-03-04", By: sales.ByCourier})
		row := r.Rows[0]
		if row.Key != "courier_a" || *row.Shipments != 2 || row.Fees.Amount != 70_00 || row.DeliveryDays == nil || *row.DeliveryDays != 2 {
			t.Errorf("by courier: got %+v, want two shipments, a fee of 70 and a delivery after two days", row)
		}
		s.CheckDays(t)
		s.CountDays(t)
	}

	margin := func(want string) {
		t.Helper()
		for range 2 {
			o, err := s.Sales.ReportOverview(t.Context(), access.Operator(), sales.Filter{From: "2026-03-01", To: "2026-03-04"})
			got := "none"
			if err == nil && o.Margin.Value != nil {
				got = fmt.Sprint(*o.Margin.Value)
			}
			if err != nil || got != want {
				t.Errorf("got margin %s, %v, want %s", got, err, want)
			}
			s.CheckDays(t)
			s.CountDays(t)
		}
	}
	margin("none")
	variant := s.Mug.Variants[0].ID
	cost := catalogue.ProductChange{Variants: []catalogue.VariantChange{{Variant: variant, Cost: new(int64(300_00))}}}
	if _, err := s.Catalogue.UpdateProduct(t.Context(), access.Operator(), s.Mug.ID, cost); err != nil {
		t.Fatal(err)
	}
	margin("45000") // three mugs at 450 that cost 300
	for _, remove := range []string{`DELETE FROM day_stats`, `DELETE FROM day_stats WHERE kind = 'all'`} {
		s.Exec(t, remove)
		margin("45000")
	}
}

// The work of a report grows with the orders of its period.
func TestReportSales_Plan(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, nil)
	for _, query := range sales.Queries() {
		plan := strings.Join(shoptest.QueryPlan(t, s.Store, s.UID(), query, make([]any, strings.Count(query, "?"))), "\n")
		if !strings.Contains(plan, "orders_by_placed (placed_at>? AND placed_at<?)") || strings.Contains(plan, "SCAN") {
			t.Errorf("%s\ngot plan\n%s\nwant the index by time", query, plan)
		}
	}
}

// A buyer writes the city: in a spreadsheet it is text, whatever it begins with.
func TestExportSales_Formula(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, map[string]any{})
	s.Place(t, access.Caller{}, shoptest.GuestOrder(s.Mug.ID, 1))
	s.Exec(t, `UPDATE orders SET city = '=HYPERLINK("http://evil.example","Dhaka")'`)
	var file strings.Builder
	if err := s.ExportSales(t.Context(), access.Operator(), sales.Filter{By: sales.ByCity}, &file); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(file.String())).ReadAll()
	if err != nil || len(rows) != 2 || !strings.HasPrefix(rows[1][0], "'=") || strings.HasPrefix(rows[1][1], "=") {
		t.Errorf("got %q, %v, want a city that no spreadsheet evaluates", rows, err)
	}
}
