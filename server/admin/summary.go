package admin

import (
	"context"

	"storefront/shop"
	"storefront/shop/access"
)

func summaryOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "getSummary", Path: "summary", Tag: tagHome, Use: access.ToFindSummary,
			Summary: "The work to be done and today's sales",
			Description: "For a first screen. Sales are prices less discounts, without cancelled, " +
				"expired or unpaid online orders; days are in the shop's time zone. Data that the " +
				"caller may not view is null or empty.",
		}, func(ctx context.Context, in *struct{ request }) (*shop.ShopSummary, error) {
			return in.shop().FindSummary(ctx, in.caller())
		}),

		define(Operation{
			ID: "search", Path: "search", Tag: tagHome, Use: access.ToSearchShop, List: true,
			Summary:     "Find orders, products and customers by a text",
			Description: "At most five of each. Kinds that the caller may not view are empty.",
		}, func(ctx context.Context, in *struct {
			request
			Text string `query:"q" required:"true" doc:"Words, a phone number or its last digits, a number or a code" example:"rahima"`
		}) (*shop.SearchResult, error) {
			return in.shop().SearchShop(ctx, in.caller(), in.Text)
		}),
	}
}
