package shop

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/input"
)

// shipmentEvent is something that is known of a parcel's way.
type shipmentEvent struct {
	event      string // the courier's word; see also staffEvent
	status     ShipmentStatus
	note       string // the courier's words, for the shop's staff
	at         int64  // by the courier's clock
	receivedAt int64
}

// staffEvent stands for a move that was made by hand.
const staffEvent = "staff"

// shipmentRanks order what a courier says happened at the same moment: its clock knows only seconds.
var shipmentRanks = map[ShipmentStatus]int{
	ShipmentCreated: 1, ShipmentPickupRequested: 2, ShipmentPicked: 3, ShipmentAtHub: 4, ShipmentInTransit: 5,
	ShipmentOutForDelivery: 6, ShipmentOnHold: 7, ShipmentDeliveryFailed: 8, ShipmentPartiallyDelivered: 9,
	ShipmentDelivered: 10, ShipmentExchanged: 11, ShipmentReturning: 12, ShipmentReturned: 13, ShipmentCancelled: 14,
}

// statusFromEvents gives what a parcel's events come to, in the courier's order of time, whatever the
// order in which they came: a move that the table forbids is passed over. at is when the parcel
// reached the state; 0: no event says so.
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
		case e.status == status && at == 0, e.status != status && shipmentMoves.allow(status, e.status):
			status, at = e.status, e.at
		}
	}
	return status, at
}

// maxClockAhead is how far a courier's clock may be ahead of ours. A time beyond it would hold the
// parcel in its state until then.
const maxClockAhead = 24 * time.Hour

// eventTime gives when a notice says that something happened, or when it came where it does not say.
func (n *CourierEvent) eventTime(receivedAt time.Time) int64 {
	if n.At.IsZero() || n.At.After(receivedAt.Add(maxClockAhead)) || n.At.Year() < 2000 {
		return db.Millis(receivedAt)
	}
	return db.Millis(n.At)
}

// clean makes the courier's texts what the file takes. ok is false where one is too long to be what
// it should be.
func (n *CourierEvent) clean() (ok bool) {
	for _, text := range []*string{&n.Event, &n.ConsignmentID, &n.Ref, &n.Statement} {
		if *text = input.Clean(*text); len(*text) > MaxConsignment {
			return false
		}
	}
	n.Note = input.Cut(input.Clean(n.Note), maxShipmentNote)
	return true
}

// maxShipmentNote is the longest text of a courier that is kept of an event, in characters.
const maxShipmentNote = 500
