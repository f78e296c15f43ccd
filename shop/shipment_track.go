package shop

import (
	"context"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// TrackShipments asks the couriers where an order's open parcels are and gives the order as it then
// stands: for when a courier's calls do not arrive. Codes: not_found, state_conflict (a courier
// lacks settings, or refuses), unavailable.
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
	for _, parcel := range before.Shipments {
		if len(shipmentMoves[parcel.Status]) == 0 || parcel.ConsignmentID == nil {
			continue
		}
		if err := s.trackShipment(ctx, parcel, mode); err != nil {
			return nil, err
		}
	}
	return s.FindOrderAsStaff(ctx, caller, invoiceUID)
}

func (s *Shop) trackShipment(ctx context.Context, parcel Shipment, mode Mode) error {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	plugin, access, err := s.courierFor(ctx, parcel.Provider, mode)
	if err != nil {
		return err
	}
	found, err := plugin.Courier.Find(ctx, access, ShipmentRef{ConsignmentID: *parcel.ConsignmentID, Currency: set.money})
	switch {
	case errors.Is(err, ErrCourierNotFound):
		return fault.Errorf(fault.CodeStateConflict, "%s does not know the parcel %s.", parcel.Provider, *parcel.ConsignmentID)
	case errors.Is(err, ErrCourierRefused):
		return fault.Errorf(fault.CodeStateConflict, "%s did not say where the parcel is. %v", parcel.Provider, err)
	case err != nil:
		return &fault.Error{Code: fault.CodeUnavailable, Message: "The courier gave no answer. Try again in a moment.", Err: err}
	case found.Status == "" || found.Status == parcel.Status:
		return nil
	}
	notice := CourierEvent{
		Event: "asked: " + found.Event, ConsignmentID: *parcel.ConsignmentID, At: found.At, Status: found.Status,
	}
	if !notice.clean() {
		return fault.Errorf(fault.CodeStateConflict, "%s gave a state that is none.", parcel.Provider)
	}
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		_, err := s.applyCourierEvent(tx, incomingWebhook{provider: parcel.Provider, receivedAt: tx.Now().Truncate(time.Second)}, notice)
		return err
	})
}
