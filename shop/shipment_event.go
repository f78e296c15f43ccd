package shop

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/input"
)

// shipmentEvent is one event in the history of a shipment.
type shipmentEvent struct {
	event      string         // the courier's name of the event, or staffEvent
	status     ShipmentStatus // "": the event does not change the status
	note       string         // the courier's text, for staff only
	at         int64          // Unix milliseconds, by the courier's clock
	receivedAt int64
}

// staffEvent is the event name of a status that staff set by hand.
const staffEvent = "staff"

// isTracked reports whether the courier's answer to a query reported the event.
func (e *shipmentEvent) isTracked() bool { return strings.HasPrefix(e.event, trackedPrefix) }

// shipmentRanks order events of the same time: couriers' timestamps have a resolution of one
// second.
var shipmentRanks = map[ShipmentStatus]int{
	ShipmentCreated: 1, ShipmentPickupRequested: 2, ShipmentPicked: 3, ShipmentAtHub: 4, ShipmentInTransit: 5,
	ShipmentOutForDelivery: 6, ShipmentOnHold: 7, ShipmentDeliveryFailed: 8, ShipmentPartiallyDelivered: 9,
	ShipmentDelivered: 10, ShipmentExchanged: 11, ShipmentReturning: 12, ShipmentReturned: 13, ShipmentCancelled: 14,
}

// statusFromEvents returns the status that results from a shipment's events, in any order. They
// count in the order of the courier's clock, and changes that shipmentTransitions does not permit
// are skipped. at is the time of the status; 0 means that no event set it.
func statusFromEvents(events []shipmentEvent) (status ShipmentStatus, at int64) {
	ordered := slices.Clone(events)
	slices.SortFunc(ordered, func(a, b shipmentEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(shipmentRanks[a.status], shipmentRanks[b.status]),
			strings.Compare(a.event, b.event), strings.Compare(a.note, b.note))
	})
	status = ShipmentCreated
	for _, e := range ordered {
		switch {
		case e.status == "":
		case e.status == status && at == 0, e.status != status && shipmentTransitions.allow(status, e.status):
			status, at = e.status, e.at
		}
	}
	return status, at
}

// maxClockAhead is how far a courier's timestamp may be in the future. No event
// could change the status of a later one until then.
const maxClockAhead = 24 * time.Hour

// eventTime returns the event's time in Unix milliseconds: receivedAt if the courier's timestamp is
// missing or implausible.
func (n *CourierEvent) eventTime(receivedAt time.Time) int64 {
	if n.At.IsZero() || n.At.After(receivedAt.Add(maxClockAhead)) || n.At.Year() < 2000 {
		return db.Millis(receivedAt)
	}
	return db.Millis(n.At)
}

// clean makes the courier's texts storable. ok is false if an identifier or a name is longer than
// MaxConsignment bytes.
func (n *CourierEvent) clean() (ok bool) {
	for _, text := range []*string{&n.Event, &n.ConsignmentID, &n.ReturnID, &n.Ref, &n.Statement} {
		if *text = input.Clean(*text); len(*text) > MaxConsignment {
			return false
		}
	}
	n.Note = input.Cut(input.Clean(n.Note), maxShipmentNote)
	n.Detail = input.Cut(input.Clean(n.Detail), maxShipmentNote)
	return true
}

// maxShipmentNote is the maximum length of a stored note, in characters; the rest is cut off.
const maxShipmentNote = 500
