package order

import (
	"slices"
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

// The courier's clock counts seconds and is slow, and it reports some statuses twice.
func TestTimeline_Order(t *testing.T) {
	t.Parallel()
	o := &orderRow{events: []orderEventRow{ // as stored: by time
		{id: "02", kind: "shipment_created", at: 10_000},
		{id: "05", kind: "shipment_picked", at: 10_000},
		{id: "08", kind: "shipment_delivered", at: 10_000},
		{id: "01", kind: "placed", at: 10_001},
		{id: "03", kind: "processing", at: 10_750},
		{id: "035", kind: "shipment_created", at: 10_000, cause: "courier_a"}, // after the shop's own
		{id: "04", kind: "shipment_pickup_requested", at: 10_900},
		{id: "09", kind: "payment_paid", at: 12_000},
		{id: "10", kind: "completed", at: 12_000},
		{id: "07", kind: "shipment_at_hub", at: 10_000, cause: "courier_a"},
		{id: "06", kind: "shipment_at_hub", at: 9_000, cause: "courier_a"},
		{id: "11", kind: "shipment_out_for_delivery", at: 10_950}, // reported late
	}}
	want := []TimelineType{
		"placed", "shipment_created", "processing", "shipment_pickup_requested", "shipment_picked", "shipment_at_hub", "shipment_delivered",
		"shipment_out_for_delivery", "payment_paid", "completed",
	}
	for as, twice := range map[orderView]bool{viewMasked: false, viewWhole: false, viewOwner: false, viewStaff: true} {
		var got []TimelineType
		for _, e := range o.timeline(as) {
			got = append(got, e.Type)
		}
		expected := want
		if twice {
			expected = slices.Insert(slices.Clone(want), 6, "shipment_at_hub")
			expected = slices.Insert(expected, 3, "shipment_created")
		}
		if !slices.Equal(got, expected) {
			t.Errorf("view %v: got %v, want %v", as, got, expected)
		}
	}
}
