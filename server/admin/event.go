package admin

import (
	"context"
	"strings"

	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/live"
	"storefront/shop/outbox"
)

// eventMeanings are the meanings of the types of events.
var eventMeanings = map[outbox.Type]string{
	outbox.OrderPlaced:             "An order was placed.",
	outbox.OrderConfirmed:          "An order was confirmed.",
	outbox.OrderEdited:             "The contents of an order, its payment or its flags changed.",
	outbox.OrderCancelled:          "An order was cancelled.",
	outbox.OrderExpired:            "An order was not paid or confirmed in time.",
	outbox.OrderCompleted:          "An order was delivered and paid.",
	outbox.OrderReturned:           "An order came back.",
	outbox.OrderPaid:               "An order was paid.",
	outbox.OrderPaymentReview:      "Staff must check a payment.",
	outbox.OrderRefundDue:          "A payment must be sent back.",
	outbox.OrderRefunded:           "A payment was sent back, whole or in part.",
	outbox.ShipmentBooked:          "A shipment was booked or recorded.",
	outbox.ShipmentMoved:           "A shipment is on its way.",
	outbox.ShipmentDelivered:       "A shipment was delivered, whole or in part.",
	outbox.ShipmentProblem:         "A shipment is on hold, its delivery failed, or staff must check it.",
	outbox.ShipmentReturning:       "A shipment is coming back.",
	outbox.ShipmentReturned:        "A shipment came back.",
	outbox.ProductCreated:          "A product was created.",
	outbox.ProductUpdated:          "A product was changed.",
	outbox.ProductDeleted:          "A product was deleted.",
	outbox.StockLow:                "The stock of a variant is low.",
	outbox.StockOut:                "A variant is out of stock.",
	outbox.CouponCreated:           "A coupon was created.",
	outbox.CouponUpdated:           "A coupon was changed.",
	outbox.CouponDeleted:           "A coupon was deleted.",
	outbox.CustomerCreated:         "A customer has registered.",
	outbox.CashReconciled:          "A courier's statement was recorded.",
	outbox.ProviderWebhookFailed:   "A webhook of a provider could not be applied.",
	outbox.JobFinished:             "A job has ended.",
	outbox.SettingsChanged:         "Settings, or a provider's, were changed.",
	outbox.StaffSignedIn:           "A staff member has signed in.",
	outbox.ShopRestored:            "A backup has replaced the shop: read again what was read since the backup.",
	outbox.WebhookEndpointDisabled: "A webhook endpoint was disabled.",
}

// eventTypeEnum returns the types of events of webhook endpoints.
func eventTypeEnum() Enum {
	values := []EnumValue{{string(endpoint.AllTypes), "Every type, including types of later versions."}}
	for _, kind := range outbox.Types() {
		values = append(values, EnumValue{string(kind), eventMeanings[kind]})
	}
	return Enum{"EventType", "The type of an event.", append(values, EnumValue{string(endpoint.TestType), "A test was sent."})}
}

// eventTypes returns the types of events with their meanings and the permissions to see them, for
// the reference.
func eventTypes() string {
	var b strings.Builder
	for _, kind := range outbox.Types() {
		b.WriteString("\n| `" + string(kind) + "` | " + eventMeanings[kind] + " | ")
		if p := live.EventPermission(kind); p == access.Any {
			b.WriteString("– |")
		} else {
			b.WriteString("`" + string(p) + "` |")
		}
	}
	return b.String()
}

func eventOperations() []Operation {
	return []Operation{
		defineEvents(Operation{
			ID: "followEvents", Path: "events", Tag: tagEvents, Use: access.ToFollowEvents,
			Summary: "The shop's events, as they happen",
			Description: "A stream of server-sent events: `id` is the event's number, `event` its type and " +
				"`data` JSON with `subject` (the ID of the affected record) and, if known, `orderNumber`, " +
				"`status`, `total` (of the order, in minor units) and `actor` (`kind`, `_id`). The kind " +
				"`shop` is the shop itself: a time limit has passed, or a courier or gateway has reported " +
				"something. Events that a buyer causes have no actor. The subject of an order or a shipment " +
				"is the invoice UID; the subject of stock is the variant.\n\n" +
				"A browser's EventSource resumes by itself after the last event that it has; other clients " +
				"send its number as Last-Event-ID or `after`. Events are stored for 30 days. If events in " +
				"between have been removed, the stream begins with an event `reset`, and the client must " +
				"load its data again. In streams `reset` also replaces `shop.restored`. A comment is sent " +
				"every 20 seconds. The stream ends with the session or the API key. A staff member or key " +
				"can have 10 streams, and a shop 125.\n\n" +
				"| type | meaning | permission |\n|---|---|---|" + eventTypes(),
			Codes: []fault.Code{fault.CodeUnavailable},
		}, func(ctx context.Context, in *struct {
			request
			LastEventID optional[int64] `header:"Last-Event-ID" minimum:"0" doc:"Number of the last event that the client has" example:"41"`
			After       optional[int64] `query:"after" minimum:"0" doc:"The same as Last-Event-ID, which takes precedence" example:"41"`
		}) (*live.Stream, error) {
			after := in.LastEventID.pointer()
			if after == nil {
				after = in.After.pointer()
			}
			return in.shop().Live.FollowEvents(ctx, in.caller(), after)
		}),
	}
}
