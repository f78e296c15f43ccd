package admin

import (
	"context"
	"io"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// SalesQuery are the query parameters that select a period.
type SalesQuery struct {
	From string `query:"from" doc:"First day. Defaults to 29 days before the last" example:"2026-03-01"`
	To   string `query:"to" doc:"Last day, at most 399 days after the first. Defaults to today" example:"2026-03-31"`
}

// ExportSalesRequest is the input of exportSales.
type ExportSalesRequest struct {
	request
	SalesQuery
	BOM
	Name string `path:"name" enum:"days,products,places,couriers,payments,coupons" doc:"What each row stands for"`
}

// salesReport is a report on sales with its path.
type salesReport struct {
	path, id string
	by       shop.SalesGrouping
	summary  string
}

func salesReports() []salesReport {
	return []salesReport{
		{"days", "reportDays", shop.SalesByDay, "What was sold on each day"},
		{"products", "reportProducts", shop.SalesByProduct, "The products that sold most"},
		{"places", "reportPlaces", shop.SalesByCity, "The cities that orders were sent to"},
		{"couriers", "reportCouriers", shop.SalesByCourier, "What each courier delivered and returned"},
		{"payments", "reportPayments", shop.SalesByMethod, "What was sold by each payment method"},
		{"coupons", "reportCoupons", shop.SalesByCoupon, "What was sold with each coupon"},
	}
}

func analyticsOperations() (all []Operation) {
	for _, r := range salesReports() {
		all = append(all, define(Operation{
			ID: r.id, Path: "analytics/" + r.path, Tag: tagAnalytics, Use: access.ToReportSales, List: true,
			Summary: r.summary,
			Description: "An order counts on the day on which it was placed, in the shop's time zone, with the status that it has now; those in " +
				"sandbox mode, cancelled, expired or unpaid online do not. Rows other than days are sorted by sales. With compare, the period and " +
				"each row have the figures of an earlier period beside them.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			SalesQuery
			Compare shop.SalesComparison `query:"compare" doc:"The earlier period to compare with. Defaults to none"`
			Limit   int                  `query:"limit" default:"50" doc:"Rows at most, which does not apply to days; -1 means all"`
		}) (*shop.SalesReport, error) {
			return in.shop().ReportSales(ctx, in.caller(), shop.SalesFilter{From: in.From, To: in.To, By: r.by, Compare: in.Compare, Limit: in.Limit})
		}))
	}
	return append(all, defineStream(Operation{
		ID: "exportSales", Path: "exports/analytics/{name}", Tag: tagAnalytics, Use: access.ToExportSales,
		Summary:     "Export a report on sales as CSV",
		Description: "All rows of a period. Amounts are decimals in the shop's currency. Each export is in the audit log.",
	}, "sales.csv", func(ctx context.Context, in *ExportSalesRequest, w io.Writer) error {
		if err := in.write(w); err != nil {
			return err
		}
		filter := shop.SalesFilter{From: in.From, To: in.To, Limit: page.NoLimit}
		for _, r := range salesReports() {
			if r.path == in.Name {
				filter.By = r.by
			}
		}
		return in.shop().ExportSales(ctx, in.caller(), filter, w)
	}))
}
