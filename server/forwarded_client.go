package server

import (
	"context"
	"net/http"

	"storefront/shop"
)

// The headers by which a storefront that is rendered on a server passes its shopper's address. All
// its shoppers would else share the limits of one address.
const (
	headerClientAddress = "X-Shopper-Address"
	headerAdminToken    = "X-Admin-Token"
)

// forwardedClient gives the address that a shop's own server passes; "" where none is passed.
// Codes: unauthenticated (without an administrator's token anybody could pass anything), malformed.
func forwardedClient(ctx context.Context, s *shop.Shop, r *http.Request) (string, error) {
	text := firstOf(r.Header, headerClientAddress)
	if text == "" {
		return "", nil
	}
	if err := s.CheckAdminToken(ctx, r.Header.Get(headerAdminToken)); err != nil {
		return "", err
	}
	addr, ok := parseAddress(text)
	if !ok {
		return "", &shop.Error{Code: shop.CodeMalformed, Message: headerClientAddress + " is no IP address."}
	}
	return clientKey(addr), nil
}
