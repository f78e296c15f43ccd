package order

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/status"
)

// replacement is the unpaid order that a new order replaces. The stock and the coupon use of an
// abandoned order then do not block its buyer. The zero value replaces nothing.
type replacement struct {
	uid    string
	reader orderReader
	// unnamed means that the caller names no order but can prove one. An order is replaced if it holds
	// stock or a coupon use that the new order lacks.
	unnamed bool
}

// newReplacement returns the replacement of the order with this invoice UID. A nil UID replaces an
// order of the caller only if the new one would be refused otherwise, a blank one replaces nothing.
// Codes: not_found.
func (s *Orders) newReplacement(ctx context.Context, caller access.Caller, invoiceUID *string) (r replacement, err error) {
	switch {
	case invoiceUID == nil && caller.Bearer == "" && caller.OrderToken == "":
		return replacement{}, nil
	case invoiceUID == nil:
		r.unnamed = true
	case strings.TrimSpace(*invoiceUID) == "":
		return replacement{}, nil
	default:
		if r.uid, err = requireInvoiceUID(*invoiceUID); err != nil {
			return replacement{}, errNoReplaced()
		}
	}
	r.reader, err = s.reader(ctx, caller)
	return r, err
}

func errNoReplaced() error {
	return fault.Errorf(fault.CodeNotFound, "No such order.").WithField("replacesOrderId")
}

// find returns the order to replace. It is nil if there is none, or if it has expired and so holds
// nothing. Only its owner and a caller with its order token find it. A cancelled order is refused,
// so that two requests cannot both replace it. Codes: not_found, not_cancellable, state_conflict.
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
	case o.status == status.OrderExpired:
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

// heldAge is the age up to which unpaid orders are searched for the stock that a buyer holds. Older
// ones have expired.
const heldAge = 48 * time.Hour

// maxHeld limits the searched orders of a buyer.
const maxHeld = 10

// isHeld reports whether err refused an order for lack of stock, or of a coupon use, that another
// order of the same buyer may hold.
func isHeld(err error) bool {
	return fault.HasCode(err, fault.CodeOutOfStock) || fault.HasCode(err, fault.CodeCouponUsageLimit) ||
		fault.HasCode(err, fault.CodeCouponCustomerLimit)
}

// findHolding returns the orders of the caller that a new order can replace without naming them,
// newest first. They await an online payment. A guest's orders are found by the phone number.
func (r replacement) findHolding(tx *db.Tx, customer account.Account, phone string) (holding []*orderRow, err error) {
	if !r.unnamed {
		return nil, nil
	}
	since := db.Millis(tx.Now().Add(-heldAge))
	ids, err := db.Query(tx, db.ScanText, `
		SELECT id
		FROM (
			SELECT id, number
			FROM orders
			WHERE customer_id = ? AND placed_at > ? AND status = 'pending_payment'
			UNION
			SELECT id, number
			FROM orders
			WHERE customer_phone = ? AND placed_at > ? AND status = 'pending_payment'
		) AS held
		ORDER BY number DESC
		LIMIT ?`, db.NullText(customer.ID()), since, db.NullText(phone), since, maxHeld)
	if err != nil {
		return nil, fmt.Errorf("find held orders: %w", err)
	}
	for _, id := range ids {
		o, err := replacement{uid: id, reader: r.reader}.find(tx)
		switch _, refused := errors.AsType[*fault.Error](err); {
		case refused: // it belongs to another buyer, or a payment for it is in progress
		case err != nil:
			return nil, err
		case o != nil:
			holding = append(holding, o)
		}
	}
	return holding, nil
}

// replaceBlocked returns the reason why a new order cannot replace the order, or "" if it can.
func (o *orderRow) replaceBlocked(tx *db.Tx) (string, error) {
	if blocked := o.cancelBlocked(viewOwner); blocked != "" {
		return blocked, nil
	}
	switch {
	case o.payment == status.PaymentNeedsReview:
		return "The shop is checking a payment of this order.", nil
	case o.hasPayment():
		return "The order is paid.", nil
	}
	sent, err := o.collectsCash(tx)
	if err != nil {
		return "", err
	}
	if !sent {
		return "", nil
	}
	return "The order is with a courier.", nil
}

// cancelReplaced cancels the order that the order with this number replaces. Its stock and its
// coupon use are available to the latter, in the same transaction.
func (s *Orders) cancelReplaced(tx *db.Tx, o *orderRow, by int64) error {
	c := s.changeOrder(tx, o, ByBuyer)
	o.cancelReason = fmt.Sprintf("Replaced by order %d.", by)
	c.setStatus(status.OrderCancelled)
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
