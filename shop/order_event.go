package shop

import (
	"slices"

	"storefront/shop/outbox"
)

// event returns an event about the order.
func (o *orderRow) event(kind outbox.Type, status string) outbox.Event {
	return outbox.Event{Type: kind, Subject: o.id, Data: outbox.Data{OrderNumber: o.number, Status: status, Total: o.total}}
}

// orderEvents are the events of the statuses that an order reaches.
var orderEvents = map[OrderStatus]outbox.Type{
	OrderConfirmed: outbox.OrderConfirmed, OrderCancelled: outbox.OrderCancelled, OrderExpired: outbox.OrderExpired,
	OrderCompleted: outbox.OrderCompleted, OrderReturned: outbox.OrderReturned,
}

// paymentEvents are the events of the payment statuses that an order reaches.
var paymentEvents = map[PaymentStatus]outbox.Type{
	PaymentPaid: outbox.OrderPaid, PaymentNeedsReview: outbox.OrderPaymentReview, PaymentRefundDue: outbox.OrderRefundDue,
	PaymentPartiallyRefunded: outbox.OrderRefunded, PaymentRefunded: outbox.OrderRefunded,
}

// shipmentEventOf returns the event of the status that a shipment reaches.
func shipmentEventOf(status ShipmentStatus) outbox.Type {
	switch status {
	case ShipmentDelivered, ShipmentPartiallyDelivered, ShipmentExchanged:
		return outbox.ShipmentDelivered
	case ShipmentOnHold, ShipmentDeliveryFailed:
		return outbox.ShipmentProblem
	case ShipmentReturning:
		return outbox.ShipmentReturning
	case ShipmentReturned:
		return outbox.ShipmentReturned
	}
	return outbox.ShipmentMoved
}

// outboxEvents returns what the change did, for the outbox.
func (c *orderChange) outboxEvents() (events []outbox.Event) {
	add := func(kind outbox.Type, status string) {
		e := c.o.event(kind, status)
		if c.cause != ByBuyer && c.cause != ByStaff {
			e.Data.Actor = outbox.Shop()
		}
		events = append(events, e)
	}
	if c.o.method != c.was.method || c.contentsChanged {
		add(outbox.OrderEdited, string(c.o.status))
	}
	if kind := paymentEvents[c.o.payment]; kind != "" && c.o.payment != c.was.payment {
		add(kind, string(c.o.status))
	}
	for _, shipment := range c.o.shipments {
		was, known := c.shipmentsWere[shipment.id]
		switch {
		case !known:
			add(outbox.ShipmentBooked, string(shipment.status))
			if shipment.status != ShipmentCreated {
				add(shipmentEventOf(shipment.status), string(shipment.status))
			}
		case was != shipment.status:
			add(shipmentEventOf(shipment.status), string(shipment.status))
		}
	}
	problem := func(e outbox.Event) bool { return e.Type == outbox.ShipmentProblem }
	if len(c.raised) > 0 && !slices.ContainsFunc(events, problem) {
		add(outbox.ShipmentProblem, string(c.o.shipmentStatus))
	}
	if kind := orderEvents[c.o.status]; kind != "" && c.o.status != c.was.status {
		add(kind, string(c.o.status))
	}
	if len(events) == 0 && (c.attentionChanged || c.attemptsChanged) {
		add(outbox.OrderEdited, string(c.o.status))
	}
	return events
}
