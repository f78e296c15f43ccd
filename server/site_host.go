package server

import (
	"cmp"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"storefront/shop"
	"storefront/site"
	"storefront/tenants"
)

// sites serves the pages of shops at their own hosts.
type sites struct {
	pages  *site.Site
	scheme string // of all hosts, such as "https://"
	port   string // of all hosts, such as ":8080"; "" means the scheme's
	// name is the name below which each shop has a host; it may be empty.
	name string
	// speculation is the header of the rules by which browsers load pages ahead.
	speculation []string
	// crossOrigin refuses forms that other sites send.
	crossOrigin *http.CrossOriginProtection
}

func newSites(cfg *Config) (*sites, error) {
	pages, err := site.New()
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(cmp.Or(cfg.SiteURL, cfg.PublicURL))
	if err != nil {
		return nil, err
	}
	found := &sites{
		pages: pages, scheme: cmp.Or(base.Scheme, "https") + "://", crossOrigin: http.NewCrossOriginProtection(),
		speculation: []string{pages.SpeculationRules()},
	}
	if port := base.Port(); port != "" {
		found.port = ":" + port
	}
	if cfg.SiteURL != "" {
		found.name = base.Hostname()
	}
	return found, nil
}

// origin returns the origin of a shop at its own domain or at its host below the name; "" if there
// is neither.
func (s *sites) origin(uid, domain string) string {
	switch {
	case domain != "":
		return s.scheme + domain + s.port
	case s.name != "":
		return s.scheme + uid + "." + s.name + s.port
	}
	return ""
}

// reservedPaths are the first segments of paths that are the same on every host.
var reservedPaths = []string{
	"api", "graphql", "docs", "openapi.json", "openapi.yaml", "admin", "media", "t", "courier", "payment", "healthz", "readyz", "demo",
}

func isReserved(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return slices.Contains(reservedPaths, first)
}

// isBelow reports whether a host is one of the names that each shop has.
func (s *sites) isBelow(host string) bool {
	below, ok := strings.CutSuffix(host, s.name)
	return ok && s.name != "" && strings.HasSuffix(below, ".")
}

// isElsewhere reports whether a request came from another machine to a server that has no name but
// localhost: its own address is the only one that is known to lead here.
func (s *sites) isElsewhere(host string) bool {
	if s == nil || s.name != "localhost" {
		return false
	}
	address, err := url.Parse("http://" + host)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(address.Hostname())
	isLoopback := err == nil && addr.IsLoopback()
	return !isLoopback && address.Hostname() != s.name && !s.isBelow(address.Hostname())
}

// siteOrigin returns the origin of a shop's canonical host, "" if it has none, and the host if it
// is a domain of the shop. A domain counts if the request arrived at it, or if its DNS leads here.
// Otherwise a mistyped domain would take all visitors away. A command has no pages.
func (s *Server) siteOrigin(uid string, own shop.Site, requested string) (origin, domain string) {
	if s.sites == nil {
		return "", ""
	}
	if own.Host != "" && own.Host != requested {
		owner, ok := s.cfg.Tenants.DomainOwner(own.Host)
		if !ok || owner.UID != uid || s.cfg.Tenants.DomainProof(own.Host) == tenants.ProofMissing {
			own.Host = requested
		}
	}
	if owner, ok := s.cfg.Tenants.DomainOwner(own.Host); !ok || owner.UID != uid {
		own.Host = ""
	}
	switch {
	case own.Host != "" || !s.isMainShop(uid):
	case uid == s.cfg.ExampleTenant && s.sites.name == "localhost":
		return s.sites.origin("", s.sites.name), ""
	case s.sites.name == "":
		return strings.TrimSuffix(s.cfg.PublicURL, "/"), ""
	}
	return s.sites.origin(uid, own.Host), own.Host
}

// mainShop returns the UID of the shop that hosts of no shop show; ok is false if there is none.
func (s *Server) mainShop() (uid string, ok bool) {
	if s.cfg.ExampleTenant != "" {
		return s.cfg.ExampleTenant, true
	}
	return s.cfg.Tenants.OnlyShop()
}

// isMainShop reports whether hosts of no shop show the shop with this UID.
func (s *Server) isMainShop(uid string) bool {
	main, ok := s.mainShop()
	return ok && main == uid
}

// siteOwner returns the UID of the shop with a host name; ok is false if there is none.
func (s *Server) siteOwner(host string) (uid string, ok bool) {
	if uid, _, _ := strings.Cut(host, "."); s.sites.isBelow(host) && len(host) == len(uid)+1+len(s.sites.name) {
		return uid, uid != ""
	}
	owner, ok := s.cfg.Tenants.DomainOwner(host)
	return owner.UID, ok
}
