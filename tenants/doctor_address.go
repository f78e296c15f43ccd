package tenants

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// maxSkew is how far our clock may be from the one that our public address tells.
const maxSkew = 30 * time.Second

// examineAddress calls the server at its public address, and reports whether it answers there.
func (t *Tenants) examineAddress(ctx context.Context, found *findings) (reached bool) {
	address, err := url.Parse(t.publicURL)
	switch {
	case err != nil || address.Host == "":
		found.add("public address", StateFailing, "There is none: set STOREFRONT_API_PUBLIC_URL to the server's address.")
		return false
	case IsLocal(t.publicURL):
		found.add("public address", StateWarning, "%s is an address of this machine or network: providers can not reach it. Set STOREFRONT_API_PUBLIC_URL.", t.publicURL)
	case address.Scheme != "https":
		found.add("public address", StateWarning, "%s is not https: providers refuse it, and secrets travel in the clear.", t.publicURL)
	default:
		found.add("public address", StateOK, "%s", t.publicURL)
	}
	answer, err := t.callPublicURL(ctx, http.MethodGet, t.publicURL+"/healthz", nil, nil)
	switch {
	case err != nil:
		found.add("reach", StateFailing, "The public address does not answer: %v.", err)
		return false
	case answer.Status != http.StatusOK || answer.Header.Get("X-Api-Version") == "":
		found.add("reach", StateFailing, "Something else answers at the public address, with %d.", answer.Status)
		return false
	}
	found.add("reach", StateOK, "The public address answers.")
	told, err := http.ParseTime(answer.Header.Get("Date"))
	if err == nil && t.now().Sub(told).Abs() > maxSkew {
		found.add("clock outside", StateFailing, "The clock of this machine differs by %s from the one of the public address: set it by NTP.", t.now().Sub(told).Abs().Round(time.Second))
	}
	return true
}

// IsLocal reports whether an address can be reached from this machine or network only.
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
