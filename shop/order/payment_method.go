package order

import (
	"cmp"
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/status"
)

// PaymentMethodInput is the input of [Orders.SetPaymentMethod].
type PaymentMethodInput struct {
	PaymentMethod status.PaymentMethod `json:"paymentMethod" enum:"cod"`
}

// SetPaymentMethod changes an unpaid online order to cash on delivery, with its stock and its
// coupon use. The caller must be the order's owner or have its order token; for others the order is
// not found. Open payment attempts are cancelled. Money that still arrives for one pays the order
// online again, or is due for refund once a courier collects the cash. A cash order is returned
// unchanged. Codes: validation_failed, not_found, state_conflict, payment_method_unavailable,
// forbidden (the phone number is blocked), phone_proof_required, too_many_open_orders.
func (s *Orders) SetPaymentMethod(ctx context.Context, caller access.Caller, invoiceUID string, in PaymentMethodInput) (*Order, error) {
	if in.PaymentMethod != status.PayCOD {
		var bad fault.Invalid
		bad.Add("paymentMethod", fault.CodeInvalidValue, "The payment method must be %s. To pay online, start a payment.", status.PayCOD)
		return nil, bad.Err()
	}
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.cfg.Checkout(ctx)
	if err != nil {
		return nil, err
	}
	reader, err := s.reader(ctx, caller)
	if err != nil {
		return nil, err
	}
	buyer, err := s.cfg.Accounts.IdentityOrGuest(ctx, caller)
	if err != nil {
		return nil, err
	}
	client, err := s.newOrderClient(ctx, caller.Client)
	if err != nil {
		return nil, err
	}
	var order *orderRow
	var as orderView
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if order, as, err = reader.requireWhole(tx, uid); err != nil {
			return err
		}
		customer, err := buyer.Customer(tx)
		if err != nil {
			return err
		}
		return s.changeToCash(tx, set, order, customer, client)
	})
	if err != nil {
		return nil, err
	}
	return s.viewFor(ctx, caller, order, as)
}

func (s *Orders) changeToCash(
	tx *db.Tx, set CheckoutSettings, o *orderRow, customer account.Account, client orderClient,
) error {
	if o.method == status.PayCOD && !o.status.IsClosed() {
		return nil
	}
	blocked := o.paymentBlocked()
	if blocked == "" && o.status != status.OrderPendingPayment {
		blocked = "The order is being delivered."
	}
	if blocked != "" {
		return fault.Errorf(fault.CodeStateConflict, "%s", blocked)
	}
	if err := set.checkPaymentMethod(status.PayCOD); err != nil {
		return err
	}
	c := s.changeOrder(tx, o, ByBuyer)
	capturing, err := isCapturing(tx, o.id, c.now-claimTTL.Milliseconds())
	if err != nil {
		return err
	}
	if capturing {
		return errCapturing()
	}
	c.setMethod(status.PayCOD, set.cashRoundingOf(o.exactTotal()))
	for _, a := range o.attempts {
		if a.status.IsOpen() {
			c.setAttemptStatus(a, status.AttemptCancelled)
		}
	}
	hash, err := set.checkCash(tx, customer, client, o.phone, o.total)
	if err != nil {
		return err
	}
	if err := cmp.Or(set.checkContact(tx, status.PayCOD, o.total, o.phone, customer), c.requireAdvance(set.Settings)); err != nil {
		return err
	}
	c.setStatus(status.OrderPending)
	if set.confirms(o.asked) {
		c.cause = ByShop
		c.setStatus(status.OrderConfirmed)
	}
	o.client = hash
	return c.save()
}

// errCapturing returns the error of a change that must wait until a payment is captured or refused.
func errCapturing() *fault.Error {
	return fault.Errorf(fault.CodeStateConflict, "A payment of the order is being processed. Try again in a minute.")
}

// exactTotal returns the order's total before rounding.
func (o *orderRow) exactTotal() int64 { return o.subtotal - o.discount + o.deliveryCharge }

// setMethod changes the order's payment method, and with it the rounding of its total.
func (c *orderChange) setMethod(to status.PaymentMethod, rounding int64) {
	c.o.method, c.o.rounding, c.o.total = to, rounding, c.o.exactTotal()-rounding
}

// acceptMoney reports whether the order needs the money of an attempt that succeeded. A cash order
// without a courier that collects the cash is then paid online, unless its amount has changed, and
// a closed order is refunded online. Other money is due for refund.
func (c *orderChange) acceptMoney(a *attemptRow) (needed bool) {
	if c.o.method == status.PayCOD {
		collecting, err := c.o.collectsCash(c.tx)
		if err != nil {
			c.err = err
		}
		if a.advance {
			a.advance = c.err == nil && !collecting && c.o.acceptsAdvance(a.amount)
			return a.advance
		}
		// staff have edited the order, or the buyer has paid in advance
		changed := a.amount != c.o.exactTotal() || c.o.received() > 0 || c.o.hasReport()
		if collecting && !c.o.status.IsClosed() || c.o.cashReceived() || changed || c.err != nil {
			return false
		}
		c.setMethod(a.method, 0)
	}
	return c.o.awaitsPayment()
}

// collectsCash reports whether a courier may collect the cash of a cash order.
func (o *orderRow) collectsCash(tx *db.Tx) (bool, error) {
	for _, shipment := range o.shipments {
		if shipment.status != status.ShipmentCancelled && shipment.status != status.ShipmentReturned {
			return true, nil
		}
	}
	_, err := findOpenBooking(tx, o.id, "")
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// cashReceived reports whether the buyer has paid a cash order, even if the money has been refunded
// since.
func (o *orderRow) cashReceived() bool {
	return o.method == status.PayCOD && (o.payment.WasPaid() || o.payment == status.PaymentRefundDue)
}

// cashPayment returns the payment status of a cash order with earlier online attempts. The attempts
// alone would mean an online payment. Money that the order does not need is refunded separately.
func (o *orderRow) cashPayment(online status.Payment) status.Payment {
	switch {
	case o.cashReceived():
		return o.advanceRefund()
	case online == status.PaymentNeedsReview:
		return online
	case o.fulfillment == status.Delivered:
		return status.PaymentPaid
	}
	return status.PaymentUnpaid
}
