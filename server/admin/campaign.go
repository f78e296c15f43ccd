package admin

import (
	"bytes"
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/campaign"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/sales"
)

// TouchQuery is the query parameter that selects how orders count to campaigns.
type TouchQuery struct {
	Touch sales.AttributionTouch `query:"touch" default:"last" doc:"The touch of the buyer to which an order counts"`
}

// SpendBody is the input of saveSpend.
type SpendBody struct {
	Spend []campaign.SpendInput `json:"spend" minItems:"1" maxItems:"1000" nullable:"false"`
}

func campaignOperations() []Operation {
	return append(spendOperations(),
		define(Operation{
			ID: "reportCampaigns", Path: "analytics/campaigns", Tag: tagAnalytics, Use: access.ToReportCampaigns, List: true,
			Summary: "What campaigns brought: visits, orders, deliveries, returns, and the return on what was spent",
			Description: "A campaign is one row by its name in utm_campaign, with all its sources. Visits and orders without a name " +
				"are rows by source and medium. Orders that staff placed are rows by their source. Orders count as in the other " +
				"reports, on the day they were placed. Visits of the site's pages are counted without bots, and appear within a minute.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			SalesQuery
			TouchQuery
			Compare sales.Comparison `query:"compare" doc:"The earlier period to compare with. Defaults to none"`
			Limit   int              `query:"limit" default:"50" doc:"Maximum number of rows; -1 means all"`
		}) (*sales.CampaignReport, error) {
			return in.shop().Sales.ReportCampaigns(ctx, in.caller(), sales.CampaignFilter{
				From: in.From, To: in.To, Touch: in.Touch, Compare: in.Compare, Limit: in.Limit,
			})
		}),
	)
}

// spendOperations are the operations on the costs of advertising.
func spendOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listSpend", Path: "analytics/spend", Tag: tagAnalytics, Use: access.ToListSpend, List: true,
			Summary: "List what was spent on campaigns, newest day first",
			Codes:   []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			campaign.SpendFilter
		}) (*page.List[campaign.Spend], error) {
			in.SpendFilter.Request = in.page()
			return in.shop().Campaigns.ListSpend(ctx, in.caller(), in.SpendFilter)
		}),

		define(Operation{
			ID: "saveSpend", Method: http.MethodPost, Path: "analytics/spend", Tag: tagAnalytics, Use: access.ToSaveSpend, Idempotent: true,
			Summary: "Save what was spent on campaigns on days",
			Description: "An amount replaces the earlier one of its day and campaign, so that sending it again changes nothing; 0 removes it. " +
				"All are saved or, if one has a problem, none.",
			Example: SpendBody{Spend: []campaign.SpendInput{{Day: "2026-03-01", Kind: campaign.KindCampaign, Name: "Eid sale", Amount: 150_000}}},
		}, func(ctx context.Context, in *struct {
			request
			Body SpendBody
		}) (*campaign.SpendSaved, error) {
			return in.shop().Campaigns.SaveSpend(ctx, in.caller(), in.Body.Spend)
		}),

		define(Operation{
			ID: "deleteSpend", Method: http.MethodDelete, Path: "analytics/spend", Tag: tagAnalytics, Use: access.ToDeleteSpend,
			Summary: "Remove what was spent on a campaign on a day",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			Day  string        `query:"day" required:"true" doc:"The day" example:"2026-03-01"`
			Kind campaign.Kind `query:"kind" default:"campaign" doc:"Kind of the report's row"`
			Name string        `query:"name" doc:"Name of the report's row" example:"Eid sale"`
		}) (*Done, error) {
			return done(in.shop().Campaigns.DeleteSpend(ctx, in.caller(), campaign.SpendInput{Day: in.Day, Kind: in.Kind, Name: in.Name}))
		}),

		define(Operation{
			ID: "importSpend", Method: http.MethodPost, Path: "imports/spend",
			Tag: tagAnalytics, Use: access.ToImportSpend, CSV: true, Idempotent: true,
			Summary: "Import what was spent from a file of Meta's Ads Manager",
			Description: "The body is a CSV file with the columns Day (or Reporting starts), Campaign name and Amount spent, exported with the " +
				"breakdown by day. Lines of the same campaign and day are added up. The currency must be the shop's. All amounts are saved or, " +
				"if a line has a problem, none. With dryRun nothing is written.",
		}, func(ctx context.Context, in *struct {
			request
			DryRun  bool   `query:"dryRun" doc:"Return the counts and write nothing"`
			RawBody []byte `contentType:"text/csv"`
		}) (*campaign.SpendSaved, error) {
			return in.shop().Campaigns.ImportSpend(ctx, in.caller(), bytes.NewReader(in.RawBody), in.DryRun)
		}),
	}
}
