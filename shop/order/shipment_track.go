package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/inbox"
	"storefront/shop/job"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// TrackShipments queries the couriers for the status of an order's open shipments and returns the
// updated order. It is for missing webhooks. Codes: not_found, state_conflict (a courier's settings
// are missing, it refuses, or it does not know the shipment), unavailable.
func (s *Orders) TrackShipments(ctx context.Context, caller access.Caller, invoiceUID string) (*StaffOrder, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToTrackShipments)
	if err != nil {
		return nil, err
	}
	if err := s.trackOrder(ctx, who, invoiceUID); err != nil {
		return nil, err
	}
	return s.FindOrderAsStaff(ctx, caller, invoiceUID)
}

// trackOrder queries the couriers for the status of an order's open shipments.
func (s *Orders) trackOrder(ctx context.Context, who access.Staff, invoiceUID string) error {
	orderID, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return err
	}
	var order *orderRow
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		order, err = requireOrder(tx, orderID)
		return err
	})
	if err != nil {
		return err
	}
	for _, shipment := range order.trackable() {
		if err := s.trackShipment(ctx, who, shipment, order.mode()); err != nil {
			return shipment.trackError(err)
		}
	}
	return nil
}

// trackable returns the open shipments with a known consignment ID.
func (o *orderRow) trackable() []*shipmentRow {
	return slices.DeleteFunc(o.openShipments(), func(shipment *shipmentRow) bool { return shipment.consignmentID == nil })
}

// checkTrack is the rule of [Orders.TrackShipments].
func (o *orderRow) checkTrack() error {
	if len(o.trackable()) == 0 {
		return job.Unchanged("No shipment of the order is under way.")
	}
	return nil
}

// trackError returns the message about a failed query for staff members.
func (p *shipmentRow) trackError(err error) error {
	switch consignment := db.TextOf(p.consignmentID); {
	case errors.Is(err, plugin.ErrCourierNotFound) && !p.status.IsHandedOver():
		return fault.Errorf(fault.CodeStateConflict, "%s has no shipment %s, and never picked it up. If it was deleted in the courier's panel, "+
			"cancel the shipment, and book another one.", p.provider.Name(), consignment)
	case errors.Is(err, plugin.ErrCourierNotFound):
		return fault.Errorf(fault.CodeStateConflict, "%s has no shipment %s.", p.provider.Name(), consignment)
	case errors.Is(err, plugin.ErrCourierRefused):
		return errCourier("The courier did not return the shipment's status", p.provider, err)
	case errors.Is(err, plugin.ErrCourierUnknown):
		return &fault.Error{Code: fault.CodeUnavailable, Message: "The courier did not respond. Try again in a moment.", Err: err}
	}
	return err
}

// trackedPrefix marks the event of a status that was queried. Stored histories contain it: another
// prefix would store the same status again.
const trackedPrefix = "asked:"

// paidUnreported is the problem of an open shipment that the courier has paid out.
const paidUnreported = "The courier has paid out the shipment and never reported its delivery: check in its panel what was delivered."

// paidStatus returns the status of an open shipment that the courier has paid out. A courier that
// reports the payout as the status does not report the delivery any more. "" means no change: the
// shipment is on its way back.
func (p *shipmentRow) paidStatus() status.Shipment {
	if p.status == status.ShipmentReturning {
		return ""
	}
	return status.ShipmentDelivered
}

// lookUp queries the courier for the status of a shipment and returns it as an event, or nil if the
// courier reports nothing new.
func (s *Orders) lookUp(ctx context.Context, shipment *shipmentRow, mode plugin.Mode) (*plugin.CourierEvent, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	adapter, pluginAccess, err := s.courierFor(ctx, shipment.provider, mode)
	if err != nil {
		return nil, err
	}
	found, err := adapter.Courier.Find(ctx, pluginAccess, plugin.ShipmentRef{
		ConsignmentID: *shipment.consignmentID, Currency: set.Currency,
		Returning: shipment.status == status.ShipmentReturning || shipment.status == status.ShipmentPartiallyDelivered,
	})
	if err != nil {
		return nil, err
	}
	if found.PaidOut && !shipment.status.IsDone() {
		found.Status, found.Problem = shipment.paidStatus(), paidUnreported
	}
	isSilent := found.Status == shipment.status || found.Status == "" && found.Message == ""
	if isSilent && !found.PaidOut {
		return nil, nil
	}
	event := &plugin.CourierEvent{
		Event: trackedPrefix + " " + found.Event, ConsignmentID: *shipment.consignmentID, At: found.At,
		Status: found.Status, Message: found.Message, Problem: found.Problem,
		Collected: found.Collected, Fee: found.Fee, PaidOut: found.PaidOut, Statement: found.Statement,
	}
	if !event.Clean() {
		return nil, fault.Errorf(fault.CodeStateConflict, "%s returned an invalid status.", shipment.provider.Name())
	}
	return event, nil
}

// trackShipment queries the courier for the status of a shipment and applies it. A nil who means
// the shop itself.
func (s *Orders) trackShipment(ctx context.Context, who access.Staff, shipment *shipmentRow, mode plugin.Mode) error {
	event, err := s.lookUp(ctx, shipment, mode)
	if err != nil {
		return err
	}
	if event == nil {
		return nil
	}
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		if event.Status == "" { // the answer of the next query is the same
			known, err := findShipmentEvents(tx, shipment.id)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(known, func(e shipmentEvent) bool { return e.event == event.Event }) {
				return nil
			}
		}
		order, err := findOrderRow(tx, shipment.orderID)
		if err != nil {
			return fmt.Errorf("find order: %w", err)
		}
		_, err = s.applyCourierEvent(tx, inbox.Incoming{Provider: shipment.provider, ReceivedAt: tx.Now().Truncate(time.Second)}, *event)
		if err != nil {
			return err
		}
		if who == nil {
			return nil
		}
		return who.Audit(tx, order.subject(),
			access.Change{Field: "shipment", Before: shipment.status, After: event.Status})
	})
}
