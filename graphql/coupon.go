package graphql

import (
	"context"

	"storefront/shop"
)

type verifyCouponInput struct {
	Code  string
	Items []orderItemInput
}

// VerifyCoupon checks a coupon against a cart.
func (*query) VerifyCoupon(ctx context.Context, args struct{ Input verifyCouponInput }) (*couponVerdict, error) {
	r, err := begin(ctx, costQuote)
	if err != nil {
		return nil, err
	}
	verdict, err := r.shop.VerifyCoupon(ctx, r.caller, shop.CouponInput{
		Code: args.Input.Code, Items: convert(args.Input.Items, (*orderItemInput).item),
	})
	if err != nil {
		return nil, err
	}
	return newCouponVerdict(verdict), nil
}

type couponVerdict struct {
	Valid    bool
	Code     string
	Reason   *string
	Message  string
	Subtotal money
	Discount money
	Total    money
}

func newCouponVerdict(v *shop.CouponResult) *couponVerdict {
	return &couponVerdict{
		Valid: v.Valid, Code: v.Code, Reason: (*string)(v.Reason), Message: v.Message,
		Subtotal: newMoney(&v.Subtotal), Discount: newMoney(&v.Discount), Total: newMoney(&v.Total),
	}
}
