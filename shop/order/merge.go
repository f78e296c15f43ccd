package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/status"
)

// MergeInput is the input of [Orders.MergeOrders].
type MergeInput struct {
	OrderID string `json:"orderId" doc:"The other order, by its invoice UID or its number. It is cancelled"`
	// DryRun returns a preview of the order and changes nothing.
	DryRun bool `json:"-"`
}

// MergeOrders adds the items of another order of the same buyer to an order, and cancels the other
// one. Both must be unpaid cash orders that are not confirmed. Lines retain their prices: of two
// prices of a variant, or of one quantity, the lower one applies. The order retains its delivery
// charge, its coupon or else the other's, and both discounts of staff. It can retain the automatic
// discounts of both. The stock of the other order is released and reserved in the same transaction.
// The buyer gets no message of a cancellation. Codes: validation_failed, not_found, state_conflict,
// out_of_stock, the coupon codes.
func (s *Orders) MergeOrders(
	ctx context.Context, caller access.Caller, invoiceUID string, in MergeInput,
) (*StaffOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	run := access.Write[*StaffOrder]
	if in.DryRun {
		run = access.Read[*StaffOrder]
	}
	return run(ctx, s.data, caller, access.ToMergeOrders,
		func(tx *db.Tx, who access.Staff) (*StaffOrder, error) {
			o, err := requireSentOrder(tx, invoiceUID)
			if err != nil {
				return nil, err
			}
			other, err := requireNamedOrder(tx, "orderId", in.OrderID)
			if err != nil {
				return nil, err
			}
			before := o.auditState()
			if err := s.mergeOrders(tx, set, who, o, other, in.DryRun); err != nil {
				return nil, withStatus(err, before)
			}
			return staffView(tx, o, set.Display, who)
		})
}

// requireNamedOrder returns the order that a caller has named in a field by its invoice UID or its
// number. Codes: not_found.
func requireNamedOrder(tx *db.Tx, field, name string) (*orderRow, error) {
	uid, err := namedOrder(tx, name)
	if err != nil {
		if refused, ok := errors.AsType[*fault.Error](err); ok {
			return nil, refused.WithField(field)
		}
		return nil, err
	}
	return requireOrder(tx, uid)
}

// mergeOrders is the change of [Orders.MergeOrders].
func (s *Orders) mergeOrders(
	tx *db.Tx, set *Settings, who access.Staff, o, other *orderRow, isDryRun bool,
) error {
	if err := o.checkMerge(other); err != nil {
		return err
	}
	edit, err := o.mergeEdit(other)
	if err != nil {
		return err
	}
	if edit, err = edit.check(set.Country); err != nil {
		return err
	}
	before, state := o.auditContents(), o.auditState()
	c := s.changeAsStaff(tx, o, who)
	o.note = *edit.Note
	stock, err := o.applyItems(tx, set, edit)
	if err != nil {
		return err
	}
	c.addTimeline(c.now, TimelineReplaces, fmt.Sprintf("It replaces order %d.", other.number))
	if isDryRun {
		return c.err
	}
	otherState := other.auditState()
	if err := s.cancelMerged(tx, who, other, o.number); err != nil {
		return err
	}
	if err := s.saveEdit(c, stock); err != nil {
		return err
	}
	if err := who.Audit(tx, other.subject(), other.auditState().changes(otherState)...); err != nil {
		return err
	}
	changes := append(o.auditContents().changes(before), o.auditState().changes(state)...)
	return who.Audit(tx, o.subject(), append(changes, access.Set("merged", other.number))...)
}

// checkMerge is the rule of [Orders.MergeOrders].
func (o *orderRow) checkMerge(other *orderRow) error {
	switch {
	case o.id == other.id:
		var bad fault.Invalid
		bad.Add("orderId", fault.CodeInvalidValue, "Must be another order.")
		return bad.Err()
	case o.phone != other.phone || o.test != other.test:
		return fault.Errorf(fault.CodeStateConflict, "The orders are not of the same buyer: they have different phone numbers.")
	}
	for _, each := range []*orderRow{o, other} {
		switch {
		case each.status != status.OrderPending || each.method != status.PayCOD || len(each.shipments) > 0:
			return fault.StatusConflict(each.status,
				"Order %d is %s: only cash orders that are not confirmed can be merged.", each.number, each.status)
		case each.asked.amount > 0:
			return fault.Errorf(fault.CodeStateConflict,
				"Order %d awaits an advance: waive it before the orders are merged.", each.number)
		case each.payment != status.PaymentUnpaid || each.received() > 0:
			return fault.Errorf(fault.CodeStateConflict,
				"Money was received for order %d: only unpaid orders can be merged.", each.number)
		}
	}
	return nil
}

// mergeEdit returns the edit that adds the other order's items, discounts and note.
func (o *orderRow) mergeEdit(other *orderRow) (Edit, error) {
	held := slices.Clone(o.items)
	for _, item := range other.items {
		same := findItem(held, item.variantID)
		if same == nil {
			held = append(held, item)
			continue
		}
		same.quantity += item.quantity
		same.unitPrice = min(same.unitPrice, item.unitPrice)
		var err error
		if same.quantityPrices, err = mergeQuantityPrices(same.quantityPrices, item.quantityPrices); err != nil {
			return Edit{}, err
		}
		same.stockReserved = same.stockReserved || item.stockReserved
	}
	items := make([]StaffItemInput, len(held))
	for i, item := range held {
		items[i] = StaffItemInput{VariantID: item.variantID, Quantity: item.quantity}
	}
	edit := Edit{Items: &items, held: held, granted: other.grants(), Note: new(joinNotes(o.note, other.note))}
	if o.couponCode == nil && other.couponCode != nil {
		edit.CouponCode, edit.couponOf = other.couponCode, other
	}
	if other.staffDiscount > 0 {
		edit.StaffDiscount = &StaffDiscount{
			Amount: o.staffDiscount + other.staffDiscount, Reason: cmp.Or(o.discountReason, other.discountReason),
		}
	}
	return edit, nil
}

// mergeQuantityPrices returns the quantity prices of both, as stored; of two prices, the lower one.
func mergeQuantityPrices(a, b string) (string, error) {
	first, err := catalogue.ParseQuantityPrices(a)
	if err != nil {
		return "", err
	}
	second, err := catalogue.ParseQuantityPrices(b)
	return first.Merge(second).Text(), err
}

// joinNotes returns the notes of merged orders, as far as they fit.
func joinNotes(note, other string) string {
	joined := note + "\n" + other
	switch {
	case other == "" || note == other:
		return note
	case note == "":
		return other
	case len([]rune(joined)) > MaxNote:
		return note
	}
	return joined
}

// cancelMerged cancels an order after its items were added to the order with this number.
func (s *Orders) cancelMerged(tx *db.Tx, who access.Staff, o *orderRow, into int64) error {
	c := s.changeAsStaff(tx, o, who)
	c.isMerged = true
	o.cancelReason = fmt.Sprintf("Merged into order %d.", into)
	c.setStatus(status.OrderCancelled)
	c.addTimeline(c.now, TimelineReplaced, fmt.Sprintf("Replaced by order %d.", into))
	return c.save()
}
