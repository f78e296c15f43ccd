package shop

import (
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/status"
)

// timeline returns the order's timeline as this reader may see it, in the order in which things
// happened.
//
// Couriers' clocks count seconds and may be slow, so entries of one second are in the order of
// their recording, and a shipment's entry is never before the steps of the order that were recorded
// before it. A courier reports some statuses more than once, such as at each of its hubs, and
// reports a new shipment after the shop has. Buyers read only the first of a shipment's equal
// entries in a row, regardless of other entries between them.
func (o *orderRow) timeline(as orderView) []TimelineEntry {
	byID := func(a, b orderEventRow) int { return strings.Compare(a.id, b.id) }
	events := slices.SortedFunc(slices.Values(o.events), byID)
	var step int64 // time of the order's last step towards its shipment
	second := make(map[string]int64, len(events))
	for _, e := range events {
		at := e.at
		switch {
		case e.kind.isShipment():
			at = max(at, step)
		case e.kind == TimelinePlaced || e.kind == TimelineType(status.OrderConfirmed) || e.kind == TimelineType(status.OrderProcessing):
			step = at
		}
		second[e.id] = at / time.Second.Milliseconds()
	}
	slices.SortStableFunc(events, func(a, b orderEventRow) int { return int(second[a.id] - second[b.id]) })
	entries := make([]TimelineEntry, 0, len(events))
	var last TimelineEntry // of a shipment
	for _, e := range events {
		entry := TimelineEntry{At: db.FromMillis(e.at), Type: e.kind.shown(), Message: e.message, Cause: e.cause}
		if e.detail != "" && as != viewMasked {
			entry.Message = e.detail
		}
		if e.kind.isShipment() {
			if as != viewStaff && last.Type == entry.Type && last.Message == entry.Message {
				continue
			}
			last = entry
		}
		entries = append(entries, entry)
	}
	return entries
}

func (t TimelineType) isShipment() bool {
	return strings.HasPrefix(string(t), string(shipmentTimeline))
}
