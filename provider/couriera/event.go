package couriera

import (
	"strings"

	"storefront/provider"
	"storefront/shop"
)

// handshake is the event with which the courier tries an address.
const handshake = "webhook-integration"

// event is what one of the courier's words means here.
type event struct {
	status  shop.ShipmentStatus // "": the parcel stays as it is
	message string              // for the buyer, where status is ""
	paidOut bool
}

// events are the courier's words without their family, in lower case with hyphens.
var events = map[string]event{
	"created":                   {status: shop.ShipmentCreated},
	"updated":                   {message: "The courier changed details of the parcel."},
	"pickup-requested":          {status: shop.ShipmentPickupRequested},
	"assigned-for-pickup":       {status: shop.ShipmentPickupRequested},
	"picked":                    {status: shop.ShipmentPicked},
	"pickup-failed":             {message: "The courier could not pick the parcel up."},
	"pickup-cancelled":          {status: shop.ShipmentCancelled},
	"at-the-sorting-hub":        {status: shop.ShipmentAtHub},
	"in-transit":                {status: shop.ShipmentInTransit},
	"received-at-last-mile-hub": {status: shop.ShipmentAtHub},
	"assigned-for-delivery":     {status: shop.ShipmentOutForDelivery},
	"delivered":                 {status: shop.ShipmentDelivered},
	"partial-delivery":          {status: shop.ShipmentPartiallyDelivered},
	"delivery-failed":           {status: shop.ShipmentDeliveryFailed},
	"on-hold":                   {status: shop.ShipmentOnHold},
	"paid":                      {message: "The courier settled the parcel's account.", paidOut: true},
	"exchanged":                 {status: shop.ShipmentExchanged},
	// Refused at the door, on its way back: only the last of these has it back at the shop.
	"returned":             {status: shop.ShipmentReturning},
	"paid-return":          {status: shop.ShipmentReturning},
	"return-id-created":    {status: shop.ShipmentReturning},
	"return-in-transit":    {status: shop.ShipmentReturning},
	"returned-to-merchant": {status: shop.ShipmentReturned},
}

// synonyms are the words that the courier's interface and its older calls use.
var synonyms = map[string]string{
	"pending":         "created",
	"pickup":          "picked",
	"return":          "returned",
	"exchange":        "exchanged",
	"payment-invoice": "paid",
}

// eventKey gives an event's name as a key of events.
func eventKey(name string) string {
	word := provider.Slug(strings.TrimPrefix(strings.ToLower(name), "order."), "-")
	if family, rest, ok := strings.Cut(word, "."); ok { // store.created
		word = family + "-" + rest
	}
	word = strings.TrimPrefix(word, "order-") // Order_Created
	if known, ok := synonyms[word]; ok {
		return known
	}
	return word
}
