package order

import (
	"storefront/shop/cash"
	"storefront/shop/status"
)

// amounts are the sums of an order, in minor units. At every moment
// total - returned = paid - refunded + due.
type amounts struct {
	returned int64 // what reduced the order since it was placed; all of a closed order
	paid     int64 // cash, advances and payments received, before refunds
	refunded int64 // what the shop has sent back of it
	due      int64 // still to be paid; negative if the shop owes the buyer
}

// amounts returns the order's sums. Every view, document and message derives its amounts from them.
func (o *orderRow) amounts() amounts {
	a := amounts{returned: o.credited, paid: o.paid, refunded: o.refunded}
	if o.status.IsClosed() {
		a.returned = o.total
	}
	a.due = o.total - a.returned - a.paid + a.refunded
	return a
}

// owed returns what the shop owes the buyer.
func (o *orderRow) owed() int64 { return max(0, -o.amounts().due) }

// cashDue returns the cash that a further shipment of the order would have to collect.
func (o *orderRow) cashDue() int64 {
	if o.method != status.PayCOD || o.payment != status.PaymentUnpaid || o.status.IsClosed() {
		return 0
	}
	return max(0, o.total-o.credited-o.advance-o.prepaid-o.cashPaid) // an online payment that is due for refund does not count
}

// cashToCollect returns the cash that is still to be collected for the order. It is zero once the
// couriers have reported the end of all its shipments.
func (o *orderRow) cashToCollect() int64 {
	reported := false
	for _, p := range o.shipments {
		switch {
		case p.status.IsDone():
			reported = true
		case p.status.MayCollect():
			return o.cashDue()
		}
	}
	if reported {
		return 0
	}
	return o.cashDue()
}

// followAmounts derives what was paid for the order, and what was sent back.
func (c *orderChange) followAmounts() {
	if c.err != nil {
		return
	}
	o := c.o
	if o.method == status.PayCOD {
		c.followCash()
	} else {
		o.cashPaid = 0
	}
	o.paid, o.refunded = o.cashPaid+o.advance, o.cashRefunded
	for _, a := range o.attempts {
		if a.status.MoneyReceived() && a.status != status.AttemptNeedsReview {
			o.paid += a.amount
		}
		o.refunded += a.refunded
	}
}

// followPrepaid derives the advances at gateways from the payment attempts.
func (c *orderChange) followPrepaid() {
	c.o.prepaid = 0
	for _, a := range c.o.attempts {
		if a.advance && a.status.MoneyReceived() && a.status != status.AttemptNeedsReview {
			c.o.prepaid += a.amount - a.refunded
		}
	}
}

// followCash derives the cash that was received on delivery: what couriers collected, or else what
// the order still cost when it was paid.
func (c *orderChange) followCash() {
	o := c.o
	if len(o.shipments) > 0 {
		if c.wrote == (facts{}) && c.was.payment == o.payment {
			return
		}
		rows, err := c.ledger()
		if err != nil {
			c.err = err
			return
		}
		if held := cash.CollectedAmount(rows); held > 0 {
			o.cashPaid = held
			return
		}
	}
	becomesPaid := !c.was.payment.WasPaid() && c.was.payment != status.PaymentRefundDue
	switch {
	case o.payment == status.PaymentPaid && (becomesPaid || c.contentsChanged() && o.fulfillment != status.Delivered),
		o.payment.WasPaid() && c.was.uncollected != o.uncollected:
		o.cashPaid = max(0, o.total-o.advance-o.prepaid-o.uncollected)
	case o.payment == status.PaymentUnpaid:
		o.cashPaid = 0
	}
}
