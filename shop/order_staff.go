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

// ConfirmOrder says that the shop takes on a cash order. One that it has taken on already is given
// back unchanged. Codes: not_found, state_conflict.
func (s *Shop) ConfirmOrder(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		if o.status == OrderConfirmed {
			return nil
		}
		if o.status == OrderPendingPayment {
			return fault.Errorf(fault.CodeStateConflict, "The order waits for its online payment, which confirms it.")
		}
		c := s.changeOrder(tx, o, ByStaff)
		c.move(OrderConfirmed)
		return c.save()
	})
}

// ShipmentInput is a parcel that the shop has handed to a courier itself.
type ShipmentInput struct {
	Provider      Provider
	ConsignmentID string
	TrackingCode  string // "": none
}

// MaxConsignment is the longest name of a parcel or of its tracking, in characters.
const MaxConsignment = 100

// RecordShipment writes down a parcel of an order; no courier is called. The same parcel again changes
// nothing. Codes: validation_failed, not_found, state_conflict (of the order, or another order has
// this consignment).
func (s *Shop) RecordShipment(ctx context.Context, caller access.Caller, invoiceUID string, in ShipmentInput) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	if in.Provider != CourierA && in.Provider != CourierB {
		bad.Add("provider", fault.CodeInvalidValue, "A courier is %s or %s.", CourierA, CourierB)
	}
	if in.ConsignmentID = input.CheckLine(&bad, "consignmentId", in.ConsignmentID, MaxConsignment); in.ConsignmentID == "" {
		bad.Add("consignmentId", fault.CodeRequired, "Give the courier's number of the parcel.")
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
			return fault.Errorf(fault.CodeStateConflict, "Order %s has this parcel already.", other)
		}
		c := s.changeOrder(tx, o, ByStaff)
		parcel := &shipmentRow{
			provider: in.Provider, consignmentID: &in.ConsignmentID, trackingCode: in.TrackingCode, status: ShipmentCreated,
		}
		c.addShipment(parcel, c.now)
		if err := c.save(); err != nil {
			return err
		}
		return s.onConsignmentAssigned(tx, o, parcel)
	})
}

func (in ShipmentInput) names(p *shipmentRow) bool {
	return p.provider == in.Provider && db.TextOf(p.consignmentID) == in.ConsignmentID
}

// shippingBlocked says in words why nothing of the order can be sent; "": it can.
func (o *orderRow) shippingBlocked() string {
	switch {
	case o.status == OrderPendingPayment:
		return "The order waits for its online payment."
	case o.status.isClosed() || o.status == OrderCompleted:
		return fmt.Sprintf("The order is %s.", o.status)
	case o.fulfillment == Delivered:
		return "The order was delivered."
	}
	return ""
}

// MarkDelivered says that the buyer has the order: its parcels were delivered, or the shop brought
// it itself. Parcels that come back stay on their way. A cash order is then paid. Codes: not_found,
// state_conflict.
func (s *Shop) MarkDelivered(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		if o.fulfillment == Delivered {
			return nil
		}
		if blocked := o.shippingBlocked(); blocked != "" {
			return fault.Errorf(fault.CodeStateConflict, "%s", blocked)
		}
		c := s.changeOrder(tx, o, ByStaff)
		for _, p := range o.openShipments() {
			if p.status != ShipmentReturning {
				c.moveShipment(p, ShipmentDelivered, c.now)
			}
		}
		if fulfillmentOf(o.shipments) != Delivered { // parcels do not say it
			c.moveFulfillment(Delivered)
		}
		return c.save()
	})
}

// MarkReturned says that the goods are back: stock goes up, and what was paid is due to be
// refunded. All items count as back, since couriers do not say what a partial delivery left with
// the buyer. An order that is returned already is given back unchanged.
// Codes: not_found, state_conflict.
func (s *Shop) MarkReturned(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		if o.status == OrderReturned {
			return nil
		}
		if o.status != OrderProcessing && o.status != OrderCompleted {
			return fault.Errorf(fault.CodeStateConflict, "The order is %s: nothing of it was sent.", o.status)
		}
		c := s.changeOrder(tx, o, ByStaff)
		for _, p := range o.openShipments() {
			if p.status != ShipmentPartiallyDelivered {
				c.moveShipment(p, ShipmentReturned, c.now)
			}
		}
		c.moveFulfillment(Returned)
		return c.save()
	})
}

// MarkCashRefunded says that the buyer has the money back that was paid in cash; no gateway knows of
// it. An order whose money is back already is given back unchanged. Codes: not_found, state_conflict
// (nothing is to be given back, or it was paid online: see [Shop.RefundPayment]).
func (s *Shop) MarkCashRefunded(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		switch {
		case o.method != PayCOD:
			return fault.Errorf(fault.CodeStateConflict, "The order is paid online: its payments are given back one by one.")
		case o.payment == PaymentRefunded:
			return nil
		case o.payment != PaymentRefundDue:
			return fault.Errorf(fault.CodeStateConflict, "The payment of the order is %s: there is nothing to give back.", o.payment)
		}
		c := s.changeOrder(tx, o, ByStaff)
		c.movePayment(PaymentRefunded)
		return c.save()
	})
}

// openShipments are the parcels that are not at their end.
func (o *orderRow) openShipments() (open []*shipmentRow) {
	for _, p := range o.shipments {
		if len(shipmentMoves[p.status]) > 0 {
			open = append(open, p)
		}
	}
	return open
}

// changeOrderAsStaff runs change on an order and gives the order as it then stands, whole.
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
	answer := order.view(set.money, viewWhole)
	return &answer, nil
}
