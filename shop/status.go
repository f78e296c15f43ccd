package shop

import "slices"

// transitions is a table of the permitted transitions: it maps each status to those that may
// follow. A status without any is final.
type transitions[S ~string] map[S][]S

func (t transitions[S]) allow(from, to S) bool { return slices.Contains(t[from], to) }

// orderTransitions are the transitions of the order status. Most follow from payment and shipments;
// see [orderChange.save].
var orderTransitions = transitions[OrderStatus]{
	OrderPending: {OrderConfirmed, OrderProcessing, OrderCancelled, OrderExpired},
	// A shop may ship an order before it is paid; its status then follows the courier's events.
	// It becomes pending if its buyer changes it to cash on delivery.
	OrderPendingPayment: {OrderPending, OrderConfirmed, OrderProcessing, OrderCancelled, OrderExpired},
	OrderConfirmed:      {OrderProcessing, OrderCancelled},
	OrderProcessing:     {OrderCompleted, OrderCancelled, OrderReturned},
	OrderCompleted:      {OrderReturned},
	OrderCancelled:      {OrderProcessing, OrderCompleted}, // the courier delivered it all the same
	OrderExpired:        {OrderProcessing, OrderCompleted},
	OrderReturned:       {},
}

// paymentTransitions are the transitions of the payment status.
var paymentTransitions = transitions[PaymentStatus]{
	PaymentUnpaid:      {PaymentPending, PaymentPaid, PaymentNeedsReview, PaymentRefundDue},
	PaymentPending:     {PaymentUnpaid, PaymentPaid, PaymentNeedsReview, PaymentRefundDue},
	PaymentNeedsReview: {PaymentUnpaid, PaymentPending, PaymentPaid, PaymentRefundDue, PaymentRefunded},
	// Unpaid: staff removed an advance, or raised the total of an order that advances had paid.
	PaymentPaid: {PaymentUnpaid, PaymentPartiallyRefunded, PaymentRefundDue, PaymentRefunded, PaymentNeedsReview},
	// The rest is refunded, or is due because the order was closed.
	PaymentPartiallyRefunded: {PaymentRefundDue, PaymentRefunded, PaymentNeedsReview},
	// Paid again: the order was delivered all the same.
	PaymentRefundDue: {PaymentRefunded, PaymentNeedsReview, PaymentPaid, PaymentPartiallyRefunded},
	// Another payment attempt may still succeed, and then has to be refunded too.
	PaymentRefunded: {PaymentRefundDue, PaymentNeedsReview},
}

// fulfillmentTransitions are the transitions of the fulfilment status.
var fulfillmentTransitions = transitions[FulfillmentStatus]{
	Unfulfilled:        {InProgress, PartiallyDelivered, Delivered, Returning, Returned},
	InProgress:         {Unfulfilled, PartiallyDelivered, Delivered, Returning, Returned}, // unfulfilled: the courier cancelled the shipment
	PartiallyDelivered: {Delivered, Returned},
	Returning:          {InProgress, PartiallyDelivered, Delivered, Returned}, // another shipment is still in progress
	Delivered:          {Returned},                                            // the buyer returned it
	Returned:           {},
}

// attemptTransitions are the transitions of a payment attempt. A failed attempt may still succeed,
// since gateways report late. An attempt that succeeded never fails: received money stays recorded.
var attemptTransitions = transitions[AttemptStatus]{
	AttemptInitiated:   {AttemptPending, AttemptSucceeded, AttemptFailed, AttemptCancelled, AttemptExpired, AttemptNeedsReview},
	AttemptPending:     {AttemptSucceeded, AttemptFailed, AttemptCancelled, AttemptExpired, AttemptNeedsReview},
	AttemptFailed:      {AttemptSucceeded, AttemptNeedsReview},
	AttemptCancelled:   {AttemptSucceeded, AttemptNeedsReview},
	AttemptExpired:     {AttemptSucceeded, AttemptNeedsReview},
	AttemptNeedsReview: {AttemptSucceeded, AttemptFailed},
	AttemptSucceeded:   {AttemptRefundDue, AttemptRefunded}, // refunded: in parts
	AttemptRefundDue:   {AttemptRefunded, AttemptSucceeded}, // succeeded: the order was delivered all the same
	AttemptRefunded:    {},
}

// The statuses of a shipment in transit, in any order, and those that can end it.
var (
	transitStatuses = []ShipmentStatus{ShipmentAtHub, ShipmentInTransit, ShipmentOutForDelivery, ShipmentOnHold, ShipmentDeliveryFailed}
	endStatuses     = []ShipmentStatus{
		ShipmentDelivered, ShipmentPartiallyDelivered, ShipmentReturning, ShipmentReturned, ShipmentCancelled, ShipmentExchanged,
	}
)

// shipmentTransitions are the transitions of a shipment. Couriers skip statuses, so any later one
// may follow.
var shipmentTransitions = transitions[ShipmentStatus]{
	ShipmentCreated:         slices.Concat([]ShipmentStatus{ShipmentPickupRequested, ShipmentPicked}, transitStatuses, endStatuses),
	ShipmentPickupRequested: slices.Concat([]ShipmentStatus{ShipmentPicked}, transitStatuses, endStatuses),
	ShipmentPicked:          slices.Concat(transitStatuses, endStatuses),
	ShipmentAtHub:           inTransitFrom(ShipmentAtHub),
	ShipmentInTransit:       inTransitFrom(ShipmentInTransit),
	ShipmentOutForDelivery:  inTransitFrom(ShipmentOutForDelivery),
	ShipmentOnHold:          append(inTransitFrom(ShipmentOnHold), ShipmentPicked), // also before it was picked up
	ShipmentDeliveryFailed:  inTransitFrom(ShipmentDeliveryFailed),
	// The part that the buyer accepted is sold: returning the rest does not make the shipment
	// returned.
	ShipmentPartiallyDelivered: {ShipmentDelivered, ShipmentExchanged},
	ShipmentReturning:          {ShipmentReturned, ShipmentDelivered}, // delivered: the buyer accepted it after all
	ShipmentDelivered:          {},
	ShipmentReturned:           {},
	ShipmentCancelled:          {},
	ShipmentExchanged:          {},
}

// inTransitFrom returns the transitions of a shipment in transit.
func inTransitFrom(status ShipmentStatus) []ShipmentStatus {
	others := slices.DeleteFunc(slices.Clone(transitStatuses), func(s ShipmentStatus) bool { return s == status })
	return slices.Concat(others, endStatuses)
}

// isClosed reports whether the order was cancelled, expired or returned. Only a courier's delivery
// changes a cancelled order again.
func (s OrderStatus) isClosed() bool {
	return s == OrderCancelled || s == OrderExpired || s == OrderReturned
}

// isOpen reports whether the buyer may still complete the attempt at its gateway.
func (s AttemptStatus) isOpen() bool { return s == AttemptInitiated || s == AttemptPending }

// fulfillmentOf derives the fulfilment status from the shipments. Cancelled ones do not count.
func fulfillmentOf(shipments []*shipmentRow) FulfillmentStatus {
	var waiting, underWay, done, part, returning, returned int
	for _, shipment := range shipments {
		switch shipment.status {
		case ShipmentCancelled:
		case ShipmentCreated, ShipmentPickupRequested:
			waiting++
		case ShipmentDelivered, ShipmentExchanged:
			done++
		case ShipmentPartiallyDelivered:
			part++
		case ShipmentReturning:
			returning++
		case ShipmentReturned:
			returned++
		default:
			underWay++
		}
	}
	live := waiting + underWay + done + part + returning + returned
	switch {
	case live == waiting:
		return Unfulfilled
	case done == live:
		return Delivered
	case returned == live:
		return Returned
	case done+part > 0:
		return PartiallyDelivered
	case waiting+underWay > 0:
		return InProgress
	}
	return Returning
}

// paymentOf derives the payment status from the attempts: a success before a refund due or an
// attempt in review, those before a completed refund, and that before an open attempt.
func paymentOf(attempts []*attemptRow) PaymentStatus {
	for _, rule := range []struct {
		of PaymentStatus
		by []AttemptStatus
	}{
		{PaymentPaid, []AttemptStatus{AttemptSucceeded}},
		{PaymentRefundDue, []AttemptStatus{AttemptRefundDue}},
		{PaymentNeedsReview, []AttemptStatus{AttemptNeedsReview}},
		{PaymentRefunded, []AttemptStatus{AttemptRefunded}},
		{PaymentPending, []AttemptStatus{AttemptInitiated, AttemptPending}},
	} {
		i := slices.IndexFunc(attempts, func(a *attemptRow) bool { return slices.Contains(rule.by, a.status) })
		switch {
		case i >= 0 && rule.of == PaymentPaid && attempts[i].refunded > 0:
			return PaymentPartiallyRefunded
		case i >= 0:
			return rule.of
		}
	}
	return PaymentUnpaid
}
