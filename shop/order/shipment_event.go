package order

import (
	"cmp"
	"slices"
	"strings"

	"storefront/shop/status"
)

// shipmentEvent is one event in the history of a shipment.
type shipmentEvent struct {
	event      string          // the courier's name of the event, or staffEvent
	status     status.Shipment // "" means that the event does not change the status
	note       string          // the courier's text, for staff only
	at         int64           // Unix milliseconds, by the courier's clock
	receivedAt int64
}

// staffEvent is the event name of a status that staff set manually.
const staffEvent = "staff"

// isTracked reports whether the courier's answer to a query reported the event.
func (e *shipmentEvent) isTracked() bool { return strings.HasPrefix(e.event, trackedPrefix) }

// shipmentRanks order events of the same time: couriers' timestamps have a resolution of one
// second.
var shipmentRanks = map[status.Shipment]int{
	status.ShipmentCreated: 1, status.ShipmentPickupRequested: 2, status.ShipmentPicked: 3, status.ShipmentAtHub: 4, status.ShipmentInTransit: 5,
	status.ShipmentOutForDelivery: 6, status.ShipmentOnHold: 7, status.ShipmentDeliveryFailed: 8, status.ShipmentPartiallyDelivered: 9,
	status.ShipmentDelivered: 10, status.ShipmentExchanged: 11, status.ShipmentReturning: 12, status.ShipmentReturned: 13, status.ShipmentCancelled: 14,
}

// statusFromEvents returns the status that results from a shipment's events, in any order. They
// count in the order of the courier's clock. Changes that ShipmentTransitions does not permit are
// skipped. at is the time of the status; 0 means that no event set it.
func statusFromEvents(events []shipmentEvent) (st status.Shipment, at int64) {
	ordered := slices.Clone(events)
	slices.SortFunc(ordered, func(a, b shipmentEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(shipmentRanks[a.status], shipmentRanks[b.status]),
			strings.Compare(a.event, b.event), strings.Compare(a.note, b.note))
	})
	st = status.ShipmentCreated
	for _, e := range ordered {
		switch {
		case e.status == "":
		case e.status == st && at == 0, e.status != st && status.ShipmentTransitions.Allow(st, e.status):
			st, at = e.status, e.at
		}
	}
	return st, at
}
