package shop

import (
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/status"
)

// MessageEvent is an event of an order of which its buyer is notified.
type MessageEvent string

// The events.
const (
	MessagePlaced    MessageEvent = "placed"
	MessageConfirmed MessageEvent = "confirmed"
	MessageBooked    MessageEvent = "booked"  // with a courier
	MessageShipped   MessageEvent = "shipped" // the courier has picked it up
	MessageOut       MessageEvent = "out_for_delivery"
	MessageDelivered MessageEvent = "delivered"
	MessageCancelled MessageEvent = "cancelled"
	MessageRefunded  MessageEvent = "refunded" // in full or in part
	// MessagePaymentLink has the link to pay an online order that staff have placed. Staff can
	// request it for one order, whatever the setting is.
	MessagePaymentLink MessageEvent = "payment_link"
)

// MessageEvents returns every event, in the order in which they happen, with those that few orders
// have at the end.
func MessageEvents() []MessageEvent {
	return []MessageEvent{
		MessagePlaced, MessageConfirmed, MessageBooked, MessageShipped, MessageOut, MessageDelivered, MessageCancelled, MessageRefunded,
		MessagePaymentLink,
	}
}

// onTheWay returns the events from booking to delivery, in their order.
func onTheWay() []MessageEvent {
	return []MessageEvent{MessageBooked, MessageShipped, MessageOut}
}

// mustBeEvent is the message about an event that is not one of [MessageEvents].
func mustBeEvent() string {
	var names strings.Builder
	for i, event := range MessageEvents() {
		switch i {
		case 0:
		case len(MessageEvents()) - 1:
			names.WriteString(" or ")
		default:
			names.WriteString(", ")
		}
		names.WriteString(string(event))
	}
	return "Must be " + names.String() + "."
}

// MessageChannel is how a message reaches the buyer.
type MessageChannel string

// The channels.
const (
	ChannelSMS   MessageChannel = "sms"
	ChannelEmail MessageChannel = "email"
)

// MessageStatus is the status of a message to a buyer.
type MessageStatus string

// The statuses. The last four are final.
const (
	MessageQueued  MessageStatus = "queued"
	MessageSending MessageStatus = "sending"
	MessageSent    MessageStatus = "sent"
	MessageUnknown MessageStatus = "unknown" // it may have been sent, and is not sent again
	MessageFailed  MessageStatus = "failed"
	MessageSkipped MessageStatus = "skipped"
)

// BuyerMessages are the settings of messages to buyers. The zero value sends none.
type BuyerMessages struct {
	SMS      []MessageEvent  `json:"sms,omitempty"`      // events of which the buyer gets a text message
	Email    []MessageEvent  `json:"email,omitempty"`    // events of which the buyer gets an e-mail
	Language locale.Language `json:"language,omitempty"` // "": that of the shop's locale
	PerDay   int64           `json:"perDay,omitempty"`   // billed text messages, and e-mails, a day each; 0: 500
	// Templates replace the program's own texts, by event and language.
	Templates map[MessageEvent]map[locale.Language]string `json:"templates,omitempty"`
}

const (
	defaultMessagesPerDay = 500
	maxTemplate           = 1000 // characters
)

// events returns the events of which a channel notifies.
func (m BuyerMessages) events(channel MessageChannel) []MessageEvent {
	if channel == ChannelSMS {
		return m.SMS
	}
	return m.Email
}

func (m BuyerMessages) perDay() int64 {
	if m.PerDay == 0 {
		return defaultMessagesPerDay
	}
	return m.PerDay
}

// messagePlaceholders are what a template may contain.
func messagePlaceholders() []string {
	return []string{"{shop}", "{number}", "{total}", "{cash}", "{courier}", "{tracking}", "{link}", "{refunded}"}
}

func (m BuyerMessages) check(bad *fault.Invalid) {
	for _, channel := range []MessageChannel{ChannelSMS, ChannelEmail} {
		for i, event := range m.events(channel) {
			if !slices.Contains(MessageEvents(), event) {
				bad.Add(fmt.Sprintf("buyerMessages.%s[%d]", channel, i), fault.CodeInvalidValue, "%s", mustBeEvent())
			}
		}
	}
	if m.Language != "" && m.Language != locale.English && m.Language != locale.Bangla {
		bad.Add("buyerMessages.language", fault.CodeInvalidValue, "Must be en or bn.")
	}
	if m.PerDay < 0 || m.PerDay > 1_000_000 {
		bad.Add("buyerMessages.perDay", fault.CodeInvalidValue, "Must be 1 to 1000000, or 0 for the default.")
	}
	for event, texts := range m.Templates {
		at := "buyerMessages.templates." + string(event)
		if !slices.Contains(MessageEvents(), event) {
			bad.Add(at, fault.CodeInvalidValue, "%s", mustBeEvent())
			continue
		}
		for language, text := range texts {
			checkTemplate(bad, at+"."+string(language), language, text)
		}
	}
}

func checkTemplate(bad *fault.Invalid, field string, language locale.Language, text string) {
	rest := text
	for _, placeholder := range messagePlaceholders() {
		rest = strings.ReplaceAll(rest, placeholder, "")
	}
	switch {
	case language != locale.English && language != locale.Bangla:
		bad.Add(field, fault.CodeInvalidValue, "The language must be en or bn.")
	case strings.TrimSpace(text) == "" || len([]rune(text)) > maxTemplate:
		bad.Add(field, fault.CodeInvalidValue, "A template must be 1 to %d characters.", maxTemplate)
	case strings.ContainsAny(rest, "{}"):
		bad.Add(field, fault.CodeInvalidValue, "Braces must enclose one of the placeholders %s.", strings.Join(messagePlaceholders(), ", "))
	}
}

// messageEvents returns the events that the change is, with what they are about.
func (c *orderChange) messageEvents() map[MessageEvent]string {
	events := map[MessageEvent]string{}
	if c.was.status != c.o.status {
		switch c.o.status {
		case status.OrderConfirmed:
			events[MessageConfirmed] = ""
		case status.OrderCancelled:
			events[MessageCancelled] = ""
		}
	}
	for _, shipment := range c.o.shipments {
		was, stored := c.shipmentsWere[shipment.id]
		if !stored && shipment.status != status.ShipmentCancelled {
			events[MessageBooked] = ""
		}
		if isUnderway(shipment.status) && !isUnderway(was) {
			events[MessageShipped] = ""
		}
		if shipment.status == status.ShipmentOutForDelivery && was != status.ShipmentOutForDelivery {
			events[MessageOut] = ""
		}
	}
	if c.was.fulfillment != c.o.fulfillment && c.o.fulfillment == status.Delivered {
		events[MessageDelivered] = ""
	}
	refunded := c.o.refundedAmount()
	if c.o.payment == status.PaymentRefunded && refunded == 0 { // cash, returned by staff
		refunded = c.o.cashRefund
	}
	isNew := c.attemptsChanged || c.was.payment != c.o.payment || c.was.cashRefund != c.o.cashRefund // no refund of long ago
	if isNew && refunded > 0 && (c.o.payment == status.PaymentRefunded || c.o.payment == status.PaymentPartiallyRefunded) {
		events[MessageRefunded] = fmt.Sprint(refunded)
	}
	return events
}

// isUnderway reports whether the courier has picked up a shipment of this status and not yet
// delivered it.
func isUnderway(st status.Shipment) bool {
	switch st {
	case status.ShipmentPicked, status.ShipmentAtHub, status.ShipmentInTransit, status.ShipmentOutForDelivery:
		return true
	}
	return false
}

// holds reports whether what the message about an event says still holds, of a message that was
// delayed because its gateway was down. Otherwise messages follow each other as the events do.
func (e MessageEvent) holds(o *orderRow) bool {
	hasShipment := func(in func(s status.Shipment) bool) bool {
		return slices.ContainsFunc(o.shipments, func(s *shipmentRow) bool { return in(s.status) })
	}
	switch e {
	case MessagePlaced, MessageConfirmed:
		return !o.status.IsClosed()
	case MessageBooked:
		return !o.status.IsClosed() && hasShipment(func(s status.Shipment) bool { return !slices.Contains(status.EndStatuses, s) })
	case MessageShipped:
		return !o.status.IsClosed() && hasShipment(func(s status.Shipment) bool {
			return isUnderway(s) || s == status.ShipmentOnHold || s == status.ShipmentDeliveryFailed
		})
	case MessageOut:
		return !o.status.IsClosed() && hasShipment(func(s status.Shipment) bool { return s == status.ShipmentOutForDelivery })
	case MessageDelivered:
		return o.fulfillment == status.Delivered
	case MessageCancelled:
		return o.status == status.OrderCancelled
	}
	return true // a refund stays one, and a link to pay has a check of its own
}

// refundedAmount returns what was sent back of all payments of the order.
func (o *orderRow) refundedAmount() (sum int64) {
	for _, a := range o.attempts {
		sum += a.refunded
	}
	return sum
}

// queueMessages queues the messages of events of an order, in the transaction of the events: one
// for each event, subject and channel, whatever happens to the transaction that sends it. Test
// orders and orders without the contact have none. Of events on the way that one change is, which
// happens if a courier reports late, the last is sent and the earlier ones never are.
func queueMessages(tx *db.Tx, set BuyerMessages, o *orderRow, events map[MessageEvent]string) error {
	for _, channel := range o.messageChannels() {
		overtaken := false
		for _, event := range slices.Backward(onTheWay()) {
			if _, ok := events[event]; !ok || !slices.Contains(set.events(channel), event) {
				continue
			}
			if overtaken {
				if err := insertMessage(tx, o.number, event, "", channel, "The order was further on its way."); err != nil {
					return err
				}
			}
			overtaken = true
		}
		for _, event := range set.events(channel) {
			if subject, ok := events[event]; ok {
				if err := insertMessage(tx, o.number, event, subject, channel, ""); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// queuePaymentLink queues the link to pay an order that staff have placed: by the channels of the
// setting, and by SMS if requested. sent is false if the order cannot be paid online, or has no
// contact.
func queuePaymentLink(tx *db.Tx, set BuyerMessages, o *orderRow, requested bool) (sent bool, err error) {
	if o.method == status.PayCOD || o.paymentBlocked() != "" {
		return false, nil
	}
	for _, channel := range o.messageChannels() {
		if slices.Contains(set.events(channel), MessagePaymentLink) || requested && channel == ChannelSMS {
			if err := insertMessage(tx, o.number, MessagePaymentLink, "", channel, ""); err != nil {
				return false, err
			}
			sent = true
		}
	}
	return sent, nil
}

// messageChannels returns the channels that reach the order's buyer. Test orders have none.
func (o *orderRow) messageChannels() (channels []MessageChannel) {
	if o.test != 0 {
		return nil
	}
	if o.phone != "" {
		channels = append(channels, ChannelSMS)
	}
	if db.TextOf(o.email) != "" {
		channels = append(channels, ChannelEmail)
	}
	return channels
}
