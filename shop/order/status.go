package order

import (
	"slices"

	"storefront/shop/status"
)

// fulfillmentOf derives the fulfilment status from the shipments. Cancelled ones do not count.
func fulfillmentOf(shipments []*shipmentRow) status.Fulfillment {
	var waiting, underWay, done, part, returning, returned int
	for _, shipment := range shipments {
		switch shipment.status {
		case status.ShipmentCancelled:
		case status.ShipmentCreated, status.ShipmentPickupRequested:
			waiting++
		case status.ShipmentDelivered, status.ShipmentExchanged:
			done++
		case status.ShipmentPartiallyDelivered:
			part++
		case status.ShipmentReturning:
			returning++
		case status.ShipmentReturned:
			returned++
		default:
			underWay++
		}
	}
	live := waiting + underWay + done + part + returning + returned
	switch {
	case live == waiting:
		return status.Unfulfilled
	case done == live:
		return status.Delivered
	case returned == live:
		return status.Returned
	case done+part > 0:
		return status.PartiallyDelivered
	case waiting+underWay > 0:
		return status.InProgress
	}
	return status.Returning
}

// paymentOf derives the payment status from the attempts: a success precedes a refund due or an
// attempt in review, which precede a completed refund, which precedes an open attempt.
func paymentOf(attempts []*attemptRow) status.Payment {
	for _, rule := range []struct {
		of status.Payment
		by []status.Attempt
	}{
		{status.PaymentPaid, []status.Attempt{status.AttemptSucceeded}},
		{status.PaymentRefundDue, []status.Attempt{status.AttemptRefundDue}},
		{status.PaymentNeedsReview, []status.Attempt{status.AttemptNeedsReview}},
		{status.PaymentRefunded, []status.Attempt{status.AttemptRefunded}},
		{status.PaymentPending, []status.Attempt{status.AttemptInitiated, status.AttemptPending}},
	} {
		i := slices.IndexFunc(attempts, func(a *attemptRow) bool { return slices.Contains(rule.by, a.status) })
		switch {
		case i >= 0 && rule.of == status.PaymentPaid && attempts[i].refunded > 0:
			return status.PaymentPartiallyRefunded
		case i >= 0:
			return rule.of
		}
	}
	return status.PaymentUnpaid
}
