package status

import "slices"

// Shipment is the status of a shipment.
//
//api:enum ShipmentStatus
type Shipment string

// The statuses of a shipment; the permitted Transitions are in ShipmentTransitions.
const (
	ShipmentCreated            Shipment = "created"             // booked with the courier
	ShipmentPickupRequested    Shipment = "pickup_requested"    // the courier is to pick it up
	ShipmentPicked             Shipment = "picked"              // picked up by the courier
	ShipmentAtHub              Shipment = "at_hub"              // at a hub of the courier
	ShipmentInTransit          Shipment = "in_transit"          // between hubs of the courier
	ShipmentOutForDelivery     Shipment = "out_for_delivery"    // on its way to the buyer
	ShipmentDelivered          Shipment = "delivered"           // delivered in full
	ShipmentPartiallyDelivered Shipment = "partially_delivered" // the buyer accepted a part of it
	ShipmentOnHold             Shipment = "on_hold"             // held by the courier
	// The courier could not deliver it. Another attempt may follow.
	ShipmentDeliveryFailed Shipment = "delivery_failed"
	ShipmentReturning      Shipment = "returning" // in transit back to the merchant
	ShipmentReturned       Shipment = "returned"  // returned to the merchant
	ShipmentCancelled      Shipment = "cancelled" // cancelled before its delivery
	// Exchanged for another shipment on delivery.
	ShipmentExchanged Shipment = "exchanged"
)

// MayCollect reports whether the cash of the shipment may still be collected.
func (s Shipment) MayCollect() bool {
	return len(ShipmentTransitions[s]) > 0 && s != ShipmentReturning
}

// MayBeDue reports whether the cash of the shipment is still due while the courier has reported
// none: an exchange is final, and its cash may be reported later.
func (s Shipment) MayBeDue() bool { return s.MayCollect() || s == ShipmentExchanged }

// CollectsCash reports whether the courier has collected the order's cash with the shipment, or
// still can.
func (s Shipment) CollectsCash() bool {
	return s != ShipmentReturning && s != ShipmentReturned && s != ShipmentCancelled
}

// IsDone reports whether the buyer has the goods of the shipment, or part of them.
func (s Shipment) IsDone() bool {
	return s == ShipmentDelivered || s == ShipmentPartiallyDelivered || s == ShipmentExchanged
}

// IsUnderway reports whether the courier has picked the shipment up and not delivered it yet.
func (s Shipment) IsUnderway() bool {
	switch s {
	case ShipmentPicked, ShipmentAtHub, ShipmentInTransit, ShipmentOutForDelivery:
		return true
	}
	return false
}

// IsHandedOver reports whether the courier has the goods in this status, or had them.
func (s Shipment) IsHandedOver() bool {
	return s == ShipmentPicked || s == ShipmentReturning || s == ShipmentReturned || slices.Contains(transitStatuses, s)
}

// Shipments returns all statuses.
func Shipments() []Shipment {
	return []Shipment{
		ShipmentCreated, ShipmentPickupRequested, ShipmentPicked, ShipmentAtHub, ShipmentInTransit, ShipmentOutForDelivery, ShipmentDelivered,
		ShipmentPartiallyDelivered, ShipmentOnHold, ShipmentDeliveryFailed, ShipmentReturning, ShipmentReturned, ShipmentCancelled,
		ShipmentExchanged,
	}
}
