package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/status"
)

// Courier is the API of one courier. It stores no state of shipments, and every method except
// Refusals sends one request without retries. Errors wrap [ErrCourierRefused], [ErrCourierUnknown],
// [ErrCourierNotFound] or [ErrCourierUnsupported]; their texts are shown to staff and contain no
// secrets.
type Courier interface {
	// Book requests that the courier carry a shipment.
	Book(ctx context.Context, access Access, shipment ShipmentRequest) (BookedShipment, error)
	// Find returns a shipment by its consignment ID, otherwise by our reference.
	Find(ctx context.Context, access Access, shipment ShipmentRef) (BookedShipment, error)
	// Price returns the price of a shipment to a place.
	Price(ctx context.Context, access Access, shipment ShipmentRequest, to CourierPlace) (CourierPrice, error)
	// Refusals returns the reasons for which the courier, and Book, would refuse a shipment. It sends
	// nothing.
	Refusals(shipment ShipmentRequest) []ShipmentProblem
}

// ShipmentProblem is a reason why a shipment cannot be booked.
type ShipmentProblem struct {
	Field   string `json:"field"`   // of the order, such as shippingAddress; otherwise order or provider
	Message string `json:"message"` // for staff
}

// Refusal is an error with a provider's own explanation, which contains no secrets.
type Refusal struct {
	Kind      error  // such as [ErrCourierRefused], which it wraps
	Status    int    // of the response; 0 if there is none, or it has no meaning
	Operation string // at a gateway; "" for a courier
	Words     string // of the provider; "" if there is none
}

// CourierReader reads a courier's webhooks. Its methods are pure: they send nothing and store
// nothing.
type CourierReader interface {
	// AuthenticateHeader checks the secret in a request's headers, before the body is read.
	AuthenticateHeader(settings Settings, header func(name string) string) WebhookAuth
	// Authenticate checks whether the courier sent the request, body included.
	Authenticate(settings Settings, request WebhookRequest) WebhookAuth
	// Read parses the body of an authenticated webhook. It never fails: the event of an unreadable
	// body is [EventMalformed]. Amounts are in currency.
	Read(body []byte, currency money.Currency) CourierEvent
	// Respond returns the response that the courier expects to every authenticated webhook.
	Respond(settings Settings, request WebhookRequest) WebhookResponse
}

// The errors of a [Courier].
var (
	// ErrCourierRefused means that the courier refused the request or certainly did not receive it.
	ErrCourierRefused = errors.New("the courier refused")
	// ErrCourierUnknown means that there is no usable response: the shipment may be booked.
	ErrCourierUnknown = errors.New("the courier's result is unknown")
	// ErrCourierNotFound means that the courier certainly has no such shipment.
	ErrCourierNotFound = errors.New("the courier has no such shipment")
	// ErrCourierUnsupported means that the courier's API has no such operation.
	ErrCourierUnsupported = errors.New("the courier does not support this operation")
)

// ShipmentRequest is a shipment to book or to price. Amounts are in minor units.
type ShipmentRequest struct {
	Ref         string // our reference: letters, digits and hyphens
	Name        string
	Phone       string // E.164
	Address     ShipmentAddress
	Cash        int64 // to collect; 0 means nothing
	Currency    money.Currency
	Items       int
	WeightGrams int64  // 0 means unknown
	Title       string // the contents, in one line
	Note        string // for the courier; "" if there is none
	Place       CourierPlace
	Station     string // name of the police station of Place; "" if there is none
}

// ShipmentRef identifies a shipment at its courier.
type ShipmentRef struct {
	ConsignmentID string // "" means unknown
	Ref           string // our reference
	Returning     bool   // it may be on its way back, wholly or in part
	Currency      money.Currency
}

// CourierPlace is a place by the courier's own numbers. 0 means that the courier derives it from
// the address.
type CourierPlace struct {
	City    int64 `json:"city,omitempty" doc:"The courier's number"`
	Zone    int64 `json:"zone,omitempty" doc:"The courier's number"`
	Area    int64 `json:"area,omitempty" doc:"The courier's number"`
	Station int64 `json:"station,omitempty" doc:"The courier's number of a police station"`
}

// CourierPrice is a courier's price for a shipment.
type CourierPrice struct {
	Fee int64 // in minor units
	// CashRate is the courier's share of the collected cash, in basis points; nil if not reported.
	CashRate *int64
}

// BookedShipment is a shipment as its courier reports it.
type BookedShipment struct {
	ConsignmentID string
	TrackingCode  string          // "" if there is none
	Fee           *int64          // minor units; nil if not reported
	Status        status.Shipment // "" means no change
	Event         string          // the courier's name of the status
	Message       string          // for the buyer, if Status is ""; "" if the event does not concern the buyer
	Problem       string          // problem that staff must check; "" if there is none
	At            time.Time       // time of the status; zero if not reported

	Collected *int64 // as in [CourierEvent], as are the others
	PaidOut   bool
	Statement string
}

// WebhookRequest is an HTTP request that a courier may have sent.
type WebhookRequest struct {
	Header func(name string) string // "" if there is no such header
	Body   []byte
	// ReadBody reads the body after the headers are authenticated. If nil, Body has it.
	ReadBody func() ([]byte, error)
}

// WebhookAuth is the result of authenticating a webhook.
type WebhookAuth struct {
	OK     bool
	Reason string // why it is not authentic; "" if OK
	Key    string // the courier's identifier of the event; "" means that the body identifies it
	Flag   string // a warning about an authentic webhook, for staff; "" if there is none
	Probe  bool   // not authentic: a test of the program itself, which is not recorded
}

// WebhookResponse is the HTTP response to a webhook.
type WebhookResponse struct {
	Status      int
	Header      map[string]string // spelled as in the courier's documentation
	ContentType string
	Body        string
}

// EventKind is the kind of a courier's event.
type EventKind int

// The kinds of events.
const (
	EventShipment  EventKind = iota // with a shipment
	EventHandshake                  // the courier tests the webhook URL
	EventOther                      // readable, but without a shipment
	EventMalformed                  // unreadable
)

// CourierEvent is an event that a courier's webhook reports.
type CourierEvent struct {
	Kind   EventKind
	Event  string // the courier's name of the event
	Reason string // explains the kind to staff; "" for an EventShipment

	ConsignmentID string          // "" if not reported
	Ref           string          // our reference; "" if not reported
	ReturnID      string          // consignment ID of the way back; "" if not reported
	OfReturn      bool            // from the way back; ConsignmentID may then be a ReturnID
	At            time.Time       // by the courier's clock; zero if not reported
	Status        status.Shipment // new status of the shipment; "" if unchanged
	Message       string          // for the buyer, if Status is ""
	Detail        string          // the courier's private text for the buyer, instead of Message; "" if there is none
	Note          string          // the courier's text, for staff only
	Problem       string          // problem that staff must check; "" if there is none

	Due       *int64 // changed amount to collect from the buyer, in minor units; nil if unchanged
	Collected *int64 // cash collected from the buyer, in minor units; nil if not reported
	Fee       *int64 // the courier's fee, in minor units; nil if not reported
	PaidOut   bool   // the courier has paid out the cash
	Statement string // the courier's identifier of the payout; "" if not reported
}

// PartBack is the problem of an event which reports that the refused part of a shipment is back at
// the shop. It raises no flag if staff members have restocked units of the order.
const PartBack = "The courier returned the part that the buyer did not accept: record the returned goods."

// UnreadableAmount is the problem reported for an event with an invalid amount.
const UnreadableAmount = "The courier reported an amount that is invalid: check it in the courier's panel."

// MaxConsignment is the maximum length of a consignment ID or a tracking code, in characters.
const MaxConsignment = 100

// maxClockAhead limits a courier's timestamp in the future. Until that time, no event could change
// the status that it reports.
const maxClockAhead = 24 * time.Hour

// maxShipmentNote is the maximum length of a stored note, in characters; the rest is cut off.
const maxShipmentNote = 500

// The way back of a shipment may have a consignment ID of its own. Events with that ID belong to
// the shipment on its way back, never to another shipment.

// returnProblem is the problem of a delivered return consignment.
const returnProblem = "The courier delivered the return consignment: mark the order as returned once the goods are back."

// RefuseShipment returns the error of booking a shipment with these problems; nil if there are no
// problems. It wraps [ErrCourierRefused].
func RefuseShipment(problems []ShipmentProblem) error {
	if len(problems) == 0 {
		return nil
	}
	messages := make([]string, len(problems))
	for i, p := range problems {
		messages[i] = p.Message
	}
	return &Refusal{Kind: ErrCourierRefused, Words: strings.Join(messages, "; ")}
}

func (e *Refusal) Error() string {
	text := e.Kind.Error()
	if e.Status != 0 {
		text += fmt.Sprintf(": status %d", e.Status)
	}
	if e.Operation != "" {
		text += ": " + e.Operation
	}
	if e.Words != "" {
		text += ": " + e.Words
	}
	return text
}

func (e *Refusal) Unwrap() error { return e.Kind }

// Unreached is the error of a request to a provider without a complete response.
type Unreached interface {
	error
	// Reason returns the cause for staff, as the end of a sentence without its full stop.
	Reason() string
}

// CourierWords returns a courier's reason for refusing a request, in its own words if possible, as
// the end of a sentence without its full stop. The error itself is for the log.
func CourierWords(err error) string {
	refusal, isRefusal := errors.AsType[*Refusal](err)
	unreached, isUnreached := errors.AsType[Unreached](err)
	switch {
	case isRefusal && refusal.Words != "":
		return strings.TrimRight(refusal.Words, ". ")
	case isUnreached:
		return unreached.Reason()
	case isRefusal && refusal.Status != 0:
		return fmt.Sprintf("it refused with status %d", refusal.Status)
	}
	return "it refused, or its response is not as its API describes it"
}

// EventTime returns the event's time in Unix milliseconds: receivedAt if the courier's timestamp is
// missing or implausible.
func (n *CourierEvent) EventTime(receivedAt time.Time) int64 {
	if n.At.IsZero() || n.At.After(receivedAt.Add(maxClockAhead)) || n.At.Year() < 2000 {
		return db.Millis(receivedAt)
	}
	return db.Millis(n.At)
}

// clean makes the courier's texts storable. ok is false if an identifier or a name is longer than
// MaxConsignment bytes.
func (n *CourierEvent) Clean() (ok bool) {
	for _, text := range []*string{&n.Event, &n.ConsignmentID, &n.ReturnID, &n.Ref, &n.Statement} {
		if *text = input.Clean(*text); len(*text) > MaxConsignment {
			return false
		}
	}
	n.Note = input.Cut(input.Clean(n.Note), maxShipmentNote)
	n.Detail = input.Cut(input.Clean(n.Detail), maxShipmentNote)
	return true
}

// OnWayBack converts an event of a return consignment to an event of its shipment. The cash belongs
// to the return consignment and does not count.
func (n *CourierEvent) OnWayBack() {
	switch n.Status {
	case "", status.ShipmentReturned:
	case status.ShipmentDelivered:
		n.Status, n.Message, n.Problem = "", "The return was delivered to the shop.", returnProblem
	case status.ShipmentCancelled, status.ShipmentPartiallyDelivered, status.ShipmentExchanged:
		n.Status, n.Message = "", "The courier reported an event of the return."
	default:
		n.Status = status.ShipmentReturning
	}
	if !n.OfReturn {
		n.Due, n.Collected, n.Fee = nil, nil, nil
	}
}

// NamesReturn reports whether the event's consignment ID may belong to a way back.
func (n *CourierEvent) NamesReturn() bool {
	return n.OfReturn && n.ConsignmentID != "" && (n.ReturnID == "" || n.ReturnID == n.ConsignmentID)
}
