package provider

import "net"

// NewDialer returns a dialer for connections to providers that do not speak HTTP. Unless
// allowPrivate is set it connects to no private, loopback, link-local or other reserved address.
// The error of such an address is [ErrAddressNotAllowed].
func NewDialer(allowPrivate bool) *net.Dialer {
	dialer := &net.Dialer{}
	if !allowPrivate {
		dialer.Control = rejectReserved
	}
	return dialer
}
