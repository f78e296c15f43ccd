package shop

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"storefront/shop/access"
	"storefront/shop/fault"
)

const (
	maxDomains       = 10  // each needs a certificate, which authorities ration
	maxDomainName    = 253 // characters, the limit of DNS
	maxDomainSegment = 63
)

// CanonicalDomain returns a host name in the form of DNS and certificates: lower case, an
// international name in its xn-- form, without the dot of the root. ok is false if no public
// certificate can be issued for it: an IP address, a port, a wildcard, a name of one label.
func CanonicalDomain(name string) (canonical string, ok bool) {
	name = strings.TrimSuffix(strings.TrimSpace(name), ".")
	canonical, err := idna.Lookup.ToASCII(name)
	if err != nil || len(canonical) > maxDomainName {
		return "", false
	}
	if _, err := netip.ParseAddr(canonical); err == nil {
		return "", false
	}
	segments := strings.Split(canonical, ".")
	for _, segment := range segments {
		if segment == "" || len(segment) > maxDomainSegment {
			return "", false
		}
	}
	last := segments[len(segments)-1]
	return canonical, len(segments) > 1 && strings.Trim(last, "0123456789") != ""
}

// normalizeDomains makes domains canonical and leaves invalid ones to checkDomains.
func (set *Settings) normalizeDomains() {
	var domains []string
	for _, name := range set.Domains {
		if canonical, ok := CanonicalDomain(name); ok {
			name = canonical
		}
		if !slices.Contains(domains, name) {
			domains = append(domains, name)
		}
	}
	set.Domains = domains
}

// confirmDomains confirms the domains of a change by the operator. Staff can remove confirmed ones.
// Codes: forbidden (staff confirm a domain).
func (set *Settings) confirmDomains(who access.Staff, before *Settings, changes map[string]json.RawMessage) error {
	_, enters := changes["domains"]
	_, confirms := changes["confirmedDomains"]
	if who.Actor().Kind == access.ActorCLI {
		if enters && !confirms {
			set.ConfirmedDomains = set.Domains
		}
		return nil
	}
	for _, name := range set.ConfirmedDomains {
		if !slices.Contains(before.ConfirmedDomains, name) {
			return fault.Errorf(fault.CodeForbidden, "Only the operator of the server can confirm a domain.")
		}
	}
	set.ConfirmedDomains = slices.DeleteFunc(slices.Clone(before.ConfirmedDomains), func(name string) bool {
		return !slices.Contains(set.Domains, name)
	})
	return nil
}

// withoutConfirmed returns changes for the audit log: confirmed domains follow from the domains.
func withoutConfirmed(changes []access.Change) []access.Change {
	of := func(field string) func(access.Change) bool {
		return func(c access.Change) bool { return c.Field == field }
	}
	if !slices.ContainsFunc(changes, of("domains")) {
		return changes
	}
	return slices.DeleteFunc(changes, of("confirmedDomains"))
}

func (set *Settings) checkDomains(bad *fault.Invalid) {
	if len(set.Domains) > maxDomains {
		bad.Add("domains", fault.CodeInvalidValue, "A shop must have at most %d domains.", maxDomains)
	}
	for i, name := range set.Domains {
		if _, ok := CanonicalDomain(name); !ok {
			bad.Add(fmt.Sprintf("domains[%d]", i), fault.CodeInvalidValue, "Must be a host name only, such as shop.example.com.")
		}
	}
}
