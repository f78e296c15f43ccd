package graphql

import (
	"context"
	"time"

	graphqlgo "github.com/graph-gophers/graphql-go"

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
	Valid     bool
	Code      string
	Reason    *string
	Message   string
	Subtotal  moneyValue
	Discounts []appliedDiscount
	Discount  moneyValue
	Total     moneyValue
}

func newCouponVerdict(r *order.CouponResult) *couponVerdict {
	return &couponVerdict{
		Valid: r.Valid, Code: r.Code, Reason: (*string)(r.Reason), Message: r.Message,
		Subtotal: newMoney(&r.Subtotal), Discounts: convert(r.Discounts, newAppliedDiscount), Discount: newMoney(&r.Discount), Total: newMoney(&r.Total),
	}
}

type appliedDiscount struct {
	ID     ID
	Title  string
	Kind   order.CouponKind
	Amount moneyValue
}

func newAppliedDiscount(d *order.AppliedDiscount) appliedDiscount {
	return appliedDiscount{ID: ID(d.ID), Title: d.Title, Kind: d.Kind, Amount: newMoney(&d.Amount)}
}

// Discounts returns the automatic discounts that buyers can get now.
func (*publicQuery) Discounts(ctx context.Context, args langArgs) (*discounts, error) {
	r, done, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer done()
	found, err := r.shop.ListDiscounts(ctx, orZero(args.Lang))
	if err != nil {
		return nil, err
	}
	return &discounts{convert(found.Nodes, newDiscount)}, nil
}

type discounts struct{ Nodes []discount }

type discount struct {
	ID               ID
	Title            string
	Kind             order.CouponKind
	BasisPoints      *Long
	Amount           *moneyValue
	MaxDiscount      *moneyValue
	BuyQuantity      *Long
	GetQuantity      *Long
	MinSubtotal      *moneyValue
	EndsAt           *graphqlgo.Time
	CollectionIDs    []ID
	ProductIDs       []ID
	GetCollectionIDs []ID
	GetProductIDs    []ID
	RequiresLogin    bool
}

func newDiscount(d *order.Discount) discount {
	ids := func(of []string) []ID { return convert(of, func(id *string) ID { return ID(*id) }) }
	return discount{
		ID: ID(d.ID), Title: d.Title, Kind: d.Kind, BasisPoints: (*Long)(d.BasisPoints), Amount: convertNull(d.Amount, newMoney),
		MaxDiscount: convertNull(d.MaxDiscount, newMoney), BuyQuantity: (*Long)(d.BuyQuantity), GetQuantity: (*Long)(d.GetQuantity),
		MinSubtotal: convertNull(d.MinSubtotal, newMoney), EndsAt: convertNull(d.EndsAt, func(t *time.Time) graphqlgo.Time { return newTime(*t) }),
		CollectionIDs: ids(d.CollectionIDs), ProductIDs: ids(d.ProductIDs), GetCollectionIDs: ids(d.GetCollectionIDs),
		GetProductIDs: ids(d.GetProductIDs), RequiresLogin: d.RequiresLogin,
	}
}
