package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// MaxCancelReason is the maximum length of a cancellation reason, in characters.
const MaxCancelReason = 500

// CancelOrder cancels an order of the caller, or any order for an operator. reason may be "". Stock
// and the coupon use are released, and a payment becomes due for refund. An order that is already
// cancelled is returned unchanged. Codes: validation_failed, not_found (also for an order of
// another customer), not_cancellable, unauthenticated, token_expired, token_invalid.
func (s *Shop) CancelOrder(ctx context.Context, caller access.Caller, invoiceUID, reason string) (*Order, error) {
	var who account.Identity
	if !caller.Operator {
		var err error
		if who, err = s.Accounts.RequireIdentity(ctx, caller); err != nil {
			return nil, err
		}
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
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	cause, as := ByBuyer, viewOwner
	if caller.Operator {
		cause, as = ByStaff, viewWhole
	}
	var order *orderRow
	err = s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		customer, err := who.Customer(tx)
		if err != nil {
			return err
		}
		if order, err = requireOrder(tx, uid); err != nil {
			return err
		}
		if !caller.Operator && !order.isOf(customer.ID()) {
			return errNoOrder()
		}
		return s.cancelOrder(tx, order, cause, reason)
	})
	if err != nil {
		return nil, err
	}
	view := order.view(set.money, as)
	return &view, nil
}

func (s *Shop) cancelOrder(tx *db.Tx, o *orderRow, cause Cause, reason string) error {
	if o.status == OrderCancelled {
		return nil
	}
	if blocked := o.cancelBlocked(viewOwner); blocked != "" {
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
	case as == viewOwner:
		return ""
	case o.customerID == nil:
		return "The order was placed without an account: contact the shop to cancel it."
	}
	return "Sign in with the account that placed the order to cancel it."
}
