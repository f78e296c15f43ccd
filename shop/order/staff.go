package order

import (
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/job"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// ConfirmOrder confirms a cash order. A confirmed order is returned unchanged.
// Codes: not_found, state_conflict.
func (s *Orders) ConfirmOrder(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	return s.confirmChecked(ctx, caller, invoiceUID, (*orderRow).checkConfirm)
}

// confirmChecked confirms a cash order if rule permits it.
func (s *Orders) confirmChecked(
	ctx context.Context, caller access.Caller, invoiceUID string, rule func(o *orderRow) error,
) (*Order, error) {
	return s.changeOrderAsStaff(ctx, caller, access.ToConfirmOrder, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) error {
			if err := rule(o); err != nil {
				return unlessUnchanged(err)
			}
			return s.confirmOrder(tx, who, o)
		})
}

func (s *Orders) confirmOrder(tx *db.Tx, who access.Staff, o *orderRow) error {
	if err := o.checkConfirm(); err != nil {
		return unlessUnchanged(err)
	}
	c := s.changeAsStaff(tx, o, who)
	c.setStatus(status.OrderConfirmed)
	return c.save()
}

// ShipmentInput is a shipment that the shop booked with a courier by itself.
type ShipmentInput struct {
	Provider      plugin.Provider
	ConsignmentID string
	TrackingCode  string // may be ""
}

// RecordShipment records a shipment of an order without calling the courier. Recording the same
// shipment again changes nothing. Codes: validation_failed, not_found, state_conflict (the order's
// status forbids it, or the consignment belongs to another order).
func (s *Orders) RecordShipment(ctx context.Context, caller access.Caller, invoiceUID string, in ShipmentInput) (*StaffOrder, error) {
	return s.changeStaffOrder(ctx, caller, access.ToRecordShipment, invoiceUID, in.check,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			return nil, s.recordShipment(tx, who, o, in)
		})
}

// check checks the input and converts it to its stored form. Codes: validation_failed.
func (in *ShipmentInput) check() error {
	var bad fault.Invalid
	if in.Provider != plugin.CourierA && in.Provider != plugin.CourierB {
		bad.Add("provider", fault.CodeInvalidValue, "The courier must be %s or %s.", plugin.CourierA, plugin.CourierB)
	}
	if in.ConsignmentID = input.CheckLine(&bad, "consignmentId", in.ConsignmentID, plugin.MaxConsignment); in.ConsignmentID == "" {
		bad.Add("consignmentId", fault.CodeRequired, "The courier's consignment ID is required.")
	}
	in.TrackingCode = input.CheckLine(&bad, "trackingCode", in.TrackingCode, plugin.MaxConsignment)
	return bad.Err()
}

// recordShipment is the change of [Orders.RecordShipment].
func (s *Orders) recordShipment(tx *db.Tx, who access.Staff, o *orderRow, in ShipmentInput) error {
	if slices.ContainsFunc(o.shipments, in.names) {
		return nil
	}
	if err := o.checkShipping(); err != nil {
		return err
	}
	other, err := findConsignmentOrder(tx, in.Provider, in.ConsignmentID)
	if err != nil {
		return err
	}
	if other != "" {
		return fault.Errorf(fault.CodeStateConflict, "Order %s already has this shipment.", other)
	}
	c := s.changeAsStaff(tx, o, who)
	shipment := &shipmentRow{
		provider: in.Provider, consignmentID: &in.ConsignmentID, trackingCode: in.TrackingCode, status: status.ShipmentCreated,
	}
	c.addShipment(shipment, c.now)
	c.linkOpenBooking(shipment)
	if err := c.save(); err != nil {
		return err
	}
	return s.applyPendingWebhooks(tx, o, in.Provider, in.ConsignmentID)
}

func (in ShipmentInput) names(shipment *shipmentRow) bool {
	return shipment.provider == in.Provider && db.TextOf(shipment.consignmentID) == in.ConsignmentID
}

// shippingBlocked returns a message with the reason why the order cannot be shipped, or "" if it
// can.
func (o *orderRow) shippingBlocked() string {
	switch {
	case o.status == status.OrderPendingPayment:
		return "The order awaits its online payment."
	case o.status.IsClosed() || o.status == status.OrderCompleted:
		return fmt.Sprintf("The order is %s.", o.status)
	case o.fulfillment == status.Delivered:
		return "The order was delivered."
	}
	return ""
}

// MarkDelivered records that the buyer received the order, by courier or from the shop itself. An
// order without a shipment must have been confirmed. Open shipments become delivered, except those
// being returned and those that would collect the order's cash again. A cash order is then paid.
// restock are the units that the buyer did not accept: they reduce the order by credit lines, and
// those fit for sale are added to the stock. nil means none, and leaves a delivered order
// unchanged; otherwise restock corrects the earlier statement.
// Codes: validation_failed (also if all units came back, which is a return), not_found,
// state_conflict (also if units to be subtracted again have been sold).
func (s *Orders) MarkDelivered(
	ctx context.Context, caller access.Caller, invoiceUID string, restock []RestockInput,
) (*Order, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, caller, access.ToMarkDelivered, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) error { return s.markDelivered(tx, who, o, restock, set) })
}

func (s *Orders) markDelivered(tx *db.Tx, who access.Staff, o *orderRow, restock []RestockInput, set *Settings) error {
	refused, err := o.notAccepted(restock, set)
	if err != nil {
		return err
	}
	c := s.changeAsStaff(tx, o, who)
	switch err = o.checkDelivered(); {
	case err == nil:
		if err := c.saveNotAccepted(who, refused); err != nil {
			return err
		}
		return c.saveDelivered()
	case job.IsUnchanged(err) && restock != nil:
		if err := o.checkRestock(); err != nil {
			return err
		}
		if err := c.saveNotAccepted(who, refused); err != nil {
			return err
		}
		return c.save()
	}
	return unlessUnchanged(err)
}

func (c *orderChange) saveDelivered() error {
	if c.o.fulfillment == status.Delivered { // but the courier reported no cash
		c.setPaymentStatus(status.PaymentPaid)
		return c.save()
	}
	c.deliverShipments()
	if fulfillmentOf(c.o.shipments) != status.Delivered { // the shipments do not imply it
		c.setFulfillmentStatus(status.Delivered)
	}
	return c.save()
}

// MarkReturned records that the goods are back at the shop: their stock is released, and a payment
// is due for refund. restock are the saleable units; nil means all, except the units that
// MarkDelivered has restocked. The others are subtracted from the stock as damaged. A returned
// order is returned unchanged, unless restock names other units than before. Codes:
// validation_failed, not_found, state_conflict (also if units that are damaged now have been sold).
func (s *Orders) MarkReturned(ctx context.Context, caller access.Caller, invoiceUID string, restock []RestockInput) (*Order, error) {
	return s.changeOrderAsStaff(ctx, caller, access.ToMarkReturned, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) error { return s.markReturned(tx, who, o, restock) })
}

func (s *Orders) markReturned(tx *db.Tx, who access.Staff, o *orderRow, restock []RestockInput) error {
	damaged, err := o.damagedUnits(restock)
	if err != nil {
		return err
	}
	err = o.checkReturned()
	if job.IsUnchanged(err) && restock != nil {
		return s.writeOffDamaged(tx, o, damaged)
	}
	if err != nil {
		return unlessUnchanged(err)
	}
	c := s.changeAsStaff(tx, o, who)
	for _, shipment := range o.openShipments() {
		if shipment.status != status.ShipmentPartiallyDelivered {
			c.setShipmentStatus(shipment, status.ShipmentReturned, c.now)
		}
	}
	c.setFulfillmentStatus(status.Returned)
	if err := c.save(); err != nil {
		return err
	}
	return s.writeOffDamaged(tx, o, damaged)
}

// MarkCashRefunded records that money of a cash order was refunded to the buyer: the amount due, or
// a part of the money received. A refunded order is returned unchanged if the input names neither
// an amount nor units. Codes: validation_failed, not_found, state_conflict (no refund is due, a
// repeated amount is not confirmed, or the order was paid online: see [Orders.RefundPayment]).
func (s *Orders) MarkCashRefunded(ctx context.Context, caller access.Caller, invoiceUID string, in RefundInput) (*Order, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, caller, access.ToMarkCashRefunded, invoiceUID, in.check,
		func(tx *db.Tx, who access.Staff, o *orderRow) error {
			rule := o.checkRefundPart
			if in.isWhole() {
				rule = o.checkCashRefund
			}
			if err := rule(); err != nil {
				return unlessUnchanged(err)
			}
			return s.changeAsStaff(tx, o, who).refundCash(who, in, set.Currency)
		})
}

// cashHeld returns the cash that the shop received for the order and has not sent back.
func (o *orderRow) cashHeld() int64 { return max(0, o.cashPaid+o.advance-o.cashRefunded) }

// openShipments returns the shipments that have not reached a final status.
func (o *orderRow) openShipments() (open []*shipmentRow) {
	for _, shipment := range o.shipments {
		if len(status.ShipmentTransitions[shipment.status]) > 0 {
			open = append(open, shipment)
		}
	}
	return open
}

// staffChange changes an order in a use case of staff. It returns what is audited beside the
// statuses of the order.
type staffChange func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error)

// changeAsStaff executes a use case of staff on an order, and returns view's result. check checks
// the input before the order is read; nil accepts any. The change is audited if it saved the order
// or returned changes. Codes: not_found, and those of the functions.
func changeAsStaff[T any](
	ctx context.Context, s *Orders, caller access.Caller, use access.UseCase, invoiceUID string, check func() error, change staffChange,
	view func(tx *db.Tx, who access.Staff, o *orderRow) (*T, error),
) (*T, error) {
	return access.Write(ctx, s.data, caller, use, func(tx *db.Tx, who access.Staff) (*T, error) {
		if check != nil {
			if err := check(); err != nil {
				return nil, err
			}
		}
		o, err := requireSentOrder(tx, invoiceUID)
		if err != nil {
			return nil, err
		}
		undo, err := beginUndoable(tx, who, caller.Undo, o)
		if err != nil {
			return nil, err
		}
		before := o.auditState()
		changes, err := change(tx, who, o)
		if err != nil {
			return nil, withStatus(err, before)
		}
		if o.saved || len(changes) > 0 {
			if err := undo.save(tx, o); err != nil {
				return nil, err
			}
			if err := who.Audit(tx, o.subject(), append(changes, o.auditState().changes(before)...)...); err != nil {
				return nil, err
			}
		}
		return view(tx, who, o)
	})
}

// changeOrderAsStaff is changeAsStaff that returns the complete order.
func (s *Orders) changeOrderAsStaff(
	ctx context.Context, caller access.Caller, use access.UseCase, invoiceUID string, check func() error,
	change func(tx *db.Tx, who access.Staff, o *orderRow) error,
) (*Order, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return changeAsStaff(ctx, s, caller, use, invoiceUID, check,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			return nil, change(tx, who, o)
		},
		func(_ *db.Tx, _ access.Staff, o *orderRow) (*Order, error) {
			return new(o.view(set.Display, viewStaff)), nil
		})
}
