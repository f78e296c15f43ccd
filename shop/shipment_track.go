package shop

import (
	"context"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// TrackShipments queries the couriers for the status of an order's open shipments and returns the
// updated order, for when a courier's webhooks do not arrive. Codes: not_found, state_conflict (a
// courier's settings are missing, or it refuses), unavailable.
func (s *Shop) TrackShipments(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	before, err := s.FindOrderAsStaff(ctx, caller, invoiceUID)
	if err != nil {
		return nil, err
	}
	mode := Live
	if before.Test {
		mode = Sandbox
	}
	for _, shipment := range before.Shipments {
		if len(shipmentTransitions[shipment.Status]) == 0 || shipment.ConsignmentID == nil {
			continue
		}
		if err := s.trackShipment(ctx, shipment, mode); err != nil {
			return nil, err
		}
	}
	return s.FindOrderAsStaff(ctx, caller, invoiceUID)
}

// trackedPrefix marks the event of a status that was queried. Stored histories contain it: another
// prefix would store the same status again.
const trackedPrefix = "asked:"

func (s *Shop) trackShipment(ctx context.Context, shipment Shipment, mode Mode) error {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	plugin, pluginAccess, err := s.courierFor(ctx, shipment.Provider, mode)
	if err != nil {
		return err
	}
	found, err := plugin.Courier.Find(ctx, pluginAccess, ShipmentRef{ConsignmentID: *shipment.ConsignmentID, Currency: set.money})
	switch {
	case errors.Is(err, ErrCourierNotFound):
		return fault.Errorf(fault.CodeStateConflict, "%s has no shipment %s.", shipment.Provider, *shipment.ConsignmentID)
	case errors.Is(err, ErrCourierRefused):
		return fault.Errorf(fault.CodeStateConflict, "%s did not return the shipment's status: %v", shipment.Provider, err)
	case err != nil:
		return &fault.Error{Code: fault.CodeUnavailable, Message: "The courier did not respond. Try again in a moment.", Err: err}
	case found.Status == "" || found.Status == shipment.Status:
		return nil
	}
	event := CourierEvent{
		Event: trackedPrefix + " " + found.Event, ConsignmentID: *shipment.ConsignmentID, At: found.At, Status: found.Status,
	}
	if !event.clean() {
		return fault.Errorf(fault.CodeStateConflict, "%s returned an invalid status.", shipment.Provider)
	}
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		_, err := s.applyCourierEvent(tx, incomingWebhook{provider: shipment.Provider, receivedAt: tx.Now().Truncate(time.Second)}, event)
		return err
	})
}
