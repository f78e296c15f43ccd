package order

import (
	"context"
	"errors"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/status"
)

// Edit is a change of an order by staff. Nil fields are unchanged.
type Edit struct {
	Name        *string
	PhoneNumber *string
	Email       *string // "" removes it
	Address     *account.Address
	Note        *string // "" removes it

	Items            *[]StaffItemInput // replaces all lines
	DeliveryChargeID *string
	DeliveryCharge   *int64         // in minor units, instead of a delivery option
	CouponCode       *string        // "" removes the coupon
	StaffDiscount    *StaffDiscount // an amount of 0 removes it

	// Check, if it is set, refuses the change with an error. It is called in the transaction with
	// the order before the change.
	Check func(StaffOrder) error
	// DryRun returns a preview of the order and changes nothing.
	DryRun bool

	// held are the lines with the prices and stock that the items retain; nil means the order's.
	held []orderItemRow
	// couponOf is the order that has used the coupon; nil means the edited one.
	couponOf *orderRow
	// granted are automatic discounts that the order may retain, beside its own
	granted []grant
}

// Warning is what staff should know about a change that was made nevertheless.
//
//api:enum OrderWarning
type Warning string

// The warnings.
const (
	// The courier has the old address of a shipment.
	WarnOldAddress Warning = "shipment_has_old_address"
	// The link for paying was not sent: the order is a test, or there is nothing to pay online.
	WarnLinkNotSent Warning = "link_not_sent"
	WarnBlocked     Warning = "contact_blocked" // the phone number is blocked
)

// Edited is an order after a change by staff.
type Edited struct {
	StaffOrder
	Warnings []Warning `json:"warnings" nullable:"false"`
}

// editedMessage is the text for buyers about a change of their order by staff.
const editedMessage = "The shop changed the order."

// editsContact reports whether the edit changes the recipient, the address or the note.
func (e *Edit) editsContact() bool {
	return e.Name != nil || e.PhoneNumber != nil || e.Email != nil || e.Address != nil || e.Note != nil
}

// editsItems reports whether the edit changes the order's amounts.
func (e *Edit) editsItems() bool {
	return e.Items != nil || e.DeliveryChargeID != nil || e.DeliveryCharge != nil || e.CouponCode != nil || e.StaffDiscount != nil
}

// setsPrices reports whether the edit needs the permission to set prices.
func (e *Edit) setsPrices() bool {
	return e.DeliveryCharge != nil || e.StaffDiscount != nil || e.Items != nil && setsPrices(*e.Items)
}

// check returns the edit in stored form. country is the shop's.
func (e Edit) check(country string) (Edit, error) {
	var bad fault.Invalid
	if e.Name != nil {
		e.Name = new(input.CheckName(&bad, "customer.name", *e.Name))
	}
	if e.PhoneNumber != nil {
		e.PhoneNumber = new(input.RequirePhone(&bad, "customer.phoneNumber", *e.PhoneNumber, country))
	}
	if e.Email != nil {
		e.Email = new(db.TextOf(input.CheckEmail(&bad, "customer.email", e.Email)))
	}
	if e.Address != nil {
		e.Address = new(account.CheckAddress(&bad, "shippingAddress", *e.Address, country))
	}
	if e.Note != nil {
		e.Note = new(input.CheckNote(&bad, "note", *e.Note, MaxNote))
	}
	if e.Items != nil {
		checkStaffItems(&bad, *e.Items)
	}
	if e.DeliveryChargeID != nil && e.DeliveryCharge != nil {
		bad.Add("deliveryCharge", fault.CodeInvalidValue, "Either a delivery charge or its ID must be sent, not both.")
	}
	checkAmount(&bad, "deliveryCharge", e.DeliveryCharge)
	if e.CouponCode != nil {
		e.CouponCode = new(input.CheckLine(&bad, "couponCode", *e.CouponCode, MaxCouponCode))
	}
	e.StaffDiscount = checkDiscount(&bad, e.StaffDiscount)
	return e, bad.Err()
}

// EditOrder changes an order. Name, phone, e-mail address, shipping address and note can be changed
// until the courier picks the shipment up, all other fields while a cash order is pending or
// confirmed, no shipment is booked and only advances are received. Existing lines retain their
// prices, new ones have today's. The stock changes by the difference, the coupon is checked again,
// and the buyer's timeline shows that the shop has changed the order. Codes: validation_failed,
// not_found, state_conflict, out_of_stock, the coupon codes, delivery_charge_required, forbidden
// (also without orders.discount, for prices and discounts), changed_meanwhile (by edit.Check).
func (s *Orders) EditOrder(ctx context.Context, caller access.Caller, invoiceUID string, edit Edit) (*Edited, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	run := access.Write[*Edited]
	if edit.DryRun {
		run = access.Read[*Edited]
	}
	return run(ctx, s.data, caller, access.ToEditOrder,
		func(tx *db.Tx, who access.Staff) (*Edited, error) {
			edit, err := edit.check(set.Country)
			if err != nil {
				return nil, err
			}
			o, err := requireSentOrder(tx, invoiceUID)
			if err != nil {
				return nil, err
			}
			before := o.auditState()
			result, err := s.editOrder(tx, set, who, o, edit)
			return result, withStatus(err, before)
		})
}

// editOrder changes an order that was read in the same transaction.
func (s *Orders) editOrder(tx *db.Tx, set *Settings, who access.Staff, o *orderRow, edit Edit) (*Edited, error) {
	if err := edit.allow(tx, set, who, o); err != nil {
		return nil, err
	}
	before, state := o.auditContents(), o.auditState()
	c := s.changeAsStaff(tx, o, who)
	if err := o.applyContact(tx, set, edit); err != nil {
		return nil, err
	}
	var stock *stockChange
	if edit.editsItems() {
		if err := o.checkEditItems(tx); err != nil {
			return nil, err
		}
		var err error
		if stock, err = o.applyItems(tx, set, edit); err != nil {
			return nil, err
		}
	}
	changes := o.auditContents().changes(before)
	warnings := []Warning{}
	if len(changes) > 0 {
		var err error
		if warnings, err = o.editWarnings(tx, before); err != nil {
			return nil, err
		}
		c.addTimeline(c.now, TimelineEdited, editedMessage)
		c.followAdvances()
	}
	if len(changes) > 0 && !edit.DryRun {
		if slices.Contains(warnings, WarnOldAddress) {
			c.raiseOldAddress()
		}
		if err := s.saveEdit(c, stock); err != nil {
			return nil, err
		}
		if err := who.Audit(tx, o.subject(), append(changes, o.auditState().changes(state)...)...); err != nil {
			return nil, err
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	view, err := staffView(tx, o, set.Display, who)
	if err != nil {
		return nil, err
	}
	return &Edited{*view, warnings}, nil
}

// allow checks that the caller may edit the order in its present state. Codes: forbidden,
// state_conflict, and the codes of Check.
func (e *Edit) allow(tx *db.Tx, set *Settings, who access.Staff, o *orderRow) error {
	if e.setsPrices() {
		if err := requireDiscountRight(who); err != nil {
			return err
		}
	}
	if e.Check != nil {
		current, err := staffView(tx, o, set.Display, who)
		if err != nil {
			return err
		}
		if err := e.Check(*current); err != nil {
			return err
		}
	}
	if e.editsContact() {
		return o.checkEdit()
	}
	return nil
}

// saveEdit saves an edited order with the changes of the stock and of the coupon uses.
func (s *Orders) saveEdit(c *orderChange, stock *stockChange) error {
	if err := c.save(); err != nil {
		return err
	}
	if stock == nil {
		return nil
	}
	if err := moveCouponUses(c.tx, c.was.couponUses(), c.o.couponUses()); err != nil {
		return err
	}
	return s.changeStock(c.tx, c.o, stock)
}

// moveCouponUses releases the uses that an edited order has no longer, and reserves those that it
// has now. Codes: coupon_usage_limit.
func moveCouponUses(tx *db.Tx, before, now []couponUse) error {
	for _, use := range before {
		i := slices.IndexFunc(now, func(u couponUse) bool { return u.id == use.id })
		var err error
		if i < 0 {
			err = use.release(tx)
		} else {
			err = use.changeDiscount(tx, now[i].discount)
		}
		if err != nil {
			return err
		}
	}
	for _, use := range now {
		if slices.ContainsFunc(before, func(u couponUse) bool { return u.id == use.id }) {
			continue
		}
		if err := use.require(tx); err != nil {
			return err
		}
	}
	return nil
}

// require reserves the use. Codes: coupon_usage_limit.
func (u couponUse) require(tx *db.Tx) error {
	ok, err := u.reserve(tx)
	if err == nil && !ok {
		err = fault.Errorf(fault.CodeCouponUsageLimit, "This coupon has been used up.").WithField("couponCode")
	}
	return err
}

// checkEdit is the rule for changing an order's recipient and address.
func (o *orderRow) checkEdit() error {
	switch {
	case o.status.IsClosed() || o.status == status.OrderCompleted:
		return fault.Errorf(fault.CodeStateConflict, "The order is %s.", o.status)
	case o.fulfillment != status.Unfulfilled:
		return fault.Errorf(fault.CodeStateConflict, "The shipment has already been picked up.")
	}
	return nil
}

// checkEditItems is the rule for changing an order's amounts. Codes: state_conflict.
func (o *orderRow) checkEditItems(tx *db.Tx) error {
	switch {
	case o.status != status.OrderPending && o.status != status.OrderConfirmed:
		return fault.Errorf(fault.CodeStateConflict, "The order is %s: its items can be changed while it is pending or confirmed.", o.status)
	case o.method != status.PayCOD:
		return fault.Errorf(fault.CodeStateConflict, "The order is paid online: its items cannot be changed.")
	case o.payment != status.PaymentUnpaid && !o.paidByAdvances():
		return fault.Errorf(fault.CodeStateConflict, "The payment of the order is %s: its items cannot be changed.", o.payment)
	}
	return o.checkNotWithCourier(tx)
}

// checkNotWithCourier checks that no courier has, or is about to receive, the order's amount to
// collect. Codes: state_conflict.
func (o *orderRow) checkNotWithCourier(tx *db.Tx) error {
	if live := o.openShipments(); len(live) > 0 {
		return fault.Errorf(fault.CodeStateConflict, "A shipment of this order is booked with %s: cancel it first.", live[0].provider.Name())
	}
	if o.fulfillment != status.Unfulfilled {
		return fault.Errorf(fault.CodeStateConflict, "The order was shipped.")
	}
	b, err := findOpenBooking(tx, o.id, "")
	switch {
	case err == nil:
		return fault.Errorf(fault.CodeStateConflict, "A shipment of this order is being booked with %s. Try again in a minute.", b.provider.Name())
	case !errors.Is(err, db.ErrNotFound):
		return err
	}
	capturing, err := isCapturing(tx, o.id, db.Millis(tx.Now().Add(-claimTTL)))
	if err == nil && capturing {
		err = errCapturing()
	}
	return err
}

// editWarnings returns the warnings about the change.
func (o *orderRow) editWarnings(tx *db.Tx, before auditContents) (warnings []Warning, err error) {
	warnings = []Warning{}
	now := o.auditContents()
	if now.name == before.name && now.phone == before.phone && now.address == before.address {
		return warnings, nil
	}
	booked := len(o.openShipments()) > 0
	if !booked {
		_, err := findOpenBooking(tx, o.id, "")
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, err
		}
		booked = err == nil
	}
	if booked {
		warnings = append(warnings, WarnOldAddress)
	}
	return warnings, nil
}
