package plugin

import (
	"context"
	"errors"

	"storefront/shop/money"
)

// Gateway implements one payment provider's protocol. It stores no state of a payment and does not
// retry. Its errors wrap [ErrGatewayRefused], [ErrGatewayUnavailable] or [ErrGatewayUnknown]. Their
// text is for staff members: it quotes the provider and contains no secret.
type Gateway interface {
	// Start creates a payment at the provider and returns the page where the buyer pays.
	Start(ctx context.Context, access Access, order PaymentStart) (StartedPayment, error)
	// QueryStatus queries the provider for the status of a payment and changes nothing. Only its
	// result and the result of Capture prove a payment.
	QueryStatus(ctx context.Context, access Access, payment StatusQuery) (GatewayStatus, error)
	// Capture captures a payment approved by its buyer and returns its status. If the provider
	// captures payments by itself, Capture is QueryStatus.
	Capture(ctx context.Context, access Access, payment StatusQuery) (GatewayStatus, error)
	// Refund sends back an amount of a payment, or queries the result of a refund that was requested
	// before.
	Refund(ctx context.Context, access Access, refund RefundRequest) (RefundResult, error)
}

// PaymentWebhookReader reads the webhooks of a payment provider.
type PaymentWebhookReader interface {
	// ReadWebhook checks a webhook's signature and parses it, without any request. ok is false if the
	// webhook is not the provider's.
	ReadWebhook(settings Settings, body []byte) (event PaymentEvent, ok bool)
}

// Errors that a [Gateway] wraps.
var (
	// ErrGatewayRefused means that the provider refused the request for good.
	ErrGatewayRefused = errors.New("the gateway refused")
	// ErrGatewayUnavailable means that the provider certainly did not process the request, but may
	// process a later one.
	ErrGatewayUnavailable = errors.New("the gateway is unavailable")
	// ErrGatewayUnknown means that the provider may have processed the request, but sent no usable
	// response.
	ErrGatewayUnknown = errors.New("the gateway's result is unknown")
)

// PaymentStart is a request to start the payment of an order. Amounts are in minor units.
type PaymentStart struct {
	Ref        string // our reference of the payment, at most 30 letters and digits
	Invoice    string // the order's invoice UID
	Amount     int64
	Currency   money.Currency
	Title      string // one line that describes the order
	Items      int    // total quantity
	Name       string
	Phone      string // E.164
	Email      string // may be ""
	Line1      string
	City       string
	Postcode   string
	Country    string
	ReturnURL  string // target of the buyer's browser afterwards
	WebhookURL string // target of the provider's webhook; "" if it sends none
}

// StartedPayment is a payment that awaits its buyer.
type StartedPayment struct {
	ExternalID  string // the provider's ID of the payment
	RedirectURL string
	Signature   string // the provider's identifier in the buyer's callback; "" if there is none
}

// StatusQuery identifies a payment for a query of its status.
type StatusQuery struct {
	Ref          string
	ExternalID   string
	ValidationID string // from a webhook; "" without one
	Currency     money.Currency
}

// PaymentState is the state of a payment at its provider.
type PaymentState string

// The states of a payment.
const (
	GatewayPaid      PaymentState = "paid"
	GatewayOpen      PaymentState = "open"      // not paid yet, or in progress
	GatewayFailed    PaymentState = "failed"    // this attempt failed; another may follow
	GatewayCancelled PaymentState = "cancelled" // by the buyer
	GatewayExpired   PaymentState = "expired"   // can no longer be paid
)

// GatewayStatus is a payment's status as its provider reports it. Amount, Currency, Readable,
// ReviewReason and TransactionID are set if State is GatewayPaid.
type GatewayStatus struct {
	State         PaymentState
	Ref           string // our reference; "" if the provider does not return it
	Amount        int64
	Currency      string
	Readable      bool   // Amount could be parsed in the query's currency
	ReviewReason  string // the reason why a staff member must review the payment; "" if there is none
	TransactionID string
	Reason        string // the reason for a failure, for staff members
}

// PaymentEvent is the content of a webhook with a valid signature. It does not prove a payment.
type PaymentEvent struct {
	Ref          string
	Event        string // the provider's name of the event
	State        PaymentState
	ValidationID string
	Reason       string // the provider's words about a failure, for staff members
}

// RefundRequest is a request to refund an amount of a payment, or to query its refund. Amounts are
// in minor units.
type RefundRequest struct {
	Ref           string // our reference of the refund, at most 30 letters and digits
	RefundID      string // the provider's ID of a refund in progress; "" if it has returned none
	Requested     bool   // an earlier request with this reference may have reached the provider
	PaymentRef    string
	ExternalID    string
	TransactionID string
	Amount        int64
	Currency      money.Currency
	Reason        string
	OtherIDs      []string // the provider's IDs of the payment's other refunds
}

// RefundState is the status of a refund.
//
//api:enum RefundStatus
type RefundState string

// The states of a refund. A provider does not report the first.
const (
	RefundRequested  RefundState = "requested"  // it may not have reached the gateway
	RefundProcessing RefundState = "processing" // accepted by the gateway
	// Refused, perhaps because it was made before: look it up at the gateway.
	RefundUnclear RefundState = "unclear"
	RefundDone    RefundState = "done"   // the buyer has the money
	RefundFailed  RefundState = "failed" // refused by the gateway
)

// RefundResult is a refund's status as its provider reports it.
type RefundResult struct {
	State    RefundState
	RefundID string
	Reason   string // the reason if it failed or is unclear, for staff members
}
