package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// PlacedOrder is an order just placed, with the proof that lets a guest read and pay it.
type PlacedOrder struct {
	Order
	OrderToken string `json:"orderToken" doc:"Send it as X-Order-Token to read the whole order or to pay it"`
	// Replayed marks the answer to a repeated idempotency key.
	Replayed bool `json:"-"`
}

// PlaceOrder places an order in one transaction. idempotencyKey may be ""; the same key with the
// same input gives the first order again, as it stands now. Codes: validation_failed,
// phone_required, delivery_charge_required, payment_method_unavailable, out_of_stock, price_changed,
// the coupon codes, idempotency_key_reused, token errors, rate_limited (too many unknown coupon codes).
func (s *Shop) PlaceOrder(ctx context.Context, caller access.Caller, in OrderInput, idempotencyKey string) (*PlacedOrder, error) {
	task, err := s.readOrder(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	if task.who.isGuest() { // nothing will be added to the request: no need for a transaction to refuse it
		if err := task.req.complete(); err != nil {
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
	uid, err := s.ids.Code(invoiceUIDLength)
	if err != nil {
		return nil, fmt.Errorf("make invoice UID: %w", err)
	}
	var order *orderRow
	var replayed bool
	err = s.limitCouponGuesses(ctx, task.throttle, func() error {
		return s.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			order, replayed, err = s.placeOrder(tx, task, key, uid)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	// Of a repeat too: what came first may still wait for the gateway, or have died on the way to it.
	if order, err = s.startInitiatedAttempt(ctx, order); err != nil {
		return nil, err
	}
	as := viewWhole
	if order.isOf(task.who.customerID) {
		as = viewOwner
	}
	return &PlacedOrder{Order: order.view(task.set.money, as), OrderToken: tokens.make(order.id), Replayed: replayed}, nil
}

func (s *Shop) placeOrder(tx *db.Tx, task orderCommand, key idempotency, uid string) (order *orderRow, replayed bool, err error) {
	req, account, err := task.withAccount(tx)
	if err != nil {
		return nil, false, err
	}
	scope := placeScope(account, req.phone)
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
	if err := task.throttle.check(tx); err != nil {
		return nil, false, err
	}
	made, err := task.set.priceOrder(tx, req, account, true)
	if err != nil {
		return nil, false, err
	}
	order, err = s.createOrder(tx, task.set.cachedSettings, made, uid)
	if err != nil {
		return nil, false, err
	}
	return order, false, key.save(tx, scope, order.id)
}

// createOrder makes the offer an order. Codes: out_of_stock, coupon_usage_limit.
func (s *Shop) createOrder(tx *db.Tx, set *cachedSettings, made *pricedOrder, uid string) (*orderRow, error) {
	if made.coupon != nil {
		ok, err := reserveCouponUse(tx, made.coupon.id)
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
	order := made.order(set, uid, number, db.Millis(tx.Now()))
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
	if err := s.reserveStock(tx, number, made.lines); err != nil {
		return nil, err
	}
	if order.status == OrderPendingPayment {
		if _, err := s.newAttempt(tx, order, order.method); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// order gives the offer as the row of a new order.
func (o *pricedOrder) order(set *cachedSettings, uid string, number, now int64) *orderRow {
	f, to := o.figures, o.req.address
	row := &orderRow{
		id: uid, number: number, status: OrderPending, payment: PaymentUnpaid, fulfillment: Unfulfilled, method: o.req.method,
		test: db.BoolInt(set.ActiveMode == Sandbox), customerID: db.NullText(o.account.id), name: o.req.name, phone: o.req.phone, email: o.req.email,
		line1: to.Line1, line2: db.TextOf(to.Line2), area: db.TextOf(to.Area), city: to.City, postcode: db.TextOf(to.Postcode), country: db.TextOf(to.Country),
		note: o.req.note, subtotal: f.subtotal, discount: f.discount, deliveryCharge: f.deliveryCharge, rounding: f.rounding, total: f.total,
		placedAt: now, updatedAt: now, items: o.items(),
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
