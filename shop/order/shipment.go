package order

import (
	"time"

	"storefront/db"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Shipment is one shipment of an order.
type Shipment struct {
	Provider      plugin.Provider `json:"provider"`
	ConsignmentID *string         `json:"consignmentId"`
	TrackingCode  *string         `json:"trackingCode"`
	Status        status.Shipment `json:"status"`
	UpdatedAt     time.Time       `json:"updatedAt" doc:"Time of the status, by the courier's clock"`
}

// shipmentRow is a stored shipment.
type shipmentRow struct {
	id            string
	orderID       string
	provider      plugin.Provider
	consignmentID *string // nil means not assigned by the courier yet
	trackingCode  string
	status        status.Shipment
	movedAt       int64 // time of the status, by the courier's clock
	createdAt     int64
	updatedAt     int64  // time of the last event
	returnID      string // the courier's identifier of the way back; "" means none
	checks        int    // queries to the courier since the last event
	checkAt       *int64 // when the next query is due; nil means checkAfter after the last event
}

func (r *shipmentRow) view() Shipment {
	return Shipment{
		Provider: r.provider, ConsignmentID: r.consignmentID, TrackingCode: db.NullText(r.trackingCode),
		Status: r.status, UpdatedAt: db.FromMillis(r.movedAt),
	}
}

// shipmentMessages are the timeline's messages to the buyer, by status.
var shipmentMessages = map[status.Shipment]string{
	status.ShipmentCreated:            "The shipment is ready for the courier.",
	status.ShipmentPickupRequested:    "Pickup by the courier was requested.",
	status.ShipmentPicked:             "The courier picked up the shipment.",
	status.ShipmentAtHub:              "The shipment is at a courier hub.",
	status.ShipmentInTransit:          "The shipment is on its way.",
	status.ShipmentOutForDelivery:     "The shipment is out for delivery.",
	status.ShipmentDelivered:          "The shipment was delivered.",
	status.ShipmentPartiallyDelivered: "Part of the shipment was delivered.",
	status.ShipmentOnHold:             "The courier put the shipment on hold.",
	status.ShipmentDeliveryFailed:     "The courier could not deliver the shipment.",
	status.ShipmentReturning:          "The shipment is on its way back to the shop.",
	status.ShipmentReturned:           "The shipment was returned to the shop.",
	status.ShipmentCancelled:          "The shipment was cancelled.",
	status.ShipmentExchanged:          "The shipment was exchanged for another.",
}
