package admin

import (
	"context"
	"net/http"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
)

// CouponPath has a coupon in the path.
type CouponPath struct {
	Code string `path:"code" doc:"The coupon's code, in any case, or its _id; the _id of an automatic discount" example:"SAVE150"`
}

// CouponInput are the rules of a coupon. Amounts are in minor units.
type CouponInput struct {
	Code          string           `json:"code,omitempty" doc:"The code that buyers type, in any case. Without it, the coupon is an automatic discount"`
	Title         string           `json:"title,omitempty" doc:"The automatic discount as buyers read it. Not with a code"`
	Kind          order.CouponKind `json:"kind"`
	BasisPoints   *int64           `json:"basisPoints,omitempty" doc:"For a percentage discount, and off the units to get: 1000 is 10 %"`
	Amount        *int64           `json:"amount,omitempty" doc:"For a fixed discount"`
	MaxDiscount   *int64           `json:"maxDiscount,omitempty" doc:"For a percentage discount. Defaults to unlimited"`
	MinSubtotal   *int64           `json:"minSubtotal,omitempty" doc:"Minimum for the whole order, before discount. Defaults to none"`
	StartsAt      *time.Time       `json:"startsAt,omitempty" doc:"Defaults to now"`
	EndsAt        *time.Time       `json:"endsAt,omitempty" doc:"Exclusive. Defaults to never"`
	UsageLimit    *int64           `json:"usageLimit,omitempty" doc:"Limit for all orders. Defaults to unlimited"`
	CustomerLimit *int64           `json:"customerLimit,omitempty" doc:"Limit for the orders of one account or phone. Defaults to unlimited"`
	CollectionIDs []string         `json:"collectionIds,omitempty" nullable:"false" doc:"IDs or handles; all products if productIds is empty too"`
	ProductIDs    []string         `json:"productIds,omitempty" nullable:"false" doc:"IDs or handles"`
	RequiresLogin bool             `json:"requiresLogin,omitempty" doc:"Only for signed-in customers"`
	Active        *bool            `json:"active,omitempty" doc:"Defaults to true"`
	BuyQuantity   *int64           `json:"buyQuantity,omitempty" doc:"For buy_get: units at their price in each set, 1 to 100"`
	GetQuantity   *int64           `json:"getQuantity,omitempty" doc:"For buy_get: units for less in each set, 1 to 100"`

	GetCollectionIDs []string `json:"getCollectionIds,omitempty" nullable:"false" doc:"For buy_get: units to get; the units to buy if both are empty"`
	GetProductIDs    []string `json:"getProductIds,omitempty" nullable:"false" doc:"For buy_get: the units to get"`
}

// CouponChange is a change of some rules of a coupon. Amounts are in minor units.
type CouponChange struct {
	Code          *string             `json:"code,omitempty" doc:"The code that buyers type, in any case; must be unique"`
	Title         *string             `json:"title,omitempty" doc:"The automatic discount as buyers read it"`
	Kind          *order.CouponKind   `json:"kind,omitempty" doc:"Another kind also sets or removes basisPoints, amount and maxDiscount"`
	BasisPoints   Nullable[int64]     `json:"basisPoints,omitzero" doc:"For a percentage discount, and off the units to get: 1000 is 10 %"`
	Amount        Nullable[int64]     `json:"amount,omitzero" doc:"For a fixed discount"`
	MaxDiscount   Nullable[int64]     `json:"maxDiscount,omitzero" doc:"For a percentage discount; null means unlimited"`
	MinSubtotal   Nullable[int64]     `json:"minSubtotal,omitzero" doc:"Minimum for the whole order, before discount; null means none"`
	StartsAt      Nullable[time.Time] `json:"startsAt,omitzero" doc:"null means immediately"`
	EndsAt        Nullable[time.Time] `json:"endsAt,omitzero" doc:"Exclusive; null means never"`
	UsageLimit    Nullable[int64]     `json:"usageLimit,omitzero" doc:"Limit for all orders; null means unlimited"`
	CustomerLimit Nullable[int64]     `json:"customerLimit,omitzero" doc:"Limit for the orders of one account or phone; null means unlimited"`
	CollectionIDs []string            `json:"collectionIds,omitempty" nullable:"false" doc:"IDs or handles. Replaces the list; empty removes all"`
	ProductIDs    []string            `json:"productIds,omitempty" nullable:"false" doc:"IDs or handles. Replaces the list; empty removes all"`
	RequiresLogin *bool               `json:"requiresLogin,omitempty" doc:"Only for signed-in customers"`
	Active        *bool               `json:"active,omitempty"`
	BuyQuantity   Nullable[int64]     `json:"buyQuantity,omitzero" doc:"For buy_get: units at their price in each set"`
	GetQuantity   Nullable[int64]     `json:"getQuantity,omitzero" doc:"For buy_get: units for less in each set"`

	GetCollectionIDs []string `json:"getCollectionIds,omitempty" nullable:"false" doc:"For buy_get. Replaces the list; empty removes all"`
	GetProductIDs    []string `json:"getProductIds,omitempty" nullable:"false" doc:"For buy_get. Replaces the list; empty removes all"`
}

func (in *CouponChange) change() order.CouponChange {
	return order.CouponChange{
		Code: in.Code, Kind: in.Kind, BasisPoints: in.BasisPoints.pointer(), Amount: in.Amount.pointer(), MaxDiscount: in.MaxDiscount.pointer(),
		MinSubtotal: in.MinSubtotal.pointer(), StartsAt: in.StartsAt.pointer(), EndsAt: in.EndsAt.pointer(), UsageLimit: in.UsageLimit.pointer(),
		CustomerLimit: in.CustomerLimit.pointer(), CollectionIDs: in.CollectionIDs, ProductIDs: in.ProductIDs,
		RequiresLogin: in.RequiresLogin, Active: in.Active, Title: in.Title, BuyQuantity: in.BuyQuantity.pointer(), GetQuantity: in.GetQuantity.pointer(),
		GetCollectionIDs: in.GetCollectionIDs, GetProductIDs: in.GetProductIDs,
	}
}

func (in *CouponInput) spec() order.CouponSpec {
	return order.CouponSpec{
		Code: in.Code, Kind: in.Kind, BasisPoints: in.BasisPoints, Amount: in.Amount, MaxDiscount: in.MaxDiscount, MinSubtotal: in.MinSubtotal,
		StartsAt: in.StartsAt, EndsAt: in.EndsAt, UsageLimit: in.UsageLimit, CustomerLimit: in.CustomerLimit,
		CollectionIDs: in.CollectionIDs, ProductIDs: in.ProductIDs, RequiresLogin: in.RequiresLogin, Active: in.Active == nil || *in.Active,
		Title: in.Title, BuyQuantity: in.BuyQuantity, GetQuantity: in.GetQuantity, GetCollectionIDs: in.GetCollectionIDs, GetProductIDs: in.GetProductIDs,
	}
}

// couponVersion is the version of a coupon: a hash of its rules without its uses.
func couponVersion(c order.Coupon) string { return versionOf(c.CouponSpec) }

// coupon returns a coupon with its version.
func (r *request) coupon(c *order.Coupon, err error) (*order.Coupon, error) {
	if err == nil {
		r.setVersion(couponVersion(*c))
	}
	return c, err
}

func couponOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listCoupons", Path: "coupons", Tag: tagCoupons, Use: access.ToListCoupons, List: true,
			Summary: "List automatic discounts, and coupons by code",
			Description: "Each has its rules, the number of orders that use it, the time of the " +
				"newest one and the sum of their discounts.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			order.CouponFilter
		}) (*page.List[order.Coupon], error) {
			in.Request = in.page()
			return in.shop().Orders.ListCoupons(ctx, in.caller(), in.CouponFilter)
		}),

		define(Operation{
			ID: "getCoupon", Path: "coupons/{code}",
			Tag: tagCoupons, Use: access.ToFindCoupon, Versioned: true,
			Summary: "One coupon",
			Description: "Includes its rules, the number of orders that use it, the time of the " +
				"newest one and the sum of their discounts.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			CouponPath
		}) (*order.Coupon, error) {
			return in.coupon(in.shop().Orders.FindCoupon(ctx, in.caller(), in.Code))
		}),

		define(Operation{
			ID: "saveCoupon", Method: http.MethodPost, Path: "coupons",
			Tag: tagCoupons, Use: access.ToSaveCoupon, Idempotent: true, Versioned: true,
			Summary: "Create a coupon, or replace its rules",
			Description: "The code identifies the coupon. Its uses remain. With create=true, an " +
				"existing coupon with this code is not replaced. Without a code and with a title, it is a " +
				"new automatic discount, which orders get without a code; at most 50 can be active.",
			Example: map[string]any{"code": "TEN", "kind": order.CouponPercentage, "basisPoints": 1000},
		}, func(ctx context.Context, in *struct {
			request
			Precondition
			Creation
			Body CouponInput
		}) (*order.Coupon, error) {
			orders := in.shop().Orders
			return in.coupon(orders.SaveCouponIf(ctx, in.caller(), in.Body.spec(), checkCreation(in.Creation, "code", "Another coupon has this code.",
				checkExisting(in.Precondition, couponVersion))))
		}),

		define(Operation{
			ID: "updateCoupon", Method: http.MethodPatch, Path: "coupons/{code}",
			Tag: tagCoupons, Use: access.ToUpdateCoupon, Versioned: true,
			Summary: "Change some rules of a coupon",
			Description: "Fields that are left out are unchanged. Orders that use the coupon " +
				"retain their discount. If the products of a coupon have been deleted since, it " +
				"does not become valid for all products, unless both lists are sent.",
			Codes:   []fault.Code{fault.CodeNotFound},
			Example: map[string]any{"usageLimit": 50},
		}, func(ctx context.Context, in *struct {
			request
			CouponPath
			Precondition
			Body CouponChange
		}) (*order.Coupon, error) {
			change := in.Body.change()
			change.Check = check(in.Precondition, couponVersion)
			return in.coupon(in.shop().Orders.UpdateCoupon(ctx, in.caller(), in.Code, change))
		}),

		define(Operation{
			ID: "enableCoupon", Method: http.MethodPost, Path: "coupons/{code}/enable",
			Tag: tagCoupons, Use: access.ToEnableCoupon, BodyOptional: true,
			Versioned:   true,
			Summary:     "Make a coupon active",
			Description: "An active coupon is returned unchanged.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			CouponPath
			NoBody
		}) (*order.Coupon, error) {
			return in.coupon(in.shop().Orders.EnableCoupon(ctx, in.caller(), in.Code))
		}),

		define(Operation{
			ID: "disableCoupon", Method: http.MethodPost, Path: "coupons/{code}/disable",
			Tag: tagCoupons, Use: access.ToDisableCoupon, BodyOptional: true,
			Versioned:   true,
			Summary:     "Make a coupon inactive",
			Description: "Orders that use it retain their discount.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			CouponPath
			NoBody
		}) (*order.Coupon, error) {
			return in.coupon(in.shop().Orders.DisableCoupon(ctx, in.caller(), in.Code))
		}),

		define(Operation{
			ID: "deleteCoupon", Method: http.MethodDelete, Path: "coupons/{code}",
			Tag: tagCoupons, Use: access.ToDeleteCoupon,
			Summary:     "Delete a coupon that was never used",
			Description: "A coupon that orders use can only be made inactive.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			CouponPath
			Precondition
		}) (*Done, error) {
			return done(in.shop().Orders.DeleteCoupon(ctx, in.caller(), in.Code, checkExisting(in.Precondition, couponVersion)))
		}),
	}
}
