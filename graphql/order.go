package graphql

import (
	"context"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/order"
	"storefront/shop/status"
)

// QuoteOrder returns the current price of an order.
func (*query) QuoteOrder(ctx context.Context, args struct {
	langArgs
	Input orderInput
}) (*quote, error) {
	r, done, err := beginRecord(ctx, costQuote)
	if err != nil {
		return nil, err
	}
	defer done()
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	q, err := r.shop.Orders.QuoteOrder(ctx, withOrderToken(caller, args.Input.OrderToken), args.Input.order())
	if err != nil {
		return nil, err
	}
	return newQuote(q), nil
}

// orderArgs are the arguments that select orders of the caller.
type orderArgs struct {
	pageArgs
	langArgs
	Status            *[]status.Order
	PaymentStatus     *[]status.Payment
	FulfillmentStatus *[]status.Fulfillment
	PlacedFrom        *graphqlgo.Time
	PlacedBefore      *graphqlgo.Time
	Search            *string
	SortBy            *string
	Sort              *string
}

func (a orderArgs) filter() order.Filter {
	return order.Filter{
		Request: a.input(), Status: orZero(a.Status), PaymentStatus: orZero(a.PaymentStatus), FulfillmentStatus: orZero(a.FulfillmentStatus),
		PlacedFrom: orZero(a.PlacedFrom).Time, PlacedBefore: orZero(a.PlacedBefore).Time, Search: orZero(a.Search),
		SortBy: order.CustomerOrderSort(orZero(a.SortBy)), Sort: orZero(a.Sort),
	}
}

// MyOrders returns one page of the caller's orders.
func (*query) MyOrders(ctx context.Context, args orderArgs) (*pageOf[orderResolver], error) {
	r, done, err := beginList(ctx, args.cost(), args.input().Work())
	if err != nil {
		return nil, err
	}
	defer done()
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := r.shop.Orders.ListMyOrders(ctx, caller, args.filter())
	if err != nil {
		return nil, err
	}
	return newPage(found, newOrder), nil
}

// Reorder returns what of an order can be ordered again, and its price now.
func (*query) Reorder(ctx context.Context, args struct {
	langArgs
	OrderID    ID
	OrderToken *string
}) (*reorder, error) {
	r, done, err := beginRecord(ctx, costQuote)
	if err != nil {
		return nil, err
	}
	defer done()
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := r.shop.Orders.FindReorder(ctx, withOrderToken(caller, args.OrderToken), string(args.OrderID))
	if err != nil {
		return nil, err
	}
	return newReorder(found), nil
}

// Order returns one order. Personal data is masked unless the caller proves to be the buyer.
func (*query) Order(ctx context.Context, args struct {
	langArgs
	OrderID    ID
	OrderToken *string
}) (*orderResolver, error) {
	r, done, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer done()
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	caller = withOrderToken(caller, args.OrderToken)
	found, err := r.shop.Orders.FindOrder(ctx, caller, string(args.OrderID))
	if err != nil {
		return nil, err
	}
	o := newOrder(found)
	return &o, nil
}

// PlaceOrder places an order.
func (*mutation) PlaceOrder(ctx context.Context, args struct {
	langArgs
	Input placeOrderInput
}) (*orderResolver, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	key := orZero(args.Input.IdempotencyKey)
	if args.Input.IdempotencyKey != nil {
		if err := order.CheckIdempotencyKey(key); err != nil {
			return nil, err
		}
	}
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	placed, err := r.shop.Orders.PlaceOrder(ctx, withOrderToken(caller, args.Input.OrderToken), args.Input.order(), key)
	if err != nil {
		return nil, err
	}
	if placed.Replayed {
		r.replayed.Store(true)
	}
	o := newOrder(&placed.Order)
	o.OrderToken = &placed.OrderToken
	return &o, nil
}

// CancelOrder cancels an order of the caller or of the order token.
func (*mutation) CancelOrder(ctx context.Context, args struct {
	langArgs
	OrderID    ID
	Reason     *string
	OrderToken *string
}) (*orderResolver, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	caller = withOrderToken(caller, args.OrderToken)
	reason := ""
	if args.Reason != nil {
		reason = *args.Reason
	}
	cancelled, err := r.shop.Orders.CancelOrder(ctx, caller, string(args.OrderID), reason)
	if err != nil {
		return nil, err
	}
	o := newOrder(cancelled)
	return &o, nil
}

// orderPaymentInput is StartPaymentInput and SetPaymentMethodInput of the schema.
type orderPaymentInput struct {
	OrderID       ID
	OrderToken    *string
	PaymentMethod status.PaymentMethod
}

// StartPayment starts an online payment attempt for an order.
func (*mutation) StartPayment(ctx context.Context, args struct{ Input orderPaymentInput }) (*paymentAttempt, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	caller := withOrderToken(r.caller, args.Input.OrderToken)
	attempt, err := r.shop.Orders.StartPayment(ctx, caller, string(args.Input.OrderID), order.PaymentInput{PaymentMethod: args.Input.PaymentMethod})
	if err != nil {
		return nil, err
	}
	a := newPaymentAttempt(attempt)
	return &a, nil
}

// walletPaymentInput is WalletPaymentInput of the schema.
type walletPaymentInput struct {
	OrderID       ID
	OrderToken    *string
	WalletID      ID
	Sender        string
	TransactionID ID
	Amount        *Long
}

// ReportWalletPayment reports a payment of an order's advance.
func (*mutation) ReportWalletPayment(ctx context.Context, args struct {
	langArgs
	Input walletPaymentInput
}) (*orderResolver, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	in := &args.Input
	reported, err := r.shop.Orders.ReportWalletPayment(ctx, withOrderToken(caller, in.OrderToken), string(in.OrderID), order.WalletPaymentInput{
		WalletID: string(in.WalletID), Sender: in.Sender, TransactionID: string(in.TransactionID), Amount: in.Amount.number(),
	})
	if err != nil {
		return nil, err
	}
	o := newOrder(reported)
	return &o, nil
}

// SetPaymentMethod changes an unpaid online order to cash on delivery.
func (*mutation) SetPaymentMethod(ctx context.Context, args struct {
	langArgs
	Input orderPaymentInput
}) (*orderResolver, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	caller = withOrderToken(caller, args.Input.OrderToken)
	changed, err := r.shop.Orders.SetPaymentMethod(
		ctx, caller, string(args.Input.OrderID), order.PaymentMethodInput{PaymentMethod: args.Input.PaymentMethod},
	)
	if err != nil {
		return nil, err
	}
	o := newOrder(changed)
	return &o, nil
}

type orderInput struct {
	Items            []orderItemInput
	Customer         *order.CustomerInput
	ShippingAddress  *account.Address
	DeliveryChargeID *ID
	CouponCode       *string
	PaymentMethod    *status.PaymentMethod
	Note             *string
	ExpectedTotal    *Long
	ExpectedAdvance  *Long
	ReplacesOrderID  *ID
	Attribution      *attributionInput
	OrderToken       *string
}

// withOrderToken returns the caller with the order token of an input, if it has one.
func withOrderToken(caller access.Caller, token *string) access.Caller {
	if token != nil {
		caller.OrderToken = *token
	}
	return caller
}

func (in *orderInput) order() order.Input {
	return order.Input{
		Items: convert(in.Items, (*orderItemInput).item), Customer: in.Customer, ShippingAddress: in.ShippingAddress,
		DeliveryChargeID: in.DeliveryChargeID.text(), CouponCode: in.CouponCode, PaymentMethod: in.PaymentMethod,
		Note: in.Note, ExpectedTotal: in.ExpectedTotal.number(), ExpectedAdvance: in.ExpectedAdvance.number(),
		ReplacesOrderID: in.ReplacesOrderID.text(), Attribution: in.Attribution.attribution(),
	}
}

type placeOrderInput struct {
	orderInput
	IdempotencyKey *string
}

type orderItemInput struct {
	ProductID ID
	VariantID *ID
	Quantity  int32
}

func (in *orderItemInput) item() order.ItemInput {
	return order.ItemInput{ProductID: string(in.ProductID), VariantID: in.VariantID.text(), Quantity: int(in.Quantity)}
}

type quote struct {
	Items            []orderItem
	Subtotal         moneyValue
	Discount         moneyValue
	QuantityDiscount moneyValue
	Discounts        []appliedDiscount
	DeliveryCharge   moneyValue
	Rounding         moneyValue
	Total            moneyValue
	Advance          *advanceTerms
	Coupon           *orderCoupon
	Delivery         *deliveryCharge
	DeliveryOptions  []deliveryCharge
}

func newQuote(q *order.Quote) *quote {
	return &quote{
		Items: convert(q.Items, newOrderItem), Subtotal: newMoney(&q.Subtotal), Discount: newMoney(&q.Discount),
		QuantityDiscount: newMoney(&q.QuantityDiscount), Discounts: convert(q.Discounts, newAppliedDiscount),
		DeliveryCharge: newMoney(&q.DeliveryCharge), Rounding: newMoney(&q.Rounding), Total: newMoney(&q.Total),
		Advance: convertNull(q.Advance, newAdvanceTerms),
		Coupon:  convertNull(q.Coupon, newOrderCoupon), Delivery: convertNull(q.Delivery, newDeliveryCharge),
		DeliveryOptions: convert(q.DeliveryOptions, newDeliveryCharge),
	}
}

type reorder struct {
	Items       []reorderItem
	Unavailable []missingUnits
	Quote       *quote
}

type reorderItem struct {
	ProductID ID
	VariantID ID
	Quantity  int32
}

type missingUnits struct {
	Title        string
	VariantTitle *string
	Quantity     int32
	Reason       order.MissingReason
}

func newReorder(r *order.Reorder) *reorder {
	again := &reorder{
		Items: convert(r.Items, func(i *order.ReorderItem) reorderItem {
			return reorderItem{ProductID: ID(i.ProductID), VariantID: ID(i.VariantID), Quantity: int32(i.Quantity)}
		}),
		Unavailable: convert(r.Unavailable, func(m *order.MissingUnits) missingUnits {
			return missingUnits{Title: m.Title, VariantTitle: m.VariantTitle, Quantity: int32(m.Quantity), Reason: m.Reason}
		}),
	}
	if r.Quote != nil {
		again.Quote = newQuote(r.Quote)
	}
	return again
}
