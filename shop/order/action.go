package order

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/status"
)

// Action reports whether a use case of staff would change an order now.
type Action struct {
	Allowed bool        `json:"allowed"`
	Code    *fault.Code `json:"code"`    // the reason if it is not allowed; null if it is
	Message *string     `json:"message"` // the same for people
}

// Actions are the caller's possible actions on an order. Each follows from its use case's
// rule.
type Actions struct {
	Confirm   Action `json:"confirm"`
	Cancel    Action `json:"cancel"`
	Edit      Action `json:"edit"`      // name, phone, address, note
	EditItems Action `json:"editItems"` // items, delivery charge, coupon, discount
	Advance   Action `json:"advance"`   // record or remove an advance
	Book      Action `json:"book"`
	Enter     Action `json:"enter"` // record a shipment that was booked elsewhere
	Deliver   Action `json:"deliver"`
	Restock   Action `json:"restock"` // deliver with returned units, also once it is delivered
	Return    Action `json:"return"`
	Refund    Action `json:"refund"` // record that a cash payment was refunded
	// refund an amount or units of a cash payment that was received
	RefundPart   Action `json:"refundPart"`
	RemoveCredit Action `json:"removeCredit"` // unless money was refunded for it
	LookUpBuyer  Action `json:"lookUpBuyer"`  // look the buyer up at a courier
}

// unlessUnchanged returns the error of a rule, and nil if the use case has nothing to do.
func unlessUnchanged(err error) error {
	if _, ok := errors.AsType[job.Unchanged](err); ok {
		return nil
	}
	return err
}

// checkConfirm is the rule of [Orders.ConfirmOrder].
func (o *orderRow) checkConfirm() error {
	switch {
	case o.status == status.OrderConfirmed:
		return job.Unchanged("The order is already confirmed.")
	case o.status == status.OrderPendingPayment:
		return fault.Errorf(fault.CodeStateConflict, "The order awaits its online payment, which will confirm it.")
	case o.advanceDue() > 0:
		return errAdvanceOpen()
	case !status.OrderTransitions.Allow(o.status, status.OrderConfirmed):
		return errStateConflict("The order", o.status, status.OrderConfirmed)
	}
	return nil
}

// checkConfirmMany is the rule of confirming many orders.
func (o *orderRow) checkConfirmMany(in BulkOptions) error {
	err := o.checkConfirm()
	if err == nil && in.SkipShortAddresses && o.hasShortAddress() {
		short := fault.Errorf(fault.CodeStateConflict, "The address is too short for couriers: check it first.")
		short.Details = map[string]any{job.FieldDetail: "shippingAddress"}
		return short
	}
	return err
}

// checkCancel is the rule of [Orders.CancelOrder] for a caller with this view of the order.
func (o *orderRow) checkCancel(as orderView) error {
	blocked := o.cancelBlocked(as)
	switch {
	case blocked == "":
		return nil
	case o.status == status.OrderCancelled:
		return job.Unchanged(blocked)
	}
	return fault.Errorf(fault.CodeNotCancellable, "%s", blocked)
}

// checkShipping is the rule of [Orders.RecordShipment], and a part of [Orders.BookShipment]'s.
func (o *orderRow) checkShipping() error {
	if blocked := o.shippingBlocked(); blocked != "" {
		return fault.Errorf(fault.CodeStateConflict, "%s", blocked)
	}
	return nil
}

// checkDelivered is the rule of [Orders.MarkDelivered].
func (o *orderRow) checkDelivered() error {
	switch {
	case o.fulfillment == status.Delivered:
	case o.status == status.OrderPending && len(o.shipments) == 0:
		return fault.Errorf(fault.CodeStateConflict, "The order is not confirmed: confirm it first.")
	default:
		return o.checkShipping()
	}
	if o.method != status.PayCOD || o.payment != status.PaymentUnpaid || o.status.IsClosed() {
		return job.Unchanged("The order was delivered.")
	}
	return nil // delivered, but the courier reported no cash
}

// checkRestock is the rule of [Orders.MarkDelivered] with returned units.
func (o *orderRow) checkRestock() error {
	switch {
	case o.fulfillment != status.Delivered:
		return o.checkDelivered()
	case o.status.IsClosed():
		return fault.StatusConflict(o.status, "The order is %s: its stock was released.", o.status)
	}
	return nil
}

// checkReturned is the rule of [Orders.MarkReturned].
func (o *orderRow) checkReturned() error {
	switch o.status {
	case status.OrderReturned:
		return job.Unchanged("The order was returned.")
	case status.OrderProcessing, status.OrderCompleted:
		return nil
	}
	return fault.Errorf(fault.CodeStateConflict, "The order is %s: it was not shipped.", o.status)
}

// checkCashRefund is the rule of [Orders.MarkCashRefunded].
func (o *orderRow) checkCashRefund() error {
	switch {
	case o.method != status.PayCOD:
		return fault.Errorf(fault.CodeStateConflict, "The order was paid online: refund its payment attempts instead.")
	case o.payment == status.PaymentRefunded:
		return job.Unchanged("The payment was refunded.")
	case o.cashHeld() == 0 && o.prepaid > 0:
		return fault.Errorf(fault.CodeStateConflict, "The advance was paid online: refund its payment attempt instead.")
	case o.payment != status.PaymentRefundDue && min(o.owed(), o.cashHeld()) == 0:
		return fault.Errorf(fault.CodeStateConflict, "The payment of the order is %s: no refund is due.", o.payment)
	}
	return nil
}

// checkRefundPart is the rule of [Orders.MarkCashRefunded] for an amount or units.
func (o *orderRow) checkRefundPart() error {
	switch {
	case o.method != status.PayCOD:
		return fault.Errorf(fault.CodeStateConflict, "The order was paid online: refund its payment attempts instead.")
	case !o.cashReceived() || o.cashHeld() == 0:
		return fault.Errorf(fault.CodeStateConflict, "The payment of the order is %s: there is nothing to refund.", o.payment)
	}
	return nil
}

// actionOf returns the result of a rule for a caller, or for anybody if who is nil.
func actionOf(who access.Staff, use access.UseCase, rule error) (a Action, err error) {
	if p := use.Permission; who != nil && !who.Permits(p) {
		rule = fault.Errorf(fault.CodeForbidden, "Your role does not include this. An owner of the shop can allow it.")
	}
	var known *fault.Error
	switch {
	case rule == nil:
		return Action{Allowed: true}, nil
	case job.IsUnchanged(rule):
		return Action{Code: new(fault.CodeStateConflict), Message: new(rule.Error())}, nil
	case errors.As(rule, &known):
		return Action{Code: &known.Code, Message: &known.Message}, nil
	}
	return Action{}, fmt.Errorf("check order: %w", rule)
}

// actions returns the caller's possible actions on the order.
func (o *orderRow) actions(tx *db.Tx, who access.Staff) (all Actions, err error) {
	_, booking := o.checkBooking(tx, BookingInput{})
	looksUpBuyers, err := findFlag(tx, "courierRecords")
	if err != nil {
		return Actions{}, err
	}
	asking := o.checkLookUp(looksUpBuyers)
	for _, a := range []struct {
		into *Action
		use  access.UseCase
		rule error
	}{
		{&all.Confirm, access.ToConfirmOrder, o.checkConfirm()},
		{&all.Cancel, access.ToCancelOrderAsStaff, o.checkCancel(viewStaff)},
		{&all.Edit, access.ToEditOrder, o.checkEdit()},
		{&all.EditItems, access.ToEditOrder, o.checkEditItems(tx)},
		{&all.Advance, access.ToRecordAdvance, o.checkAdvance(tx)},
		{&all.Book, access.ToBookShipment, booking},
		{&all.Enter, access.ToRecordShipment, o.checkShipping()},
		{&all.Deliver, access.ToMarkDelivered, o.checkDelivered()},
		{&all.Restock, access.ToMarkDelivered, o.checkRestock()},
		{&all.Return, access.ToMarkReturned, o.checkReturned()},
		{&all.Refund, access.ToMarkCashRefunded, o.checkCashRefund()},
		{&all.RefundPart, access.ToMarkCashRefunded, o.checkRefundPart()},
		{&all.RemoveCredit, access.ToRemoveCredit, o.checkRemoveCredit()},
		{&all.LookUpBuyer, access.ToLookUpBuyer, asking},
	} {
		if *a.into, err = actionOf(who, a.use, a.rule); err != nil {
			return Actions{}, err
		}
	}
	return all, nil
}
