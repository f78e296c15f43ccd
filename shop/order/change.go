package order

import (
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/status"
)

// Cause is the cause of an order's change: one of the causes below, or the name of a
// [plugin.Provider].
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
// from it. The first forbidden transition latches: save returns its error, and the transaction must
// end.
type orderChange struct {
	s      *Orders
	tx     *db.Tx
	o      *orderRow
	cause  Cause
	by     string // the staff member or program of ByStaff, as stored
	now    int64
	was    orderRow // the stored row
	events []orderEventRow
	wrote  facts
	raised []string // messages of the flags raised by this change
	// restores marks the undoing of a change, which is published as an edit alone.
	restores bool
	// shipmentsWere are the stored statuses by shipment ID.
	shipmentsWere map[string]status.Shipment
	// isMerged means that another order of the buyer has the items: the buyer gets no message.
	isMerged bool
	err      error
}

// facts are the kinds of records that were written beside the order's row: by the methods of an
// [orderChange], or before it, as [Orders.followRecords] declares.
type facts struct {
	attempts, shipments bool
	cash                bool // of a shipment, in the ledger
	credits             bool
	flags               bool
	unanswered          bool // a booking certainly has no response
}

// changeOrder starts a change of an order that was read in the same transaction.
func (s *Orders) changeOrder(tx *db.Tx, o *orderRow, cause Cause) *orderChange {
	c := &orderChange{s: s, tx: tx, o: o, cause: cause, now: db.Millis(tx.Now()), was: *o, shipmentsWere: map[string]status.Shipment{}}
	c.was.items = slices.Clone(o.items)
	for _, shipment := range o.shipments {
		c.shipmentsWere[shipment.id] = shipment.status
	}
	return c
}

// changeAsStaff starts a change that a member of staff or a program of the shop makes.
func (s *Orders) changeAsStaff(tx *db.Tx, o *orderRow, who access.Staff) *orderChange {
	c := s.changeOrder(tx, o, ByStaff)
	c.by, c.err = actorText(who)
	return c
}

// followRecords brings an order up to date with records that were written outside of its changes,
// and whose kinds are wrote.
func (s *Orders) followRecords(tx *db.Tx, orderID string, cause Cause, wrote facts) error {
	o, err := findOrderRow(tx, orderID)
	if err != nil {
		return fmt.Errorf("find order of records: %w", err)
	}
	c := s.changeOrder(tx, o, cause)
	c.wrote = wrote
	return c.save()
}

// errStateConflict returns the error of a forbidden transition.
func errStateConflict(what string, from, to any) error {
	return fault.Errorf(fault.CodeStateConflict, "%s is %v and cannot become %v.", what, from, to)
}

// checkTransition checks a transition against its table. moved is false if from is to or the change
// has failed.
func checkTransition[S ~string](c *orderChange, table status.Transitions[S], what string, from, to S) (moved bool) {
	switch {
	case c.err != nil || from == to:
		return false
	case !table.Allow(from, to):
		c.err = errStateConflict(what, from, to)
		return false
	}
	return true
}

// addTimeline adds an entry to the timeline. at is the time of the event, which a courier may
// report later.
func (c *orderChange) addTimeline(at int64, kind TimelineType, message string) {
	c.addTimelineDetail(at, kind, message, "")
}

// addTimelineDetail adds an entry with a detail, which replaces the message for readers of the
// whole order.
func (c *orderChange) addTimelineDetail(at int64, kind TimelineType, message, detail string) {
	c.events = append(c.events, c.s.appendTimeline(c.o, orderEventRow{
		kind: kind, message: message, detail: detail, cause: c.cause, by: c.by, at: at,
	}))
}

// setStatus changes the order status.
func (c *orderChange) setStatus(to status.Order) {
	if checkTransition(c, status.OrderTransitions, "The order", c.o.status, to) {
		c.o.status, c.o.client = to, nil
		message := orderMessages[to]
		if to == status.OrderExpired && c.o.method == status.PayCOD {
			message = "The shop did not confirm the order in time."
		}
		c.addTimeline(c.now, TimelineType(to), message)
	}
}

// setPaymentStatus changes the payment status.
func (c *orderChange) setPaymentStatus(to status.Payment) {
	if checkTransition(c, status.PaymentTransitions, "The payment", c.o.payment, to) {
		c.o.payment = to
		message := paymentMessages[to]
		switch {
		case to != status.PaymentPaid || c.o.method != status.PayCOD:
		case c.o.total == 0:
			message = nothingToPay
		case c.o.received() < c.o.total:
			message = "Paid on delivery."
		}
		c.addTimeline(c.now, paymentTimeline+TimelineType(to), message)
	}
}

// setFulfillmentStatus changes the fulfilment status directly, without a shipment.
func (c *orderChange) setFulfillmentStatus(to status.Fulfillment) {
	if checkTransition(c, status.FulfillmentTransitions, "The delivery", c.o.fulfillment, to) {
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
func (c *orderChange) setShipmentStatus(shipment *shipmentRow, to status.Shipment, at int64) {
	if !checkTransition(c, status.ShipmentTransitions, "The shipment", shipment.status, to) {
		return
	}
	if c.cause == ByStaff { // a courier's clock may be ahead
		at = max(at, shipment.movedAt)
	}
	shipment.status, shipment.movedAt, shipment.updatedAt = to, at, c.now
	c.err = updateShipment(c.tx, shipment)
	c.wrote.shipments = true
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
// because it is closed or already paid, is immediately due for refund.
func (c *orderChange) setAttemptStatus(a *attemptRow, to status.Attempt) {
	if !checkTransition(c, status.AttemptTransitions, "The payment attempt", a.status, to) {
		return
	}
	unwanted := to == status.AttemptSucceeded && !c.acceptMoney(a)
	if c.err != nil {
		return
	}
	a.status, a.updatedAt = to, c.now
	c.err = updateAttempt(c.tx, a)
	c.addAttemptTimeline(a)
	if unwanted {
		c.setAttemptStatus(a, status.AttemptRefundDue)
	}
}

// addAttemptTimeline adds an attempt's present status to the timeline and reports it to the
// observer.
func (c *orderChange) addAttemptTimeline(a *attemptRow) {
	c.wrote.attempts = true
	method, status := a.method, a.status
	c.tx.AfterCommit(func() { c.s.cfg.Observer.AttemptMoved(method, status) })
	c.addTimeline(c.now, attemptTimeline+TimelineType(a.status), attemptMessages[a.status])
}

// awaitsPayment reports whether the order is open and not paid.
func (o *orderRow) awaitsPayment() bool {
	switch o.payment {
	case status.PaymentUnpaid, status.PaymentPending, status.PaymentNeedsReview:
		return !o.status.IsClosed()
	}
	return false
}

// save derives the statuses that follow from the changes and writes the order: the fulfilment
// status from the shipments, the payment status from the attempts, the order status from both. A
// closed order releases its stock and coupon use, and its payment is due for refund.
func (c *orderChange) save() error {
	c.followShipments()
	c.reopenDelivered()
	c.followPrepaid()
	c.followAttempts()
	c.followAdvances()
	c.confirmAdvanced()
	c.followOrder()
	c.followAmounts()
	c.markRefundDue()
	c.followPrepaid()
	if c.wrote.shipments || c.wrote.cash || c.wrote.credits {
		c.syncFlags()
	}
	if c.err != nil {
		return c.err
	}
	c.o.updatedAt, c.o.saved = c.now, true
	c.setExpiry()
	if err := c.syncWork(); err != nil {
		return err
	}
	if c.changesPosted() {
		if err := c.s.Post(c.tx); err != nil {
			return err
		}
	}
	if c.contentsChanged() {
		if err := updateOrderContents(c.tx, c.o); err != nil {
			return err
		}
	}
	if err := updateOrderStatuses(c.tx, c.o, &c.was); err != nil {
		return err
	}
	for _, follow := range c.s.cfg.Followers {
		if err := follow(c); err != nil {
			return err
		}
	}
	return c.releaseReservations()
}

// nothingToPay is the message about an order whose total is zero.
const nothingToPay = "There is nothing to pay."

// partlyRefundedMessage is the message about a partly refunded attempt.
const partlyRefundedMessage = "A part of a payment was refunded."

// The messages of timeline entries, which buyers read.
var (
	orderMessages = map[status.Order]string{
		status.OrderPending:    "The order will be paid in cash on delivery.",
		status.OrderConfirmed:  "Order confirmed.",
		status.OrderProcessing: "The order is being prepared.",
		status.OrderCompleted:  "Order completed.",
		status.OrderCancelled:  "Order cancelled.",
		status.OrderExpired:    "The order was not paid in time.",
		status.OrderReturned:   "The order was returned to the shop.",
	}
	paymentMessages = map[status.Payment]string{
		status.PaymentUnpaid:      "The order is not paid yet.",
		status.PaymentPending:     "Payment in progress.",
		status.PaymentPaid:        "Payment received.",
		status.PaymentNeedsReview: "The shop is checking the payment.",
		status.PaymentRefundDue:   "The payment will be refunded.",
		status.PaymentRefunded:    "The payment has been refunded.",

		status.PaymentPartiallyRefunded: "A part of the payment has been refunded.",
	}
	fulfillmentMessages = map[status.Fulfillment]string{
		status.Delivered: "The order was delivered.",
		status.Returned:  "The goods have been returned to the shop.",
	}
	attemptMessages = map[status.Attempt]string{
		status.AttemptInitiated:   "A payment was started.",
		status.AttemptPending:     "The payment awaits the buyer at the gateway.",
		status.AttemptSucceeded:   "The gateway confirmed a payment.",
		status.AttemptFailed:      "A payment failed.",
		status.AttemptCancelled:   "A payment was cancelled.",
		status.AttemptExpired:     "A payment was not completed in time.",
		status.AttemptNeedsReview: "A payment needs to be checked by the shop.",
		status.AttemptRefundDue:   "A payment is due for refund.",
		status.AttemptRefunded:    "A payment was refunded.",
	}
)
