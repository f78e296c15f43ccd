package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// ShipmentSelection selects one shipment of an order. The zero value selects the only open one.
type ShipmentSelection struct {
	Provider      plugin.Provider // "" means any
	ConsignmentID string          // "" means any
}

func (in ShipmentSelection) matches(shipment *shipmentRow) bool {
	return (in.Provider == "" || shipment.provider == in.Provider) &&
		(in.ConsignmentID == "" || db.TextOf(shipment.consignmentID) == in.ConsignmentID)
}

// CancelShipment records that a shipment no longer exists, because it was deleted in the courier's
// panel. Nothing is sent to the courier: couriers offer no API for it. No cash is due with the
// shipment, and another one of the order collects it. A cancelled shipment is left unchanged.
// Codes: not_found (no such shipment), state_conflict (several open shipments, or the shipment's
// status forbids it).
func (s *Orders) CancelShipment(ctx context.Context, caller access.Caller, invoiceUID string, in ShipmentSelection) (*StaffOrder, error) {
	return s.changeStaffOrder(ctx, caller, access.ToCancelShipment, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			shipment, err := o.selectShipment(in)
			if err != nil {
				return nil, err
			}
			if shipment.status == status.ShipmentCancelled {
				return nil, nil
			}
			c := s.changeAsStaff(tx, o, who)
			c.setShipmentStatus(shipment, status.ShipmentCancelled, c.now)
			c.drop(shipment.id, FlagMissingAtCourier)
			return nil, c.save()
		})
}

// selectShipment returns the selected shipment, preferring an open one.
func (o *orderRow) selectShipment(in ShipmentSelection) (*shipmentRow, error) {
	var ended, open []*shipmentRow
	for _, shipment := range o.shipments {
		switch {
		case !in.matches(shipment):
		case len(status.ShipmentTransitions[shipment.status]) > 0:
			open = append(open, shipment)
		default:
			ended = append(ended, shipment)
		}
	}
	switch {
	case len(open) == 1:
		return open[0], nil
	case len(open) > 1:
		return nil, fault.Errorf(fault.CodeStateConflict, "The order has %d open shipments. Name one by its consignment ID.", len(open))
	case len(ended) > 0:
		return ended[len(ended)-1], nil
	}
	return nil, fault.Errorf(fault.CodeNotFound, "The order has no such shipment.")
}
