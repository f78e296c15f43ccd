// Package message owns a shop's messages to the buyers of its orders: which events buyers are
// notified about, the texts, the queue, and sending.
//
// Orders queue messages in their own transactions with [Queue]; [Messages.SendDue] sends them
// later. The package must not know how an order changes: it gets what a message says about one
// through [Config.Orders].
package message

import (
	"context"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/plan"
	"storefront/shop/sender"
)

// Config is the configuration of [Messages]. Every field is required.
type Config struct {
	Data   access.Data // of the shop
	Now    func() time.Time
	Sender *sender.Sender
	// Shop returns what messages depend on of the shop's current settings.
	Shop func(ctx context.Context) (*Shop, error)
	// Orders returns the function that finds orders. It is called before each transaction that
	// finds any.
	Orders func(ctx context.Context) (FindOrder, error)
}

// FindOrder returns an order by its number.
type FindOrder func(tx *db.Tx, number int64) (*Order, error)

// Shop is what messages depend on of a shop's settings.
type Shop struct {
	Settings Settings
	Name     string
	Language locale.Language // of messages about orders without a language of their own
	Currency money.Currency
	Logo     string // address of its logo; "": none
	// Plan limits text messages in a month of the time zone; nil means no limit.
	Plan *plan.Plan
	Zone *time.Location
	// HasPages reports whether the shop's site is switched on: its pages of orders have the form for
	// reviews.
	HasPages bool
	// OrderLink returns the address of an order's page, and OwnLink the one with the order's token, at
	// which the order is paid or reviewed.
	OrderLink func(orderID string) string
	OwnLink   func(orderID, token string) string
	// FindPictures returns a file of each of the images that the shop has, by the URL that is
	// stored in an order.
	FindPictures func(tx *db.Tx, stored []string) (map[string]Picture, error)
}

// Messages sends the messages of one shop. It is safe for concurrent use. Create one with [New].
type Messages struct{ cfg Config }

// New returns the messages of the shop in cfg.Data. It reads nothing.
func New(cfg Config) *Messages { return &Messages{cfg} }

// Event is an order event that the buyer is notified about.
//
//api:enum MessageEvent
type Event string

// The events.
const (
	Placed          Event = "placed"           // the order was placed
	Confirmed       Event = "confirmed"        // the shop confirmed it
	Booked          Event = "booked"           // it was booked with a courier
	Shipped         Event = "shipped"          // the courier picked it up
	OutForDelivery  Event = "out_for_delivery" // the courier brings it
	Delivered       Event = "delivered"        // it was delivered
	Cancelled       Event = "cancelled"        // it was cancelled
	Refunded        Event = "refunded"         // money was refunded, in full or in part
	AdvanceAsked    Event = "advance_asked"    // the shop requires an advance before it ships
	AdvanceReceived Event = "advance_received" // the shop received an advance
	AdvanceRefused  Event = "advance_refused"  // the shop did not find a payment that the buyer reported
	PaymentLink     Event = "payment_link"     // a link for paying it
	Review          Event = "review"           // a link for reviewing its products, days after the delivery
)

// Events returns every event, in the order in which they happen, rare ones at the end.
func Events() []Event {
	return []Event{
		Placed, Confirmed, Booked, Shipped, OutForDelivery, Delivered, Cancelled, Refunded,
		AdvanceAsked, AdvanceReceived, AdvanceRefused, PaymentLink, Review,
	}
}

// isEssential reports whether the message about an event is sent although the month's text messages
// of the shop's plan are used up: it concerns the order itself, or money. The progress of the
// delivery is on the order's page too.
func (e Event) isEssential() bool {
	switch e {
	case Booked, Shipped, OutForDelivery, Delivered, Review:
		return false
	}
	return true
}

// mustBeEvent is the message about an event that is not one of [Events].
func mustBeEvent() string {
	var names strings.Builder
	for i, event := range Events() {
		switch i {
		case 0:
		case len(Events()) - 1:
			names.WriteString(" or ")
		default:
			names.WriteString(", ")
		}
		names.WriteString(string(event))
	}
	return "Must be " + names.String() + "."
}

// Channel is how a message reaches the buyer.
//
//api:enum MessageChannel
type Channel string

// The channels.
const (
	SMS   Channel = "sms"   // a text message
	Email Channel = "email" // an e-mail
)

// Status is the status of a message.
//
//api:enum MessageStatus
type Status string

// The statuses. The last four are final.
const (
	Queued  Status = "queued"  // it will be sent, perhaps again
	Sending Status = "sending" // it is being sent
	Sent    Status = "sent"    // the gateway or mail server accepted it
	Unknown Status = "unknown" // it may have been sent, and is not sent again
	Failed  Status = "failed"  // it was refused, for the last time
	Skipped Status = "skipped" // it was not to be sent any more
)
