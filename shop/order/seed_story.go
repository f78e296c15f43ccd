package order

import (
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// seedStory is the course of a seeded order.
type seedStory struct {
	method  status.PaymentMethod
	release bool // the order's stock is released in the end
	events  []seedEvent
}

// seedEvent is a change of a seeded order some time after the previous one. Events after the time
// of seeding do not happen.
type seedEvent struct {
	after  time.Duration
	change seedChange
}

type seedChange func(s *Orders, tx *db.Tx, o *orderRow, by seedActors) error

// seedActors are the actors who change a seeded order.
type seedActors struct {
	who      access.Staff
	provider plugin.Provider
}

// seedStoryOf returns the story of the nth order, 0 being the oldest. Most orders are paid in cash
// and delivered within four days; some of the newest wait for somebody.
func seedStoryOf(n int) seedStory {
	cash := func(events ...seedEvent) seedStory { return seedStory{method: status.PayCOD, events: events} }
	online := func(method status.PaymentMethod, events ...seedEvent) seedStory {
		paid := []seedEvent{{3 * time.Minute, seedAttempt(status.AttemptSucceeded)}}
		return seedStory{method: method, events: append(paid, events...)}
	}
	released := func(story seedStory) seedStory {
		story.release = true
		return story
	}
	confirmed := seedEvent{5 * time.Hour, seedCall(CallConfirmed, "", 0)}
	failed := seedEvent{2 * time.Minute, seedAttempt(status.AttemptFailed)}
	underWay := []status.Shipment{status.ShipmentCreated, status.ShipmentPicked, status.ShipmentInTransit, status.ShipmentOutForDelivery}
	if n%3 == 0 {
		underWay = []status.Shipment{status.ShipmentCreated, status.ShipmentPickupRequested, status.ShipmentAtHub, status.ShipmentOutForDelivery}
	}
	shipped := func(ends ...status.Shipment) (events []seedEvent) {
		for i, status := range append(underWay[:len(underWay):len(underWay)], ends...) {
			events = append(events, seedEvent{time.Duration(5+5*i) * time.Hour, seedShipment(status)})
		}
		return events
	}
	cashShipped := func(ends ...status.Shipment) seedStory {
		return cash(append([]seedEvent{confirmed}, shipped(ends...)...)...)
	}
	switch n {
	case seedOrders - 1: // the buyer is paying
		return seedStory{method: status.PayGatewayA, events: []seedEvent{{2 * time.Minute, seedAttempt(status.AttemptPending)}}}
	case seedOrders - 11: // the courier's rider is on the way
		return cash(
			confirmed,
			seedEvent{30 * time.Hour, seedShipment(status.ShipmentCreated)},
			seedEvent{5 * time.Hour, seedShipment(status.ShipmentPickupRequested)},
		)
	case seedOrders - 15:
		return cash(
			confirmed,
			seedEvent{5 * time.Hour, seedShipment(status.ShipmentCreated)},
			seedEvent{60 * time.Hour, seedShipment(status.ShipmentPicked)},
		)
	case seedOrders - 18: // to be booked again
		return cash(
			confirmed,
			seedEvent{5 * time.Hour, seedShipment(status.ShipmentCreated)},
			seedEvent{9 * time.Hour, seedShipment(status.ShipmentCancelled)},
		)
	case seedOrders - 21: // the buyer exchanged it for another size
		return cashShipped(status.ShipmentExchanged)
	case seedOrders - 51: // one item was damaged
		return online(status.PayGatewayA, append(shipped(status.ShipmentDelivered), seedEvent{20 * time.Hour, seedRefundPart})...)
	case seedOrders - 20, seedOrders - 23:
		return cashShipped(status.ShipmentOnHold)
	case seedOrders - 24, seedOrders - 30:
		return cashShipped(status.ShipmentDeliveryFailed)
	case seedOrders - 26, seedOrders - 29:
		return cashShipped(status.ShipmentDeliveryFailed, status.ShipmentReturning)
	case seedOrders - 25:
		return cashShipped(status.ShipmentPartiallyDelivered)
	case seedOrders - 14:
		return seedStory{method: status.PayGatewayB, events: []seedEvent{{3 * time.Minute, seedAttempt(status.AttemptNeedsReview)}}}
	case seedOrders - 17, seedOrders - 45: // the money is due for refund
		return released(online(status.PayGatewayA, seedEvent{4 * time.Hour, seedCancel("The buyer changed their mind.")}))
	case seedOrders - 2, seedOrders - 4, seedOrders - 5, seedOrders - 7: // nobody has answered the phone
		return cash(seedEvent{3 * 24 * time.Hour, seedCall(CallConfirmed, "", 0)})
	case seedOrders - 10, seedOrders - 12: // to be packed
		return cash(confirmed)
	}
	switch n % 20 {
	case 3, 14:
		return released(cash(seedEvent{3 * time.Hour, seedCancel("Ordered twice by mistake.")}))
	case 7:
		return released(cash(append(append([]seedEvent{confirmed}, shipped(status.ShipmentDeliveryFailed, status.ShipmentReturning)...),
			seedEvent{2 * 24 * time.Hour, seedReturn})...))
	case 9, 18:
		return online(status.PayGatewayA, shipped(status.ShipmentDelivered)...)
	case 11:
		return online(status.PayGatewayB, shipped(status.ShipmentDelivered)...)
	case 15:
		return released(seedStory{method: status.PayGatewayA, events: []seedEvent{failed, {40 * time.Minute, seedExpire}}})
	case 16:
		return released(cash(append(append([]seedEvent{confirmed}, shipped(status.ShipmentDelivered)...),
			seedEvent{3 * 24 * time.Hour, seedReturn}, seedEvent{24 * time.Hour, seedRefund})...))
	}
	return cashShipped(status.ShipmentDelivered)
}

// seedRecordsOf returns staff's records about the nth order, by the time since it was placed: calls
// without a decision, notes and tags.
func seedRecordsOf(n int, method status.PaymentMethod) (events []seedEvent) {
	add := func(after time.Duration, change seedChange) { events = append(events, seedEvent{after, change}) }
	if method == status.PayCOD {
		switch {
		case n == seedOrders-2, n == seedOrders-7:
			add(40*time.Minute, seedCall(CallNoAnswer, "", 0))
		case n == seedOrders-4: // due by now
			add(30*time.Minute, seedCall(CallNoAnswer, "", 0))
			add(2*time.Hour, seedCall(CallLater, "At work until the evening.", 3*time.Hour))
		case n == seedOrders-5: // due tomorrow
			add(time.Hour, seedCall(CallLater, "Decides tomorrow with the family.", 3*24*time.Hour))
		case n%4 == 1:
			add(50*time.Minute, seedCall(CallNoAnswer, "", 0))
		}
	}
	notes := []string{"Wrap it as a gift, without the invoice.", "The neighbours accept deliveries.", "Wants to order again in blue next month."}
	if n%10 == 6 {
		add(90*time.Minute, seedNote(notes[n/10%len(notes)]))
	}
	var tags []string
	if n%10 == 6 && n/10%len(notes) == 0 {
		tags = append(tags, "gift")
	}
	if n%14 == 5 {
		tags = append(tags, "wholesale")
	}
	if n%13 == 4 { // as the buyer's note requests
		tags = append(tags, "call first")
	}
	if len(tags) > 0 {
		add(20*time.Minute, seedTags(tags))
	}
	return events
}

// seedCall records a call to the buyer. again is the time until the next call; 0 means none.
func seedCall(outcome CallOutcome, text string, again time.Duration) seedChange {
	return func(s *Orders, tx *db.Tx, o *orderRow, by seedActors) error {
		in := CallInput{Outcome: outcome, Text: text}
		if again > 0 {
			in.CallAt = new(tx.Now().Add(again))
		}
		return s.recordCall(tx, by.who, o, in)
	}
}

func seedNote(text string) seedChange {
	return func(s *Orders, tx *db.Tx, o *orderRow, by seedActors) error {
		return s.addNote(tx, by.who, o, &Note{Kind: NoteText, Text: &text})
	}
}

func seedTags(tags []string) seedChange {
	return func(_ *Orders, tx *db.Tx, o *orderRow, _ seedActors) error { return saveTags(tx, o.number, tags) }
}

func seedReturn(s *Orders, tx *db.Tx, o *orderRow, _ seedActors) error {
	return s.markReturned(tx, o, nil)
}

func seedRefund(s *Orders, tx *db.Tx, o *orderRow, _ seedActors) error {
	return s.markCashRefunded(tx, o)
}

// seedRefundPart records that a tenth of the order's payment was refunded.
func seedRefundPart(s *Orders, tx *db.Tx, o *orderRow, _ seedActors) error {
	c := s.changeOrder(tx, o, ByStaff)
	p := &payment{attempt: o.attempts[0]}
	refund, err := c.addRefund(p, p.attempt.amount/10)
	if err != nil {
		return err
	}
	refund.byHand = true
	if err := c.completeRefund(p, refund); err != nil {
		return err
	}
	if err := updateAttempt(tx, p.attempt); err != nil {
		return err
	}
	return c.save()
}

func seedExpire(s *Orders, tx *db.Tx, o *orderRow, _ seedActors) error {
	return s.expireOrder(tx, o, nil)
}

func seedCancel(reason string) seedChange {
	return func(s *Orders, tx *db.Tx, o *orderRow, _ seedActors) error {
		return s.cancelOrder(tx, o, viewStaff, ByStaff, reason)
	}
}

// seedAttempt changes the status of the order's payment attempt, as its gateway reports it.
func seedAttempt(to status.Attempt) seedChange {
	return func(s *Orders, tx *db.Tx, o *orderRow, _ seedActors) error {
		c := s.changeOrder(tx, o, Cause(o.method))
		a := o.attempts[0]
		a.externalID = new(fmt.Sprintf("seed-%d", o.number))
		if to == status.AttemptSucceeded {
			a.transactionID = fmt.Sprintf("SEED%d", o.number)
		}
		c.setAttemptStatus(a, to)
		return c.save()
	}
}

// seedShipment applies an event of the courier that has the order's shipment.
func seedShipment(st status.Shipment) seedChange {
	return func(s *Orders, tx *db.Tx, o *orderRow, by seedActors) error {
		event := plugin.CourierEvent{
			Kind: plugin.EventShipment, Event: string(st), ConsignmentID: fmt.Sprintf("SEED-%d", o.number), Ref: o.id, Status: st,
		}
		if st == status.ShipmentDelivered {
			event.Fee = new(int64(seedFee))
			if o.method == status.PayCOD {
				event.Collected = &o.total
			}
		}
		_, err := s.applyCourierEvent(tx, inbox.Incoming{Provider: by.provider, ReceivedAt: tx.Now()}, event)
		return err
	}
}
