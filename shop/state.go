package shop

import (
	"slices"
	"strings"
)

// moves says where each state of an axis may go. A state without moves is the end.
type moves[S ~string] map[S][]S

func (m moves[S]) allow(from, to S) bool { return slices.Contains(m[from], to) }

// states names the states of the axis, for people.
func (m moves[S]) states() string {
	var names []string
	for state := range m {
		names = append(names, string(state))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// orderMoves are the moves of an order as a whole. Payment and parcels bring most of them about;
// see [orderChange.save].
var orderMoves = moves[OrderStatus]{
	OrderPending: {OrderConfirmed, OrderProcessing, OrderCancelled},
	// A shop may send what is not paid yet; the courier's word then counts.
	OrderPendingPayment: {OrderConfirmed, OrderProcessing, OrderCancelled, OrderExpired},
	OrderConfirmed:      {OrderProcessing, OrderCancelled},
	OrderProcessing:     {OrderCompleted, OrderCancelled, OrderReturned},
	OrderCompleted:      {OrderReturned},
	OrderCancelled:      {},
	OrderExpired:        {},
	OrderReturned:       {},
}

// paymentMoves are the moves of what an order's payment comes to.
var paymentMoves = moves[PaymentStatus]{
	PaymentUnpaid:      {PaymentPending, PaymentPaid, PaymentNeedsReview, PaymentRefundDue},
	PaymentPending:     {PaymentUnpaid, PaymentPaid, PaymentNeedsReview, PaymentRefundDue},
	PaymentNeedsReview: {PaymentUnpaid, PaymentPending, PaymentPaid, PaymentRefundDue, PaymentRefunded},
	PaymentPaid:        {PaymentRefundDue, PaymentRefunded},
	PaymentRefundDue:   {PaymentRefunded, PaymentNeedsReview},
	// Gateways allow several tries: another one may still bring money, which then has to go back too.
	PaymentRefunded: {PaymentRefundDue, PaymentNeedsReview},
}

// fulfillmentMoves are the moves of what an order's parcels come to.
var fulfillmentMoves = moves[FulfillmentStatus]{
	Unfulfilled:        {InProgress, PartiallyDelivered, Delivered, Returning, Returned},
	InProgress:         {Unfulfilled, PartiallyDelivered, Delivered, Returning, Returned}, // back: its courier gave the parcel up
	PartiallyDelivered: {Delivered, Returned},
	Returning:          {InProgress, PartiallyDelivered, Delivered, Returned}, // another parcel is still under way
	Delivered:          {Returned},                                            // the buyer brought it back
	Returned:           {},
}

// attemptMoves are the moves of one try to pay. A try that failed may still turn out paid: the
// gateway's proof comes when it comes. Money that came in is never forgotten again.
var attemptMoves = moves[AttemptStatus]{
	AttemptInitiated:   {AttemptPending, AttemptSucceeded, AttemptFailed, AttemptCancelled, AttemptExpired, AttemptNeedsReview},
	AttemptPending:     {AttemptSucceeded, AttemptFailed, AttemptCancelled, AttemptExpired, AttemptNeedsReview},
	AttemptFailed:      {AttemptSucceeded, AttemptNeedsReview},
	AttemptCancelled:   {AttemptSucceeded, AttemptNeedsReview},
	AttemptExpired:     {AttemptSucceeded, AttemptNeedsReview},
	AttemptNeedsReview: {AttemptSucceeded, AttemptFailed},
	AttemptSucceeded:   {AttemptRefundDue},
	AttemptRefundDue:   {AttemptRefunded},
	AttemptRefunded:    {},
}

// What a parcel can meet on its way, in any order, and how it can end.
var (
	shipmentUnderWay = []ShipmentStatus{ShipmentAtHub, ShipmentInTransit, ShipmentOutForDelivery, ShipmentOnHold, ShipmentDeliveryFailed}
	shipmentEnds     = []ShipmentStatus{
		ShipmentDelivered, ShipmentPartiallyDelivered, ShipmentReturning, ShipmentReturned, ShipmentCancelled, ShipmentExchanged,
	}
)

// shipmentMoves are the moves of one parcel. Couriers leave steps out, so any later one may follow.
var shipmentMoves = moves[ShipmentStatus]{
	ShipmentCreated:         slices.Concat([]ShipmentStatus{ShipmentPickupRequested, ShipmentPicked}, shipmentUnderWay, shipmentEnds),
	ShipmentPickupRequested: slices.Concat([]ShipmentStatus{ShipmentPicked}, shipmentUnderWay, shipmentEnds),
	ShipmentPicked:          slices.Concat(shipmentUnderWay, shipmentEnds),
	ShipmentAtHub:           onTheWayFrom(ShipmentAtHub),
	ShipmentInTransit:       onTheWayFrom(ShipmentInTransit),
	ShipmentOutForDelivery:  onTheWayFrom(ShipmentOutForDelivery),
	ShipmentOnHold:          append(onTheWayFrom(ShipmentOnHold), ShipmentPicked), // also before it was picked up
	ShipmentDeliveryFailed:  onTheWayFrom(ShipmentDeliveryFailed),
	// What was kept of it is sold: the rest comes back without making the parcel a returned one.
	ShipmentPartiallyDelivered: {ShipmentDelivered, ShipmentExchanged},
	ShipmentReturning:          {ShipmentReturned},
	ShipmentDelivered:          {},
	ShipmentReturned:           {},
	ShipmentCancelled:          {},
	ShipmentExchanged:          {},
}

// onTheWayFrom gives the moves of a parcel that is under way.
func onTheWayFrom(status ShipmentStatus) []ShipmentStatus {
	others := slices.DeleteFunc(slices.Clone(shipmentUnderWay), func(s ShipmentStatus) bool { return s == status })
	return slices.Concat(others, shipmentEnds)
}

// isClosed reports whether the order neither is nor will be fulfilled. It does not come alive again.
func (s OrderStatus) isClosed() bool {
	return s == OrderCancelled || s == OrderExpired || s == OrderReturned
}

// isOpen reports whether the try may still be paid without anything new from the shop.
func (s AttemptStatus) isOpen() bool { return s == AttemptInitiated || s == AttemptPending }

// fulfillmentOf gives what the parcels come to. A parcel that its courier cancelled counts for nothing.
func fulfillmentOf(parcels []*shipmentRow) FulfillmentStatus {
	var waiting, underWay, done, part, returning, returned int
	for _, p := range parcels {
		switch p.status {
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

// paymentOf gives what the tries to pay come to: money that stays before money that goes back,
// both before what is still open.
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
		if slices.ContainsFunc(attempts, func(a *attemptRow) bool { return slices.Contains(rule.by, a.status) }) {
			return rule.of
		}
	}
	return PaymentUnpaid
}
