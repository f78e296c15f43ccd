package couriera

import (
	"strings"

	"storefront/provider"
	"storefront/shop"
)

// handshake is the event with which the courier's panel verifies a webhook address.
const handshake = "webhook-integration"

// event describes what one of the courier's events means for a shipment.
type event struct {
	status  shop.ShipmentStatus // "" leaves the status unchanged
	message string              // for the buyer, if status is ""; "": not for buyers
	problem string              // what staff must check; "": nothing
	paidOut bool
	// ofReturn marks events of the way back, which may name the return consignment instead of the
	// shipment.
	ofReturn bool
}

// events lists the courier's events by [eventKey]. They are the events that the webhook page of
// Pathao's merchant panel offers.
var events = map[string]event{
	"created":                   {status: shop.ShipmentCreated},
	"updated":                   {},
	"pickup-requested":          {status: shop.ShipmentPickupRequested},
	"assigned-for-pickup":       {status: shop.ShipmentPickupRequested},
	"picked":                    {status: shop.ShipmentPicked},
	"pickup-failed":             {message: "The courier could not pick up the shipment."},
	"pickup-cancelled":          {status: shop.ShipmentCancelled},
	"at-the-sorting-hub":        {status: shop.ShipmentAtHub},
	"in-transit":                {status: shop.ShipmentInTransit},
	"received-at-last-mile-hub": {status: shop.ShipmentAtHub},
	"assigned-for-delivery":     {status: shop.ShipmentOutForDelivery},
	"delivered":                 {status: shop.ShipmentDelivered},
	"partial-delivery":          {status: shop.ShipmentPartiallyDelivered},
	"delivery-failed":           {status: shop.ShipmentDeliveryFailed},
	"on-hold":                   {status: shop.ShipmentOnHold},
	"paid":                      {paidOut: true},
	"exchanged":                 {status: shop.ShipmentExchanged},
	// The buyer refused the shipment. It is back at the shop only with the last of these events.
	"returned":             {status: shop.ShipmentReturning},
	"paid-return":          {status: shop.ShipmentReturning},
	"return-id-created":    {status: shop.ShipmentReturning, ofReturn: true},
	"return-in-transit":    {status: shop.ShipmentReturning, ofReturn: true},
	"returned-to-merchant": {status: shop.ShipmentReturned, ofReturn: true},
	"lost":                 {status: shop.ShipmentOnHold, problem: "The courier reports the shipment as lost."},
	"damaged":              {status: shop.ShipmentOnHold, problem: "The courier reports the shipment as damaged."},
}

// synonyms maps names from the courier's API and from older webhooks to keys of events.
var synonyms = map[string]string{
	"pending":         "created",
	"pickup":          "picked",
	"return":          "returned",
	"exchange":        "exchanged",
	"payment-invoice": "paid",
	"damage":          "damaged",
	"missing":         "lost",
}

// eventKey returns the key of events for an event or order status: without its "order" prefix, in
// lower case and with hyphens.
func eventKey(name string) string {
	key := provider.Slug(strings.TrimPrefix(strings.ToLower(name), "order."), "-")
	if family, rest, ok := strings.Cut(key, "."); ok { // store.created
		key = family + "-" + rest
	}
	key = strings.TrimPrefix(key, "order-") // Order_Created
	if canonical, ok := synonyms[key]; ok {
		return canonical
	}
	return key
}
