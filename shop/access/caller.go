package access

import (
	"net/netip"

	"storefront/shop/locale"
)

// Caller is the author of a request, with credentials that are not verified yet. The zero value is
// a guest with an unknown address. Use cases verify the credentials in their own transaction, so
// that a token revoked in the meantime is rejected.
type Caller struct {
	// Bearer is the token of the Authorization header, without the scheme; "" if none was sent. It
	// takes precedence over Session.
	Bearer string
	// BadAuthorization marks an Authorization header with another scheme than Bearer.
	BadAuthorization bool
	// Session is the token of a staff member's session, which the browser sends as a cookie; "" if
	// none was sent.
	Session string
	// Device is the token of a device at which a staff member has signed in before, which the
	// browser sends as a cookie; "" if none was sent.
	Device string
	// OrderToken is the token returned by placing an order; it lets a guest read, pay and cancel
	// that order.
	OrderToken string
	// Client is the client's network address, for counting failures, as resolved by the transport
	// (IPv6 as its /64); "" if unknown.
	Client string
	// PageHost is the host of the page that sent the request, if it is one of the shop's: phones offer
	// a code from a text message there alone. "" means another page, or none.
	PageHost string
	// Origin is the origin of the page that sent the request, such as https://shop.example, if it is
	// one of the server's or the shop's own. Passkeys are bound to it. "" means another page, or none.
	Origin string
	// Agent is the client's program, in its own words; "" if unknown.
	Agent string
	// ByAgent marks a call of a tool by an agent; see [staff.ViaMCP].
	ByAgent bool
	// RequestID identifies the request in the logs; "" at the command line.
	RequestID string
	// WorkProof is a solved challenge, as its challenge and its nonce joined by a dot; "" if none
	// was sent.
	WorkProof string
	// Language is the language of the texts for the buyer; "" means the shop's own. A transport sets
	// it to one that the shop has.
	Language locale.Language
	// Request identifies a request that must have its effect once; the zero value is any other.
	Request Request
	// Undo is the client's name of a change of orders, by which it can be undone for some seconds; ""
	// means that it cannot.
	Undo string
	// Operator marks the operator at the command line. No transport sets it.
	Operator bool
	// User is the system user at the command line; "" if unknown.
	User string
	// OnBehalf of an operator who is signed in is the author, beside Operator. Otherwise it is the
	// staff member or API key that requested a job or set up a webhook endpoint.
	// The program serves it without their session or key. No transport sets it.
	OnBehalf Actor
	// Authorized is the caller of a request, or of one item of a job, who was authorized for the
	// use case AuthorizedFor. nil means any other caller.
	Authorized    Staff
	AuthorizedFor UseCase
}

// Request identifies a request with the client's idempotency key.
type Request struct {
	Operation   string // name of the operation
	Key         string // the client's; "" means none
	Fingerprint string // hash of the whole request: the same key with another hash is refused
	Nonce       string // of this attempt, unique
}

// Operator returns the caller for work of the program itself. The operator is permitted everything.
func Operator() Caller { return Caller{Operator: true} }

// CommandLine returns the caller of a command that a system user runs as the operator.
func CommandLine(user string) Caller { return Caller{Operator: true, User: user} }

// OfOperator returns the caller for an operator who is signed in and was authorized in the
// installation, in any shop.
func OfOperator(operator Actor) Caller { return Caller{Operator: true, OnBehalf: operator} }

// OnBehalfOf returns the caller for work that an actor has set up or requested, and the program
// does later without the actor.
func OnBehalfOf(actor Actor) Caller {
	if actor.Kind == ActorCLI {
		return CommandLine(actor.Name)
	}
	return Caller{OnBehalf: actor}
}

// ClientOf returns the Client of an address: the address, or the smallest network of one customer
// of IPv6.
func ClientOf(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	network, err := addr.Prefix(64)
	if err != nil {
		return ""
	}
	return network.String()
}

// ParseClient returns the Client of an address, or of a Client in its logged form.
func ParseClient(text string) (client string, ok bool) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return ClientOf(addr), true
	}
	network, err := netip.ParsePrefix(text)
	if err != nil || network.Masked().String() != ClientOf(network.Addr()) {
		return "", false
	}
	return ClientOf(network.Addr()), true
}
