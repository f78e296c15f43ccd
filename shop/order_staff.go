package shop

import (
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// ConfirmOrder confirms a cash order. A confirmed order is returned unchanged.
// Codes: not_found, state_conflict.
func (s *Shop) ConfirmOrder(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		if o.status == OrderConfirmed {
			return nil
		}
		if o.status == OrderPendingPayment {
			return fault.Errorf(fault.CodeStateConflict, "The order awaits its online payment, which will confirm it.")
		}
		c := s.changeOrder(tx, o, ByStaff)
		c.setStatus(OrderConfirmed)
		return c.save()
	})
}

// ShipmentInput is a shipment that the shop booked with a courier by itself.
type ShipmentInput struct {
	Provider      Provider
	ConsignmentID string
	TrackingCode  string // may be ""
}

// MaxConsignment is the maximum length of a consignment ID or a tracking code, in characters.
const MaxConsignment = 100

// RecordShipment records a shipment of an order without calling the courier. Recording the same
// shipment again changes nothing. Codes: validation_failed, not_found, state_conflict (the order's
// status forbids it, or the consignment belongs to another order).
func (s *Shop) RecordShipment(ctx context.Context, caller access.Caller, invoiceUID string, in ShipmentInput) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	if in.Provider != CourierA && in.Provider != CourierB {
		bad.Add("provider", fault.CodeInvalidValue, "The courier must be %s or %s.", CourierA, CourierB)
	}
	if in.ConsignmentID = input.CheckLine(&bad, "consignmentId", in.ConsignmentID, MaxConsignment); in.ConsignmentID == "" {
		bad.Add("consignmentId", fault.CodeRequired, "The courier's consignment ID is required.")
	}
	in.TrackingCode = input.CheckLine(&bad, "trackingCode", in.TrackingCode, MaxConsignment)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		if slices.ContainsFunc(o.shipments, in.names) {
			return nil
		}
		if blocked := o.shippingBlocked(); blocked != "" {
			return fault.Errorf(fault.CodeStateConflict, "%s", blocked)
		}
		other, err := findConsignmentOrder(tx, in.Provider, in.ConsignmentID)
		if err != nil {
			return err
		}
		if other != "" {
			return fault.Errorf(fault.CodeStateConflict, "Order %s already has this shipment.", other)
		}
		c := s.changeOrder(tx, o, ByStaff)
		shipment := &shipmentRow{
			provider: in.Provider, consignmentID: &in.ConsignmentID, trackingCode: in.TrackingCode, status: ShipmentCreated,
		}
		c.addShipment(shipment, c.now)
		if err := c.save(); err != nil {
			return err
		}
		return s.onConsignmentAssigned(tx, o, shipment)
	})
}

func (in ShipmentInput) names(shipment *shipmentRow) bool {
	return shipment.provider == in.Provider && db.TextOf(shipment.consignmentID) == in.ConsignmentID
}

// shippingBlocked returns a message why the order cannot be shipped, or "" if it can.
func (o *orderRow) shippingBlocked() string {
	switch {
	case o.status == OrderPendingPayment:
		return "The order awaits its online payment."
	case o.status.isClosed() || o.status == OrderCompleted:
		return fmt.Sprintf("The order is %s.", o.status)
	case o.fulfillment == Delivered:
		return "The order was delivered."
	}
	return ""
}

// MarkDelivered records that the buyer received the order, by courier or from the shop itself. Open
// shipments become delivered, except those being returned. A cash order is then paid.
// Codes: not_found, state_conflict.
func (s *Shop) MarkDelivered(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		if o.fulfillment == Delivered {
			if o.method != PayCOD || o.payment != PaymentUnpaid || o.status.isClosed() {
				return nil
			}
			c := s.changeOrder(tx, o, ByStaff) // delivered, but the courier reported no cash
			c.setPaymentStatus(PaymentPaid)
			return c.save()
		}
		if blocked := o.shippingBlocked(); blocked != "" {
			return fault.Errorf(fault.CodeStateConflict, "%s", blocked)
		}
		c := s.changeOrder(tx, o, ByStaff)
		for _, shipment := range o.openShipments() {
			if shipment.status != ShipmentReturning {
				c.setShipmentStatus(shipment, ShipmentDelivered, c.now)
			}
		}
		if fulfillmentOf(o.shipments) != Delivered { // the shipments do not imply it
			c.setFulfillmentStatus(Delivered)
		}
		return c.save()
	})
}

// MarkReturned records that the goods are back at the shop: their stock is released, and a payment
// is due for refund. All items count as returned, since couriers do not report which items of a
// partial delivery stayed with the buyer. A returned order is returned unchanged. Codes: not_found,
// state_conflict.
func (s *Shop) MarkReturned(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		if o.status == OrderReturned {
			return nil
		}
		if o.status != OrderProcessing && o.status != OrderCompleted {
			return fault.Errorf(fault.CodeStateConflict, "The order is %s: it was not shipped.", o.status)
		}
		c := s.changeOrder(tx, o, ByStaff)
		for _, shipment := range o.openShipments() {
			if shipment.status != ShipmentPartiallyDelivered {
				c.setShipmentStatus(shipment, ShipmentReturned, c.now)
			}
		}
		c.setFulfillmentStatus(Returned)
		return c.save()
	})
}

// MarkCashRefunded records that a cash payment was refunded to the buyer. A refunded order is
// returned unchanged. Codes: not_found, state_conflict (no refund is due, or the order was paid
// online: see [Shop.RefundPayment]).
func (s *Shop) MarkCashRefunded(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		switch {
		case o.method != PayCOD:
			return fault.Errorf(fault.CodeStateConflict, "The order was paid online: refund its payment attempts instead.")
		case o.payment == PaymentRefunded:
			return nil
		case o.payment != PaymentRefundDue:
			return fault.Errorf(fault.CodeStateConflict, "The payment of the order is %s: no refund is due.", o.payment)
		}
		c := s.changeOrder(tx, o, ByStaff)
		c.setPaymentStatus(PaymentRefunded)
		return c.save()
	})
}

// openShipments returns the shipments that have not reached a final status.
func (o *orderRow) openShipments() (open []*shipmentRow) {
	for _, shipment := range o.shipments {
		if len(shipmentTransitions[shipment.status]) > 0 {
			open = append(open, shipment)
		}
	}
	return open
}

// changeOrderAsStaff runs change on an order in a transaction and returns the complete order.
func (s *Shop) changeOrderAsStaff(ctx context.Context, invoiceUID string, change func(tx *db.Tx, o *orderRow) error) (*Order, error) {
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var order *orderRow
	err = s.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if order, err = requireOrder(tx, uid); err != nil {
			return err
		}
		return change(tx, order)
	})
	if err != nil {
		return nil, err
	}
	view := order.view(set.money, viewStaff)
	return &view, nil
}
