package doctor

import (
	"context"

	"storefront/shop"
	"storefront/tenants"
)

// examineDomains reports domains of a shop that do not count: names of the server, which a command
// may have entered before the server had them, domains of another shop, and domains without proof.
func (t *examiner) examineDomains(ctx context.Context, found *findings, s *shop.Shop) {
	set, err := s.Settings(ctx)
	if err != nil {
		found.addResult(CodeDomains, "", err)
		return
	}
	var ofServer, ofOther, missing []string
	for _, name := range set.Domains {
		owner, ok := t.DomainOwner(name)
		switch {
		case t.IsOwnHost(name):
			ofServer = append(ofServer, name)
		case ok && owner.UID != s.UID():
			ofOther = append(ofOther, name+" ("+owner.UID+")")
		case t.DomainProof(name) == tenants.ProofMissing:
			missing = append(missing, name)
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
		host, _ := t.ServerAddress(ctx)
		found.warn(CodeDomainsMissing,
			"Not confirmed, and so not served: %s. At the registrar, point them to %s.",
			listSome(missing, ", "), host)
	}
	if len(ofServer)+len(ofOther)+len(missing) == 0 {
		found.ok(CodeDomains, "Entered: %d, all of them valid.", len(set.Domains))
	}
}
