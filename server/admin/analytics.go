package admin

import (
	"context"
	"io"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/sales"
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
	TouchQuery
	BOM
	Name string `path:"name" enum:"overview,days,products,places,areas,couriers,payments,buyers,coupons,discounts,sources,campaigns" doc:"The report"`
}

// salesReport is a report on sales with its path.
type salesReport struct {
	path, id string
	by       sales.Grouping
	summary  string
}

func salesReports() []salesReport {
	return []salesReport{
		{"days", "reportDays", sales.ByDay, "What was sold on each day"},
		{"products", "reportProducts", sales.ByProduct, "The products that sold most"},
		{"places", "reportPlaces", sales.ByCity, "The cities that orders were sent to, with rates of returns and delivery times"},
		{"areas", "reportAreas", sales.ByArea, "The areas of cities that orders were sent to, with rates of returns and delivery times"},
		{"couriers", "reportCouriers", sales.ByCourier, "What each courier delivered and returned, how fast, its fees and the cash that it holds"},
		{"payments", "reportPayments", sales.ByMethod, "What was sold by each payment method"},
		{"buyers", "reportBuyers", sales.ByBuyer, "What new buyers and returning ones ordered, and who has spent most"},
		{"coupons", "reportCoupons", sales.ByCoupon, "What was sold with each coupon"},
		{"discounts", "reportDiscounts", sales.ByDiscount, "What was sold with each automatic discount"},
		{"sources", "reportSources", sales.BySource, "Where buyers ordered"},
	}
}

func analyticsOperations() (all []Operation) {
	all = append(all, define(Operation{
		ID: "reportOverview", Path: "analytics/overview",
		Tag: tagAnalytics, Use: access.ToReportOverview, List: true,
		Summary: "The main figures of a period, compared with the period before",
		Description: "Each figure has its value, the value of the period before, the change in " +
			"tenths of a per cent, and a sentence on how it is counted. The margin is null for a " +
			"caller who may not view costs.",
		Codes: []fault.Code{fault.CodeValidationFailed},
	}, func(ctx context.Context, in *struct {
		request
		SalesQuery
		Compare sales.Comparison `query:"compare" doc:"The earlier period to compare with. Defaults to previous"`
	}) (*sales.Overview, error) {
		return in.shop().Sales.ReportOverview(ctx, in.caller(), sales.Filter{From: in.From, To: in.To, Compare: in.Compare})
	}))
	for _, r := range salesReports() {
		all = append(all, define(Operation{
			ID: r.id, Path: "analytics/" + r.path, Tag: tagAnalytics, Use: access.ToReportSales, List: true,
			Summary: r.summary,
			Description: "An order counts on the day it was placed, in the shop's time zone, with " +
				"its current status. Orders in sandbox mode do not count, nor do cancelled, " +
				"expired or unpaid online orders. Rows other than days are sorted by sales. With " +
				"compare, the period and each row have the figures of an earlier period beside " +
				"them.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			SalesQuery
			Compare sales.Comparison `query:"compare" doc:"The earlier period to compare with. Defaults to none"`
			Limit   int              `query:"limit" default:"50" doc:"Maximum number of rows; -1 means all. Does not apply to days"`
		}) (*shop.SalesReport, error) {
			return in.shop().ReportSales(ctx, in.caller(), sales.Filter{From: in.From, To: in.To, By: r.by, Compare: in.Compare, Limit: in.Limit})
		}))
	}
	return append(all, defineStream(Operation{
		ID: "exportSales", Path: "exports/analytics/{name}", Tag: tagAnalytics, Use: access.ToExportSales,
		Summary:     "Export a report on sales as CSV",
		Description: "All rows of a period, or the figures of the overview. Amounts are decimals in the shop's currency. Each export is in the audit log.",
	}, "sales.csv", func(ctx context.Context, in *ExportSalesRequest, w io.Writer) error {
		if err := in.write(w); err != nil {
			return err
		}
		filter := sales.Filter{From: in.From, To: in.To, Limit: page.NoLimit}
		switch in.Name {
		case "overview":
			return in.shop().Sales.ExportOverview(ctx, in.caller(), filter, w)
		case "campaigns":
			campaigns := sales.CampaignFilter{From: in.From, To: in.To, Touch: in.Touch}
			return in.shop().Sales.ExportCampaigns(ctx, in.caller(), campaigns, w)
		}
		for _, r := range salesReports() {
			if r.path == in.Name {
				filter.By = r.by
			}
		}
		return in.shop().ExportSales(ctx, in.caller(), filter, w)
	}))
}
