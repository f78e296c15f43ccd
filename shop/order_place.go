package shop

import (
	"cmp"
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
)

// PlacedOrder is a newly placed order with the token that lets a guest read and pay it.
type PlacedOrder struct {
	Order
	OrderToken string `json:"orderToken" doc:"Send it as X-Order-Token to read, pay or cancel the order"`
	// Replayed reports that the idempotency key was used before and this is the order it created then.
	Replayed bool `json:"-"`
}

// PlaceOrder creates an order in one transaction and then starts its online payment at the gateway.
// idempotencyKey may be ""; the same key with the same input returns the first order, in its
// present state. Codes: validation_failed, phone_required, delivery_charge_required,
// payment_method_unavailable, quantity_limit, out_of_stock, price_changed, the coupon codes,
// phone_proof_required, too_many_open_orders,
// idempotency_key_reused, token errors, rate_limited (too many unknown coupon codes).
func (s *Shop) PlaceOrder(ctx context.Context, caller access.Caller, in OrderInput, idempotencyKey string) (*PlacedOrder, error) {
	cmd, err := s.newOrderCommand(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	if cmd.buyer.IsGuest() { // no account adds data, so an incomplete request fails before a transaction
		if err := cmd.req.complete(); err != nil {
			return nil, err
		}
	}
	if cmd.buyer.IsGuest() {
		if cmd.work, err = s.Accounts.CheckWork(ctx, caller, account.WorkForOrders); err != nil {
			return nil, err
		}
	}
	key, err := newIdempotency(idempotencyKey, in)
	if err != nil {
		return nil, err
	}
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return nil, err
	}
	if cmd.client, err = s.newOrderClient(ctx, caller.Client); err != nil {
		return nil, err
	}
	uid, err := s.ids.Code(invoiceUIDLength)
	if err != nil {
		return nil, fmt.Errorf("generate invoice UID: %w", err)
	}
	order, replayed, err := s.runOrderCommand(ctx, cmd, key, uid)
	if err != nil {
		return nil, err
	}
	// Also for a replayed order: the first request may have ended before the gateway responded.
	if order, err = s.startInitiatedAttempt(ctx, order); err != nil {
		return nil, err
	}
	as := viewWhole
	if order.isOf(cmd.buyer.CustomerID()) {
		as = viewOwner
	}
	return &PlacedOrder{Order: order.view(cmd.set.money, as), OrderToken: tokens.create(order.id), Replayed: replayed}, nil
}

// runOrderCommand replays or creates the order in a transaction. Outside it, which is rolled back, it
// counts a wrong coupon code.
func (s *Shop) runOrderCommand(ctx context.Context, cmd orderCommand, key idempotency, uid string) (order *orderRow, replayed bool, err error) {
	defer s.lockCouponGuesses(cmd.throttle)()
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		order, replayed, err = s.replayOrCreateOrder(tx, cmd, key, uid)
		return err
	})
	if err != nil {
		return nil, false, s.limitCouponGuesses(ctx, cmd.throttle, err)
	}
	return order, replayed, nil
}

// replayOrCreateOrder returns the order that the idempotency key created before, or creates one.
func (s *Shop) replayOrCreateOrder(
	tx *db.Tx, cmd orderCommand, key idempotency, uid string,
) (order *orderRow, replayed bool, err error) {
	req, customer, err := cmd.withAccount(tx)
	if err != nil {
		return nil, false, err
	}
	scope := placeScope(customer, req.phone)
	first, err := key.replay(tx, scope)
	if err != nil {
		return nil, false, err
	}
	if first != "" {
		order, err = findOrderRow(tx, first)
		return order, true, err
	}
	if err := req.complete(); err != nil {
		return nil, false, err
	}
	if err := cmd.work.Use(tx); err != nil {
		return nil, false, err
	}
	if err := cmd.throttle.Check(tx); err != nil {
		return nil, false, err
	}
	priced, err := cmd.set.priceOrder(tx, req, customer, true)
	if err != nil {
		return nil, false, err
	}
	if customer.IsGuest() {
		if priced.phoneOwner, err = account.FindVerifiedPhoneOwner(tx, req.phone); err != nil {
			return nil, false, err
		}
	}
	if req.method == PayCOD && priced.figures.total > 0 {
		if priced.client, err = cmd.set.checkCash(tx, customer, cmd.client, req.phone, priced.figures.total); err != nil {
			return nil, false, err
		}
	}
	order, err = s.createOrder(tx, cmd.set.cachedSettings, priced, uid)
	if err != nil {
		return nil, false, err
	}
	return order, false, key.save(tx, scope, order.id)
}

// createOrder inserts a priced order and reserves its stock and its coupon use.
// Codes: out_of_stock, coupon_usage_limit.
func (s *Shop) createOrder(tx *db.Tx, set *cachedSettings, priced *pricedOrder, uid string) (*orderRow, error) {
	if priced.coupon != nil {
		ok, err := reserveCouponUse(tx, priced.coupon.id)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fault.Errorf(fault.CodeCouponUsageLimit, "This coupon has been used up.").WithField("couponCode")
		}
	}
	number, err := nextOrderNumber(tx)
	if err != nil {
		return nil, err
	}
	order := priced.newRow(set, uid, number, db.Millis(tx.Now()))
	s.appendTimeline(order, order.placedAt, ByBuyer, "placed", "Order placed.")
	if order.status == OrderConfirmed {
		s.appendTimeline(order, order.placedAt, ByShop, string(OrderConfirmed), orderMessages[OrderConfirmed])
	}
	if order.payment == PaymentPaid {
		s.appendTimeline(order, order.placedAt, ByShop, "payment_"+string(PaymentPaid), "There is nothing to pay.")
	}
	if err := insertOrder(tx, order); err != nil {
		return nil, err
	}
	if err := s.reserveStock(tx, number, priced.lines); err != nil {
		return nil, err
	}
	if order.status == OrderPendingPayment {
		if _, err := s.newAttempt(tx, order, order.method); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// newRow returns the row of a new order.
func (o *pricedOrder) newRow(set *cachedSettings, uid string, number, now int64) *orderRow {
	f, address := o.figures, o.req.address
	row := &orderRow{
		id: uid, number: number, status: OrderPending, payment: PaymentUnpaid, fulfillment: Unfulfilled, method: o.req.method,
		test: db.BoolInt(set.ActiveMode == Sandbox), customerID: db.NullText(cmp.Or(o.account.ID(), o.phoneOwner)),
		name: o.req.name, phone: o.req.phone, email: o.req.email,
		line1: address.Line1, line2: db.TextOf(address.Line2), area: db.TextOf(address.Area), city: address.City,
		postcode: db.TextOf(address.Postcode), country: db.TextOf(address.Country), note: o.req.note,
		subtotal: f.subtotal, discount: f.discount, deliveryCharge: f.deliveryCharge, rounding: f.rounding, total: f.total,
		placedAt: now, updatedAt: now, items: o.itemRows(), client: o.client,
	}
	if f.delivery != nil {
		row.deliveryChargeID, row.deliveryName = f.delivery.ID, f.delivery.Name
	}
	if o.coupon != nil {
		row.couponID, row.couponCode = &o.coupon.id, &o.coupon.code
	}
	switch {
	case row.total == 0:
		row.payment = PaymentPaid
	case row.method != PayCOD:
		row.status, row.expiresAt = OrderPendingPayment, new(now+paymentWindow.Milliseconds())
	}
	if row.status == OrderPending && (set.AutoConfirm || row.method != PayCOD) {
		row.status = OrderConfirmed
	}
	return row
}
