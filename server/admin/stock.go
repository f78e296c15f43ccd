package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// VariantPath names a variant in a path.
type VariantPath struct {
	VariantID string `path:"variantId" doc:"The variant's _id or SKU" example:"PICKLE-MANGO-250"`
}

func stockOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listLowStock", Path: "stock", Tag: tagProducts, Use: access.ToListLowStock, List: true,
			Summary:     "List tracked variants with low stock, the lowest first",
			Description: "Those at or below their own low-stock level.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
		}) (*page.Page[catalogue.StockLevel], error) {
			return in.shop().Catalogue.ListLowStock(ctx, in.caller(), in.page())
		}),

		define(Operation{
			ID: "changeStock", Method: http.MethodPost, Path: "stock/{variantId}", Tag: tagProducts, Use: access.ToChangeStock, Idempotent: true,
			Summary:     "Change a variant's stock and how it is tracked",
			Description: "Fields that are left out are unchanged. The movement is recorded with the note.",
			Codes:       changeCodes,
			Example:     map[string]any{"adjust": 12, "note": "Delivery of 3 March"},
		}, func(ctx context.Context, in *struct {
			request
			VariantPath
			Body struct {
				Set       *int64  `json:"set,omitempty" doc:"Units in stock"`
				Adjust    *int64  `json:"adjust,omitempty" doc:"Units to add, or to subtract if negative; excludes set"`
				Tracked   *bool   `json:"tracked,omitempty" doc:"Whether stock is counted; otherwise the variant is always available"`
				Backorder *bool   `json:"backorder,omitempty" doc:"Whether it may be sold below zero"`
				LowStock  *int64  `json:"lowStock,omitempty" doc:"Units at or below which stock is low"`
				Note      *string `json:"note,omitempty" doc:"The reason, at most 200 characters"`
			}
		}) (*catalogue.StockLevel, error) {
			return in.shop().Catalogue.ChangeStock(ctx, in.caller(), in.VariantID, catalogue.StockChange{
				Set: in.Body.Set, Adjust: in.Body.Adjust, Tracked: in.Body.Tracked, Backorder: in.Body.Backorder, LowStock: in.Body.LowStock,
				Note: textOf(in.Body.Note),
			})
		}),

		define(Operation{
			ID: "getStockHistory", Path: "stock/{variantId}/history", Tag: tagProducts, Use: access.ToFindStockHistory, List: true,
			Summary:     "A variant's stock with its movements, newest first",
			Description: "Each movement has its reason and, if an order caused it, the order.",
			Codes:       append([]fault.Code{fault.CodeValidationFailed}, changeCodes...),
		}, func(ctx context.Context, in *struct {
			request
			VariantPath
			ListQuery
		}) (*catalogue.StockHistory, error) {
			return in.shop().Catalogue.FindStockHistory(ctx, in.caller(), in.VariantID, in.page())
		}),
	}
}
