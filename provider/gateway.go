package provider

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"storefront/shop"
)

// Gateway calls one payment provider, in both of its worlds. The zero URL of a mode is the
// provider's own, which Own names.
type Gateway struct {
	Client  *Client
	Live    string // base address, without a slash at its end; "": the provider's own
	Sandbox string
	// DefaultURLs are the provider's own base addresses; Pages end the names of the hosts where buyers pay.
	DefaultURLs map[shop.Mode]string
	PageHosts   []string
}

// Base gives the address that calls of a mode go to.
func (g *Gateway) Base(mode shop.Mode) string {
	base := g.Live
	if mode == shop.Sandbox {
		base = g.Sandbox
	}
	if base == "" {
		base = g.DefaultURLs[mode]
	}
	return base
}

// CheckPage refuses an address that a buyer is not to be sent to: it has to be https on the
// provider's hosts, or, where the operator names another base address, on that one.
func (g *Gateway) CheckPage(mode shop.Mode, address string) error {
	page, err := url.Parse(address)
	base, baseErr := url.Parse(g.Base(mode))
	if err != nil || baseErr != nil || page.User != nil {
		return errors.New("the provider names a page that is no address")
	}
	if g.Base(mode) != g.DefaultURLs[mode] && page.Scheme == base.Scheme && page.Host == base.Host {
		return nil
	}
	for _, host := range g.PageHosts {
		if page.Scheme == "https" && (page.Hostname() == host || strings.HasSuffix(page.Hostname(), "."+host)) {
			return nil
		}
	}
	return errors.New("the provider names a page that is not one of its own")
}

// Call sends a request and reads the answer, whatever it is. Errors are those of a [shop.Gateway].
func (g *Gateway) Call(req *http.Request) (*Response, error) {
	answer, err := g.Client.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok && !e.Ambiguous {
			return nil, fmt.Errorf("%w: %v", shop.ErrGatewayRefused, err)
		}
		return nil, fmt.Errorf("%w: %v", shop.ErrGatewayUnknown, err)
	}
	return answer, nil
}

// Refused is a provider's clear no. reason is a code or a word of the provider's, never a value
// that it was sent.
func Refused(what, reason string) error {
	return fmt.Errorf("%w: %s: %s", shop.ErrGatewayRefused, what, reason)
}

// Unreadable is an answer that tells nothing.
func Unreadable(what string, answer *Response) error {
	return fmt.Errorf("%w: %s: an answer of status %d that can not be understood", shop.ErrGatewayUnknown, what, answer.Status)
}
