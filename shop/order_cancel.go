package shop

import (
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// MaxCancelReason is the maximum length of a cancellation reason, in characters.
const MaxCancelReason = 500

// CancelOrder cancels an order of the caller, or any order for an operator. A caller with the order
// token can cancel it while nothing is paid and nothing is shipped. reason may be "". Stock and the
// coupon use are released, and a payment becomes due for refund. An order that is already cancelled is
// returned unchanged. Codes: validation_failed, not_found (also for an order of another customer),
// not_cancellable, unauthenticated, token_expired, token_invalid.
func (s *Shop) CancelOrder(ctx context.Context, caller access.Caller, invoiceUID, reason string) (*Order, error) {
	var bad fault.Invalid
	reason = input.CheckLine(&bad, "reason", reason, MaxCancelReason)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	canceller, cause, err := s.canceller(ctx, caller, uid)
	if err != nil {
		return nil, err
	}
	var as orderView
	var order *orderRow
	err = s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if order, err = requireOrder(tx, uid); err != nil {
			return err
		}
		if as, err = canceller(tx, order); err != nil {
			return err
		}
		if as == viewMasked {
			return errNoOrder()
		}
		return s.cancelOrder(tx, order, as, cause, reason)
	})
	if err != nil {
		return nil, err
	}
	view := order.view(set.money, as)
	return &view, nil
}

// canceller returns the reader of a caller who wants to cancel the order with this invoice UID.
// Codes: unauthenticated, token_expired, token_invalid (without the order's token).
func (s *Shop) canceller(ctx context.Context, caller access.Caller, uid string) (orderReader, Cause, error) {
	if caller.Operator {
		return func(*db.Tx, *orderRow) (orderView, error) { return viewStaff, nil }, ByStaff, nil
	}
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return nil, "", err
	}
	if !tokens.proves(caller.OrderToken, uid) {
		if _, err := s.Accounts.RequireIdentity(ctx, caller); err != nil {
			return nil, "", err
		}
	}
	reader, err := s.reader(ctx, caller)
	return reader, ByBuyer, err
}

// cancelOrder cancels an order for a caller with this view of it.
func (s *Shop) cancelOrder(tx *db.Tx, o *orderRow, as orderView, cause Cause, reason string) error {
	if o.status == OrderCancelled {
		return nil
	}
	if blocked := o.cancelBlocked(as); blocked != "" {
		return fault.Errorf(fault.CodeNotCancellable, "%s", blocked)
	}
	c := s.changeOrder(tx, o, cause)
	o.cancelReason = reason
	c.setStatus(OrderCancelled)
	return c.save()
}

// cancelBlocked returns why a caller with this view of the order cannot cancel it, or "" if the caller
// can.
func (o *orderRow) cancelBlocked(as orderView) string {
	switch {
	case o.status == OrderCancelled:
		return "The order is already cancelled."
	case o.status == OrderExpired:
		return "The order has expired."
	case o.status == OrderReturned:
		return "The order was returned."
	case !orderTransitions.allow(o.status, OrderCancelled):
		return "The order is completed."
	case o.fulfillment != Unfulfilled:
		return "The shipment has already been picked up."
	case as == viewOwner || as == viewStaff:
		return ""
	case as == viewMasked:
		return "Sign in with the account that placed the order, or send its order token, to cancel it."
	case o.total > 0 && o.payment != PaymentUnpaid && o.payment != PaymentPending:
		return o.contactToCancel("The order is paid")
	case slices.ContainsFunc(o.shipments, func(shipment *shipmentRow) bool { return shipment.status != ShipmentCancelled }):
		return o.contactToCancel("The order is with a courier")
	}
	return ""
}

// contactToCancel returns how an order can be cancelled that its order token does not cancel any more.
func (o *orderRow) contactToCancel(why string) string {
	if o.customerID == nil {
		return why + ": contact the shop to cancel it."
	}
	return why + ": sign in with the account that placed it to cancel it."
}
