package shop

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/fault"
)

// MessageEvent is an event of an order of which its buyer is notified.
type MessageEvent string

// The events.
const (
	MessagePlaced    MessageEvent = "placed"
	MessageConfirmed MessageEvent = "confirmed"
	MessageShipped   MessageEvent = "shipped"
	MessageDelivered MessageEvent = "delivered"
	MessageCancelled MessageEvent = "cancelled"
	MessageRefunded  MessageEvent = "refunded" // in full or in part
	// MessagePaymentLink has the link to pay an online order that staff have placed. Staff request it;
	// no setting sends it.
	MessagePaymentLink MessageEvent = "payment_link"
)

// MessageEvents returns every event of which a setting sends messages, in the order in which they
// happen.
func MessageEvents() []MessageEvent {
	return []MessageEvent{MessagePlaced, MessageConfirmed, MessageShipped, MessageDelivered, MessageCancelled, MessageRefunded}
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
	SMS      []MessageEvent   `json:"sms,omitempty"`      // events of which the buyer gets a text message
	Email    []MessageEvent   `json:"email,omitempty"`    // events of which the buyer gets an e-mail
	Language account.Language `json:"language,omitempty"` // "": that of the shop's locale
	PerDay   int64            `json:"perDay,omitempty"`   // billed text messages, and e-mails, a day each; 0: 500
	// Templates replace the program's own texts, by event and language.
	Templates map[MessageEvent]map[account.Language]string `json:"templates,omitempty"`
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
				bad.Add(fmt.Sprintf("buyerMessages.%s[%d]", channel, i), fault.CodeInvalidValue,
					"Must be placed, confirmed, shipped, delivered, cancelled or refunded.")
			}
		}
	}
	if m.Language != "" && m.Language != account.English && m.Language != account.Bangla {
		bad.Add("buyerMessages.language", fault.CodeInvalidValue, "Must be en or bn.")
	}
	if m.PerDay < 0 || m.PerDay > 1_000_000 {
		bad.Add("buyerMessages.perDay", fault.CodeInvalidValue, "Must be 1 to 1000000, or 0 for the default.")
	}
	for event, texts := range m.Templates {
		at := "buyerMessages.templates." + string(event)
		if !slices.Contains(MessageEvents(), event) {
			bad.Add(at, fault.CodeInvalidValue, "Must be placed, confirmed, shipped, delivered, cancelled or refunded.")
			continue
		}
		for language, text := range texts {
			checkTemplate(bad, at+"."+string(language), language, text)
		}
	}
}

func checkTemplate(bad *fault.Invalid, field string, language account.Language, text string) {
	rest := text
	for _, placeholder := range messagePlaceholders() {
		rest = strings.ReplaceAll(rest, placeholder, "")
	}
	switch {
	case language != account.English && language != account.Bangla:
		bad.Add(field, fault.CodeInvalidValue, "The language must be en or bn.")
	case strings.TrimSpace(text) == "" || len([]rune(text)) > maxTemplate:
		bad.Add(field, fault.CodeInvalidValue, "A template must be 1 to %d characters.", maxTemplate)
	case strings.ContainsAny(rest, "{}"):
		bad.Add(field, fault.CodeInvalidValue, "Braces must enclose one of the placeholders %s.", strings.Join(messagePlaceholders(), ", "))
	}
}

// defaultTemplates are the program's own texts. They contain no name, address or phone number,
// because the owner of a mistyped number gets them.
func defaultTemplates() map[account.Language]map[MessageEvent]string {
	return map[account.Language]map[MessageEvent]string{
		account.English: {
			MessagePlaced:    "{shop}: we received your order {number}, {total}. {link}",
			MessageConfirmed: "{shop}: your order {number}, {total}, is confirmed. {link}",
			MessageShipped:   "{shop}: your order {number} is on its way. Cash to pay: {cash}. {tracking} {link}",
			MessageDelivered: "{shop}: your order {number} was delivered. Thank you.",
			MessageCancelled: "{shop}: your order {number} was cancelled. {link}",
			MessageRefunded:  "{shop}: {refunded} of your order {number} was refunded. {link}",

			MessagePaymentLink: "{shop}: pay {total} for your order {number} here: {link}",
		},
		account.Bangla: {
			MessagePlaced:    "{shop}: আপনার অর্ডার {number} পেয়েছি, মোট {total}। {link}",
			MessageConfirmed: "{shop}: আপনার অর্ডার {number} নিশ্চিত হয়েছে, মোট {total}। {link}",
			MessageShipped:   "{shop}: অর্ডার {number} রওনা হয়েছে। দিতে হবে {cash}। {tracking} {link}",
			MessageDelivered: "{shop}: আপনার অর্ডার {number} পৌঁছে গেছে। ধন্যবাদ।",
			MessageCancelled: "{shop}: আপনার অর্ডার {number} বাতিল হয়েছে। {link}",
			MessageRefunded:  "{shop}: আপনার অর্ডার {number}-এর {refunded} ফেরত দেওয়া হয়েছে। {link}",

			MessagePaymentLink: "{shop}: অর্ডার {number}-এর {total} এখানে পরিশোধ করুন: {link}",
		},
	}
}

// messageLanguage returns the language of messages about orders.
func (set *Settings) messageLanguage() account.Language {
	if set.BuyerMessages.Language != "" {
		return set.BuyerMessages.Language
	}
	return set.language()
}

// template returns the text of an event with its placeholders.
func (set *Settings) template(event MessageEvent, language account.Language) string {
	if text := set.BuyerMessages.Templates[event][language]; text != "" {
		return text
	}
	return defaultTemplates()[language][event]
}

// messageText returns the text about an event of an order. refunded is the amount that was sent
// back, and token the order token in the link for paying.
func (set *cachedSettings) messageText(event MessageEvent, o *orderRow, refunded int64, token string) string {
	language := set.messageLanguage()
	cash := int64(0)
	if o.method == PayCOD && o.payment == PaymentUnpaid {
		cash = o.total - o.advance
	}
	courier, tracking := "", ""
	for _, shipment := range o.shipments {
		if shipment.status != ShipmentCancelled {
			courier, tracking = string(shipment.provider), shipment.trackingCode
		}
	}
	amount := func(n int64) string { return set.money.Money(n).Formatted }
	link := set.orderLink(o.id)
	if event == MessagePaymentLink {
		link = set.orderPage + o.id + "?k=" + token
	}
	number := fmt.Sprint(o.number)
	if language == account.Bangla {
		number = account.BanglaDigits(number)
		amount = func(n int64) string { return account.BanglaDigits(set.money.Money(n).Formatted) }
	}
	text := strings.NewReplacer("{shop}", account.NameIn(language, set.Name), "{number}", number, "{total}", amount(o.total), "{cash}", amount(cash),
		"{courier}", courier, "{tracking}", tracking, "{link}", link, "{refunded}", amount(refunded)).
		Replace(set.template(event, language))
	return strings.Join(strings.Fields(text), " ")
}

// orderLink returns the address of the order's page, by default in the shop's storefront, otherwise
// at the server, without its token: the page is masked.
func (set *cachedSettings) orderLink(invoiceUID string) string {
	page := cmp.Or(set.TrackingURL, set.StorefrontURL)
	address, err := url.Parse(page)
	if page == "" || err != nil {
		return set.orderPage + invoiceUID
	}
	query := address.Query()
	query.Set("order", invoiceUID)
	address.RawQuery = query.Encode()
	return address.String()
}

// messageSubject returns the subject of an e-mail about an event.
func (set *Settings) messageSubject(o *orderRow) string {
	if set.messageLanguage() == account.Bangla {
		return set.Name + ": অর্ডার " + account.BanglaDigits(fmt.Sprint(o.number))
	}
	return fmt.Sprintf("%s: order %d", set.Name, o.number)
}

// messageEvents returns the events that the change is, with what they are about.
func (c *orderChange) messageEvents() map[MessageEvent]string {
	events := map[MessageEvent]string{}
	if c.was.status != c.o.status {
		switch c.o.status {
		case OrderConfirmed:
			events[MessageConfirmed] = ""
		case OrderCancelled:
			events[MessageCancelled] = ""
		}
	}
	if c.shipmentsChanged && slices.ContainsFunc(c.o.shipments, isUnderway) {
		events[MessageShipped] = ""
	}
	if c.was.fulfillment != c.o.fulfillment && c.o.fulfillment == Delivered {
		events[MessageDelivered] = ""
	}
	refunded := c.o.refundedAmount()
	if c.o.payment == PaymentRefunded && refunded == 0 { // cash, returned by staff
		refunded = c.o.cashRefund
	}
	if refunded > 0 && (c.o.payment == PaymentRefunded || c.o.payment == PaymentPartiallyRefunded) {
		events[MessageRefunded] = fmt.Sprint(refunded)
	}
	return events
}

// isUnderway reports whether the courier has picked up the shipment and not yet delivered it.
func isUnderway(s *shipmentRow) bool {
	switch s.status {
	case ShipmentPicked, ShipmentAtHub, ShipmentInTransit, ShipmentOutForDelivery:
		return true
	}
	return false
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
// orders and orders without the contact have none.
func queueMessages(tx *db.Tx, set BuyerMessages, o *orderRow, events map[MessageEvent]string) error {
	if o.test != 0 {
		return nil
	}
	for _, channel := range []MessageChannel{ChannelSMS, ChannelEmail} {
		if channel == ChannelSMS && o.phone == "" || channel == ChannelEmail && db.TextOf(o.email) == "" {
			continue
		}
		for _, event := range set.events(channel) {
			if subject, ok := events[event]; ok {
				if err := insertMessage(tx, o.number, event, subject, channel); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// MessageTemplate is a text with its length as the gateway bills it.
type MessageTemplate struct {
	Event    MessageEvent     `json:"event"`
	Language account.Language `json:"language"`
	Own      bool             `json:"own"` // the shop's own
	Text     string           `json:"text"`
	Segments int              `json:"segments"` // of an example
	Channels []MessageChannel `json:"channels"` // that are on
}

// exampleOrder is the order in examples of messages.
func exampleOrder() *orderRow {
	return &orderRow{
		id: "7ZK3QW8N5T2M4R6V", number: 1042, method: PayCOD, payment: PaymentUnpaid, total: 125_000,
		shipments: []*shipmentRow{{provider: CourierA, trackingCode: "DT080126XK3P", status: ShipmentPicked}},
	}
}

// exampleToken has the length of an order token.
const exampleToken = "q3sYx0Vb1nM7cK9zR2tD5wF8hJ4gL6pA0eU1iO3yT7k"

// example returns the text of an event about the example order.
func (set *cachedSettings) example(event MessageEvent, language account.Language) string {
	copied := *set
	copied.BuyerMessages.Language = language
	return copied.messageText(event, exampleOrder(), 25_000, exampleToken)
}
