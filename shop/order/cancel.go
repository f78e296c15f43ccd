package order

import (
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/status"
)

// MaxCancelReason is the maximum length of a cancellation reason, in characters.
const MaxCancelReason = 500

// CancelOrder cancels an order of the caller, or any order for an operator. A caller with the order
// token can cancel it while nothing is paid and nothing is shipped. reason may be "". Stock and the
// coupon use are released, and a payment becomes due for refund. An order that is already cancelled
// is returned unchanged. Codes: validation_failed, not_found (also for an order of another
// customer), not_cancellable, unauthenticated, token_expired, token_invalid.
func (s *Orders) CancelOrder(ctx context.Context, caller access.Caller, invoiceUID, reason string) (*Order, error) {
	if caller.Operator {
		return s.CancelOrderAsStaff(ctx, caller, invoiceUID, reason)
	}
	var bad fault.Invalid
	reason = input.CheckLine(&bad, "reason", reason, MaxCancelReason)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	canceller, err := s.canceller(ctx, caller, uid)
	if err != nil {
		return nil, err
	}
	var as orderView
	var order *orderRow
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if order, as, err = canceller.requireWhole(tx, uid); err != nil {
			return err
		}
		return s.changeOrder(tx, order, ByBuyer).cancel(as, reason)
	})
	if err != nil {
		return nil, err
	}
	return s.viewFor(ctx, caller, order, as)
}

// CancelOrderAsStaff is [Orders.CancelOrder] for staff, who may cancel until the shipment is picked
// up. Codes: validation_failed, not_found, not_cancellable, unauthenticated, forbidden.
func (s *Orders) CancelOrderAsStaff(ctx context.Context, caller access.Caller, invoiceUID, reason string) (*Order, error) {
	check := func() error {
		var bad fault.Invalid
		reason = input.CheckLine(&bad, "reason", reason, MaxCancelReason)
		return bad.Err()
	}
	return s.changeOrderAsStaff(ctx, caller, access.ToCancelOrderAsStaff, invoiceUID, check,
		func(tx *db.Tx, who access.Staff, o *orderRow) error {
			return s.changeAsStaff(tx, o, who).cancel(viewStaff, reason)
		})
}

// canceller returns the reader of a caller who wants to cancel the order with this invoice UID.
// Codes: unauthenticated, token_expired, token_invalid (without the order's token).
func (s *Orders) canceller(ctx context.Context, caller access.Caller, uid string) (orderReader, error) {
	reader, err := s.reader(ctx, caller)
	if err != nil {
		return nil, err
	}
	_, anonymous := s.cfg.Accounts.RequireIdentity(ctx, caller)
	if anonymous == nil {
		return reader, nil
	}
	proven, err := s.proves(ctx, caller.OrderToken, uid)
	if err == nil && !proven {
		err = anonymous
	}
	return reader, err
}

// cancel cancels the order for a caller with this view of it.
func (c *orderChange) cancel(as orderView, reason string) error {
	if err := c.o.checkCancel(as); err != nil {
		return unlessUnchanged(err)
	}
	c.o.cancelReason = reason
	c.setStatus(status.OrderCancelled)
	return c.save()
}

// cancelBlocked returns the reason why a caller with this view of the order cannot cancel it, or ""
// if the caller can.
func (o *orderRow) cancelBlocked(as orderView) string {
	switch {
	case o.status == status.OrderCancelled:
		return "The order is already cancelled."
	case o.status == status.OrderExpired:
		return "The order has expired."
	case o.status == status.OrderReturned:
		return "The order was returned."
	case !status.OrderTransitions.Allow(o.status, status.OrderCancelled):
		return "The order is completed."
	case o.fulfillment != status.Unfulfilled:
		return "The shipment has already been picked up."
	case as == viewOwner || as == viewStaff:
		return ""
	case as == viewMasked:
		return "Sign in with the account that placed the order, or send its order token, to cancel it."
	case o.hasPayment():
		return o.contactToCancel("The order is paid")
	case slices.ContainsFunc(o.shipments, func(shipment *shipmentRow) bool { return shipment.status != status.ShipmentCancelled }):
		return o.contactToCancel("The order is with a courier")
	}
	return ""
}

// hasPayment reports whether money was paid for the order, or may have been.
func (o *orderRow) hasPayment() bool {
	return o.received() > 0 || o.total > 0 && o.payment != status.PaymentUnpaid && o.payment != status.PaymentPending
}

// contactToCancel returns how to cancel an order that its order token can no longer cancel.
func (o *orderRow) contactToCancel(why string) string {
	if o.customerID == nil {
		return why + ": contact the shop to cancel it."
	}
	return why + ": sign in with the account that placed it to cancel it."
}
