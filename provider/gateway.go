package provider

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"storefront/shop"
)

// Gateway calls one payment provider in live and sandbox mode. An empty base URL means the
// provider's own, from DefaultURLs.
type Gateway struct {
	Client  *Client
	Live    string // base URL without a trailing slash
	Sandbox string // likewise
	// DefaultURLs are the provider's own base URLs.
	DefaultURLs map[shop.Mode]string
	// PageHosts are the domains of the provider's payment pages. Subdomains are included.
	PageHosts []string
}

// Base returns the base URL for mode.
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

// CheckPage returns an error unless buyers may be redirected to address. It must be an https URL on
// one of PageHosts or, if the operator configured another base URL, have its scheme and host.
func (g *Gateway) CheckPage(mode shop.Mode, address string) error {
	page, err := url.Parse(address)
	base, baseErr := url.Parse(g.Base(mode))
	if err != nil || baseErr != nil || page.User != nil {
		return errors.New("the payment page is not a valid URL")
	}
	if g.Base(mode) != g.DefaultURLs[mode] && page.Scheme == base.Scheme && page.Host == base.Host {
		return nil
	}
	for _, host := range g.PageHosts {
		if page.Scheme == "https" && (page.Hostname() == host || strings.HasSuffix(page.Hostname(), "."+host)) {
			return nil
		}
	}
	return errors.New("the payment page is not on the gateway's hosts")
}

// Call sends req and returns the response whatever its status. Errors wrap [shop.ErrGatewayRefused]
// or [shop.ErrGatewayUnknown], as those of a [shop.Gateway] do.
func (g *Gateway) Call(req *http.Request) (*Response, error) {
	resp, err := g.Client.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok && !e.Ambiguous {
			return nil, fmt.Errorf("%w: %v", shop.ErrGatewayRefused, err)
		}
		return nil, fmt.Errorf("%w: %v", shop.ErrGatewayUnknown, err)
	}
	return resp, nil
}

// Refused returns a [shop.ErrGatewayRefused] for operation. reason is a code or status from the
// provider or a fixed text. It must not contain a value that was sent.
func Refused(operation, reason string) error {
	return fmt.Errorf("%w: %s: %s", shop.ErrGatewayRefused, operation, reason)
}

// Unreadable returns a [shop.ErrGatewayUnknown] for a response to operation that cannot be parsed.
func Unreadable(operation string, resp *Response) error {
	return fmt.Errorf("%w: %s: unreadable response with status %d", shop.ErrGatewayUnknown, operation, resp.Status)
}
