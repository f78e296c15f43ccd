package order

import (
	"slices"

	"storefront/shop/outbox"
	"storefront/shop/status"
)

// event returns an event about the order.
func (o *orderRow) event(kind outbox.Type, status string) outbox.Event {
	return outbox.Event{Type: kind, Subject: o.id, Data: outbox.Data{OrderNumber: o.number, Status: status, Total: o.total}}
}

// orderEvents are the events of the statuses that an order reaches.
var orderEvents = map[status.Order]outbox.Type{
	status.OrderConfirmed: outbox.OrderConfirmed, status.OrderCancelled: outbox.OrderCancelled, status.OrderExpired: outbox.OrderExpired,
	status.OrderCompleted: outbox.OrderCompleted, status.OrderReturned: outbox.OrderReturned,
}

// paymentEvents are the events of the payment statuses that an order reaches.
var paymentEvents = map[status.Payment]outbox.Type{
	status.PaymentPaid: outbox.OrderPaid, status.PaymentNeedsReview: outbox.OrderPaymentReview, status.PaymentRefundDue: outbox.OrderRefundDue,
	status.PaymentPartiallyRefunded: outbox.OrderRefunded, status.PaymentRefunded: outbox.OrderRefunded,
}

// shipmentEventOf returns the event of the status that a shipment reaches.
func shipmentEventOf(st status.Shipment) outbox.Type {
	switch st {
	case status.ShipmentDelivered, status.ShipmentPartiallyDelivered, status.ShipmentExchanged:
		return outbox.ShipmentDelivered
	case status.ShipmentOnHold, status.ShipmentDeliveryFailed:
		return outbox.ShipmentProblem
	case status.ShipmentReturning:
		return outbox.ShipmentReturning
	case status.ShipmentReturned:
		return outbox.ShipmentReturned
	}
	return outbox.ShipmentMoved
}

// outboxEvents returns the events of the change, for the outbox.
func (c *orderChange) outboxEvents() (events []outbox.Event) {
	add := func(kind outbox.Type, status string) {
		e := c.o.event(kind, status)
		if c.cause != ByBuyer && c.cause != ByStaff {
			e.Data.Actor = outbox.Shop()
		}
		events = append(events, e)
	}
	if c.o.method != c.was.method || c.contentsChanged() {
		add(outbox.OrderEdited, string(c.o.status))
	}
	if kind := paymentEvents[c.o.payment]; kind != "" && c.o.payment != c.was.payment {
		add(kind, string(c.o.status))
	}
	if len(c.o.reports) > len(c.was.reports) {
		add(outbox.OrderPaymentReview, string(c.o.status))
	}
	c.addShipmentEvents(add)
	problem := func(e outbox.Event) bool { return e.Type == outbox.ShipmentProblem }
	if len(c.raised) > 0 && !slices.ContainsFunc(events, problem) {
		add(outbox.ShipmentProblem, string(c.o.shipmentStatus))
	}
	if kind := orderEvents[c.o.status]; kind != "" && c.o.status != c.was.status {
		add(kind, string(c.o.status))
	}
	if len(events) == 0 && (c.wrote.flags || c.wrote.unanswered || c.wrote.attempts || c.wrote.credits) {
		add(outbox.OrderEdited, string(c.o.status))
	}
	return events
}

// addShipmentEvents adds the events of the shipments that are new or have moved.
func (c *orderChange) addShipmentEvents(add func(kind outbox.Type, status string)) {
	for _, shipment := range c.o.shipments {
		was, known := c.shipmentsWere[shipment.id]
		if !known {
			add(outbox.ShipmentBooked, string(shipment.status))
			was = status.ShipmentCreated
		}
		if was != shipment.status {
			add(shipmentEventOf(shipment.status), string(shipment.status))
		}
	}
}
