package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
)

// IncompletePath has an incomplete order in the path.
type IncompletePath struct {
	ID string `path:"id" doc:"The incomplete order's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// incompleteInput is the request about one incomplete order.
type incompleteInput struct {
	request
	NoBody
	IncompletePath
}

func incompleteOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listIncompleteOrders", Path: "incomplete-orders", Tag: tagOrders, Use: access.ToListIncomplete, List: true,
			Summary: "List what buyers typed without ordering, the latest first",
			Description: "Stored with the buyer's consent if the setting incompleteOrders allows it, for 14 days since the last " +
				"change. An order with the phone number closes it. To place the order, send its items, buyer and address to " +
				"placeOrder with its ID as incompleteOrderId.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			order.IncompleteFilter
		}) (*page.List[order.IncompleteOrder], error) {
			in.Request = in.page()
			return in.shop().Orders.ListIncomplete(ctx, in.caller(), in.IncompleteFilter)
		}),

		define(Operation{
			ID: "getIncompleteOrder", Path: "incomplete-orders/{id}", Tag: tagOrders, Use: access.ToFindIncomplete,
			Summary: "One incomplete order",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			IncompletePath
		}) (*order.IncompleteOrder, error) {
			return in.shop().Orders.FindIncomplete(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "closeIncompleteOrder", Method: http.MethodPost, Path: "incomplete-orders/{id}/close",
			Tag: tagOrders, Use: access.ToCloseIncomplete, BodyOptional: true,
			Summary:     "Close an incomplete order without an order",
			Description: "The browser that stored it opens no other one for a day. A closed one is returned unchanged.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *incompleteInput) (*order.IncompleteOrder, error) {
			return in.shop().Orders.CloseIncomplete(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "reopenIncompleteOrder", Method: http.MethodPost, Path: "incomplete-orders/{id}/reopen",
			Tag: tagOrders, Use: access.ToReopenIncomplete, BodyOptional: true,
			Summary:     "Open an incomplete order that was closed without an order",
			Description: "Refused if the buyer's browser has begun another one. An open one is returned unchanged.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *incompleteInput) (*order.IncompleteOrder, error) {
			return in.shop().Orders.ReopenIncomplete(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "blockIncompleteOrder", Method: http.MethodPost, Path: "incomplete-orders/{id}/block",
			Tag: tagOrders, Use: access.ToBlockIncomplete, BodyOptional: true,
			Summary: "Block the phone number of an incomplete order",
			Description: "From ordering, as updateContact does. All open ones with the number are closed, and no more are stored. " +
				"updateContact ends the block.",
			Codes: changeCodes,
		}, func(ctx context.Context, in *incompleteInput) (*order.IncompleteOrder, error) {
			return in.shop().Orders.BlockIncomplete(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "deleteIncompleteOrder", Method: http.MethodDelete, Path: "incomplete-orders/{id}", Tag: tagOrders, Use: access.ToDeleteIncomplete,
			Summary: "Delete an incomplete order, as its buyer may demand",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			IncompletePath
		}) (*Done, error) {
			return done(in.shop().Orders.DeleteIncomplete(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "reportIncompleteOrders", Path: "analytics/incomplete", Tag: tagAnalytics, Use: access.ToReportIncomplete, List: true,
			Summary: "How many buyers began an order, left, and were recovered",
			Description: "By the day on which they began, in the shop's time zone. Only buyers who agreed to the notice are counted. " +
				"The counts remain after the incomplete orders are deleted.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			SalesQuery
		}) (*order.IncompleteReport, error) {
			return in.shop().Orders.ReportIncomplete(ctx, in.caller(), in.From, in.To)
		}),
	}
}
