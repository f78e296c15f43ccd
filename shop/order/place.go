package order

import (
	"cmp"
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/campaign"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Placed is a newly placed order with the token that lets a guest read and pay it.
type Placed struct {
	Order
	OrderToken string `json:"orderToken" doc:"Sent as X-Order-Token to read, pay or cancel the order"`
	// Replayed reports that the idempotency key was used before. The order is from that first request.
	Replayed bool `json:"-"`
}

// PlaceOrder creates an order in one transaction and then starts its online payment at the gateway.
// In that transaction it cancels the unpaid order that the new one replaces: its stock and coupon
// use are then available to the new one. The caller must be the owner of the replaced order or have
// its order token. idempotencyKey may be ""; the same key with the same input returns the first
// order, in its present state. Codes: validation_failed, phone_required, delivery_charge_required,
// payment_method_unavailable, quantity_limit, out_of_stock, price_changed, the coupon codes,
// phone_proof_required, too_many_open_orders, not_found, not_cancellable and state_conflict (of the
// order to replace), idempotency_key_reused, token errors, rate_limited (too many unknown coupon
// codes).
func (s *Orders) PlaceOrder(ctx context.Context, caller access.Caller, in Input, idempotencyKey string) (*Placed, error) {
	return s.placeOrder(ctx, caller, in, idempotencyKey, returnToStorefront)
}

// PlaceOrderOnPage is [Orders.PlaceOrder] for a buyer on the server's pages. The gateway sends the
// buyer back to the page of the order.
func (s *Orders) PlaceOrderOnPage(ctx context.Context, caller access.Caller, in Input, idempotencyKey string) (*Placed, error) {
	return s.placeOrder(ctx, caller, in, idempotencyKey, returnToPage)
}

func (s *Orders) placeOrder(
	ctx context.Context, caller access.Caller, in Input, idempotencyKey string, to returnPlace,
) (*Placed, error) {
	cmd, err := s.newPlaceCommand(ctx, caller, in, idempotencyKey)
	if err != nil {
		return nil, err
	}
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return nil, err
	}
	s.lookUpBeforePlacing(ctx, &cmd)
	order, replayed, err := s.runPlaceCommand(ctx, cmd)
	if err != nil {
		return nil, err
	}
	// Also for a replayed order: the first request may have ended before the gateway responded.
	if order, err = s.startInitiatedAttempt(ctx, order, to); err != nil {
		return nil, err
	}
	// The first response again: a token that staff have replaced since then proves nothing.
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
	placed, err := s.viewFor(ctx, caller, order, as)
	if err != nil {
		return nil, err
	}
	return &Placed{Order: *placed, OrderToken: token, Replayed: replayed}, nil
}

// placeCommand is a command to place an order.
type placeCommand struct {
	orderCommand
	work   account.WorkProof // of a guest
	client orderClient
	key    idempotency
	uid    string // of the order, unless it is replayed
	// browser is stored if the buyer has consented that advertisers receive it.
	browser campaign.Browser
}

func (s *Orders) newPlaceCommand(
	ctx context.Context, caller access.Caller, in Input, idempotencyKey string,
) (placeCommand, error) {
	cmd, err := s.newOrderCommand(ctx, caller, in)
	if err != nil {
		return placeCommand{}, err
	}
	var work account.WorkProof
	if cmd.buyer.IsGuest() { // no account adds data, so an incomplete request fails before a transaction
		if err := cmd.req.complete(); err != nil {
			return placeCommand{}, err
		}
		if work, err = s.cfg.Accounts.CheckWork(ctx, caller, account.WorkForOrders); err != nil {
			return placeCommand{}, err
		}
	}
	key, err := newIdempotency(idempotencyKey, in)
	if err != nil {
		return placeCommand{}, err
	}
	client, err := s.newOrderClient(ctx, caller.Client)
	if err != nil {
		return placeCommand{}, err
	}
	uid, err := s.ids.Code(invoiceUIDLength)
	if err != nil {
		return placeCommand{}, fmt.Errorf("generate invoice UID: %w", err)
	}
	return placeCommand{cmd, work, client, key, uid, campaign.Browser{Address: caller.Client, Agent: caller.Agent}}, nil
}

// runPlaceCommand replays or creates the order in a transaction. Outside it, which is rolled back,
// it counts a wrong coupon code.
func (s *Orders) runPlaceCommand(ctx context.Context, cmd placeCommand) (order *orderRow, replayed bool, err error) {
	defer s.lockCouponGuesses(cmd.throttle)()
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		order, replayed, err = s.replayOrCreateOrder(tx, cmd)
		return err
	})
	if err != nil {
		return nil, false, s.limitCouponGuesses(ctx, cmd.throttle, err)
	}
	return order, replayed, nil
}

// replayOrCreateOrder returns the order that the idempotency key created before, or creates one.
func (s *Orders) replayOrCreateOrder(tx *db.Tx, cmd placeCommand) (order *orderRow, replayed bool, err error) {
	req, customer, err := cmd.withAccount(tx)
	if err != nil {
		return nil, false, err
	}
	scope := placeScope(customer, req.phone)
	first, err := cmd.key.replay(tx, scope)
	if err != nil {
		return nil, false, err
	}
	if first != "" {
		order, err = findOrderRow(tx, first)
		return order, true, err
	}
	if order, err = s.placeRequest(tx, cmd, req, customer); err != nil {
		return nil, false, err
	}
	return order, false, cmd.key.save(tx, scope, order.id)
}

// placeRequest creates the order of a request of a customer, the zero account for a guest.
func (s *Orders) placeRequest(tx *db.Tx, cmd placeCommand, req orderRequest, customer account.Account) (*orderRow, error) {
	if !cmd.buyer.IsGuest() { // a guest's was checked before the transaction
		if err := req.complete(); err != nil {
			return nil, err
		}
	}
	if err := cmd.work.Use(tx); err != nil {
		return nil, err
	}
	if err := cmd.throttle.Check(tx); err != nil {
		return nil, err
	}
	next, err := nextOrderNumber(tx)
	if err != nil {
		return nil, err
	}
	if err := cmd.announceQueries(tx, req, customer); err != nil {
		return nil, err
	}
	priced, err := cmd.priceOrder(tx, req, customer, true)
	if err != nil {
		return nil, err
	}
	number, err := next.Value(tx)
	if err != nil {
		return nil, err
	}
	if priced.replaced != nil { // before the limits of open orders: it is closed now
		if err := s.cancelReplaced(tx, priced.replaced, number); err != nil {
			return nil, err
		}
	}
	owner, client, err := cmd.checkBuyer(tx, priced)
	if err != nil {
		return nil, err
	}
	order, err := s.createOrder(tx, cmd.set.Settings, placement{priced, owner, client, cmd.uid, number, cmd.language})
	if err != nil {
		return nil, err
	}
	if !cmd.set.Advertised {
		return order, nil
	}
	return order, campaign.InsertBrowser(tx, order.number, req.attribution, cmd.browser)
}

// checkBuyer checks a priced order against the limits and the blocks of its buyer. It returns the
// account that has verified a guest's contact, and the client to store; see [placement]. Codes: as
// for PlaceOrder.
func (cmd placeCommand) checkBuyer(tx *db.Tx, priced *pricedOrder) (owner string, client []byte, err error) {
	req, customer, total := priced.req, priced.account, priced.figures.total
	if customer.IsGuest() {
		if owner, err = account.FindContactOwner(tx, req.phone, req.email); err != nil {
			return "", nil, err
		}
	}
	if req.method == status.PayCOD && total > 0 {
		if client, err = cmd.set.checkCash(tx, customer, cmd.client, req.phone, total); err != nil {
			return "", nil, err
		}
	}
	return owner, client, cmd.set.checkContact(tx, req.method, total, req.phone, customer)
}

// announceQueries announces the queries about a buyer, so that an engine on another machine needs
// one trip for them and the prices.
func (cmd placeCommand) announceQueries(tx *db.Tx, req orderRequest, customer account.Account) error {
	if customer.IsGuest() {
		if err := account.AnnounceContactOwner(tx, req.phone, req.email); err != nil {
			return err
		}
	}
	if err := announceBlock(tx, req.phone, customer); err != nil {
		return err
	}
	if err := announceLatestPlaced(tx); err != nil {
		return err
	}
	if req.method != status.PayCOD || customer.VerifiedPhone() != nil {
		return nil
	}
	buyer := unprovenBuyer{guest: customer.IsGuest(), phone: req.phone, client: cmd.client}
	return buyer.announceQueries(tx, cmd.set.Limits)
}

// placement is a priced order that is about to be created.
type placement struct {
	*pricedOrder
	// owner is the ID of the account that has verified a guest's phone or e-mail address: the order is
	// in its history immediately. "" means none. Such an order still counts as a guest's wherever
	// guests are limited, so those limits must not depend on the order's customer_id.
	owner  string
	client []byte // see [orderRow]
	uid    string
	number int64
	// language is the language in which the buyer orders; "" means unknown.
	language locale.Language
}

// createOrder inserts a priced order and reserves its stock and its coupon use.
// Codes: out_of_stock, coupon_usage_limit.
func (s *Orders) createOrder(tx *db.Tx, set *Settings, priced placement) (*orderRow, error) {
	now := db.Millis(tx.Now())
	latest, err := findLatestPlaced(tx)
	if err != nil {
		return nil, err
	}
	order := priced.newRow(set, now, max(now, latest))
	for _, use := range order.couponUses() {
		if err := use.require(tx); err != nil {
			return nil, err
		}
	}
	if order.test == 0 && s.cfg.Placed != nil {
		tx.AfterCommit(s.cfg.Placed)
	}
	by, confirmedBy, author := priced.causes()
	add := func(cause Cause, kind TimelineType, message string) {
		s.appendTimeline(order, orderEventRow{kind: kind, message: message, cause: cause, by: author, at: now})
	}
	add(by, TimelinePlaced, "Order placed.")
	if priced.replaced != nil {
		add(ByBuyer, TimelineReplaces, fmt.Sprintf("It replaces order %d.", priced.replaced.number))
	}
	if order.status == status.OrderConfirmed {
		add(confirmedBy, TimelineType(status.OrderConfirmed), orderMessages[status.OrderConfirmed])
	}
	if order.asked.amount > 0 {
		add(ByShop, TimelineAdvance, order.asked.message(set.Currency))
	}
	if order.payment == status.PaymentPaid {
		add(ByShop, paymentTimeline+TimelineType(status.PaymentPaid), nothingToPay)
	}
	if err := insertOrder(tx, order, priced.req.attribution); err != nil {
		return nil, err
	}
	happened := []outbox.Event{order.event(outbox.OrderPlaced, string(order.status))}
	events := order.placedMessages()
	if order.status == status.OrderConfirmed {
		confirmed := order.event(outbox.OrderConfirmed, string(order.status))
		confirmed.Data.Actor = outbox.Shop() // unless staff placed the order
		happened = append(happened, confirmed)
	}
	if err := message.Queue(tx, set.BuyerMessages, order.number, order.recipient(), events); err != nil {
		return nil, err
	}
	stock, err := reserveStock(tx, priced.lines)
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

// placedMessages returns the events of a new order that its buyer is notified about.
func (o *orderRow) placedMessages() map[message.Event]string {
	events := map[message.Event]string{message.Placed: ""}
	if o.asked.amount > 0 {
		events[message.AdvanceAsked] = fmt.Sprint(o.asked.amount)
	}
	if o.status == status.OrderConfirmed {
		events[message.Confirmed] = ""
	}
	return events
}

// causes returns who places and confirms the order, and the staff member or program as stored, ""
// if there is none.
func (o placement) causes() (placed, confirmed Cause, author string) {
	if o.byStaff == nil {
		return ByBuyer, ByShop, ""
	}
	return ByStaff, ByStaff, o.byStaff.by
}

// newRow returns the row of a new order. placedAt is later than now if the clock was set back.
func (o placement) newRow(set *Settings, now, placedAt int64) *orderRow {
	f, address := o.figures, o.req.address
	row := &orderRow{
		id: o.uid, number: o.number, status: status.OrderPending, payment: status.PaymentUnpaid, fulfillment: status.Unfulfilled, method: o.req.method,
		test: db.BoolInt(set.ActiveMode == plugin.Sandbox), customerID: db.NullText(cmp.Or(o.account.ID(), o.owner)), signedIn: o.account.ID() != "",
		name: o.req.name, phone: o.req.phone, email: o.req.email,
		line1: address.Line1, line2: db.TextOf(address.Line2), area: db.TextOf(address.Area), city: address.City,
		postcode: db.TextOf(address.Postcode), country: db.TextOf(address.Country), note: o.req.note,
		subtotal: f.subtotal, discount: f.discount, deliveryCharge: f.deliveryCharge, rounding: f.rounding, total: f.total,
		placedAt: placedAt, updatedAt: placedAt, items: o.itemRows(), client: o.client, source: status.SourceStorefront, staffDiscount: f.staffDiscount,
		quantityDiscount: f.quantityDiscount, automaticDiscount: f.automaticDiscount, discounts: f.grantsText(o.lines),
		language: o.language, asked: o.advance,
	}
	confirm := set.confirms(o.advance)
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
