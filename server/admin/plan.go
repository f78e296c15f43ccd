package admin

import (
	"context"
	"io"
	"net/http"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/plan"
	"storefront/tenants"
)

// ServerPlans are the plans of the server.
type ServerPlans struct {
	Nodes []tenants.ServerPlan `json:"nodes" nullable:"false"`
}

// PlanPath has a plan in the path.
type PlanPath struct {
	Name string `path:"plan" doc:"The plan's name" example:"basic"`
}

// PlanLimits are the limits of a plan.
type PlanLimits struct {
	Limits  plan.LimitSet `json:"limits" doc:"A limit that is left out does not exist"`
	Soft    []plan.Limit  `json:"soft,omitempty" doc:"Limits that are reported and not enforced: products, staff, imageBytes, domains or smsSegments"`
	OwnHost *bool         `json:"ownHost,omitempty" doc:"Whether the dashboard is at the shop's hosts, too; by default unless it has --admin-host"`
}

func planOperations() []Operation {
	return ofInstallation(
		define(Operation{
			ID: "listPlans", Path: "plans", Use: access.ToListPlans,
			Summary: "List the plans of the server", Description: "A shop without a plan has no limits.",
		}, func(ctx context.Context, in *struct{ request }) (*ServerPlans, error) {
			list, err := in.x.Shops().ListPlans(ctx, in.caller())
			return &ServerPlans{list}, err
		}),

		define(Operation{
			ID: "savePlan", Method: http.MethodPut, Path: "plans/{plan}", Use: access.ToSavePlan,
			Summary: "Create a plan, or replace it",
			Description: "Shops with the plan receive the limits within seconds. A shop that uses more than a limit retains what it has, and cannot " +
				"add. Orders are received beyond the limit and counted: no order is lost. A text message about an order or money is sent " +
				"beyond the limit, one about the delivery is not. Assign the plan to shops with changeShops.",
			Example: map[string]any{
				"limits": map[string]any{"orders": 500, "products": 200, "staff": 3, "imageBytes": 1 << 30, "domains": 1, "smsSegments": 1000},
				"soft":   []plan.Limit{plan.Products},
			},
		}, func(ctx context.Context, in *struct {
			request
			PlanPath
			Body PlanLimits
		}) (*tenants.ServerPlan, error) {
			return in.x.Shops().SavePlan(ctx, in.caller(), plan.Plan{Name: in.Name, Limits: in.Body.Limits, Soft: in.Body.Soft, OwnHost: in.Body.OwnHost})
		}),

		define(Operation{
			ID: "removePlan", Method: http.MethodDelete, Path: "plans/{plan}", Use: access.ToRemovePlan,
			Summary: "Remove a plan", Description: "Fails with `in_use` while shops have it.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodeInUse},
		}, func(ctx context.Context, in *struct {
			request
			PlanPath
		}) (*Done, error) {
			return done(in.x.Shops().RemovePlan(ctx, in.caller(), in.Name))
		}),

		define(Operation{
			ID: "listShopUsage", Path: "usage", Use: access.ToListShopUsage, List: true,
			Summary: "List the shops with their usage in a month, by UID",
			Description: "Orders, revenue and messages are computed from the shop's data. Requests are counted by the servers and saved every " +
				"minute: a server that is killed loses at most a minute of them.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			tenants.UsageFilter
		}) (*page.Page[tenants.ShopUsage], error) {
			in.Request = in.page()
			return in.x.Shops().ListShopUsage(ctx, in.caller(), in.UsageFilter)
		}),

		defineStream(Operation{
			ID: "exportShopUsage", Path: "exports/usage", Use: access.ToListShopUsage,
			Summary:     "Export the usage of all shops in a month as CSV",
			Description: "A line for each shop, as in listShopUsage. Amounts are decimals in the shop's currency.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, "usage.csv", func(ctx context.Context, in *ExportUsageRequest, w io.Writer) error {
			if err := in.write(w); err != nil {
				return err
			}
			return in.x.Shops().ExportUsage(ctx, in.caller(), in.Month, w)
		}),
	)
}

// ExportUsageRequest is the input of exportShopUsage.
type ExportUsageRequest struct {
	request
	tenants.UsageMonth
	BOM
}

// shopPlanOperation returns the shop's own plan.
func shopPlanOperation() Operation {
	return define(Operation{
		ID: "getPlan", Path: "plan", Tag: tagSettings, Use: access.ToFindPlan,
		Summary:     "The shop's plan, and how much of it is used",
		Description: "The operator of the server sets it. Owners are notified once a month at 80 and 100 per cent of each limit.",
	}, func(ctx context.Context, in *struct{ request }) (*shop.ShopPlan, error) {
		return in.shop().FindPlan(ctx, in.caller())
	})
}
