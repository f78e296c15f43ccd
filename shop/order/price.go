package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/throttle"
)

// orderCommand is an order input that passed all rules without a transaction.
type orderCommand struct {
	set   CheckoutSettings
	buyer account.Identity
	req   orderRequest
	// throttle of coupon codes; the zero throttle, which counts nothing, if the input has none
	throttle throttle.Throttle
	replaces replacement
	language locale.Language // of the caller
}

func (s *Orders) newOrderCommand(ctx context.Context, caller access.Caller, in Input) (orderCommand, error) {
	set, err := s.cfg.Checkout(ctx)
	if err != nil {
		return orderCommand{}, err
	}
	buyer, err := s.cfg.Accounts.OptionalIdentity(ctx, caller)
	if err != nil {
		return orderCommand{}, err
	}
	cmd := orderCommand{set: set, buyer: buyer, language: caller.Language}
	if cmd.req, err = in.check(set.Country); err != nil {
		return cmd, err
	}
	if cmd.req.couponCode != "" {
		if cmd.throttle, err = s.couponThrottle(ctx, caller); err != nil {
			return cmd, err
		}
	}
	cmd.replaces, err = s.newReplacement(ctx, caller, in.ReplacesOrderID)
	return cmd, err
}

// withAccount returns the request, with missing parts filled in from the buyer's account, and that
// account. The account is the zero row for a guest.
func (cmd orderCommand) withAccount(tx *db.Tx) (orderRequest, account.Account, error) {
	req := cmd.req
	customer, err := cmd.buyer.Customer(tx)
	if err != nil {
		return req, customer, err
	}
	if customer.IsGuest() {
		return req, customer, nil
	}
	var defaultAddress *account.Address
	if req.address == nil {
		addresses, err := customer.Addresses(tx)
		if err != nil {
			return req, customer, err
		}
		if len(addresses) > 0 {
			defaultAddress = &addresses[0]
		}
	}
	req.fill(customer, defaultAddress, cmd.set.Country)
	return req, customer, nil
}

// pricedOrder is an order request with its prices; nothing is written yet.
type pricedOrder struct {
	req      orderRequest
	account  account.Account // the zero row for a guest
	replaced *orderRow       // nil means none
	lines    []orderLine
	coupon   *couponRow
	figures  figures
	advance  advanceAsked
	byStaff  *staffPlacement // nil means that the buyer places it
}

// priceOrder computes the price of a request. placing also counts the coupon's uses by the phone
// number of the request. A quote must not: it would reveal how often another customer used a
// coupon. The stock and the coupon use of the replaced order are available to the new one. Codes:
// validation_failed, payment_method_unavailable, quantity_limit, out_of_stock, the coupon codes,
// delivery_charge_required, price_changed, and for the replaced order not_found, not_cancellable,
// state_conflict.
func (cmd orderCommand) priceOrder(tx *db.Tx, req orderRequest, customer account.Account, placing bool) (*pricedOrder, error) {
	replaced, err := cmd.replaces.find(tx)
	if err != nil {
		return nil, err
	}
	priced, refused := cmd.priceReplacing(tx, req, customer, placing, replaced)
	if !isHeld(refused) {
		return priced, refused
	}
	holding, err := cmd.replaces.findHolding(tx, customer, req.phone)
	if err != nil {
		return nil, err
	}
	for _, o := range holding {
		if priced, err := cmd.priceReplacing(tx, req, customer, placing, o); !isHeld(err) {
			return priced, err
		}
	}
	return nil, refused
}

// priceReplacing is priceOrder for a request that replaces this order; nil means none.
func (cmd orderCommand) priceReplacing(
	tx *db.Tx, req orderRequest, customer account.Account, placing bool, replaced *orderRow,
) (*pricedOrder, error) {
	set := cmd.set
	if err := set.checkPaymentMethod(req.method); err != nil {
		return nil, err
	}
	lines, err := findOrderLines(tx, req.items)
	if err != nil {
		return nil, err
	}
	if err := set.checkUnits(lines); err != nil {
		return nil, err
	}
	if replaced != nil {
		replaced.releaseTo(lines)
	}
	if err := checkStock(lines); err != nil {
		return nil, err
	}
	c := cart{method: req.method, deliveryChargeID: req.deliveryChargeID, address: req.address, now: tx.Now(), language: cmd.language}
	holder := couponHolder{account: customer, replaced: replaced}
	if placing {
		holder.phone = req.phone
	}
	refused, err := c.useOffers(tx, req.couponCode, holder, lines)
	if err != nil {
		return nil, err
	}
	if refused != nil {
		return nil, refused.WithField("couponCode")
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
	advance, err := set.askAdvance(tx, f, req.method, req.phone, customer, placing)
	if err != nil {
		return nil, err
	}
	if err := req.checkExpected(f, advance, set.Currency); err != nil {
		return nil, err
	}
	return &pricedOrder{req: req, account: customer, lines: lines, coupon: c.coupon, figures: f, advance: advance, replaced: replaced}, nil
}

func errPriceChanged(f figures, currency money.Currency) error {
	e := fault.Errorf(fault.CodePriceChanged, "The total is now %s.", currency.Text(f.total)).WithField("expectedTotal")
	e.Details = map[string]any{
		"subtotal": currency.Money(f.subtotal), "discount": currency.Money(f.discount), "discounts": f.appliedViews(currency),
		"deliveryCharge": currency.Money(f.deliveryCharge), "rounding": currency.Money(f.rounding), "total": currency.Money(f.total),
	}
	return e
}

// checkExpected checks the amounts that the buyer expects. Codes: price_changed.
func (r *orderRequest) checkExpected(f figures, advance advanceAsked, currency money.Currency) error {
	if r.expectedTotal != nil && *r.expectedTotal != f.total {
		return errPriceChanged(f, currency)
	}
	if r.expectedAdvance != nil && advance.amount > *r.expectedAdvance {
		return errAdvanceChanged(advance, currency)
	}
	return nil
}

// errAdvanceChanged returns the error of an order with a larger advance than its buyer expects.
func errAdvanceChanged(advance advanceAsked, currency money.Currency) error {
	e := fault.Errorf(fault.CodePriceChanged, "The shop requires %s in advance.", currency.Text(advance.amount)).WithField("expectedAdvance")
	e.Details = map[string]any{"advance": advance.terms(currency)}
	return e
}

// itemRows returns the rows of the order's lines.
func (o *pricedOrder) itemRows() []orderItemRow {
	items := make([]orderItemRow, len(o.lines))
	for i, line := range o.lines {
		items[i] = orderItemRow{
			productID: line.productID, variantID: line.variantID, title: line.title, variantTitle: line.variantTitle,
			sku: line.sku, imageURL: line.imageURL, quantity: line.quantity, unitPrice: line.unitPrice,
			quantityPrices: line.quantityPrices, quantityDiscount: o.figures.lines[i].quantityDiscount,
			discount: o.figures.lines[i].discount, stockReserved: line.tracked,
		}
	}
	return items
}

// QuoteOrder returns the present price of an order and writes nothing. Inputs that do not affect
// the price, such as the name, may be left out. A coupon's uses are counted by phone number only if
// the caller's account has verified it. Codes: those of [Orders.PlaceOrder] except phone_required
// and idempotency_key_reused.
func (s *Orders) QuoteOrder(ctx context.Context, caller access.Caller, in Input) (*Quote, error) {
	cmd, err := s.newOrderCommand(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	defer s.lockCouponGuesses(cmd.throttle)()
	var priced *pricedOrder
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		if err := cmd.throttle.Check(tx); err != nil {
			return err
		}
		req, customer, err := cmd.withAccount(tx)
		if err != nil {
			return err
		}
		priced, err = cmd.priceOrder(tx, req, customer, false)
		return err
	})
	if err != nil {
		return nil, s.limitCouponGuesses(ctx, cmd.throttle, err)
	}
	quote := priced.quote(cmd.set.Settings, caller.Language)
	cmd.set.translateApplied(caller.Language, quote.Discounts)
	items := make([]*Item, len(quote.Items))
	for i := range quote.Items {
		items[i] = &quote.Items[i]
	}
	return quote, s.translateItems(ctx, caller.Language, items)
}

func (o *pricedOrder) quote(set *Settings, language locale.Language) *Quote {
	f, currency := o.figures, set.Currency
	q := &Quote{
		Items:    itemViews(o.itemRows(), set.Display),
		Subtotal: currency.Money(f.subtotal), Discount: currency.Money(f.discount), DeliveryCharge: currency.Money(f.deliveryCharge),
		QuantityDiscount: currency.Money(f.quantityDiscount), Discounts: f.appliedViews(currency),
		Rounding: currency.Money(f.rounding), Total: currency.Money(f.total),
		Advance:         o.advance.terms(currency),
		DeliveryOptions: make([]DeliveryCharge, len(f.deliveryOptions)),
	}
	for i, option := range f.deliveryOptions {
		q.DeliveryOptions[i] = set.deliveryCharge(option, language)
	}
	if f.delivery != nil {
		chosen := set.deliveryCharge(*f.delivery, language)
		q.Delivery = &chosen
	}
	if o.coupon != nil {
		q.Coupon = &UsedCoupon{Code: o.coupon.code, Discount: currency.Money(f.couponDiscount())}
	}
	return q
}
