package shop

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
)

// PriceShipment asks a courier what carrying an order's parcel to a place, in the courier's own
// numbering, would cost. Nothing is booked. Codes: validation_failed, not_found, state_conflict (the
// courier lacks settings, refuses, or names no prices), unavailable.
func (s *Shop) PriceShipment(ctx context.Context, caller access.Caller, invoiceUID string, in BookingInput, to CourierPlace) (*money.Money, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	orderID, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	booking := &bookingRow{mode: Live}
	var parcel ShipmentRequest
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		order, err := requireOrder(tx, orderID)
		if err != nil {
			return err
		}
		if order.test != 0 {
			booking.mode = Sandbox
		}
		parcel, err = order.shipmentRequest(tx, booking, in, set.money)
		return err
	})
	if err != nil {
		return nil, err
	}
	plugin, access, err := s.courierFor(ctx, in.Provider, booking.mode)
	if err != nil {
		return nil, err
	}
	fee, err := plugin.Courier.Price(ctx, access, parcel, to)
	switch {
	case errors.Is(err, ErrCourierUnsupported):
		return nil, fault.Errorf(fault.CodeStateConflict, "%s names no prices beforehand.", in.Provider)
	case errors.Is(err, ErrCourierRefused), errors.Is(err, ErrCourierNotFound):
		return nil, fault.Errorf(fault.CodeStateConflict, "The courier named no price. %v", err)
	case err != nil:
		return nil, &fault.Error{Code: fault.CodeUnavailable, Message: "The courier gave no answer. Try again in a moment.", Err: err}
	}
	price := set.money.Money(fee)
	return &price, nil
}
