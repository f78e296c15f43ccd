package courierb

import (
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// The notification types that report on a shipment.
const (
	deliveryStatus    = "delivery_status"
	trackingUpdate    = "tracking_update"
	consignmentUpdate = "consignment_update"
)

// eventMessage is the buyer's message for events without a meaning of their own.
const eventMessage = "The courier reported an event of the shipment."

// The messages about the part of a shipment that the buyer did not accept.
const (
	partReturns = "Part of the shipment is on its way back."
	partIsBack  = "Part of the shipment is back at the shop."
)

// statusMapping describes the meaning of one of the courier's statuses for a shipment.
type statusMapping struct {
	status   status.Shipment // "" leaves the status unchanged
	message  string          // for the buyer, if status is ""
	problem  string          // problem that staff must check; "" if there is none
	collects bool            // cod_amount is the collected amount, otherwise the amount due
}

// statuses maps the courier's statuses, in lower case with underscores. They come from its API
// documentation. An *_approval_pending status is the rider's report, which the courier may still
// reverse, so it does not change the shipment's status.
var statuses = map[string]statusMapping{
	"in_review":                          {status: status.ShipmentCreated},
	"pending":                            {status: status.ShipmentInTransit},
	"hold":                               {status: status.ShipmentOnHold},
	"delivered":                          {status: status.ShipmentDelivered, collects: true},
	"partial_delivered":                  {status: status.ShipmentPartiallyDelivered, collects: true},
	"cancelled":                          {status: status.ShipmentReturning},
	"delivered_approval_pending":         {message: "The courier reported the shipment as delivered and is confirming it."},
	"partial_delivered_approval_pending": {message: "The courier reported the shipment as partly delivered and is confirming it."},
	"cancelled_approval_pending":         {message: "The courier reported the shipment as refused and is confirming it."},
	"unknown_approval_pending":           {message: "The courier is confirming the shipment's status."},
	"exceptional": {
		message: "The courier is investigating the shipment.",
		problem: "The courier reports an exception: the shipment may be lost, damaged or disputed.",
	},
	"unknown":                         {message: "The courier is investigating the shipment."},
	"cancelled_return_processing":     {status: status.ShipmentReturning},
	"cancelled_return_rider_assigned": {status: status.ShipmentReturning},
	"cancelled_return_received":       {status: status.ShipmentReturned},
	// The returned part of a partly delivered shipment. The courier's API calls it partial_delivered;
	// its guide has the other spelling too.
	"partial_delivered_return_processing":     {message: partReturns},
	"partial_delivered_return_rider_assigned": {message: partReturns},
	"partial_delivered_return_received":       {message: partIsBack, problem: plugin.PartBack},
	"partial_delivery_return_processing":      {message: partReturns},
	"partial_delivery_return_rider_assigned":  {message: partReturns},
	"partial_delivery_return_received":        {message: partIsBack, problem: plugin.PartBack},
	"lost":                                    {status: status.ShipmentOnHold, problem: "The courier reports the shipment as lost."},
	"damaged":                                 {status: status.ShipmentOnHold, problem: "The courier reports the shipment as damaged."},
}
