package couriera

import (
	"strings"

	"storefront/provider"
	"storefront/shop/status"
)

// handshake is the event with which the courier's panel verifies a webhook address.
const handshake = "webhook-integration"

// event describes the meaning of one of the courier's events for a shipment.
type event struct {
	status  status.Shipment // "" leaves the status unchanged
	message string          // for the buyer, if status is ""; "" means not for buyers
	problem string          // problem that staff must check; "" if there is none
	paidOut bool
	// ofReturn marks events of the way back, which may contain the return consignment instead of the
	// shipment.
	ofReturn bool
}

// events lists the courier's events by [eventKey]. The webhook page of Pathao's merchant panel
// offers these.
var events = map[string]event{
	"created":                   {status: status.ShipmentCreated},
	"updated":                   {},
	"pickup-requested":          {status: status.ShipmentPickupRequested},
	"assigned-for-pickup":       {status: status.ShipmentPickupRequested},
	"picked":                    {status: status.ShipmentPicked},
	"pickup-failed":             {message: "The courier could not pick up the shipment."},
	"pickup-cancelled":          {status: status.ShipmentCancelled},
	"at-the-sorting-hub":        {status: status.ShipmentAtHub},
	"in-transit":                {status: status.ShipmentInTransit},
	"received-at-last-mile-hub": {status: status.ShipmentAtHub},
	"assigned-for-delivery":     {status: status.ShipmentOutForDelivery},
	"delivered":                 {status: status.ShipmentDelivered},
	"partial-delivery":          {status: status.ShipmentPartiallyDelivered},
	"delivery-failed":           {status: status.ShipmentDeliveryFailed},
	"on-hold":                   {status: status.ShipmentOnHold},
	"paid":                      {paidOut: true},
	"exchanged":                 {status: status.ShipmentExchanged},
	// The buyer refused the shipment. It is back at the shop only with the last of these events.
	"returned":             {status: status.ShipmentReturning},
	"paid-return":          {status: status.ShipmentReturning},
	"return-id-created":    {status: status.ShipmentReturning, ofReturn: true},
	"return-in-transit":    {status: status.ShipmentReturning, ofReturn: true},
	"returned-to-merchant": {status: status.ShipmentReturned, ofReturn: true},
	"lost":                 {status: status.ShipmentOnHold, problem: "The courier reports the shipment as lost."},
	"damaged":              {status: status.ShipmentOnHold, problem: "The courier reports the shipment as damaged."},
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
