package status

import "slices"

// Transitions is a table of the permitted Transitions: it maps each status to those that may
// follow. A status without any is final.
type Transitions[S ~string] map[S][]S

func (t Transitions[S]) Allow(from, to S) bool { return slices.Contains(t[from], to) }

// OrderTransitions are the Transitions of the order status. Most follow from payment and shipments;
// see [orderChange.save].
var OrderTransitions = Transitions[Order]{
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

// PaymentTransitions are the Transitions of the payment status.
var PaymentTransitions = Transitions[Payment]{
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

// FulfillmentTransitions are the Transitions of the fulfilment status.
var FulfillmentTransitions = Transitions[Fulfillment]{
	Unfulfilled:        {InProgress, PartiallyDelivered, Delivered, Returning, Returned},
	InProgress:         {Unfulfilled, PartiallyDelivered, Delivered, Returning, Returned}, // unfulfilled: the courier cancelled the shipment
	PartiallyDelivered: {Delivered, Returned},
	Returning:          {InProgress, PartiallyDelivered, Delivered, Returned}, // another shipment is still in progress
	Delivered:          {Returned},                                            // the buyer returned it
	Returned:           {},
}

// AttemptTransitions are the Transitions of a payment attempt. A failed attempt may still succeed,
// since gateways report late. An attempt that succeeded never fails: received money stays recorded.
var AttemptTransitions = Transitions[Attempt]{
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
	transitStatuses = []Shipment{ShipmentAtHub, ShipmentInTransit, ShipmentOutForDelivery, ShipmentOnHold, ShipmentDeliveryFailed}
	EndStatuses     = []Shipment{
		ShipmentDelivered, ShipmentPartiallyDelivered, ShipmentReturning, ShipmentReturned, ShipmentCancelled, ShipmentExchanged,
	}
)

// ShipmentTransitions are the Transitions of a shipment. Couriers skip statuses, so any later one
// may follow.
var ShipmentTransitions = Transitions[Shipment]{
	ShipmentCreated:         slices.Concat([]Shipment{ShipmentPickupRequested, ShipmentPicked}, transitStatuses, EndStatuses),
	ShipmentPickupRequested: slices.Concat([]Shipment{ShipmentPicked}, transitStatuses, EndStatuses),
	ShipmentPicked:          slices.Concat(transitStatuses, EndStatuses),
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

// inTransitFrom returns the Transitions of a shipment in transit.
func inTransitFrom(status Shipment) []Shipment {
	others := slices.DeleteFunc(slices.Clone(transitStatuses), func(s Shipment) bool { return s == status })
	return slices.Concat(others, EndStatuses)
}
