package order

import (
	"slices"

	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/message"
	"storefront/shop/outbox"
	"storefront/shop/sales"
	"storefront/shop/status"
)

// Follower updates data that depends on an order after its change, in the same transaction. The
// order itself has been written.
type Follower func(c *orderChange) error

// Followers returns the followers of an order's change.
func Followers() []Follower {
	return []Follower{
		(*orderChange).syncBuyer,
		(*orderChange).syncCash,
		(*orderChange).dropDueCall,
		(*orderChange).appendEvents,
		(*orderChange).invalidateDays,
		(*orderChange).notifyBuyer,
	}
}

// contentsChanged reports whether the lines, the recipient or the advances differ from the stored
// ones.
func (c *orderChange) contentsChanged() bool {
	// The rounding and so the total change with the method, too.
	sameTotal := c.o.total == c.was.total && c.o.rounding == c.was.rounding || c.o.method != c.was.method
	return c.o.contents() != c.was.contents() || !sameTotal || !slices.EqualFunc(c.o.items, c.was.items, orderItemRow.isSame)
}

// setExpiry sets the expiry of an order that awaits its payment.
func (c *orderChange) setExpiry() {
	switch {
	case c.o.status != status.OrderPendingPayment || c.o.payment == status.PaymentNeedsReview: // staff decide
		c.o.expiresAt = nil
	case c.o.expiresAt == nil:
		c.o.expiresAt = new(c.now + paymentWindow.Milliseconds())
	}
}

// syncCash stores the state of the order's shipments' cash.
func (c *orderChange) syncCash() error {
	if !c.changesCash() {
		return nil
	}
	return c.s.cfg.Cash.Sync(c.tx, c.o.id)
}

// appendEvents adds the change to the timeline and to the outbox.
func (c *orderChange) appendEvents() error {
	if err := insertEvents(c.tx, c.o.number, c.events); err != nil {
		return err
	}
	events := c.outboxEvents()
	if c.restores {
		events = []outbox.Event{c.o.event(outbox.OrderEdited, string(c.o.status))}
	}
	return outbox.Append(c.tx, events...)
}

// invalidateDays drops the stored sums of days that the change affects without an event.
func (c *orderChange) invalidateDays() error {
	if c.was.phone != c.o.phone { // later orders of the earlier buyer may now belong to a new one
		if err := sales.InvalidateBuyer(c.tx, c.was.phone); err != nil {
			return err
		}
	}
	if (c.wrote.cash || c.wrote.shipments) && len(c.outboxEvents()) == 0 { // only a fee, for example
		return sales.InvalidateOrder(c.tx, c.o.id)
	}
	return nil
}

// notifyBuyer queues the messages to the buyer about the change.
func (c *orderChange) notifyBuyer() error {
	events := c.messageEvents()
	if len(events) == 0 || c.restores {
		return nil
	}
	set, err := message.FindSettings(c.tx)
	if err != nil {
		return err
	}
	return message.Queue(c.tx, set, c.o.number, c.o.recipient(), events)
}

// followShipments derives the fulfilment status. If the table forbids the transition the status
// stays: a further shipment does not change an order that is delivered or returned.
func (c *orderChange) followShipments() {
	if to := fulfillmentOf(c.o.shipments); c.wrote.shipments && status.FulfillmentTransitions.Allow(c.o.fulfillment, to) {
		c.o.fulfillment = to
	}
	changed := c.wrote.shipments || c.wrote.cash || c.was.fulfillment != status.Delivered
	if c.err == nil && c.o.fulfillment == status.Delivered && changed && c.o.method == status.PayCOD && c.o.payment == status.PaymentUnpaid &&
		c.cashArrived() {
		c.setPaymentStatus(status.PaymentPaid)
	}
}

// cashArrived reports whether the cash of a delivered order counts as received: as staff report, or
// because the ledger of no shipment contradicts it.
func (c *orderChange) cashArrived() bool {
	if c.cause == ByStaff {
		return true
	}
	rows, err := c.ledger()
	if err != nil {
		c.err = err
		return false
	}
	return !slices.ContainsFunc(rows, (*cash.Row).LacksCash)
}

// ledger returns the ledger's rows of the order's shipments.
func (c *orderChange) ledger() ([]*cash.Row, error) { return cash.FindRows(c.tx, c.o.id) }

func (c *orderChange) followAttempts() {
	if !c.wrote.attempts && c.o.method == c.was.method {
		return
	}
	to := paymentOf(c.o.attempts)
	if c.o.method == status.PayCOD {
		to = c.o.cashPayment(to)
	}
	c.setPaymentStatus(to)
}

func (c *orderChange) followOrder() {
	o := c.o
	if (o.status == status.OrderPendingPayment || o.status == status.OrderPending && o.method != status.PayCOD) && o.payment == status.PaymentPaid {
		c.setStatus(status.OrderConfirmed)
	}
	sent := o.fulfillment != status.Unfulfilled
	for _, shipment := range o.shipments {
		sent = sent || shipment.status != status.ShipmentCancelled
	}
	if sent && !o.status.IsClosed() && status.OrderTransitions.Allow(o.status, status.OrderProcessing) {
		c.setStatus(status.OrderProcessing)
	}
	switch {
	case o.fulfillment == status.Delivered && o.payment.WasPaid() && !o.status.IsClosed() &&
		status.OrderTransitions.Allow(o.status, status.OrderCompleted):
		c.setStatus(status.OrderCompleted)
	case o.fulfillment == status.Returned && status.OrderTransitions.Allow(o.status, status.OrderReturned):
		c.setStatus(status.OrderReturned)
	}
}

// markRefundDue marks the payment of a closed order as due for refund.
func (c *orderChange) markRefundDue() {
	paid := c.o.payment == status.PaymentPaid || c.o.payment == status.PaymentPartiallyRefunded
	if !c.o.status.IsClosed() || !paid && !c.o.hasUnpaidRest() || c.o.total == 0 {
		return
	}
	for _, a := range c.o.attempts {
		if a.status == status.AttemptSucceeded {
			c.setAttemptStatus(a, status.AttemptRefundDue)
		}
	}
	c.setPaymentStatus(status.PaymentRefundDue)
}

// releaseReservations releases the stock and the coupon use of an order that this change closed.
func (c *orderChange) releaseReservations() error {
	if c.was.status == c.o.status {
		return nil
	}
	switch c.o.status {
	case status.OrderCancelled, status.OrderExpired:
		for _, use := range c.o.couponUses() {
			if err := use.release(c.tx); err != nil {
				return err
			}
		}
		if err := uncountSold(c.tx, c.o.items); err != nil {
			return err
		}
	case status.OrderReturned: // the sale and the coupon use still count
	default:
		return nil
	}
	return c.s.releaseStock(c.tx, c.o, stockReasons[c.o.status])
}

// stockReasons are the reasons of the stock movements of closed orders.
var stockReasons = map[status.Order]catalogue.MovementReason{
	status.OrderCancelled: catalogue.MovedByCancel, status.OrderExpired: catalogue.MovedByExpiry, status.OrderReturned: catalogue.MovedByReturn,
}
