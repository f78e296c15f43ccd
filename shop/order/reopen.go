package order

import (
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/status"
)

// reopenDelivered continues a cancelled or expired order that its courier has delivered. The buyer
// has the goods: the order is completed, its stock and coupon use are reserved again, and its
// payment is not refunded. Staff get a flag.
func (c *orderChange) reopenDelivered() {
	if c.err != nil || c.o.fulfillment != status.Delivered || c.was.fulfillment == status.Delivered || !c.o.status.IsClosed() {
		return
	}
	if c.o.status == status.OrderReturned {
		c.raise("", flag{FlagDeliveredAfterCancel, "The courier delivered the order after it was returned."})
		return
	}
	message := "The courier delivered the order after it was cancelled. It counts as sold again."
	if c.o.status == status.OrderExpired {
		message = "The courier delivered the order after it had expired. It counts as sold again."
	}
	message += c.reinstatePayments()
	message += c.reinstateAdvance()
	if c.err != nil {
		return
	}
	to := status.OrderCompleted
	if c.o.payment == status.PaymentUnpaid || c.o.payment == status.PaymentPending {
		to = status.OrderProcessing
	}
	c.setStatus(to)
	missing, err := c.reserveAgain()
	if err != nil {
		c.err = err
		return
	}
	if missing != "" {
		message += " " + missing
	}
	c.raise("", flag{FlagDeliveredAfterCancel, message})
}

// reinstatePayments makes attempts successful again if their refund has not begun. It returns a
// sentence for staff about the others.
func (c *orderChange) reinstatePayments() (message string) {
	for _, a := range c.o.attempts {
		paid := c.o.payment == status.PaymentPaid || c.o.payment == status.PaymentPartiallyRefunded
		if c.o.method == status.PayCOD { // its courier collects the cash
			paid = !a.advance
		}
		if paid || a.status != status.AttemptRefundDue {
			continue
		}
		started, err := refundStarted(c.tx, a.id)
		if err != nil {
			c.err = err
			return ""
		}
		if started {
			message += " The refund of its payment was already requested."
			continue
		}
		c.reinstatePayment(a)
	}
	return message
}

// reinstateAdvance makes a cash order paid again by its advance, unless that was refunded: its
// courier was to collect only the rest. It returns a sentence for staff, or "".
func (c *orderChange) reinstateAdvance() (message string) {
	if c.o.method != status.PayCOD || c.o.advance == 0 {
		return ""
	}
	switch c.o.payment {
	case status.PaymentRefundDue:
		c.setPaymentStatus(status.PaymentPaid)
	case status.PaymentRefunded:
		message = " Its advance was already refunded."
	}
	return message
}

// reinstatePayment makes an attempt that was due for refund successful again.
func (c *orderChange) reinstatePayment(a *attemptRow) {
	if !checkTransition(c, status.AttemptTransitions, "The payment attempt", a.status, status.AttemptSucceeded) {
		return
	}
	a.status, a.updatedAt = status.AttemptSucceeded, c.now
	c.err = updateAttempt(c.tx, a)
	c.addAttemptTimeline(a)
	c.setPaymentStatus(paymentOf([]*attemptRow{a}))
}

// refundStarted reports whether a refund of the attempt is in progress, or may be.
func refundStarted(tx *db.Tx, attemptID string) (bool, error) {
	refunds, err := findRefunds(tx, attemptID)
	return slices.ContainsFunc(refunds, func(r *refundRow) bool { return r.isSent() || r.isUncertain() }), err
}

// reserveAgain reserves the stock and the coupon use of a reopened order. Lines stay without a
// reservation if their stock has been sold in the meantime. missing describes them for staff.
func (c *orderChange) reserveAgain() (missing string, err error) {
	var movements []catalogue.Movement
	var reserved []int // the items, by index
	var reservations []catalogue.Reservation
	sold := soldCounts{}
	for i, item := range c.o.items {
		sold.add(item.productID, item.quantity)
		if item.stockReserved {
			reserved = append(reserved, i)
			reservations = append(reservations, catalogue.Reservation{VariantID: item.variantID, Units: item.quantity})
		}
	}
	ok, err := catalogue.ReserveVariants(c.tx, reservations)
	if err != nil {
		return "", err
	}
	for n, i := range reserved {
		item := &c.o.items[i]
		if !ok[n] {
			item.stockReserved = false
			missing += fmt.Sprintf("%d × %s is missing from the stock: count it. ", item.quantity, item.title)
			if err := unreserveItem(c.tx, c.o.number, i+1); err != nil { // the order was posted when it was closed
				return "", err
			}
			continue
		}
		movements = append(movements, catalogue.Movement{VariantID: item.variantID, Delta: -int64(item.quantity)})
		if err := catalogue.TouchProduct(c.tx, item.productID); err != nil {
			return "", err
		}
	}
	if err := sold.save(c.tx); err != nil {
		return "", err
	}
	for _, use := range c.o.couponUses() {
		if err := use.count(c.tx); err != nil {
			return "", err
		}
	}
	return missing, c.s.cfg.Catalogue.RecordMovements(c.tx, &c.o.number, catalogue.MovedByOrder, "", movements)
}

// unreserveItem records that a line has no stock reserved. position starts at 1.
func unreserveItem(tx *db.Tx, orderNumber int64, position int) error {
	if _, err := tx.Exec(`
		UPDATE order_items
		SET stock_taken = 0
		WHERE order_number = ? AND position = ?`, orderNumber, position); err != nil {
		return fmt.Errorf("unreserve order item: %w", err)
	}
	return nil
}
