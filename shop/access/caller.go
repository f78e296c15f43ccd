package access

// Caller is who makes a request, as far as a transport can tell. The zero value is a guest whose
// address is not known. What it carries is not checked yet: use cases check it in their own
// transaction, so that a revoked token or a foreign order is found out where it matters.
type Caller struct {
	// Bearer is the token of the Authorization header, without the scheme; "" when none was sent.
	Bearer string
	// BadAuthorization marks an Authorization header that is not a Bearer at all.
	BadAuthorization bool
	// OrderToken is what placing an order returned; it lets a guest read and pay that order.
	OrderToken string
	// Client is the network address that failures count against, as the transport settled it
	// (IPv6 as its /64); "" when not known.
	Client string
	// Operator marks the shop's own staff at the command line. No transport ever sets it.
	Operator bool
}

// Operator returns the caller for a command of the operator, who may do everything.
func Operator() Caller { return Caller{Operator: true} }
