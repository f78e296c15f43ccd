package doctor

import (
	"context"
	"strings"

	"storefront/shop"
	"storefront/tenants"
)

// examineDomains reports domains of a shop that do not count: names of the server, which a command
// may have entered before the server had them, domains of another shop, domains without proof, and
// domains that lead elsewhere.
func (t *examiner) examineDomains(ctx context.Context, found *findings, s *shop.Shop) {
	set, err := s.Settings(ctx)
	if err != nil {
		found.addResult(CodeDomains, "", err)
		return
	}
	var ofServer, ofOther, missing, elsewhere []string
	for _, name := range set.Domains {
		owner, ok := t.DomainOwner(name)
		switch {
		case t.IsOwnHost(name):
			ofServer = append(ofServer, name)
		case ok && owner.UID != s.UID():
			ofOther = append(ofOther, name+" ("+owner.UID+")")
		case t.DomainProof(name) == tenants.ProofMissing:
			missing = append(missing, name)
		case t.DomainElsewhere(name):
			elsewhere = append(elsewhere, name)
		}
	}
	if len(ofServer) > 0 {
		found.fail(
			CodeDomainsOfServer,
			"Names of this server, which no shop can have: %s. Remove them with `storefront tenant set "+
				"%s 'domains=[…]'`.",
			listSome(ofServer, ", "),
			s.UID(),
		)
	}
	if len(ofOther) > 0 {
		found.fail(
			CodeDomainsOfOther,
			"Served for another shop: %s. Remove each domain from one of the shops.",
			listSome(ofOther, ", "),
		)
	}
	if len(missing) > 0 {
		found.warn(CodeDomainsMissing, "Not confirmed, and so not served: %s. %s",
			listSome(missing, ", "), t.domainRecords(ctx))
	}
	if len(elsewhere) > 0 {
		found.warn(CodeDomainsElsewhere, "Lead elsewhere, so that buyers do not arrive unless a proxy of yours forwards them: %s. %s",
			listSome(elsewhere, ", "), t.domainRecords(ctx))
	}
	if len(ofServer)+len(ofOther)+len(missing)+len(elsewhere) == 0 {
		found.ok(CodeDomains, "Entered: %d, all of them valid.", len(set.Domains))
	}
}

// domainRecords returns what to enter at the registrar of a domain.
func (t *examiner) domainRecords(ctx context.Context) string {
	host, addresses := t.ServerAddress(ctx)
	var records []string
	for _, address := range addresses {
		kind := "A "
		if strings.Contains(address, ":") {
			kind = "AAAA "
		}
		records = append(records, kind+address)
	}
	return "At the registrar, enter " + strings.Join(records, " and ") + ", or CNAME " + host +
		" (not for a bare name such as example.com)."
}
