package shop

import (
	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// Cause is who or what changed an order: one of the causes below, or the name of a [Provider].
type Cause string

// The causes other than providers.
const (
	ByBuyer Cause = "buyer"
	ByStaff Cause = "staff"
	ByShop  Cause = "shop" // the system, by the shop's rules or because a time limit has passed
)

// orderChange is one change of an order inside a transaction. The statuses of an order, its
// shipments and its payment attempts change in no other way. Every transition is checked against
// its table and added to the timeline with its cause; [orderChange.save] derives the other statuses
// from it. The first forbidden transition latches: save returns its error, with which the
// transaction must end.
type orderChange struct {
	s      *Shop
	tx     *db.Tx
	o      *orderRow
	cause  Cause
	now    int64
	was    orderRow // the stored row
	events []orderEventRow
	// Whether attempts or shipments changed, so that the statuses derived from them are computed
	// again.
	attemptsChanged, shipmentsChanged bool
	// Whether flags or bookings changed, and whether a booking certainly has no response.
	attentionChanged, unanswered bool
	shipmentsWere                map[string]ShipmentStatus // the stored statuses by shipment ID
	raised                       []string                  // messages of the flags that this change raised
	contentsChanged              bool                      // what was ordered, where it goes or what was paid beforehand
	ledgerChanged                bool                      // the cash of a shipment
	err                          error
}

// changeOrder starts a change of an order that was read in the same transaction.
func (s *Shop) changeOrder(tx *db.Tx, o *orderRow, cause Cause) *orderChange {
	c := &orderChange{s: s, tx: tx, o: o, cause: cause, now: db.Millis(tx.Now()), was: *o, shipmentsWere: map[string]ShipmentStatus{}}
	for _, shipment := range o.shipments {
		c.shipmentsWere[shipment.id] = shipment.status
	}
	return c
}

// errStateConflict returns the error of a forbidden transition.
func errStateConflict(what string, from, to any) error {
	return fault.Errorf(fault.CodeStateConflict, "%s is %v and cannot become %v.", what, from, to)
}

// checkTransition checks a transition against its table. moved is false if from is to or the change
// has failed.
func checkTransition[S ~string](c *orderChange, table transitions[S], what string, from, to S) (moved bool) {
	switch {
	case c.err != nil || from == to:
		return false
	case !table.allow(from, to):
		c.err = errStateConflict(what, from, to)
		return false
	}
	return true
}

// addTimeline adds an entry to the timeline. at is when it happened, which a courier reports later.
func (c *orderChange) addTimeline(at int64, kind TimelineType, message string) {
	c.events = append(c.events, c.s.appendTimeline(c.o, at, c.cause, kind, message))
}

// setStatus changes the order status.
func (c *orderChange) setStatus(to OrderStatus) {
	if checkTransition(c, orderTransitions, "The order", c.o.status, to) {
		c.o.status, c.o.client = to, nil
		message := orderMessages[to]
		if to == OrderExpired && c.o.method == PayCOD {
			message = "The shop did not confirm the order in time."
		}
		c.addTimeline(c.now, TimelineType(to), message)
	}
}

// setPaymentStatus changes the payment status.
func (c *orderChange) setPaymentStatus(to PaymentStatus) {
	if checkTransition(c, paymentTransitions, "The payment", c.o.payment, to) {
		c.o.payment = to
		message := paymentMessages[to]
		switch {
		case to != PaymentPaid || c.o.method != PayCOD:
		case c.o.total == 0:
			message = nothingToPay
		case c.o.advance < c.o.total:
			message = "Paid on delivery."
		}
		c.addTimeline(c.now, paymentTimeline+TimelineType(to), message)
	}
}

// setFulfillmentStatus changes the fulfilment status directly, without a shipment.
func (c *orderChange) setFulfillmentStatus(to FulfillmentStatus) {
	if checkTransition(c, fulfillmentTransitions, "The delivery", c.o.fulfillment, to) {
		c.o.fulfillment = to
		c.addTimeline(c.now, fulfillmentTimeline+TimelineType(to), fulfillmentMessages[to])
	}
}

// addShipment adds a shipment in its present status. at is a time of the courier's clock.
func (c *orderChange) addShipment(shipment *shipmentRow, at int64) {
	if c.attachShipment(shipment, at); c.err == nil {
		c.addTimeline(at, shipmentTimeline+TimelineType(shipment.status), shipmentMessages[shipment.status])
	}
}

// setShipmentStatus changes a shipment's status and saves it. at is a time of the courier's clock.
func (c *orderChange) setShipmentStatus(shipment *shipmentRow, to ShipmentStatus, at int64) {
	if !checkTransition(c, shipmentTransitions, "The shipment", shipment.status, to) {
		return
	}
	shipment.status, shipment.movedAt, shipment.updatedAt = to, at, c.now
	c.err = updateShipment(c.tx, shipment)
	c.shipmentsChanged = true
	c.addTimeline(at, shipmentTimeline+TimelineType(to), shipmentMessages[to])
}

// addAttempt inserts a payment attempt.
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

// setAttemptStatus changes an attempt's status and saves it. Money that the order does not need,
// because it is closed or already paid, is due for refund at once.
func (c *orderChange) setAttemptStatus(a *attemptRow, to AttemptStatus) {
	if !checkTransition(c, attemptTransitions, "The payment attempt", a.status, to) {
		return
	}
	unwanted := to == AttemptSucceeded && !c.acceptMoney(a)
	if c.err != nil {
		return
	}
	a.status, a.updatedAt = to, c.now
	c.err = updateAttempt(c.tx, a)
	c.addAttemptTimeline(a)
	if unwanted {
		c.setAttemptStatus(a, AttemptRefundDue)
	}
}

// addAttemptTimeline adds an attempt's present status to the timeline and reports it to the
// observer.
func (c *orderChange) addAttemptTimeline(a *attemptRow) {
	c.attemptsChanged = true
	method, status := a.method, a.status
	c.tx.AfterCommit(func() { c.s.observer.AttemptMoved(method, status) })
	c.addTimeline(c.now, attemptTimeline+TimelineType(a.status), attemptMessages[a.status])
}

// wasPaid reports whether the order was paid, even if the payment was refunded afterwards.
func (s PaymentStatus) wasPaid() bool {
	return s == PaymentPaid || s == PaymentPartiallyRefunded || s == PaymentRefunded
}

// awaitsPayment reports whether the order is open and not paid.
func (o *orderRow) awaitsPayment() bool {
	switch o.payment {
	case PaymentUnpaid, PaymentPending, PaymentNeedsReview:
		return !o.status.isClosed()
	}
	return false
}

// save derives the statuses that follow from the changes and writes the order: the fulfilment
// status from the shipments, the payment status from the attempts, the order status from both. A
// closed order releases its stock and coupon use, and its payment is due for refund.
func (c *orderChange) save() error {
	c.followShipments()
	c.reopenDelivered()
	c.followAttempts()
	c.followAdvances()
	c.followOrder()
	c.markRefundDue()
	if c.shipmentsChanged {
		c.syncFlags()
	}
	if c.err != nil {
		return c.err
	}
	c.o.updatedAt, c.o.saved = c.now, true
	switch {
	case c.o.status != OrderPendingPayment || c.o.payment == PaymentNeedsReview: // staff decide
		c.o.expiresAt = nil
	case c.o.expiresAt == nil:
		c.o.expiresAt = new(c.now + paymentWindow.Milliseconds())
	}
	if err := c.syncWork(); err != nil {
		return err
	}
	if c.contentsChanged {
		if err := updateOrderContents(c.tx, c.o); err != nil {
			return err
		}
	}
	if err := updateOrderStatuses(c.tx, c.o, &c.was); err != nil {
		return err
	}
	if err := c.syncBuyer(); err != nil {
		return err
	}
	if c.changesCash() {
		if err := syncCash(c.tx, c.o.id); err != nil {
			return err
		}
	}
	if err := c.dropDueCall(); err != nil {
		return err
	}
	if err := insertEvents(c.tx, c.o.number, c.events); err != nil {
		return err
	}
	events := c.outboxEvents()
	if err := outbox.Append(c.tx, events...); err != nil {
		return err
	}
	if c.was.phone != c.o.phone { // the earlier buyer's later orders can be of a new one now
		if err := uncountDays(c.tx, "o.customer_phone = ?", c.was.phone); err != nil {
			return err
		}
	}
	if (c.ledgerChanged || c.shipmentsChanged) && len(events) == 0 { // a fee alone, for example
		if err := uncountDays(c.tx, "o.id = ?", c.o.id); err != nil {
			return err
		}
	}
	if err := c.notifyBuyer(); err != nil {
		return err
	}
	return c.releaseReservations()
}

// notifyBuyer queues the messages to the buyer about the change.
func (c *orderChange) notifyBuyer() error {
	events := c.messageEvents()
	if len(events) == 0 {
		return nil
	}
	set, err := findBuyerMessages(c.tx)
	if err != nil {
		return err
	}
	return queueMessages(c.tx, set, c.o, events)
}

// followShipments derives the fulfilment status. If the table forbids the transition the status
// stays: a further shipment does not change an order that is delivered or returned.
func (c *orderChange) followShipments() {
	if to := fulfillmentOf(c.o.shipments); c.shipmentsChanged && fulfillmentTransitions.allow(c.o.fulfillment, to) {
		c.o.fulfillment = to
	}
	changed := c.shipmentsChanged || c.was.fulfillment != Delivered
	if c.err == nil && c.o.fulfillment == Delivered && changed && c.o.method == PayCOD && c.o.payment == PaymentUnpaid && c.cashArrived() {
		c.setPaymentStatus(PaymentPaid)
	}
}

// cashArrived reports whether the cash of a delivered order counts as received. It does unless the
// courier reported an exchange without the whole amount due, or a delivery without any cash.
func (c *orderChange) cashArrived() bool {
	if c.cause == ByStaff {
		return true
	}
	rows, err := c.ledger()
	if err != nil {
		c.err = err
		return false
	}
	for _, l := range rows {
		collected := amountOf(l.collected)
		switch {
		case l.due == 0:
		case l.shipment.status == ShipmentExchanged && collected < l.due,
			l.shipment.status == ShipmentDelivered && l.collected != nil && collected == 0:
			return false
		}
	}
	return true
}

// ledger returns the ledger's rows of the order's shipments.
func (c *orderChange) ledger() ([]*ledgerRow, error) { return findLedgerRows(c.tx, c.o.id) }

func (c *orderChange) followAttempts() {
	if !c.attemptsChanged {
		return
	}
	to := paymentOf(c.o.attempts)
	if c.o.method == PayCOD {
		to = c.o.cashPayment(to)
	}
	c.setPaymentStatus(to)
}

func (c *orderChange) followOrder() {
	o := c.o
	if (o.status == OrderPendingPayment || o.status == OrderPending && o.method != PayCOD) && o.payment == PaymentPaid {
		c.setStatus(OrderConfirmed)
	}
	sent := o.fulfillment != Unfulfilled
	for _, shipment := range o.shipments {
		sent = sent || shipment.status != ShipmentCancelled
	}
	if sent && !o.status.isClosed() && orderTransitions.allow(o.status, OrderProcessing) {
		c.setStatus(OrderProcessing)
	}
	switch {
	case o.fulfillment == Delivered && o.payment.wasPaid() && !o.status.isClosed() && orderTransitions.allow(o.status, OrderCompleted):
		c.setStatus(OrderCompleted)
	case o.fulfillment == Returned && orderTransitions.allow(o.status, OrderReturned):
		c.setStatus(OrderReturned)
	}
}

// markRefundDue marks the payment of a closed order as due for refund.
func (c *orderChange) markRefundDue() {
	paid := c.o.payment == PaymentPaid || c.o.payment == PaymentPartiallyRefunded
	if !c.o.status.isClosed() || !paid && !c.o.hasUnpaidRest() || c.o.total == 0 {
		return
	}
	if c.o.method == PayCOD {
		if c.o.cashRefund = c.o.total; !paid {
			c.o.cashRefund = c.o.advance
		}
	}
	for _, a := range c.o.attempts {
		if a.status == AttemptSucceeded {
			c.setAttemptStatus(a, AttemptRefundDue)
		}
	}
	c.setPaymentStatus(PaymentRefundDue)
}

// releaseReservations releases the stock and the coupon use of an order that this change closed.
func (c *orderChange) releaseReservations() error {
	if c.was.status == c.o.status {
		return nil
	}
	switch c.o.status {
	case OrderCancelled, OrderExpired:
		if use := c.o.couponUse(); use != nil {
			if err := use.release(c.tx); err != nil {
				return err
			}
		}
		if err := uncountSold(c.tx, c.o.items); err != nil {
			return err
		}
	case OrderReturned: // the sale and the coupon use still count
	default:
		return nil
	}
	return c.s.releaseStock(c.tx, c.o, stockReasons[c.o.status])
}

// stockReasons are the reasons of the stock movements of closed orders.
var stockReasons = map[OrderStatus]catalogue.MovementReason{
	OrderCancelled: catalogue.MovedByCancel, OrderExpired: catalogue.MovedByExpiry, OrderReturned: catalogue.MovedByReturn,
}

// nothingToPay is the message about an order whose total is zero.
const nothingToPay = "There is nothing to pay."

// partlyRefundedMessage is the message about an attempt of which a part was refunded.
const partlyRefundedMessage = "A part of a payment was refunded."

// The messages of timeline entries, which buyers read.
var (
	orderMessages = map[OrderStatus]string{
		OrderPending:    "The order will be paid in cash on delivery.",
		OrderConfirmed:  "Order confirmed.",
		OrderProcessing: "The order is being prepared.",
		OrderCompleted:  "Order completed.",
		OrderCancelled:  "Order cancelled.",
		OrderExpired:    "The order was not paid in time.",
		OrderReturned:   "The order was returned to the shop.",
	}
	paymentMessages = map[PaymentStatus]string{
		PaymentUnpaid:      "The order is not paid yet.",
		PaymentPending:     "Payment in progress.",
		PaymentPaid:        "Payment received.",
		PaymentNeedsReview: "The shop is checking the payment.",
		PaymentRefundDue:   "The payment will be refunded.",
		PaymentRefunded:    "The payment has been refunded.",

		PaymentPartiallyRefunded: "A part of the payment has been refunded.",
	}
	fulfillmentMessages = map[FulfillmentStatus]string{
		Delivered: "The order was delivered.",
		Returned:  "The goods have been returned to the shop.",
	}
	attemptMessages = map[AttemptStatus]string{
		AttemptInitiated:   "A payment was started.",
		AttemptPending:     "The payment awaits the buyer at the gateway.",
		AttemptSucceeded:   "The gateway confirmed a payment.",
		AttemptFailed:      "A payment failed.",
		AttemptCancelled:   "A payment was cancelled.",
		AttemptExpired:     "A payment was not completed in time.",
		AttemptNeedsReview: "A payment needs to be checked by the shop.",
		AttemptRefundDue:   "A payment is due for refund.",
		AttemptRefunded:    "A payment was refunded.",
	}
)
