package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
)

// orderCommand is an order input checked as far as it can be before a transaction begins.
type orderCommand struct {
	set      checkoutSettings
	who      identity
	req      orderRequest
	throttle throttle // of coupon codes; counts nothing where the order names none
}

func (s *Shop) readOrder(ctx context.Context, caller access.Caller, in OrderInput) (orderCommand, error) {
	set, err := s.loadCheckoutSettings(ctx)
	if err != nil {
		return orderCommand{}, err
	}
	who, err := s.optionalIdentity(ctx, caller)
	if err != nil {
		return orderCommand{}, err
	}
	t := orderCommand{set: set, who: who}
	if t.req, err = in.check(set.Country); err == nil && t.req.couponCode != "" {
		t.throttle, err = s.couponThrottle(ctx, caller)
	}
	return t, err
}

// withAccount gives the request with what the caller's account adds to it, and that account.
func (t orderCommand) withAccount(tx *db.Tx) (orderRequest, customerRow, error) {
	req := t.req
	account, err := t.who.customer(tx)
	if err != nil || account.isGuest() {
		return req, account, err
	}
	var byDefault *Address
	if req.address == nil {
		addresses, err := findAddresses(tx, account.id)
		if err != nil {
			return req, account, err
		}
		if len(addresses) > 0 {
			byDefault = &addresses[0]
		}
	}
	req.fill(account, byDefault, t.set.Country)
	return req, account, nil
}

// pricedOrder is an order that could be placed now: who, what, and for how much.
type pricedOrder struct {
	req     orderRequest
	account customerRow // the zero row: a guest
	lines   []orderLine
	coupon  *couponRow
	figures figures
}

// priceOrder works out what the request comes to. placing tells that the coupon's limits are to be
// counted for the phone of the request too; a mere question about it would tell a stranger's habits.
// Codes: validation_failed, payment_method_unavailable, out_of_stock, the coupon codes,
// delivery_charge_required, price_changed.
func (set checkoutSettings) priceOrder(tx *db.Tx, req orderRequest, account customerRow, placing bool) (*pricedOrder, error) {
	if err := set.checkPaymentMethod(req.method); err != nil {
		return nil, err
	}
	lines, err := findOrderLines(tx, req.items)
	if err != nil {
		return nil, err
	}
	if err := checkStock(lines); err != nil {
		return nil, err
	}
	c := cart{method: req.method, deliveryChargeID: req.deliveryChargeID, address: req.address, now: tx.Now()}
	if req.couponCode != "" {
		who := couponHolder{account: account}
		if placing {
			who.phone = req.phone
		}
		refused, err := c.useCoupon(tx, req.couponCode, who, lines)
		if err != nil {
			return nil, err
		}
		if refused != nil {
			return nil, refused.WithField("couponCode")
		}
	}
	c.lines = cartLines(lines)
	f, err := set.priceCart(c)
	if err != nil {
		return nil, err
	}
	if f.refused != nil {
		return nil, f.refused.WithField("couponCode")
	}
	if err := set.checkPaymentAmount(req.method, f.total); err != nil {
		return nil, err
	}
	if req.expectedTotal != nil && *req.expectedTotal != f.total {
		return nil, errPriceChanged(f, set.money)
	}
	return &pricedOrder{req: req, account: account, lines: lines, coupon: c.coupon, figures: f}, nil
}

func errPriceChanged(f figures, money money.Currency) error {
	e := fault.Errorf(fault.CodePriceChanged, "The total is %s now.", money.Format(f.total)).WithField("expectedTotal")
	e.Details = map[string]any{
		"subtotal": money.Money(f.subtotal), "discount": money.Money(f.discount),
		"deliveryCharge": money.Money(f.deliveryCharge), "rounding": money.Money(f.rounding), "total": money.Money(f.total),
	}
	return e
}

// items gives the lines as they are kept with the order.
func (o *pricedOrder) items() []orderItemRow {
	items := make([]orderItemRow, len(o.lines))
	for i, line := range o.lines {
		items[i] = orderItemRow{
			productID: line.productID, variantID: line.variantID, title: line.title, variantTitle: line.variantTitle,
			sku: line.sku, imageURL: line.imageURL, quantity: line.quantity, unitPrice: line.unitPrice,
			discount: o.figures.lines[i].discount, stockReserved: line.tracked,
		}
	}
	return items
}

// QuoteOrder says what an order would cost now and writes nothing. What only the delivery needs,
// such as a name, may be left out. Codes: those of PlaceOrder but phone_required and
// idempotency_key_reused; how often a phone used the coupon is counted for its proven owner only.
func (s *Shop) QuoteOrder(ctx context.Context, caller access.Caller, in OrderInput) (*Quote, error) {
	task, err := s.readOrder(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	var made *pricedOrder
	err = s.limitCouponGuesses(ctx, task.throttle, func() error {
		return s.view(ctx, func(ctx context.Context, tx *db.Tx) error {
			if err := task.throttle.check(tx); err != nil {
				return err
			}
			req, account, err := task.withAccount(tx)
			if err != nil {
				return err
			}
			made, err = task.set.priceOrder(tx, req, account, false)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return made.quote(task.set.cachedSettings), nil
}

func (o *pricedOrder) quote(set *cachedSettings) *Quote {
	f, money := o.figures, set.money
	q := &Quote{
		Items:    itemViews(o.items(), money),
		Subtotal: money.Money(f.subtotal), Discount: money.Money(f.discount), DeliveryCharge: money.Money(f.deliveryCharge),
		Rounding: money.Money(f.rounding), Total: money.Money(f.total),
		DeliveryOptions: make([]DeliveryCharge, len(f.deliveryOptions)),
	}
	for i, option := range f.deliveryOptions {
		q.DeliveryOptions[i] = set.deliveryCharge(option)
	}
	if f.delivery != nil {
		chosen := set.deliveryCharge(*f.delivery)
		q.Delivery = &chosen
	}
	if o.coupon != nil {
		q.Coupon = &OrderCoupon{Code: o.coupon.code, Discount: q.Discount}
	}
	return q
}
