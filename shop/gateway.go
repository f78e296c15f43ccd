package shop

import (
	"context"
	"errors"

	"storefront/shop/money"
)

// Gateway speaks one payment provider's protocol. It keeps no state of a payment; every method is
// one question, asked once. An error is an [ErrGatewayRefused] or an [ErrGatewayUnknown] in its
// chain, and its text holds no secret.
type Gateway interface {
	// Start opens a payment at the provider and gives the page where the buyer pays.
	Start(ctx context.Context, access PluginAccess, order PaymentStart) (StartedPayment, error)
	// QueryStatus asks the provider what became of a payment. It alone proves one.
	QueryStatus(ctx context.Context, access PluginAccess, payment StatusQuery) (GatewayStatus, error)
	// Refund gives a payment back whole, or asks what became of a refund begun before.
	Refund(ctx context.Context, access PluginAccess, refund RefundRequest) (RefundResult, error)
}

// PaymentWebhookReader reads the notices of a provider that sends them.
type PaymentWebhookReader interface {
	// ReadWebhook checks a notice's signature and reads it. ok is false where it is not the
	// provider's: nothing else is then known. It asks nobody.
	ReadWebhook(settings PluginSettings, body []byte) (notice PaymentEvent, ok bool)
}

// What an error of a [Gateway] says.
var (
	// ErrGatewayRefused means that the provider said no, or was surely never reached.
	ErrGatewayRefused = errors.New("the gateway refused")
	// ErrGatewayUnknown means that no answer tells what the provider did.
	ErrGatewayUnknown = errors.New("it is not known what the gateway did")
)

// PaymentStart is what a provider is told of an order that is to be paid. Amounts are in minor units.
type PaymentStart struct {
	Ref        string // our own name for the payment, at most 30 letters and digits
	Invoice    string // the order's invoice UID
	Amount     int64
	Currency   money.Currency
	Title      string // what is bought, in a line
	Items      int
	Name       string
	Phone      string // E.164
	Email      string // "": none
	Line1      string
	City       string
	Postcode   string
	Country    string
	ReturnURL  string // where the buyer's browser comes back to
	WebhookURL string // where the provider's own notice goes
}

// StartedPayment is a payment that waits for its buyer.
type StartedPayment struct {
	ExternalID  string // the provider's name for it
	RedirectURL string
	Signature   string // what the provider will send with the buyer's return; "": it does not say
}

// StatusQuery names a payment whose state is asked for.
type StatusQuery struct {
	Ref          string
	ExternalID   string
	ValidationID string // from a notice; "": none
	// Capture lets the provider move the money now, where it waits for the shop's word (gateway_b's
	// execute). Without it the payment is only looked at.
	Capture  bool
	Currency money.Currency
}

// PaymentState is what a provider says of a payment.
type PaymentState string

// The states of a payment at its provider.
const (
	GatewayPaid      PaymentState = "paid"
	GatewayOpen      PaymentState = "open"      // nothing has happened yet, or it is under way
	GatewayFailed    PaymentState = "failed"    // this try failed; another may follow
	GatewayCancelled PaymentState = "cancelled" // by the buyer
	GatewayExpired   PaymentState = "expired"   // can no longer be paid
)

// GatewayStatus is what a provider says of a payment. Amount and the rest are set when it is paid.
type GatewayStatus struct {
	State         PaymentState
	Ref           string // "": not told
	Amount        int64
	Currency      string
	Readable      bool   // Amount could be read in the question's currency
	ReviewReason  string // why a person has to look at money that came in; "": it is right
	TransactionID string
	Reason        string // why it failed, for the shop's staff
}

// PaymentEvent is a notice whose signature is right. It proves nothing yet.
type PaymentEvent struct {
	Ref          string
	Event        string // the provider's word
	State        PaymentState
	ValidationID string
}

// RefundRequest asks for a payment back. Amounts are in minor units.
type RefundRequest struct {
	Ref           string // our own name for the refund, at most 30 letters and digits
	RefundID      string // the provider's name for a refund begun before; "": begin one
	Asked         bool   // an earlier request may have reached the provider
	PaymentRef    string
	ExternalID    string
	TransactionID string
	Amount        int64
	Currency      money.Currency
	Reason        string
}

// RefundState is what a provider says of a refund.
type RefundState string

// The states of a refund.
const (
	RefundDone       RefundState = "done"
	RefundProcessing RefundState = "processing"
	RefundFailed     RefundState = "failed"
)

// RefundResult is what a provider says of a refund.
type RefundResult struct {
	State    RefundState
	RefundID string
	Reason   string // why it failed, for the shop's staff
}
