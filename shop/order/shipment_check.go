package order

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// ShipmentCheck is the content of a booking for a courier, and the reasons for which it would be
// refused.
type ShipmentCheck struct {
	Provider plugin.Provider `json:"provider"`
	// empty means that the shipment can be booked
	Problems    []plugin.ShipmentProblem `json:"problems" nullable:"false"`
	Cash        money.Money              `json:"cash"`        // to collect
	WeightGrams int64                    `json:"weightGrams"` // 0 means unknown
	// null if no place was named, or the courier quotes none
	Price *ShipmentPrice `json:"price"`
}

// ShipmentCheckInput is a shipment to check.
type ShipmentCheckInput struct {
	BookingInput
	To *plugin.CourierPlace // the place to quote a price for; nil means none
}

// CheckShipment returns the content of a booking of an order for a courier, and the reasons for
// which BookShipment would refuse it. It books nothing, and calls the courier only for a price.
// Codes: validation_failed, not_found, unavailable (the price).
func (s *Orders) CheckShipment(ctx context.Context, caller access.Caller, invoiceUID string, in ShipmentCheckInput) (*ShipmentCheck, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var booking *bookingRow
	var blocked error
	request, err := access.Read(ctx, s.data, caller, access.ToCheckShipment,
		func(tx *db.Tx, _ access.Staff) (request plugin.ShipmentRequest, err error) {
			if in.BookingInput, err = in.BookingInput.check(); err != nil {
				return request, err
			}
			order, err := requireSentOrder(tx, invoiceUID)
			if err != nil {
				return request, err
			}
			open, err := order.checkBooking(tx, in.BookingInput)
			if blocked = err; !isKnown(err) {
				return request, err
			}
			if booking = open; booking == nil {
				booking = order.newBooking(in.Provider, 1)
			}
			return order.shipmentRequest(tx, booking, in.BookingInput, set.Currency)
		})
	if err != nil {
		return nil, err
	}
	check := &ShipmentCheck{
		Provider: in.Provider, Problems: []plugin.ShipmentProblem{}, Cash: set.Currency.Money(request.Cash), WeightGrams: request.WeightGrams,
	}
	if blocked != nil {
		check.Problems = append(check.Problems, plugin.ShipmentProblem{Field: "order", Message: messageOf(blocked)})
	}
	adapter, pluginAccess, err := s.courierFor(ctx, in.Provider, booking.mode)
	switch {
	case fault.HasCode(err, fault.CodeStateConflict):
		check.Problems = append(check.Problems, plugin.ShipmentProblem{Field: "provider", Message: messageOf(err)})
		return check, nil
	case err != nil:
		return nil, err
	}
	check.Problems = append(check.Problems, adapter.Courier.Refusals(request)...)
	if in.To != nil {
		check.Price, err = s.quoteShipment(ctx, caller, adapter, pluginAccess, request, *in.To, set.Currency)
		if fault.HasCode(err, fault.CodeStateConflict) { // no price, which does not prevent a booking
			return check, nil
		}
	}
	return check, err
}

// messageOf returns the message of an error of the domain, for people.
func messageOf(err error) string {
	if known, ok := errors.AsType[*fault.Error](err); ok {
		return known.Message
	}
	return err.Error()
}

// isKnown reports whether err is nil or an error of the domain.
func isKnown(err error) bool {
	_, ok := errors.AsType[*fault.Error](err)
	return err == nil || ok
}

// check returns the input in its stored form. Codes: validation_failed.
func (in BookingInput) check() (BookingInput, error) {
	var bad fault.Invalid
	in.Note = input.CheckLine(&bad, "note", in.Note, MaxCancelReason)
	if in.WeightGrams < 0 {
		bad.Add("weight", fault.CodeInvalidValue, "The weight must not be negative.")
	}
	in.checkPlace(&bad)
	return in, bad.Err()
}
