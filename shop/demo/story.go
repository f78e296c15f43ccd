package demo

import (
	"time"

	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// story is the course of an order.
type story struct {
	method  status.PaymentMethod
	payment plugin.GatewayStatus // its result, unless it is in cash
	source  status.Source        // "" means the storefront; otherwise staff place the order
	closed  bool                 // the order's units return to the stock
	events  []event
}

// event is a change of an order some time after the previous one. Events after the time of seeding
// do not happen.
type event struct {
	after time.Duration
	do    action
}

// confirmed is the call by which most cash orders are confirmed.
var confirmed = event{5 * time.Hour, call(order.CallConfirmed, "", 0)}

func inCash(events ...event) story { return story{method: status.PayCOD, events: events} }

// online is an order with an online payment, which is queried soon.
func online(method status.PaymentMethod, result plugin.PaymentState, then ...event) story {
	events := append([]event{{3 * time.Minute, sweep}}, then...)
	return story{method: method, payment: plugin.GatewayStatus{State: result}, events: events}
}

// awaited is an order with a buyer who has not answered the phone.
func awaited(source status.Source) story {
	s := inCash(event{72 * time.Hour, confirmed.do})
	s.source = source
	return s
}

// delivery is a confirmed cash order with a shipment.
func delivery(n int, ends ...status.Shipment) story {
	return inCash(append([]event{confirmed}, shipped(n, ends...)...)...)
}

// paid is a delivered online order.
func paid(n int, method status.PaymentMethod, then ...event) story {
	events := append(shipped(n, status.ShipmentDelivered), then...)
	return online(method, plugin.GatewayPaid, events...)
}

func (s story) then(events ...event) story {
	s.events = append(s.events, events...)
	return s
}

func closed(s story) story {
	s.closed = true
	return s
}

// shipped returns the events of a shipment of the nth order, up to its last ones.
func shipped(n int, ends ...status.Shipment) []event {
	second, third := status.ShipmentPicked, status.ShipmentInTransit
	if n%3 == 0 {
		second, third = status.ShipmentPickupRequested, status.ShipmentAtHub
	}
	events := []event{{5 * time.Hour, book}}
	way := []status.Shipment{second, third, status.ShipmentOutForDelivery}
	for i, next := range append(way, ends...) {
		events = append(events, event{time.Duration(10+5*i) * time.Hour, reported(next)})
	}
	return events
}

// storyOf returns the story of the nth order, 0 being the oldest. Most orders are paid in cash and
// delivered within four days; some of the newest wait for somebody.
func storyOf(n int) story {
	if s, ok := newest(n)[orders-n]; ok {
		return s
	}
	if s, ok := regular(n)[n%20]; ok {
		return s
	}
	return delivery(n, status.ShipmentDelivered)
}

// newest returns the stories of single orders by their age. The newest order has the age 1.
func newest(n int) map[int]story {
	paying := online(status.PayGatewayB, plugin.GatewayOpen)
	doubtful := online(status.PayGatewayB, plugin.GatewayPaid)
	doubtful.payment.ReviewReason = "The gateway marks this payment as risky."
	refundDue := closed(online(status.PayGatewayA, plugin.GatewayPaid,
		event{4 * time.Hour, cancel("The buyer changed their mind.")}))
	booked := func(after, next time.Duration, st status.Shipment) story {
		return inCash(confirmed, event{after, book}, event{next, reported(st)})
	}
	failed := delivery(n, status.ShipmentDeliveryFailed)
	returning := delivery(n, status.ShipmentDeliveryFailed, status.ShipmentReturning)
	damaged := paid(n, status.PayGatewayA, event{20 * time.Hour, refundPart})
	return map[int]story{
		1: paying,
		2: awaited(status.SourceFacebook),
		4: awaited(status.SourcePhone),
		5: awaited(status.SourceWhatsApp),
		7: awaited(status.SourceFacebook),

		10: inCash(confirmed), // to be packed
		11: booked(30*time.Hour, 5*time.Hour, status.ShipmentPickupRequested),
		12: inCash(confirmed),
		14: doubtful,
		15: booked(5*time.Hour, 60*time.Hour, status.ShipmentPicked),
		17: refundDue,
		18: booked(5*time.Hour, 9*time.Hour, status.ShipmentCancelled), // to be booked again

		20: delivery(n, status.ShipmentOnHold),
		21: delivery(n, status.ShipmentExchanged), // for another size
		23: delivery(n, status.ShipmentOnHold),
		24: failed,
		25: delivery(n, status.ShipmentPartiallyDelivered),
		26: returning,
		29: returning,
		30: failed,
		45: refundDue,
		51: damaged, // in part
	}
}

// regular returns the stories of every twentieth order, by the remainder.
func regular(n int) map[int]story {
	cancelled := closed(inCash(event{3 * time.Hour, cancel("Ordered twice by mistake.")}))
	refused := delivery(n, status.ShipmentDeliveryFailed, status.ShipmentReturning)
	sentBack := delivery(n, status.ShipmentDelivered)
	late := event{40 * time.Minute, sweep}
	return map[int]story{
		3:  cancelled,
		7:  closed(refused.then(event{48 * time.Hour, returned})),
		9:  paid(n, status.PayGatewayA),
		11: paid(n, status.PayGatewayB),
		14: cancelled,
		15: closed(online(status.PayGatewayA, plugin.GatewayFailed, late)), // expires
		16: closed(sentBack.then(event{72 * time.Hour, returned}, event{24 * time.Hour, refunded})),
		18: paid(n, status.PayGatewayA),
	}
}

// recordsOf returns staff's records about the nth order, by the time since it was placed: calls
// without a decision, notes and tags.
func recordsOf(n int, method status.PaymentMethod) (events []event) {
	add := func(after time.Duration, do action) { events = append(events, event{after, do}) }
	if method == status.PayCOD {
		switch age := orders - n; {
		case age == 2, age == 7, age > 5 && n%4 == 1:
			add(40*time.Minute, call(order.CallNoAnswer, "", 0))
		case age == 4: // due by now
			add(30*time.Minute, call(order.CallNoAnswer, "", 0))
			add(2*time.Hour, call(order.CallLater, "At work until the evening.", 3*time.Hour))
		case age == 5: // due tomorrow
			add(time.Hour, call(order.CallLater, "Decides tomorrow with the family.", 72*time.Hour))
		}
	}
	notes := []string{
		"Wrap it as a gift, without the invoice.", "The neighbours accept deliveries.",
		"Wants to order again in blue next month.",
	}
	if n%10 == 6 {
		add(90*time.Minute, note(notes[n/10%len(notes)]))
	}
	if n%30 == 6 {
		add(20*time.Minute, tag("gift"))
	}
	if n%14 == 5 {
		add(20*time.Minute, tag("wholesale"))
	}
	if n%13 == 4 { // as the buyer's note requests
		add(20*time.Minute, tag("call first"))
	}
	return events
}
