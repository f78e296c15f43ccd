package shop

import (
	"cmp"
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/message"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// PlacedOrder is a newly placed order with the token that lets a guest read and pay it.
type PlacedOrder struct {
	Order
	OrderToken string `json:"orderToken" doc:"Send it as X-Order-Token to read, pay or cancel the order"`
	// Replayed reports that the idempotency key was used before and this is the order it created
	// then.
	Replayed bool `json:"-"`
}

// PlaceOrder creates an order in one transaction and then starts its online payment at the gateway.
// In that transaction it cancels the unpaid order that the new one replaces, whose stock and coupon
// use are then available to the new one; the caller must be that order's owner or have its order
// token. idempotencyKey may be ""; the same key with the same input returns the first order, in its
// present state. Codes: validation_failed, phone_required, delivery_charge_required,
// payment_method_unavailable, quantity_limit, out_of_stock, price_changed, the coupon codes,
// phone_proof_required, too_many_open_orders, not_found, not_cancellable and state_conflict (of the
// order to replace), idempotency_key_reused, token errors, rate_limited (too many unknown coupon
// codes).
func (s *Shop) PlaceOrder(ctx context.Context, caller access.Caller, in OrderInput, idempotencyKey string) (*PlacedOrder, error) {
	cmd, err := s.newOrderCommand(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	if cmd.buyer.IsGuest() { // no account adds data, so an incomplete request fails before a transaction
		if err := cmd.req.complete(); err != nil {
			return nil, err
		}
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
	if order, err = s.startInitiatedAttempt(ctx, order, returnToStorefront); err != nil {
		return nil, err
	}
	// The first response again: a token that staff have replaced since proves nothing any more.
	token, as := tokens.create(order.id, 0), viewWhole
	if order.isOf(cmd.buyer.CustomerID()) {
		as = viewOwner
	} else if replayed {
		proven, err := s.proves(ctx, token, order.id)
		if err != nil {
			return nil, err
		}
		if !proven {
			as = viewMasked
		}
	}
	return &PlacedOrder{Order: order.view(cmd.set.display, as), OrderToken: token, Replayed: replayed}, nil
}

// runOrderCommand replays or creates the order in a transaction. Outside it, which is rolled back,
// it counts a wrong coupon code.
func (s *Shop) runOrderCommand(ctx context.Context, cmd orderCommand, key idempotency, uid string) (order *orderRow, replayed bool, err error) {
	defer s.lockCouponGuesses(cmd.throttle)()
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
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
	next, err := nextOrderNumber(tx)
	if err != nil {
		return nil, false, err
	}
	if err := cmd.announceQueries(tx, req, customer); err != nil {
		return nil, false, err
	}
	priced, err := cmd.priceOrder(tx, req, customer, true)
	if err != nil {
		return nil, false, err
	}
	number, err := next.Value(tx)
	if err != nil {
		return nil, false, err
	}
	if priced.replaced != nil { // before the limits of open orders: it is closed now
		if err := s.cancelReplaced(tx, priced.replaced, number); err != nil {
			return nil, false, err
		}
	}
	if customer.IsGuest() {
		if priced.owner, err = account.FindContactOwner(tx, req.phone, req.email); err != nil {
			return nil, false, err
		}
	}
	if req.method == status.PayCOD && priced.figures.total > 0 {
		if priced.client, err = cmd.set.checkCash(tx, customer, cmd.client, req.phone, priced.figures.total); err != nil {
			return nil, false, err
		}
	}
	if err := cmd.set.checkContact(tx, req.method, priced.figures.total, req.phone, customer); err != nil {
		return nil, false, err
	}
	order, err = s.createOrder(tx, cmd.set.cachedSettings, priced, uid, number)
	if err != nil {
		return nil, false, err
	}
	return order, false, key.save(tx, scope, order.id)
}

// announceQueries announces what will be read of a buyer, so that an engine on another machine
// needs one trip for it and the prices.
func (cmd orderCommand) announceQueries(tx *db.Tx, req orderRequest, customer account.Account) error {
	if customer.IsGuest() {
		if err := account.AnnounceContactOwner(tx, req.phone, req.email); err != nil {
			return err
		}
	}
	if err := announceBlock(tx, req.phone, customer); err != nil {
		return err
	}
	if req.method != status.PayCOD || customer.VerifiedPhone() != nil {
		return nil
	}
	buyer := unprovenBuyer{guest: customer.IsGuest(), phone: req.phone, client: cmd.client}
	return buyer.announceQueries(tx, &cmd.set.Settings)
}

// createOrder inserts a priced order and reserves its stock and its coupon use.
// Codes: out_of_stock, coupon_usage_limit.
func (s *Shop) createOrder(tx *db.Tx, set *cachedSettings, priced *pricedOrder, uid string, number int64) (*orderRow, error) {
	order := priced.newRow(set, uid, number, db.Millis(tx.Now()))
	if use := order.couponUse(); use != nil {
		if err := use.require(tx); err != nil {
			return nil, err
		}
	}
	by, confirmedBy := ByBuyer, ByShop
	if priced.byStaff != nil {
		by, confirmedBy = ByStaff, ByStaff
	}
	s.appendTimeline(order, order.placedAt, by, TimelinePlaced, "Order placed.")
	if priced.replaced != nil {
		s.appendTimeline(order, order.placedAt, ByBuyer, TimelineReplaces, fmt.Sprintf("It replaces order %d.", priced.replaced.number))
	}
	if order.status == status.OrderConfirmed {
		s.appendTimeline(order, order.placedAt, confirmedBy, TimelineType(status.OrderConfirmed), orderMessages[status.OrderConfirmed])
	}
	if order.payment == status.PaymentPaid {
		s.appendTimeline(order, order.placedAt, ByShop, paymentTimeline+TimelineType(status.PaymentPaid), nothingToPay)
	}
	if err := insertOrder(tx, order); err != nil {
		return nil, err
	}
	happened := []outbox.Event{order.event(outbox.OrderPlaced, string(order.status))}
	events := map[message.Event]string{message.Placed: ""}
	if order.status == status.OrderConfirmed {
		events[message.Confirmed] = ""
		confirmed := order.event(outbox.OrderConfirmed, string(order.status))
		confirmed.Data.Actor = outbox.Shop() // unless staff placed the order
		happened = append(happened, confirmed)
	}
	if err := message.Queue(tx, set.BuyerMessages, order.number, order.recipient(), events); err != nil {
		return nil, err
	}
	stock, err := s.reserveStock(tx, number, priced.lines)
	if err != nil {
		return nil, err
	}
	if err := outbox.Append(tx, append(happened, stock...)...); err != nil {
		return nil, err
	}
	if order.status == status.OrderPendingPayment {
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
		id: uid, number: number, status: status.OrderPending, payment: status.PaymentUnpaid, fulfillment: status.Unfulfilled, method: o.req.method,
		test: db.BoolInt(set.ActiveMode == plugin.Sandbox), customerID: db.NullText(cmp.Or(o.account.ID(), o.owner)), signedIn: o.account.ID() != "",
		name: o.req.name, phone: o.req.phone, email: o.req.email,
		line1: address.Line1, line2: db.TextOf(address.Line2), area: db.TextOf(address.Area), city: address.City,
		postcode: db.TextOf(address.Postcode), country: db.TextOf(address.Country), note: o.req.note,
		subtotal: f.subtotal, discount: f.discount, deliveryCharge: f.deliveryCharge, rounding: f.rounding, total: f.total,
		placedAt: now, updatedAt: now, items: o.itemRows(), client: o.client, source: status.SourceStorefront, staffDiscount: f.staffDiscount,
	}
	confirm := set.AutoConfirm
	if staff := o.byStaff; staff != nil {
		row.source, row.placedBy, row.discountReason, confirm = staff.source, &staff.by, staff.discountReason, staff.confirm
	}
	if f.delivery != nil {
		row.deliveryChargeID, row.deliveryName = f.delivery.ID, f.delivery.Name
	}
	if o.coupon != nil {
		row.couponID, row.couponCode = &o.coupon.id, &o.coupon.code
	}
	switch {
	case row.total == 0:
		row.payment = status.PaymentPaid
	case row.method != status.PayCOD:
		row.status, row.expiresAt = status.OrderPendingPayment, new(now+paymentWindow.Milliseconds())
	}
	if row.status == status.OrderPending && (confirm || row.method != status.PayCOD) {
		row.status = status.OrderConfirmed
	}
	row.work = row.isWork()
	return row
}
