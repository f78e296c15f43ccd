package shop

import (
	"context"
	"errors"

	"storefront/db"
)

// MaxCancelReason is the longest reason for cancelling, in characters.
const MaxCancelReason = 500

// CancelOrder cancels an order of the caller; staff at the command line cancel any. reason may be
// "". Stock and coupon go back, and what was paid becomes due to be refunded. An order that is
// cancelled already is given back unchanged. Codes: validation_failed, not_found (another's order
// too), not_cancellable, unauthenticated, token_expired, token_invalid.
func (s *Shop) CancelOrder(ctx context.Context, caller Caller, invoiceUID, reason string) (*Order, error) {
	var who identity
	if !caller.Operator {
		var err error
		if who, err = s.requireIdentity(ctx, caller); err != nil {
			return nil, err
		}
	}
	var bad invalid
	reason = checkLine(&bad, "reason", reason, MaxCancelReason)
	if err := bad.err(); err != nil {
		return nil, err
	}
	uid, ok := readInvoiceUID(invoiceUID)
	if !ok {
		return nil, errNoOrder()
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	as := viewOwner
	var order *orderRow
	err = s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		account, err := who.customer(tx)
		if err != nil {
			return err
		}
		if order, err = findOrderRow(tx, uid); err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		if err != nil || !caller.Operator && !order.isOf(account.id) {
			return errNoOrder()
		}
		return s.cancelOrder(tx, order, as, reason)
	})
	if err != nil {
		return nil, err
	}
	answer := order.view(set.money, as)
	return &answer, nil
}

func (s *Shop) cancelOrder(tx *db.Tx, o *orderRow, as orderView, reason string) error {
	if o.status == OrderCancelled {
		return nil
	}
	if blocked := o.cancelBlocked(as); blocked != "" {
		return errorf(CodeNotCancellable, "%s", blocked)
	}
	now := millis(tx.Now())
	o.status, o.cancelReason, o.expiresAt, o.updatedAt = OrderCancelled, reason, nil, now
	events := []orderEventRow{s.addEvent(o, now, "cancelled", "Order cancelled.")}
	if o.payment == PaymentPaid && o.total > 0 {
		o.payment = PaymentRefundDue
		events = append(events, s.addEvent(o, now, "refund_due", "What was paid will be refunded."))
	}
	if err := updateOrderState(tx, o); err != nil {
		return err
	}
	if err := insertEvents(tx, o.id, events); err != nil {
		return err
	}
	if o.couponID != nil {
		if err := giveCouponBack(tx, *o.couponID); err != nil {
			return err
		}
	}
	return s.returnStock(tx, o, movedByCancel)
}
