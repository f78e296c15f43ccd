package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// VariantPath has a variant in the path.
type VariantPath struct {
	VariantID string `path:"variantId" doc:"The variant's _id or SKU" example:"PICKLE-MANGO-250"`
}

// StockItem is the change of the stock of one variant among many.
type StockItem struct {
	VariantID string `json:"variantId,omitempty"`
	SKU       string `json:"sku,omitempty" doc:"Instead of variantId, if only one variant has it"`
	Set       *int64 `json:"set,omitempty" doc:"Units in stock"`
	From      *int64 `json:"from,omitempty" doc:"With set: the stock when the units were counted. Units sold since are subtracted"`
	Adjust    *int64 `json:"adjust,omitempty" doc:"Instead of set: units to add, or to subtract if negative"`
}

// StockCount are changes of the stock of many variants.
type StockCount struct {
	Items []StockItem `json:"items" nullable:"false" doc:"1 to 500, each for a different variant"`
	Note  string      `json:"note,omitempty" doc:"The reason, at most 200 characters"`
}

// ChangedStock is the stock after a change of many variants.
type ChangedStock struct {
	Items []catalogue.StockLevel `json:"items" nullable:"false" doc:"In the order of the request"`
}

func stockOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listStock", Path: "stock", Tag: tagProducts, Use: access.ToListStock, List: true,
			Summary: "List variants' stock, the lowest first",
			Description: "Without a status, tracked variants at or below their low-stock level. With all, variants follow the order of creation, " +
				"which sales do not change. Variants of archived products are left out.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			catalogue.StockListFilter
		}) (*page.List[catalogue.ListedStock], error) {
			in.Request = in.page()
			return in.shop().Catalogue.ListStock(ctx, in.caller(), in.StockListFilter)
		}),

		define(Operation{
			ID: "changeStock", Method: http.MethodPost, Path: "stock/{variantId}",
			Tag: tagProducts, Use: access.ToChangeStock, Idempotent: true,
			Summary:     "Change a variant's stock and how it is tracked",
			Description: "Fields that are left out are unchanged. The movement is recorded with the note.",
			Codes:       changeCodes,
			Example:     map[string]any{"adjust": 12, "note": "Delivery of 3 March"},
		}, func(ctx context.Context, in *struct {
			request
			VariantPath
			Body struct {
				Set       *int64  `json:"set,omitempty" doc:"Units in stock"`
				From      *int64  `json:"from,omitempty" doc:"With set: the stock when the units were counted. Units sold since are subtracted"`
				Adjust    *int64  `json:"adjust,omitempty" doc:"Units to add, or to subtract if negative; excludes set"`
				Tracked   *bool   `json:"tracked,omitempty" doc:"Whether stock is counted; otherwise the variant is always available"`
				Backorder *bool   `json:"backorder,omitempty" doc:"Whether it may be sold below zero"`
				LowStock  *int64  `json:"lowStock,omitempty" doc:"Units at or below which stock is low"`
				Note      *string `json:"note,omitempty" doc:"The reason, at most 200 characters"`
			}
		}) (*catalogue.StockLevel, error) {
			return in.shop().Catalogue.ChangeStock(ctx, in.caller(), in.VariantID, catalogue.StockChange{
				Set: in.Body.Set, From: in.Body.From, Adjust: in.Body.Adjust, Tracked: in.Body.Tracked, Backorder: in.Body.Backorder,
				LowStock: in.Body.LowStock, Note: textOf(in.Body.Note),
			})
		}),

		define(Operation{
			ID: "changeStocks", Method: http.MethodPost, Path: "bulk/stock",
			Tag: tagProducts, Use: access.ToChangeStocks, Idempotent: true,
			Summary: "Change the stock of many variants, all or none",
			Description: "Runs in one transaction, without a job. Send from with set if the shop " +
				"sells while staff count: the difference is added to the stock, so that units " +
				"sold in the meantime do not return.",
			Example: map[string]any{"items": []map[string]any{{"sku": "PICKLE-MANGO-250", "set": 24, "from": 20}}, "note": "Counted on 3 March"},
		}, func(ctx context.Context, in *struct {
			request
			Body StockCount
		}) (*ChangedStock, error) {
			items := make([]catalogue.StockItem, len(in.Body.Items))
			for i, item := range in.Body.Items {
				items[i] = catalogue.StockItem(item)
			}
			levels, err := in.shop().Catalogue.ChangeStocks(ctx, in.caller(), items, in.Body.Note)
			return &ChangedStock{levels}, err
		}),

		define(Operation{
			ID: "getStockHistory", Path: "stock/{variantId}/history",
			Tag: tagProducts, Use: access.ToFindStockHistory, List: true,
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
