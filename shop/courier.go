package shop

import (
	"context"
	"errors"
	"time"

	"storefront/shop/money"
)

// Courier books parcels with one courier. It keeps no state of a parcel; every method is one
// question, asked once. An error is an [ErrCourierRefused], [ErrCourierUnknown] or
// [ErrCourierNotFound] in its chain, and its text is for the shop's staff and holds no secret.
type Courier interface {
	// Book hands a parcel over.
	Book(ctx context.Context, access PluginAccess, parcel ShipmentRequest) (BookedShipment, error)
	// Find looks a parcel up, by its consignment or else by our own reference.
	Find(ctx context.Context, access PluginAccess, parcel ShipmentRef) (BookedShipment, error)
	// Price asks what carrying a parcel would cost, in minor units.
	Price(ctx context.Context, access PluginAccess, parcel ShipmentRequest, to CourierPlace) (fee int64, err error)
}

// CourierReader reads a courier's calls. Its methods ask nobody and keep nothing.
type CourierReader interface {
	// Authenticate says whether a call is the courier's.
	Authenticate(settings PluginSettings, call WebhookRequest) WebhookAuth
	// Read reads the body of a call that was recognized. It never fails: what can not be understood
	// is a notice too.
	Read(body []byte, money money.Currency) CourierEvent
	// Respond is what the courier expects to hear after every call that was recognized.
	Respond(settings PluginSettings, call WebhookRequest) WebhookResponse
}

// What an error of a [Courier] says.
var (
	// ErrCourierRefused means that the courier said no, or was surely never reached.
	ErrCourierRefused = errors.New("the courier refused")
	// ErrCourierUnknown means that no answer tells what the courier did: the parcel may be booked.
	ErrCourierUnknown = errors.New("it is not known what the courier did")
	// ErrCourierNotFound means that the courier surely has no such parcel.
	ErrCourierNotFound = errors.New("the courier has no such parcel")
	// ErrCourierUnsupported means that the courier's interface has no way to answer this question.
	ErrCourierUnsupported = errors.New("the courier can not be asked that")
)

// ShipmentRequest is a parcel that is to be carried. Amounts are in minor units.
type ShipmentRequest struct {
	Ref         string // our own name for the parcel: letters, digits and hyphens
	Name        string
	Phone       string // E.164
	Address     string // one line
	Cash        int64  // to collect; 0: nothing
	Currency    money.Currency
	Items       int
	WeightGrams int64  // 0: not known
	Title       string // what is in it, in a line
	Note        string // for the courier's people; "": none
}

// ShipmentRef names a parcel at its courier.
type ShipmentRef struct {
	ConsignmentID string // "": not known
	Ref           string
	Currency      money.Currency
}

// CourierPlace is a place in the courier's own numbering.
type CourierPlace struct {
	City, Zone int64
}

// BookedShipment is a parcel as its courier has it.
type BookedShipment struct {
	ConsignmentID string
	TrackingCode  string         // "": none
	Fee           *int64         // minor units; nil: not told
	Status        ShipmentStatus // "": it says nothing that moves the parcel
	Event         string         // the courier's word for the state
	At            time.Time      // when it reached the state; zero: not told
}

// WebhookRequest is an HTTP call that may be the courier's.
type WebhookRequest struct {
	Header func(name string) string // "" where there is none
	Body   []byte
}

// WebhookAuth says whether a call is the courier's.
type WebhookAuth struct {
	OK     bool
	Reason string // why not, in our words; "" where it is
	Key    string // the courier's name for the event; "": the body stands for it
	Flag   string // what is odd about a call that is the courier's, for the shop's staff
}

// WebhookResponse is an HTTP answer.
type WebhookResponse struct {
	Status      int
	Header      map[string]string // spelled as the courier's documents have it
	ContentType string
	Body        string
}

// EventKind says what a courier's call is about.
type EventKind int

// The kinds of notice.
const (
	EventShipment  EventKind = iota // something happened to a parcel
	EventHandshake                  // the courier tries the address
	EventOther                      // understood, and about no parcel
	EventMalformed                  // not to be understood
)

// CourierEvent is what a courier tells.
type CourierEvent struct {
	Kind   EventKind
	Event  string // the courier's word
	Reason string // why it is of its kind, for the shop's staff; "" for a parcel's

	ConsignmentID string         // "": not told
	Ref           string         // our own name for the parcel; "": not told
	At            time.Time      // by the courier's clock; zero: not told
	Status        ShipmentStatus // what becomes of the parcel; "": it stays as it is
	Message       string         // for the buyer, where Status is ""
	Note          string         // the courier's words, for the shop's staff

	Collected *int64 // cash taken from the buyer, in minor units; nil: not told
	Fee       *int64 // what the courier takes for its work; nil: not told
	PaidOut   bool   // the cash has gone to the shop
	Statement string // the courier's name for the payment that it went with; "": not told
}
