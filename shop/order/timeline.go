package order

import (
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/status"
)

// TimelineType is the type of a timeline entry: one of the constants below, or a prefix and the
// changed status.
type TimelineType string

// The types that name no status.
const (
	TimelinePlaced         TimelineType = "placed"
	TimelineReplaces       TimelineType = "replaces"
	TimelineReplaced       TimelineType = "replaced"
	TimelineTokenReplaced  TimelineType = "token_replaced"
	TimelineEdited         TimelineType = "edited"
	TimelineAdvance        TimelineType = "advance"
	TimelineShipmentUpdate TimelineType = "shipment_update"
	// TimelineOther is shown for types that this version does not know.
	TimelineOther TimelineType = "other"
)

// The prefixes of types about the statuses of an order's parts. Masked orders have no entries about
// payment attempts.
const (
	paymentTimeline     TimelineType = "payment_"
	fulfillmentTimeline TimelineType = "fulfillment_"
	shipmentTimeline    TimelineType = "shipment_"
	attemptTimeline     TimelineType = "attempt_"
)

// TimelineTypeInfo is a type with its meaning.
type TimelineTypeInfo struct {
	Type    TimelineType
	Meaning string
}

var timelineTypes = slices.Concat(
	[]TimelineTypeInfo{
		{TimelinePlaced, "Order placed."},
		{TimelineReplaces, "The order replaces another one of its buyer."},
		{TimelineReplaced, "The order was replaced by another one of its buyer."},
		{TimelineTokenReplaced, "The shop replaced the order token."},
		{TimelineEdited, editedMessage},
		{TimelineAdvance, "The shop required an advance, checks it, received it or removed it."},
	},
	timelineOf(
		"",
		orderMessages,
		status.OrderPending,
		status.OrderConfirmed,
		status.OrderProcessing,
		status.OrderCompleted,
		status.OrderCancelled,
		status.OrderExpired,
		status.OrderReturned,
	),
	timelineOf(
		paymentTimeline,
		paymentMessages,
		status.PaymentUnpaid,
		status.PaymentPending,
		status.PaymentPaid,
		status.PaymentNeedsReview,
		status.PaymentRefundDue,
		status.PaymentRefunded,
		status.PaymentPartiallyRefunded,
	),
	timelineOf(fulfillmentTimeline, fulfillmentMessages, status.Delivered, status.Returned),
	timelineOf(shipmentTimeline, shipmentMessages, status.Shipments()...),
	[]TimelineTypeInfo{{TimelineShipmentUpdate, "The courier reported another event of a shipment."}},
	timelineOf(attemptTimeline, attemptMessages, status.Attempts()...),
	[]TimelineTypeInfo{
		{attemptTimeline + TimelineType(status.PaymentPartiallyRefunded), partlyRefundedMessage},
		{TimelineOther, "Another event; the message describes it."},
	},
)

func timelineOf[S ~string](prefix TimelineType, messages map[S]string, statuses ...S) []TimelineTypeInfo {
	all := make([]TimelineTypeInfo, len(statuses))
	for i, status := range statuses {
		all[i] = TimelineTypeInfo{prefix + TimelineType(status), messages[status]}
	}
	return all
}

// TimelineTypes returns all types with their meanings.
func TimelineTypes() []TimelineTypeInfo { return slices.Clone(timelineTypes) }

// shown returns the type as the API shows it: an unknown one is [TimelineOther].
func (t TimelineType) shown() TimelineType {
	if slices.ContainsFunc(timelineTypes, func(info TimelineTypeInfo) bool { return info.Type == t }) {
		return t
	}
	return TimelineOther
}

// timeline returns the order's timeline as this reader may see it, in the order in which things
// happened.
//
// Couriers' clocks count seconds and may be slow, so entries of one second are in the order of
// their recording, and a shipment's entry is never before the steps of the order that were recorded
// before it. A courier reports some statuses more than once, such as at each of its hubs, and
// reports a new shipment after the shop has. Buyers read only the first of a shipment's equal
// entries in a row, regardless of other entries between them.
func (o *orderRow) timeline(as orderView) []TimelineEntry {
	entries := []TimelineEntry{}
	var last TimelineEntry // of a shipment
	for _, e := range o.orderedEvents() {
		entry := e.view(as)
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

// view returns the event as this reader may see it.
func (e *orderEventRow) view(as orderView) TimelineEntry {
	entry := TimelineEntry{At: db.FromMillis(e.at), Type: e.kind.shown(), Message: e.message, Cause: e.cause}
	if e.detail != "" && as != viewMasked {
		entry.Message = e.detail
	}
	return entry
}

// staffTimeline returns the timeline with its authors.
func (o *orderRow) staffTimeline() ([]StaffTimelineEntry, error) {
	entries := []StaffTimelineEntry{}
	for _, e := range o.orderedEvents() {
		entry := StaffTimelineEntry{TimelineEntry: e.view(viewStaff)}
		if e.by != "" {
			by, err := parseActor(e.by)
			if err != nil {
				return nil, err
			}
			entry.By = &by
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// orderedEvents returns the order's events as its timeline orders them.
func (o *orderRow) orderedEvents() []orderEventRow {
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
	return events
}

func (t TimelineType) isShipment() bool {
	return strings.HasPrefix(string(t), string(shipmentTimeline))
}
