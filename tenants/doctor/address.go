package doctor

import (
	"storefront/tenants"

	"context"
	"net/http"
	"net/url"
	"time"
)

// examineAddress requests the server at its public address, and reports whether it responds there.
func (t *examiner) examineAddress(ctx context.Context, found *findings) (reached bool) {
	address, err := url.Parse(t.publicURL)
	switch {
	case err != nil || address.Host == "":
		found.fail(CodePublicAddressMissing,
			"Not set: set STOREFRONT_API_PUBLIC_URL to the server's address.")
		return false
	case tenants.IsLocal(t.publicURL):
		found.warn(CodePublicAddressPrivate, "%s is a private address, which providers cannot reach: "+
			"set STOREFRONT_API_PUBLIC_URL to a public one.",
			t.publicURL)
	case address.Scheme != "https":
		found.warn(CodePublicAddressInsecure,
			"%s must be an https URL: providers reject others, and secrets are sent "+
				"unencrypted.", t.publicURL)
	default:
		found.ok(CodePublicAddress, "%s", t.publicURL)
	}
	response, err := t.CallPublicURL(ctx, http.MethodGet, t.publicURL+"/healthz", nil, nil)
	switch {
	case err != nil:
		found.fail(CodeReach,
			"The public address does not respond: %v. Start the server, or check DNS, proxy and "+
				"firewall.", err)
		return false
	case response.Status != http.StatusOK || response.Header.Get("X-Api-Version") == "":
		found.fail(CodeReachOther,
			"Another server responds at the public address, with status %d: check DNS and "+
				"proxy.", response.Status)
		return false
	}
	found.ok(CodeReach, "The public address responds.")
	date, err := http.ParseTime(response.Header.Get("Date"))
	if skew := t.now().Sub(date).Abs(); err == nil && skew > tenants.MaxClockSkew {
		found.fail(CodeClockOutside,
			"This machine's clock differs by %s from the public address's: synchronize it with NTP.",
			skew.Round(time.Second))
	}
	return true
}
