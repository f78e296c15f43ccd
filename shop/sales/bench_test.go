package sales_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/campaign"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
)

// BenchmarkReportSales measures reports of a year with 100,000 orders of 10,000 products, beside
// the year before: with stored sums of all days but today, with one day that has just changed, and
// the count of all days.
func BenchmarkReportSales(b *testing.B) {
	s := shoptest.NewCouriers(b, nil)
	s.Fill(b, 100_000)
	now := s.Clock.Now().UnixMilli()
	s.Exec(b, `UPDATE orders SET placed_at = ? - (101000 - number) * 315360`, now)
	s.Exec(b, `
		UPDATE order_items
		SET product_id = 'product-000000000000000' || (order_number * 7919 * position % 10000),
			variant_id = 'variant-' || (order_number * 7919 * position % 10000)`)
	s.Exec(b, `
		INSERT INTO order_attributions (order_number, first_source, first_medium, first_campaign, last_source, last_medium, last_campaign, details)
		SELECT number, 'facebook', 'paid', 'campaign ' || number % 50, 'facebook', 'paid', 'campaign ' || number * 7 % 50, '{}'
		FROM orders`)
	for day := range 365 {
		visits := campaign.Visits{}
		for i := range 30 { // as many as a shop advertises on a day
			visits[campaign.NewKey("facebook", "paid", fmt.Sprint("campaign ", i))] = 100
		}
		if err := s.Campaigns.AddVisits(b.Context(), s.Clock.Now().AddDate(0, 0, -day).Format(time.DateOnly), visits); err != nil {
			b.Fatal(err)
		}
	}
	all := time.Now()
	if _, err := s.Sales.CountDays(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Logf("all days counted in %v", time.Since(all))
	to := s.Clock.Now()
	filter := sales.Filter{From: to.AddDate(0, 0, -364).Format(time.DateOnly), To: to.Format(time.DateOnly), Compare: sales.ComparePrevious}
	run := map[string]func() error{"overview": func() error {
		_, err := s.Sales.ReportOverview(b.Context(), access.Operator(), filter)
		return err
	}}
	run["campaigns"] = func() error {
		campaigns := sales.CampaignFilter{From: filter.From, To: filter.To, Compare: filter.Compare}
		_, err := s.Sales.ReportCampaigns(b.Context(), access.Operator(), campaigns)
		return err
	}
	for _, by := range sales.Groupings() {
		run[string(by)] = func() error {
			filter := filter
			filter.By = by
			_, err := s.ReportSales(b.Context(), access.Operator(), filter)
			return err
		}
	}
	measure := func(name string, run func() error) {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			used := shoptest.ProcessorTime(b)
			for b.Loop() {
				began := time.Now()
				if err := run(); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(began))
			}
			used = shoptest.ProcessorTime(b) - used
			slices.Sort(times)
			b.ReportMetric(float64(used.Microseconds())/1000/float64(len(times)), "cpu-ms")
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
		})
	}
	for _, name := range []string{"overview", "day", "product", "courier", "area", "buyer", "campaigns"} {
		measure(name, run[name])
	}
	s.Exec(b, `
		INSERT INTO outbox (seq, at, type, subject, data)
		SELECT 1 + COALESCE(MAX(seq), 0), ?, 'order.confirmed', '0000000000050003', '{}'
		FROM outbox`, now)
	for _, name := range []string{"overview", "product", "area"} {
		measure("a day stale/"+name, run[name])
	}
}
