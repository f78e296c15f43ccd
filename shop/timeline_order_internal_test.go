package shop

import (
	"slices"
	"testing"
)

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
