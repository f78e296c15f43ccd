package provider

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"storefront/shop/plugin"
)

// Gateway calls one payment provider in live and sandbox mode. An empty base URL means the
// provider's own, from DefaultURLs.
type Gateway struct {
	Client  *Client
	Live    string // base URL without a trailing slash
	Sandbox string // likewise
	// DefaultURLs are the provider's own base URLs.
	DefaultURLs map[plugin.Mode]string
	// PageHosts are the domains of the provider's payment pages. Subdomains are included.
	PageHosts []string
}

// Base returns the base URL for mode.
func (g *Gateway) Base(mode plugin.Mode) string {
	base := g.Live
	if mode == plugin.Sandbox {
		base = g.Sandbox
	}
	if base == "" {
		base = g.DefaultURLs[mode]
	}
	return base
}

// CheckPage returns an error unless buyers may be redirected to address. It must be an https URL on
// one of PageHosts or, if the operator configured another base URL, have its scheme and host.
func (g *Gateway) CheckPage(mode plugin.Mode, address string) error {
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

// Call sends req and returns the response with any status. Errors wrap
// [plugin.ErrGatewayUnavailable] or [plugin.ErrGatewayUnknown], as in a [plugin.Gateway].
func (g *Gateway) Call(req *http.Request) (*Response, error) {
	resp, err := g.Client.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok && !e.Ambiguous {
			return nil, fmt.Errorf("%w: %w", plugin.ErrGatewayUnavailable, err)
		}
		return nil, fmt.Errorf("%w: %w", plugin.ErrGatewayUnknown, err)
	}
	return resp, nil
}

// Refused returns a [plugin.ErrGatewayRefused] for operation. reason must have passed [Redact] if
// it contains the provider's words.
func Refused(operation, reason string) error {
	return &plugin.Refusal{Kind: plugin.ErrGatewayRefused, Operation: operation, Words: reason}
}

// Unavailable returns a [plugin.ErrGatewayUnavailable] for operation. For reason see [Refused].
func Unavailable(operation, reason string) error {
	return &plugin.Refusal{Kind: plugin.ErrGatewayUnavailable, Operation: operation, Words: reason}
}

// Unknown returns a [plugin.ErrGatewayUnknown] for operation. For reason see [Refused].
func Unknown(operation, reason string) error {
	return &plugin.Refusal{Kind: plugin.ErrGatewayUnknown, Operation: operation, Words: reason}
}

// Unreadable returns the error of a response to operation that cannot be parsed: a
// [plugin.ErrGatewayUnavailable] if its status means that the request was rejected unprocessed, and
// otherwise a [plugin.ErrGatewayUnknown].
func Unreadable(operation string, resp *Response) error {
	reason := fmt.Sprintf("unreadable response with status %d", resp.Status)
	if resp.Status == http.StatusTooManyRequests {
		return Unavailable(operation, reason)
	}
	return Unknown(operation, reason)
}
