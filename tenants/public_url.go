package tenants

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"storefront/provider"
)

// IsLocal reports whether a URL can be reached only from this machine or its network. A malformed
// URL is local.
func IsLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") ||
		strings.HasSuffix(host, ".localhost")
}

// CallPublicURL sends a request to one of the server's own public addresses, private ones included.
func (t *Tenants) CallPublicURL(
	ctx context.Context, method, address string, header map[string]string, body []byte,
) (*provider.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("parse public address: %w", err)
	}
	for name, value := range header {
		req.Header[name] = []string{value}
	}
	return provider.NewClient(provider.ClientConfig{AllowPrivate: true}).Do(req)
}
