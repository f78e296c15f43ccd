package admin

import (
	"context"
	"strings"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// eventTypes returns the types of events with the permissions to see them, for the reference.
func eventTypes() string {
	var b strings.Builder
	for _, kind := range outbox.Types() {
		b.WriteString("\n| `" + string(kind) + "` | ")
		if p := shop.EventPermission(kind); p == access.Any {
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
			Summary: "What happens in the shop, as it happens",
			Description: "A stream of server-sent events: `id` is the event's number, `event` its type and `data` JSON with `subject` (the ID of what it " +
				"happened to) and, if known, `orderNumber`, `status`, `total` (of the order, in minor units) and `actor` (`kind`, `_id`). An order's subject " +
				"is its invoice UID, for shipments too; that of stock is the variant.\n\n" +
				"A browser's EventSource resumes by itself after the last event that it has; other clients send its number as Last-Event-ID or " +
				"`after`. Events are stored for 30 days: if those in between are no longer, the stream begins with an event `reset`, and the client " +
				"reads again what it shows. A comment is sent every 20 seconds. The stream ends with the session or the API key. A staff member or " +
				"key can have 10 streams.\n\n| type | permission |\n|---|---|" + eventTypes(),
			Codes: []fault.Code{fault.CodeUnavailable},
		}, func(ctx context.Context, in *struct {
			request
			LastEventID optional[int64] `header:"Last-Event-ID" minimum:"0" doc:"Number of the last event that the client has" example:"41"`
			After       optional[int64] `query:"after" minimum:"0" doc:"The same as Last-Event-ID, which takes precedence" example:"41"`
		}) (*shop.EventStream, error) {
			after := in.LastEventID.pointer()
			if after == nil {
				after = in.After.pointer()
			}
			return in.shop().FollowEvents(ctx, in.caller(), after)
		}),
	}
}
