package passkey

import (
	"net"
	"net/url"
	"strings"

	"storefront/shop/fault"
)

// Site is a web site with passkeys of its own. Its host, without the port, is the relying party's
// ID: a browser offers a passkey at the host alone where it was created.
type Site struct {
	origin string // scheme, host and port
	host   string
}

// Host returns the relying party's ID.
func (s Site) Host() string { return s.host }

// SiteOf returns the site of a page's origin, such as https://shop.example. Browsers have passkeys
// only over HTTPS or at localhost, and not at IP addresses. Codes: state_conflict.
func SiteOf(origin string) (Site, error) {
	u, err := url.Parse(origin)
	if err == nil {
		host := strings.ToLower(u.Hostname())
		isLocal := host == "localhost" || strings.HasSuffix(host, ".localhost")
		isSecure := u.Scheme == "https" || u.Scheme == "http" && isLocal
		if isSecure && host != "" && net.ParseIP(host) == nil {
			return Site{origin: u.Scheme + "://" + strings.ToLower(u.Host), host: host}, nil
		}
	}
	return Site{}, fault.Errorf(fault.CodeStateConflict, "Passkeys require HTTPS and a host name: open the page at its name, not at an IP address.")
}
