package message

import (
	"slices"

	"storefront/db"
)

// Queue queues the messages about the events of an order, with their subjects, in the transaction
// of the events: one for each event, subject and channel, however often the transaction runs. If
// the events cover several from booking to delivery because a courier reported late, only the last
// is sent.
func Queue(tx *db.Tx, set Settings, number int64, to Contact, events map[Event]string) error {
	for _, channel := range to.channels() {
		overtaken := false
		for _, event := range slices.Backward(onTheWay()) {
			if _, ok := events[event]; !ok || !slices.Contains(set.events(channel), event) {
				continue
			}
			if overtaken {
				m := row{orderNumber: number, event: event, channel: channel}
				if err := insertMessage(tx, m, "The order had progressed."); err != nil {
					return err
				}
			}
			overtaken = true
		}
		for _, event := range set.events(channel) {
			subject, ok := events[event]
			if !ok {
				continue
			}
			m := row{orderNumber: number, event: event, subject: subject, channel: channel}
			if err := insertMessage(tx, m, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// QueuePaymentLink queues the link to pay an order: on the channels of the setting, and by SMS if
// requested. It reports whether any is queued.
func QueuePaymentLink(
	tx *db.Tx,
	set Settings,
	number int64,
	to Contact,
	requested bool,
) (queued bool, err error) {
	for _, channel := range to.channels() {
		if !slices.Contains(set.events(channel), PaymentLink) && (!requested || channel != SMS) {
			continue
		}
		m := row{orderNumber: number, event: PaymentLink, channel: channel}
		if err := insertMessage(tx, m, ""); err != nil {
			return false, err
		}
		queued = true
	}
	return queued, nil
}

// channels returns the channels that reach the buyer.
func (c Contact) channels() []Channel {
	return slices.DeleteFunc(
		[]Channel{SMS, Email},
		func(channel Channel) bool { return c.at(channel) == "" },
	)
}

// onTheWay returns the events from booking to delivery, in their order.
func onTheWay() []Event { return []Event{Booked, Shipped, OutForDelivery} }
