package shop

import (
	"testing"

	"storefront/shop/status"
)

// Every status that an order or a part of it can get has its type of timeline entry with a meaning,
// and a type of another version is shown as [TimelineOther].
func TestTimelineTypes_Complete(t *testing.T) {
	t.Parallel()
	known := map[TimelineType]string{}
	for _, info := range TimelineTypes() {
		if known[info.Type] != "" || info.Meaning == "" {
			t.Errorf("%s: got meaning %q, want one, and the type once", info.Type, info.Meaning)
		}
		known[info.Type] = info.Meaning
	}
	var reached []TimelineType
	for _, next := range status.OrderTransitions {
		for _, to := range next {
			reached = append(reached, TimelineType(to))
		}
	}
	for to := range status.PaymentTransitions {
		reached = append(reached, paymentTimeline+TimelineType(to))
	}
	for to := range fulfillmentMessages {
		reached = append(reached, fulfillmentTimeline+TimelineType(to))
	}
	for to := range status.ShipmentTransitions {
		reached = append(reached, shipmentTimeline+TimelineType(to))
	}
	for to := range status.AttemptTransitions {
		reached = append(reached, attemptTimeline+TimelineType(to))
	}
	for _, kind := range reached {
		if kind.shown() != kind {
			t.Errorf("%s is not a type of timeline entry", kind)
		}
	}
	if got := TimelineType("of_a_later_version").shown(); got != TimelineOther {
		t.Errorf("got %s for an unknown type, want other", got)
	}
}
