package server

import (
	"context"
	"net/http"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// The headers in which a server-rendered storefront passes on its buyer's address. Without them all
// its buyers would share the limits of one address.
const (
	headerClientAddress = "X-Shopper-Address"
	headerAPIKey        = "X-Api-Key"
	headerAdminToken    = "X-Admin-Token" // the former name of headerAPIKey
)

// serverKey returns the API key that a shop's own server sends, "" if there is none.
func serverKey(h http.Header) string {
	if key := firstOf(h, headerAPIKey); key != "" {
		return key
	}
	return firstOf(h, headerAdminToken)
}

// forwardedClient returns the address that a shop's own server passed on, empty if it passed none.
// It requires an API key that may place orders, since an invented address would evade the limits of
// sign-ins and orders. Codes: unauthenticated, forbidden, malformed.
func forwardedClient(ctx context.Context, s *shop.Shop, r *http.Request) (string, error) {
	text := firstOf(r.Header, headerClientAddress)
	if text == "" {
		return "", nil
	}
	if err := s.Staff.CheckAPIKey(ctx, serverKey(r.Header), access.OrdersWrite); err != nil {
		return "", err
	}
	addr, ok := parseAddress(text)
	if !ok {
		return "", &fault.Error{Code: fault.CodeMalformed, Message: headerClientAddress + " must be an IP address."}
	}
	return access.ClientOf(addr), nil
}
