package shop

import (
	"storefront/db"
	"storefront/shop/fault"
)

// Cause is who or what changed an order: one of the causes below, or the name of a [Provider].
type Cause string

// The causes that are no provider.
const (
	ByBuyer Cause = "buyer"
	ByStaff Cause = "staff"
	ByShop  Cause = "shop" // the program itself, by the shop's rules or because time has run out
)

// orderChange is one change of an order inside a transaction, and the only way in which an order,
// its parcels and its tries to pay move. Every move is checked against its table, written into the
// timeline with its cause, and carried over to the other axes by [orderChange.save]. The first
// move that a table forbids latches: save returns it and the transaction has to end with it.
type orderChange struct {
	s      *Shop
	tx     *db.Tx
	o      *orderRow
	cause  Cause
	now    int64
	was    orderRow // as the file has it; only its states are looked at
	events []orderEventRow
	// Whether tries to pay or parcels moved, so that what they come to has to be worked out again.
	attemptsMoved, shipmentsMoved bool
	err                           error
}

// changeOrder begins a change of an order that was read in the same transaction.
func (s *Shop) changeOrder(tx *db.Tx, o *orderRow, cause Cause) *orderChange {
	return &orderChange{s: s, tx: tx, o: o, cause: cause, now: db.Millis(tx.Now()), was: *o}
}

// errStateConflict is a move that a table forbids.
func errStateConflict(what string, from, to any) error {
	return fault.Errorf(fault.CodeStateConflict, "%s is %v and can not become %v.", what, from, to)
}

// step checks a move against its table. moved is false where there is nothing to do.
func step[S ~string](c *orderChange, table moves[S], what string, from, to S) (moved bool) {
	switch {
	case c.err != nil || from == to:
		return false
	case !table.allow(from, to):
		c.err = errStateConflict(what, from, to)
		return false
	}
	return true
}

// addTimeline adds an entry to the timeline. at is when it happened, which a courier tells later.
func (c *orderChange) addTimeline(at int64, kind, message string) {
	c.events = append(c.events, c.s.appendTimeline(c.o, at, c.cause, kind, message))
}

// move moves the order as a whole.
func (c *orderChange) move(to OrderStatus) {
	if step(c, orderMoves, "The order", c.o.status, to) {
		c.o.status = to
		c.addTimeline(c.now, string(to), orderMessages[to])
	}
}

// movePayment moves the payment of an order that no gateway is asked about.
func (c *orderChange) movePayment(to PaymentStatus) {
	if step(c, paymentMoves, "The payment", c.o.payment, to) {
		c.o.payment = to
		message := paymentMessages[to]
		if to == PaymentPaid && c.o.method == PayCOD {
			message = "Paid on delivery."
		}
		c.addTimeline(c.now, "payment_"+string(to), message)
	}
}

// moveFulfillment moves the delivery of an order by hand, without a parcel.
func (c *orderChange) moveFulfillment(to FulfillmentStatus) {
	if step(c, fulfillmentMoves, "The delivery", c.o.fulfillment, to) {
		c.o.fulfillment = to
		c.addTimeline(c.now, "fulfillment_"+string(to), fulfillmentMessages[to])
	}
}

// addShipment adds a parcel, in the state that it is in. at is by the courier's clock.
func (c *orderChange) addShipment(p *shipmentRow, at int64) {
	if c.attachShipment(p, at); c.err == nil {
		c.addTimeline(at, "shipment_"+string(p.status), shipmentMessages[p.status])
	}
}

// moveShipment moves a parcel of the order and saves it. at is by the courier's clock.
func (c *orderChange) moveShipment(p *shipmentRow, to ShipmentStatus, at int64) {
	if !step(c, shipmentMoves, "The parcel", p.status, to) {
		return
	}
	p.status, p.movedAt, p.updatedAt = to, at, c.now
	c.err = updateShipment(c.tx, p)
	c.shipmentsMoved = true
	c.addTimeline(at, "shipment_"+string(to), shipmentMessages[to])
}

// addAttempt adds a try to pay.
func (c *orderChange) addAttempt(a *attemptRow) {
	if c.err != nil {
		return
	}
	a.id, a.orderID, a.createdAt, a.updatedAt = c.s.ids.Next(db.FromMillis(c.now)), c.o.id, c.now, c.now
	if c.err = insertAttempt(c.tx, a); c.err == nil {
		c.o.attempts = append(c.o.attempts, a)
		c.addAttemptTimeline(a)
	}
}

// moveAttempt moves a try to pay and saves it. Money that nobody waits for any more, because the
// order is over or has been paid before, is due to go back at once.
func (c *orderChange) moveAttempt(a *attemptRow, to AttemptStatus) {
	if !step(c, attemptMoves, "The payment attempt", a.status, to) {
		return
	}
	unwanted := to == AttemptSucceeded && !c.o.awaitsPayment()
	a.status, a.updatedAt = to, c.now
	c.err = updateAttempt(c.tx, a)
	c.addAttemptTimeline(a)
	if unwanted {
		c.moveAttempt(a, AttemptRefundDue)
	}
}

// addAttemptTimeline tells that a try to pay has come to its state.
func (c *orderChange) addAttemptTimeline(a *attemptRow) {
	c.attemptsMoved = true
	method, status := a.method, a.status
	c.tx.AfterCommit(func() { c.s.observer.AttemptMoved(method, status) })
	c.addTimeline(c.now, attemptEvent+string(a.status), attemptMessages[a.status])
}

// awaitsPayment reports whether money for the order would pay it.
func (o *orderRow) awaitsPayment() bool {
	switch o.payment {
	case PaymentUnpaid, PaymentPending, PaymentNeedsReview:
		return !o.status.isClosed()
	}
	return false
}

// save carries the moves over to the other axes and writes the order: parcels make the
// fulfilment, tries to pay the payment, both together the order's own state; an order that is
// over gives back stock and coupon, and money that was paid for it is due to be refunded.
func (c *orderChange) save() error {
	c.followShipments()
	c.followAttempts()
	c.followOrder()
	c.markRefundDue()
	if c.err != nil {
		return c.err
	}
	c.o.updatedAt = c.now
	switch {
	case c.o.status != OrderPendingPayment || c.o.payment == PaymentNeedsReview: // a person decides
		c.o.expiresAt = nil
	case c.o.expiresAt == nil:
		c.o.expiresAt = new(c.now + paymentWindow.Milliseconds())
	}
	if err := updateOrderState(c.tx, c.o, &c.was); err != nil {
		return err
	}
	if err := insertEvents(c.tx, c.o.number, c.events); err != nil {
		return err
	}
	return c.releaseReservations()
}

// followShipments works out the fulfilment. A state that the table does not lead to stays as it is:
// what was delivered or returned as a whole does not change by one parcel more.
func (c *orderChange) followShipments() {
	if to := fulfillmentOf(c.o.shipments); c.shipmentsMoved && fulfillmentMoves.allow(c.o.fulfillment, to) {
		c.o.fulfillment = to
	}
	if c.o.fulfillment == Delivered && c.was.fulfillment != Delivered && c.o.method == PayCOD && c.o.payment == PaymentUnpaid {
		c.movePayment(PaymentPaid)
	}
}

func (c *orderChange) followAttempts() {
	if c.attemptsMoved {
		c.movePayment(paymentOf(c.o.attempts))
	}
}

func (c *orderChange) followOrder() {
	o := c.o
	if o.status == OrderPendingPayment && o.payment == PaymentPaid {
		c.move(OrderConfirmed)
	}
	sent := o.fulfillment != Unfulfilled
	for _, p := range o.shipments {
		sent = sent || p.status != ShipmentCancelled
	}
	if sent && orderMoves.allow(o.status, OrderProcessing) {
		c.move(OrderProcessing)
	}
	switch {
	case o.fulfillment == Delivered && o.payment == PaymentPaid && orderMoves.allow(o.status, OrderCompleted):
		c.move(OrderCompleted)
	case o.fulfillment == Returned && orderMoves.allow(o.status, OrderReturned):
		c.move(OrderReturned)
	}
}

// markRefundDue makes what was paid for an order that is over due to go back.
func (c *orderChange) markRefundDue() {
	if !c.o.status.isClosed() || c.o.payment != PaymentPaid || c.o.total == 0 {
		return
	}
	for _, a := range c.o.attempts {
		if a.status == AttemptSucceeded {
			c.moveAttempt(a, AttemptRefundDue)
		}
	}
	c.movePayment(PaymentRefundDue)
}

// releaseReservations returns what the order took, when it has just come to its end.
func (c *orderChange) releaseReservations() error {
	if c.was.status == c.o.status {
		return nil
	}
	switch c.o.status {
	case OrderCancelled, OrderExpired:
		if c.o.couponID != nil {
			if err := releaseCouponUse(c.tx, *c.o.couponID); err != nil {
				return err
			}
		}
		if err := uncountSold(c.tx, c.o.items); err != nil {
			return err
		}
	case OrderReturned: // it was sold, and the coupon was used
	default:
		return nil
	}
	return c.s.releaseStock(c.tx, c.o, stockReasons[c.o.status])
}

// stockReasons are the reasons for which stock comes back when an order reaches its end.
var stockReasons = map[OrderStatus]string{OrderCancelled: movedByCancel, OrderExpired: movedByExpiry, OrderReturned: movedByReturn}

// attemptEvent begins the types of timeline entries about tries to pay, which tracking without
// proof leaves out.
const attemptEvent = "attempt_"

// What the timeline tells people.
var (
	orderMessages = map[OrderStatus]string{
		OrderConfirmed:  "Order confirmed.",
		OrderProcessing: "The order is being prepared.",
		OrderCompleted:  "Order completed.",
		OrderCancelled:  "Order cancelled.",
		OrderExpired:    "The order was not paid in time.",
		OrderReturned:   "The order came back to the shop.",
	}
	paymentMessages = map[PaymentStatus]string{
		PaymentUnpaid:      "The order is still to be paid.",
		PaymentPending:     "A payment is under way.",
		PaymentPaid:        "Payment received.",
		PaymentNeedsReview: "The shop is checking the payment.",
		PaymentRefundDue:   "What was paid will be refunded.",
		PaymentRefunded:    "What was paid has been refunded.",
	}
	fulfillmentMessages = map[FulfillmentStatus]string{
		Delivered: "The order was delivered.",
		Returned:  "The goods are back at the shop.",
	}
	attemptMessages = map[AttemptStatus]string{
		AttemptInitiated:   "A payment was begun.",
		AttemptPending:     "The gateway waits for the buyer.",
		AttemptSucceeded:   "The gateway confirmed a payment.",
		AttemptFailed:      "A payment failed.",
		AttemptCancelled:   "A payment was called off.",
		AttemptExpired:     "A payment was not finished in time.",
		AttemptNeedsReview: "A payment has to be looked at.",
		AttemptRefundDue:   "A payment has to go back.",
		AttemptRefunded:    "A payment went back.",
	}
)
