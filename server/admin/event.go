package admin

import (
	"context"
	"reflect"
	"strings"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/live"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/transport"
)

// eventTypes returns the types of events with their meanings and the permissions to see them, for
// the reference.
func eventTypes() string {
	var b strings.Builder
	meanings, _ := transport.EnumOf(reflect.TypeFor[outbox.Type]())
	for _, kind := range outbox.Types() {
		b.WriteString("\n| `" + string(kind) + "` | " + meanings.Meaning(string(kind)) + " | ")
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
			LastEventID page.Optional[int64] `header:"Last-Event-ID" minimum:"0" doc:"Number of the last event that the client has" example:"41"`
			After       page.Optional[int64] `query:"after" minimum:"0" doc:"The same as Last-Event-ID, which takes precedence" example:"41"`
		}) (*live.Stream, error) {
			after := in.LastEventID.Pointer()
			if after == nil {
				after = in.After.Pointer()
			}
			return in.shop().Live.FollowEvents(ctx, in.caller(), after)
		}),
	}
}
