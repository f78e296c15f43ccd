package tenants

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// maxSkew is the tolerated difference between this machine's clock and the public address's.
const maxSkew = 30 * time.Second

// examineAddress requests the server at its public address, and reports whether it responds there.
func (t *Tenants) examineAddress(ctx context.Context, found *findings) (reached bool) {
	address, err := url.Parse(t.publicURL)
	switch {
	case err != nil || address.Host == "":
		found.add(CodePublicAddressMissing, StateFailing, "Not set: set STOREFRONT_API_PUBLIC_URL to the server's address.")
		return false
	case IsLocal(t.publicURL):
		found.add(CodePublicAddressPrivate, StateWarning, "%s is a private address, which providers cannot reach: "+
			"set STOREFRONT_API_PUBLIC_URL to a public one.",
			t.publicURL)
	case address.Scheme != "https":
		found.add(CodePublicAddressInsecure, StateWarning,
			"%s must be an https URL: providers reject others, and secrets are sent unencrypted.", t.publicURL)
	default:
		found.add(CodePublicAddress, StateOK, "%s", t.publicURL)
	}
	response, err := t.callPublicURL(ctx, http.MethodGet, t.publicURL+"/healthz", nil, nil)
	switch {
	case err != nil:
		found.add(CodeReach, StateFailing, "The public address does not respond: %v. Start the server, or check DNS, proxy and firewall.", err)
		return false
	case response.Status != http.StatusOK || response.Header.Get("X-Api-Version") == "":
		found.add(CodeReachOther, StateFailing, "Another server responds at the public address, with status %d: check DNS and proxy.", response.Status)
		return false
	}
	found.add(CodeReach, StateOK, "The public address responds.")
	date, err := http.ParseTime(response.Header.Get("Date"))
	if skew := t.now().Sub(date).Abs(); err == nil && skew > maxSkew {
		found.add(CodeClockOutside, StateFailing, "This machine's clock differs by %s from the public address's: synchronize it with NTP.",
			skew.Round(time.Second))
	}
	return true
}

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
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".localhost")
}
