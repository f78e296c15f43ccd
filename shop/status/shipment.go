package status

import "slices"

// Shipment is the status of a shipment.
type Shipment string

// The statuses of a shipment; the permitted Transitions are in ShipmentTransitions.
const (
	ShipmentCreated            Shipment = "created"
	ShipmentPickupRequested    Shipment = "pickup_requested"
	ShipmentPicked             Shipment = "picked"
	ShipmentAtHub              Shipment = "at_hub"
	ShipmentInTransit          Shipment = "in_transit"
	ShipmentOutForDelivery     Shipment = "out_for_delivery"
	ShipmentDelivered          Shipment = "delivered"
	ShipmentPartiallyDelivered Shipment = "partially_delivered"
	ShipmentOnHold             Shipment = "on_hold"
	ShipmentDeliveryFailed     Shipment = "delivery_failed"
	ShipmentReturning          Shipment = "returning"
	ShipmentReturned           Shipment = "returned"
	ShipmentCancelled          Shipment = "cancelled"
	ShipmentExchanged          Shipment = "exchanged"
)

// MayCollect reports whether the cash of the shipment may still be collected.
func (s Shipment) MayCollect() bool {
	return len(ShipmentTransitions[s]) > 0 && s != ShipmentReturning
}

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
