package shop

import (
	"fmt"
	"time"

	"storefront/db"
)

// seedStory is the course of a seeded order.
type seedStory struct {
	method  PaymentMethod
	release bool // the order's stock is released in the end
	events  []seedEvent
}

// seedEvent is a change of a seeded order some time after the one before. Those that are still to
// come when the shop is seeded do not happen.
type seedEvent struct {
	after  time.Duration
	change seedChange
}

type seedChange func(s *Shop, tx *db.Tx, o *orderRow, provider Provider) error

// seedStoryOf returns the story of the nth order, 0 being the oldest. Most orders are paid in cash
// and delivered within four days; some of the newest wait for somebody.
func seedStoryOf(n int) seedStory {
	cash := func(events ...seedEvent) seedStory { return seedStory{method: PayCOD, events: events} }
	online := func(method PaymentMethod, events ...seedEvent) seedStory {
		paid := []seedEvent{{3 * time.Minute, seedAttempt(AttemptSucceeded)}}
		return seedStory{method: method, events: append(paid, events...)}
	}
	released := func(story seedStory) seedStory {
		story.release = true
		return story
	}
	confirmed := seedEvent{5 * time.Hour, seedConfirm}
	failed := seedEvent{2 * time.Minute, seedAttempt(AttemptFailed)}
	underWay := []ShipmentStatus{ShipmentCreated, ShipmentPicked, ShipmentInTransit, ShipmentOutForDelivery}
	if n%3 == 0 {
		underWay = []ShipmentStatus{ShipmentCreated, ShipmentPickupRequested, ShipmentAtHub, ShipmentOutForDelivery}
	}
	shipped := func(ends ...ShipmentStatus) (events []seedEvent) {
		for i, status := range append(underWay[:len(underWay):len(underWay)], ends...) {
			events = append(events, seedEvent{time.Duration(5+5*i) * time.Hour, seedShipment(status)})
		}
		return events
	}
	cashShipped := func(ends ...ShipmentStatus) seedStory {
		return cash(append([]seedEvent{confirmed}, shipped(ends...)...)...)
	}
	switch n {
	case seedOrders - 1: // its payment has just failed; a later attempt may succeed
		return seedStory{method: PayGatewayA, events: []seedEvent{failed}}
	case seedOrders - 20, seedOrders - 23:
		return cashShipped(ShipmentOnHold)
	case seedOrders - 24, seedOrders - 30:
		return cashShipped(ShipmentDeliveryFailed)
	case seedOrders - 26, seedOrders - 29:
		return cashShipped(ShipmentDeliveryFailed, ShipmentReturning)
	case seedOrders - 25:
		return cashShipped(ShipmentPartiallyDelivered)
	case seedOrders - 14:
		return seedStory{method: PayGatewayB, events: []seedEvent{{3 * time.Minute, seedAttempt(AttemptNeedsReview)}}}
	case seedOrders - 17, seedOrders - 45: // the money is due for refund
		return released(online(PayGatewayA, seedEvent{4 * time.Hour, seedCancel("The buyer changed their mind.")}))
	case seedOrders - 2, seedOrders - 4, seedOrders - 5, seedOrders - 7: // nobody has answered the phone
		return cash(seedEvent{3 * 24 * time.Hour, seedConfirm})
	case seedOrders - 10, seedOrders - 12: // to be packed
		return cash(confirmed)
	}
	switch n % 20 {
	case 3, 14:
		return released(cash(seedEvent{3 * time.Hour, seedCancel("Ordered twice by mistake.")}))
	case 7:
		return released(cash(append(append([]seedEvent{confirmed}, shipped(ShipmentDeliveryFailed, ShipmentReturning)...),
			seedEvent{2 * 24 * time.Hour, seedReturn})...))
	case 9, 18:
		return online(PayGatewayA, shipped(ShipmentDelivered)...)
	case 11:
		return online(PayGatewayB, shipped(ShipmentDelivered)...)
	case 15:
		return released(seedStory{method: PayGatewayA, events: []seedEvent{failed, {40 * time.Minute, seedExpire}}})
	case 16:
		return released(cash(append(append([]seedEvent{confirmed}, shipped(ShipmentDelivered)...),
			seedEvent{3 * 24 * time.Hour, seedReturn}, seedEvent{24 * time.Hour, seedRefund})...))
	}
	return cashShipped(ShipmentDelivered)
}

func seedConfirm(s *Shop, tx *db.Tx, o *orderRow, _ Provider) error { return s.confirmOrder(tx, o) }

func seedReturn(s *Shop, tx *db.Tx, o *orderRow, _ Provider) error { return s.markReturned(tx, o, nil) }

func seedRefund(s *Shop, tx *db.Tx, o *orderRow, _ Provider) error { return s.markCashRefunded(tx, o) }

func seedExpire(s *Shop, tx *db.Tx, o *orderRow, _ Provider) error { return s.expireOrder(tx, o, nil) }

func seedCancel(reason string) seedChange {
	return func(s *Shop, tx *db.Tx, o *orderRow, _ Provider) error {
		return s.cancelOrder(tx, o, viewStaff, ByStaff, reason)
	}
}

// seedAttempt changes the status of the order's payment attempt, as its gateway reports it.
func seedAttempt(to AttemptStatus) seedChange {
	return func(s *Shop, tx *db.Tx, o *orderRow, _ Provider) error {
		c := s.changeOrder(tx, o, Cause(o.method))
		a := o.attempts[0]
		a.externalID = new(fmt.Sprintf("seed-%d", o.number))
		if to == AttemptSucceeded {
			a.transactionID = fmt.Sprintf("SEED%d", o.number)
		}
		c.setAttemptStatus(a, to)
		return c.save()
	}
}

// seedShipment applies an event of the courier that has the order's shipment.
func seedShipment(status ShipmentStatus) seedChange {
	return func(s *Shop, tx *db.Tx, o *orderRow, provider Provider) error {
		event := CourierEvent{
			Kind: EventShipment, Event: "seed." + string(status), ConsignmentID: fmt.Sprintf("SEED-%d", o.number), Ref: o.id, Status: status,
		}
		if status == ShipmentDelivered {
			event.Fee = new(int64(seedFee))
			if o.method == PayCOD {
				event.Collected = &o.total
			}
		}
		_, err := s.applyCourierEvent(tx, incomingWebhook{provider: provider, receivedAt: tx.Now()}, event)
		return err
	}
}
