package shoptest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/page"
	"storefront/shop/sales"
	"storefront/shop/status"
)

// CountDays counts the days as the background does a while after the last change.
func (s *Stocked) CountDays(tb testing.TB) {
	tb.Helper()
	s.Clock.Advance(time.Minute)
	if next, err := s.Sales.CountDays(tb.Context()); err != nil || !next.IsZero() {
		tb.Fatalf("count days: %v, next %v", err, next)
	}
}

// CheckDays compares reports with those of a shop that has stored no sums.
func (s *Stocked) CheckDays(tb testing.TB) {
	tb.Helper()
	to := "" // today; another shop may move the clock
	report := func(by sales.Grouping) *shop.SalesReport {
		tb.Helper()
		r, err := s.ReportSales(tb.Context(), access.Operator(), sales.Filter{From: "2026-02-20", To: to, By: by, Limit: page.NoLimit})
		if err != nil {
			tb.Fatal(err)
		}
		to = r.To
		return r
	}
	for _, by := range sales.Groupings() {
		stored := report(by)
		s.Exec(tb, `UPDATE cursors SET name = 'put aside' WHERE name = 'day_stats'`)
		counted := report(by)
		s.Exec(tb, `UPDATE cursors SET name = 'day_stats' WHERE name = 'put aside'`)
		if diff := cmp.Diff(counted, stored); diff != "" {
			tb.Errorf("sales by %s (-counted +stored):\n%s", by, diff)
		}
	}
	for _, touch := range []sales.AttributionTouch{sales.TouchFirst, sales.TouchLast} {
		stored := s.ReportCampaigns(tb, sales.CampaignFilter{From: "2026-02-20", To: to, Touch: touch})
		s.Exec(tb, `UPDATE cursors SET name = 'put aside' WHERE name = 'day_stats'`)
		counted := s.ReportCampaigns(tb, sales.CampaignFilter{From: "2026-02-20", To: to, Touch: touch})
		s.Exec(tb, `UPDATE cursors SET name = 'day_stats' WHERE name = 'put aside'`)
		if diff := cmp.Diff(counted.Rows, stored.Rows); diff != "" {
			tb.Errorf("sales by the %s campaign (-counted +stored):\n%s", touch, diff)
		}
	}
	if s.Number(tb, `SELECT COUNT(*) FROM cursors WHERE name = 'day_stats'`) == 0 {
		return
	}
	zone, err := s.TimeZone(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	var byStatus map[status.Order]int
	err = s.Store.View(tb.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) (err error) {
		var exact bool
		if byStatus, exact, err = sales.CountByStatus(tx, zone); err == nil && !exact {
			err = errors.New("not exact")
		}
		return err
	})
	if err != nil {
		tb.Fatalf("count by status: %v", err)
	}
	all := int64(0)
	for status, n := range byStatus {
		if want := s.Number(tb, `SELECT COUNT(*) FROM orders WHERE test = 0 AND status = ?`, string(status)); int64(n) != want {
			tb.Errorf("got %d orders that are %s, want %d", n, status, want)
		}
		all += int64(n)
	}
	if want := s.Number(tb, `SELECT COUNT(*) FROM orders WHERE test = 0`); all != want {
		tb.Errorf("got %d orders of any status, want %d", all, want)
	}
}

// ReportCampaigns returns all rows of the report by campaign.
func (s *Stocked) ReportCampaigns(tb testing.TB, filter sales.CampaignFilter) *sales.CampaignReport {
	tb.Helper()
	filter.Limit = page.NoLimit
	r, err := s.Sales.ReportCampaigns(tb.Context(), access.Operator(), filter)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// CheckFigures compares the report with figures that are computed from the orders in another way.
func (s *Stocked) CheckFigures(tb testing.TB) {
	tb.Helper()
	from, to := s.Clock.Now().AddDate(0, 0, -300).Format(time.DateOnly), s.Clock.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	o, err := s.Sales.ReportOverview(tb.Context(), access.Operator(), sales.Filter{From: from, To: to})
	if err != nil {
		tb.Fatal(err)
	}
	const counted = "test = 0 AND status NOT IN ('pending_payment', 'expired', 'cancelled')"
	for name, one := range map[string]struct {
		got   sales.Metric
		query string
	}{
		"orders": {o.Orders, `SELECT COUNT(*) FROM orders WHERE ` + counted},
		"revenue": {o.Revenue, `
			SELECT COALESCE(SUM(total - (SELECT COALESCE(SUM(amount), 0) FROM order_credits c WHERE c.order_number = o.number)), 0)
			FROM orders o
			WHERE status <> 'returned' AND ` + counted},
		"sales": {o.Sales, `
			SELECT COALESCE(SUM(sold), 0)
			FROM (
				SELECT subtotal - discount - (SELECT COALESCE(SUM(amount), 0) FROM order_credits c WHERE c.order_number = o.number) AS sold
				FROM orders o
				WHERE status <> 'returned' AND ` + counted + `) s
			WHERE sold > 0`},
		"new buyers": {o.NewBuyers, `
			SELECT COUNT(DISTINCT customer_phone)
			FROM orders
			WHERE customer_phone <> '' AND ` + counted},
	} {
		if one.got.Value == nil || *one.got.Value != s.Number(tb, one.query) {
			tb.Errorf("%s: got %v, want %d", name, one.got.Value, s.Number(tb, one.query))
		}
	}
	const sold = ` FROM (
			SELECT i.variant_id, i.quantity - (SELECT COALESCE(SUM(c.quantity), 0) FROM order_credits c
				WHERE c.order_number = i.order_number AND c.position = i.position) AS units
			FROM order_items i JOIN orders o ON o.number = i.order_number WHERE o.status <> 'returned' AND o.` + counted + `) i
		LEFT JOIN variants v ON v.id = i.variant_id`
	units := s.Number(tb, `SELECT COUNT(*)`+sold+` WHERE v.cost IS NULL AND i.units > 0`)
	margin := *o.Sales.Value - s.Number(tb, `SELECT COALESCE(SUM(i.units * COALESCE(v.cost, 0)), 0)`+sold)
	if (o.Margin.Value == nil) != (units > 0) || o.Margin.Value != nil && *o.Margin.Value != margin {
		tb.Errorf("got margin %v, want %d with %d lines without a cost", o.Margin.Value, margin, units)
	}
	couriers, err := s.ReportSales(tb.Context(), access.Operator(), sales.Filter{From: from, To: to, By: sales.ByCourier, Limit: page.NoLimit})
	if err != nil {
		tb.Fatal(err)
	}
	var shipments, fees, times int64
	for _, row := range couriers.Rows {
		shipments, fees = shipments+int64(*row.Shipments), fees+row.Fees.Amount
		for _, n := range row.DeliveryTimes {
			times += n
		}
	}
	const of = ` FROM shipments p JOIN orders o ON o.id = p.order_id LEFT JOIN cash_lines l ON l.shipment_id = p.id
		WHERE p.status <> 'cancelled' AND o.test = 0 AND o.status NOT IN ('pending_payment', 'expired', 'cancelled')`
	want := []int64{
		s.Number(tb, `SELECT COUNT(*)`+of), s.Number(tb, `SELECT COALESCE(SUM(l.fee), 0)`+of),
		s.Number(tb, `SELECT COUNT(*)`+of+` AND p.status IN ('delivered', 'partially_delivered', 'exchanged')`),
	}
	if got := []int64{shipments, fees, times}; !cmp.Equal(got, want) {
		tb.Errorf("got %d shipments, fees and deliveries, want %d", got, want)
	}
}
