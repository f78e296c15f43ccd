package access

// Caller is who makes a request, with credentials that are not verified yet. The zero value is a
// guest with an unknown address. Use cases verify the credentials in their own transaction, so that
// a token revoked meanwhile is rejected.
type Caller struct {
	// Bearer is the token of the Authorization header, without the scheme; "" if none was sent.
	Bearer string
	// BadAuthorization marks an Authorization header with another scheme than Bearer.
	BadAuthorization bool
	// OrderToken is the token returned by placing an order; it lets a guest read and pay that order.
	OrderToken string
	// Client is the client's network address, by which failures are counted, as resolved by the
	// transport (IPv6 as its /64); "" if unknown.
	Client string
	// WorkProof is a solved challenge, as its challenge and its nonce joined by a dot; "" if none was
	// sent.
	WorkProof string
	// Operator marks the operator at the command line. No transport sets it.
	Operator bool
}

// Operator returns the caller for a command of the operator, who may do everything.
func Operator() Caller { return Caller{Operator: true} }
