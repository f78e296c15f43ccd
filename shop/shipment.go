package shop

import (
	"time"

	"storefront/db"
)

// ShipmentStatus is where a parcel is.
type ShipmentStatus string

// The states of a parcel.
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

// Shipment is one parcel of an order.
type Shipment struct {
	Provider      Provider       `json:"provider" doc:"courier_a or courier_b"`
	ConsignmentID *string        `json:"consignmentId"`
	TrackingCode  *string        `json:"trackingCode"`
	Status        ShipmentStatus `json:"status"`
	UpdatedAt     time.Time      `json:"updatedAt" doc:"When the courier says that this became so"`
}

// shipmentRow is a parcel as the file has it.
type shipmentRow struct {
	id            string
	orderID       string
	provider      Provider
	consignmentID *string // nil: the courier has not named it yet
	trackingCode  string
	status        ShipmentStatus
	movedAt       int64 // when it reached its state, by the courier's clock
	createdAt     int64
	updatedAt     int64
}

// collectsCash reports whether the parcel has brought the cash of its order, or still may.
func (p *shipmentRow) collectsCash() bool {
	switch p.status {
	case ShipmentReturning, ShipmentReturned, ShipmentCancelled:
		return false
	}
	return true
}

func (p *shipmentRow) view() Shipment {
	return Shipment{
		Provider: p.provider, ConsignmentID: p.consignmentID, TrackingCode: db.NullText(p.trackingCode),
		Status: p.status, UpdatedAt: db.FromMillis(p.movedAt),
	}
}

// shipmentMessages tell the buyer where a parcel is.
var shipmentMessages = map[ShipmentStatus]string{
	ShipmentCreated:            "The parcel is ready for its courier.",
	ShipmentPickupRequested:    "The courier was asked to pick the parcel up.",
	ShipmentPicked:             "The courier has picked the parcel up.",
	ShipmentAtHub:              "The parcel is at a hub of the courier.",
	ShipmentInTransit:          "The parcel is on its way.",
	ShipmentOutForDelivery:     "The parcel is out for delivery.",
	ShipmentDelivered:          "The parcel was delivered.",
	ShipmentPartiallyDelivered: "A part of the parcel was delivered.",
	ShipmentOnHold:             "The courier holds the parcel.",
	ShipmentDeliveryFailed:     "The courier could not deliver the parcel.",
	ShipmentReturning:          "The parcel is on its way back.",
	ShipmentReturned:           "The parcel is back at the shop.",
	ShipmentCancelled:          "The courier no longer carries this parcel.",
	ShipmentExchanged:          "The parcel was exchanged for another.",
}
