package order

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// ShipmentPrice is a courier's price for a shipment.
type ShipmentPrice struct {
	money.Money
	// the courier's share of the collected cash; null if not reported
	CashBasisPoints *int64 `json:"cashBasisPoints"`
}

// PriceShipment returns a courier's price for carrying an order to a place. Nothing is booked. If
// the courier reports its share of the cash and [CashRateKey] is not set, it is saved. Codes:
// validation_failed, not_found, state_conflict (settings are missing, or the courier refuses or has
// no prices), unavailable.
func (s *Orders) PriceShipment(
	ctx context.Context,
	caller access.Caller,
	invoiceUID string,
	in BookingInput,
	to plugin.CourierPlace,
) (*ShipmentPrice, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	booking := &bookingRow{}
	request, err := access.Read(ctx, s.data, caller, access.ToPriceShipment,
		func(tx *db.Tx, who access.Staff) (plugin.ShipmentRequest, error) {
			if err := who.Require(tx, access.PricesRead); err != nil {
				return plugin.ShipmentRequest{}, err
			}
			order, err := requireSentOrder(tx, invoiceUID)
			if err != nil {
				return plugin.ShipmentRequest{}, err
			}
			booking.mode = order.mode()
			return order.shipmentRequest(tx, booking, in, set.Currency)
		})
	if err != nil {
		return nil, err
	}
	plugin, pluginAccess, err := s.courierFor(ctx, in.Provider, booking.mode)
	if err != nil {
		return nil, err
	}
	return s.quoteShipment(ctx, caller, plugin, pluginAccess, request, to, set.Currency)
}

// quoteShipment returns the price of a shipment. Codes: state_conflict (the courier refuses or has
// no prices), unavailable.
func (s *Orders) quoteShipment(
	ctx context.Context,
	caller access.Caller,
	adapter *plugin.Plugin,
	pluginAccess plugin.Access,
	request plugin.ShipmentRequest,
	to plugin.CourierPlace,
	currency money.Currency,
) (*ShipmentPrice, error) {
	quoted, err := adapter.Courier.Price(ctx, pluginAccess, request, to)
	switch {
	case errors.Is(err, plugin.ErrCourierUnsupported):
		return nil, fault.Errorf(fault.CodeStateConflict, "%s does not support prices before booking.", adapter.Provider.Name())
	case errors.Is(err, plugin.ErrCourierRefused), errors.Is(err, plugin.ErrCourierNotFound):
		return nil, errCourier("The courier did not return a price", adapter.Provider, err)
	case err != nil:
		return nil, &fault.Error{Code: fault.CodeUnavailable, Message: "The courier did not respond. Try again in a moment.", Err: err}
	}
	if quoted.CashRate != nil && pluginAccess.Mode == plugin.Live {
		if err := s.cfg.SaveCashRate(ctx, caller, adapter.Provider, *quoted.CashRate); err != nil {
			return nil, err
		}
	}
	return &ShipmentPrice{currency.Money(quoted.Fee), quoted.CashRate}, nil
}
