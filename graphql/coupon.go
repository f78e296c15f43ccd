package graphql

import (
	"context"

	"storefront/shop/order"
)

type verifyCouponInput struct {
	Code            string
	Items           []orderItemInput
	ReplacesOrderID *ID
	OrderToken      *string
}

// VerifyCoupon checks a coupon against a cart.
func (*query) VerifyCoupon(ctx context.Context, args struct{ Input verifyCouponInput }) (*couponVerdict, error) {
	r, done, err := beginRecord(ctx, costQuote)
	if err != nil {
		return nil, err
	}
	defer done()
	result, err := r.shop.Orders.VerifyCoupon(ctx, withOrderToken(r.caller, args.Input.OrderToken), order.CouponInput{
		Code: args.Input.Code, Items: convert(args.Input.Items, (*orderItemInput).item), ReplacesOrderID: args.Input.ReplacesOrderID.text(),
	})
	if err != nil {
		return nil, err
	}
	return newCouponVerdict(result), nil
}

type couponVerdict struct {
	Valid    bool
	Code     string
	Reason   *string
	Message  string
	Subtotal moneyValue
	Discount moneyValue
	Total    moneyValue
}

func newCouponVerdict(r *order.CouponResult) *couponVerdict {
	return &couponVerdict{
		Valid: r.Valid, Code: r.Code, Reason: (*string)(r.Reason), Message: r.Message,
		Subtotal: newMoney(&r.Subtotal), Discount: newMoney(&r.Discount), Total: newMoney(&r.Total),
	}
}
