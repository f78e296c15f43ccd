package shop

import (
	"context"
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// replacement names the unpaid order that a new order replaces, so that a buyer who abandoned a
// payment is not blocked by the stock and the coupon use of that order. The zero value replaces
// nothing.
type replacement struct {
	uid    string
	reader orderReader
}

// newReplacement returns the replacement of the order with this invoice UID. A nil or blank UID
// replaces nothing. Codes: not_found.
func (s *Shop) newReplacement(ctx context.Context, caller access.Caller, invoiceUID *string) (r replacement, err error) {
	if strings.TrimSpace(db.TextOf(invoiceUID)) == "" {
		return replacement{}, nil
	}
	if r.uid, err = requireInvoiceUID(*invoiceUID); err != nil {
		return replacement{}, errNoReplaced()
	}
	r.reader, err = s.reader(ctx, caller)
	return r, err
}

func errNoReplaced() error {
	return fault.Errorf(fault.CodeNotFound, "No such order.").WithField("replacesOrderId")
}

// find returns the order to replace. It is nil if there is none, or if it has expired and so holds
// nothing any more. A caller who is neither its owner nor has its order token does not find it. An
// order that is cancelled is refused, so that two requests cannot both replace it. Codes:
// not_found, not_cancellable, state_conflict.
func (r replacement) find(tx *db.Tx) (*orderRow, error) {
	if r.uid == "" {
		return nil, nil
	}
	o, err := requireOrder(tx, r.uid)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil, errNoReplaced()
	}
	if err != nil {
		return nil, err
	}
	as, err := r.reader(tx, o)
	switch {
	case err != nil:
		return nil, err
	case as == viewMasked:
		return nil, errNoReplaced()
	case o.status == OrderExpired:
		return nil, nil
	}
	blocked, err := o.replaceBlocked(tx)
	if err != nil {
		return nil, err
	}
	if blocked != "" {
		return nil, fault.Errorf(fault.CodeNotCancellable, "%s", blocked).WithField("replacesOrderId")
	}
	capturing, err := isCapturing(tx, o.id, db.Millis(tx.Now().Add(-claimTTL)))
	if err != nil {
		return nil, err
	}
	if capturing {
		return nil, errCapturing().WithField("replacesOrderId")
	}
	return o, nil
}

// replaceBlocked returns why a new order cannot replace the order, or "" if it can.
func (o *orderRow) replaceBlocked(tx *db.Tx) (string, error) {
	if blocked := o.cancelBlocked(viewOwner); blocked != "" {
		return blocked, nil
	}
	switch {
	case o.payment == PaymentNeedsReview:
		return "The shop is checking a payment of this order.", nil
	case o.hasPayment():
		return "The order is paid.", nil
	}
	sent, err := o.collectsCash(tx)
	if err != nil || !sent {
		return "", err
	}
	return "The order is with a courier.", nil
}

// cancelReplaced cancels an order that the order with this number replaces: its stock and its
// coupon use are available to that order, in the same transaction.
func (s *Shop) cancelReplaced(tx *db.Tx, o *orderRow, by int64) error {
	c := s.changeOrder(tx, o, ByBuyer)
	o.cancelReason = fmt.Sprintf("Replaced by order %d.", by)
	c.setStatus(OrderCancelled)
	c.addTimeline(c.now, TimelineReplaced, o.cancelReason)
	return c.save()
}

// releaseTo adds the stock that the order holds to the stock of lines.
func (o *orderRow) releaseTo(lines []orderLine) {
	for _, item := range o.items {
		for i := range lines {
			if item.stockReserved && lines[i].variantID == item.variantID {
				lines[i].stock += int64(item.quantity)
			}
		}
	}
}
