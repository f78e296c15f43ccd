package courierb

import "storefront/shop"

// The two kinds of call that tell of a parcel.
const (
	deliveryStatus = "delivery_status"
	trackingUpdate = "tracking_update"
)

// statusMapping is what one of the courier's words means here.
type statusMapping struct {
	status   shop.ShipmentStatus // "": the parcel stays as it is
	message  string              // for the buyer, where status is ""
	collects bool                // cod_amount is what was taken; else it is what is due
}

// statuses are the courier's words, in lower case with underscores. A rider's word that waits for
// approval may still be taken back, so it moves nothing.
var statuses = map[string]statusMapping{
	"in_review":                          {status: shop.ShipmentCreated},
	"pending":                            {status: shop.ShipmentInTransit},
	"hold":                               {status: shop.ShipmentOnHold},
	"delivered":                          {status: shop.ShipmentDelivered, collects: true},
	"partial_delivered":                  {status: shop.ShipmentPartiallyDelivered, collects: true},
	"cancelled":                          {status: shop.ShipmentReturning},
	"delivered_approval_pending":         {message: "The courier says that the parcel was delivered; it is being checked."},
	"partial_delivered_approval_pending": {message: "The courier says that a part was delivered; it is being checked."},
	"cancelled_approval_pending":         {message: "The courier says that the parcel was refused; it is being checked."},
	"unknown_approval_pending":           {message: "The courier is checking the parcel."},
	"exceptional":                        {message: "The courier is looking into the parcel."},
	"unknown":                            {message: "The courier is looking into the parcel."},
	"cancelled_return_processing":        {status: shop.ShipmentReturning},
	"cancelled_return_rider_assigned":    {status: shop.ShipmentReturning},
	"cancelled_return_received":          {status: shop.ShipmentReturned},
	// The rest of a parcel whose other part was sold.
	"partial_delivery_return_processing":     {message: "A part of the parcel is on its way back."},
	"partial_delivery_return_rider_assigned": {message: "A part of the parcel is on its way back."},
	"partial_delivery_return_received":       {message: "A part of the parcel is back at the shop."},
}
