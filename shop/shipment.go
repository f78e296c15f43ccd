package shop

import (
	"time"

	"storefront/db"
)

// ShipmentStatus is the status of a shipment.
type ShipmentStatus string

// The statuses of a shipment; the permitted transitions are in shipmentTransitions.
const (
	ShipmentCreated            ShipmentStatus = "created"
	ShipmentPickupRequested    ShipmentStatus = "pickup_requested"
	ShipmentPicked             ShipmentStatus = "picked"
	ShipmentAtHub              ShipmentStatus = "at_hub"
	ShipmentInTransit          ShipmentStatus = "in_transit"
	ShipmentOutForDelivery     ShipmentStatus = "out_for_delivery"
	ShipmentDelivered          ShipmentStatus = "delivered"
	ShipmentPartiallyDelivered ShipmentStatus = "partially_delivered"
	ShipmentOnHold             ShipmentStatus = "on_hold"
	ShipmentDeliveryFailed     ShipmentStatus = "delivery_failed"
	ShipmentReturning          ShipmentStatus = "returning"
	ShipmentReturned           ShipmentStatus = "returned"
	ShipmentCancelled          ShipmentStatus = "cancelled"
	ShipmentExchanged          ShipmentStatus = "exchanged"
)

// ShipmentStatuses returns all statuses.
func ShipmentStatuses() []ShipmentStatus {
	return []ShipmentStatus{
		ShipmentCreated, ShipmentPickupRequested, ShipmentPicked, ShipmentAtHub, ShipmentInTransit, ShipmentOutForDelivery, ShipmentDelivered,
		ShipmentPartiallyDelivered, ShipmentOnHold, ShipmentDeliveryFailed, ShipmentReturning, ShipmentReturned, ShipmentCancelled,
		ShipmentExchanged,
	}
}

// Shipment is one shipment of an order.
type Shipment struct {
	Provider      Provider       `json:"provider"`
	ConsignmentID *string        `json:"consignmentId"`
	TrackingCode  *string        `json:"trackingCode"`
	Status        ShipmentStatus `json:"status"`
	UpdatedAt     time.Time      `json:"updatedAt" doc:"Time of the status, by the courier's clock"`
}

// shipmentRow is a stored shipment.
type shipmentRow struct {
	id            string
	orderID       string
	provider      Provider
	consignmentID *string // nil: not assigned by the courier yet
	trackingCode  string
	status        ShipmentStatus
	movedAt       int64 // time of the status, by the courier's clock
	createdAt     int64
	updatedAt     int64  // time of the last event
	returnID      string // the courier's identifier of the way back; "": none
	checks        int    // queries to the courier since the last event
	checkAt       *int64 // when the next query is due; nil: checkAfter after the last event
}

// collectsCash reports whether the courier has collected the order's cash with this shipment, or
// still can.
func (r *shipmentRow) collectsCash() bool {
	switch r.status {
	case ShipmentReturning, ShipmentReturned, ShipmentCancelled:
		return false
	}
	return true
}

func (r *shipmentRow) view() Shipment {
	return Shipment{
		Provider: r.provider, ConsignmentID: r.consignmentID, TrackingCode: db.NullText(r.trackingCode),
		Status: r.status, UpdatedAt: db.FromMillis(r.movedAt),
	}
}

// shipmentMessages are the timeline's messages to the buyer, by status.
var shipmentMessages = map[ShipmentStatus]string{
	ShipmentCreated:            "The shipment is ready for the courier.",
	ShipmentPickupRequested:    "Pickup by the courier was requested.",
	ShipmentPicked:             "The courier picked up the shipment.",
	ShipmentAtHub:              "The shipment is at a courier hub.",
	ShipmentInTransit:          "The shipment is on its way.",
	ShipmentOutForDelivery:     "The shipment is out for delivery.",
	ShipmentDelivered:          "The shipment was delivered.",
	ShipmentPartiallyDelivered: "Part of the shipment was delivered.",
	ShipmentOnHold:             "The courier put the shipment on hold.",
	ShipmentDeliveryFailed:     "The courier could not deliver the shipment.",
	ShipmentReturning:          "The shipment is on its way back to the shop.",
	ShipmentReturned:           "The shipment was returned to the shop.",
	ShipmentCancelled:          "The shipment was cancelled.",
	ShipmentExchanged:          "The shipment was exchanged for another.",
}
