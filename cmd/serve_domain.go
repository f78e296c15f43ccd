package cmd

import (
	"path/filepath"
	"slices"

	"storefront/server/certificate"
	"storefront/tenants"
)

// hasCertificate reports whether this data folder has had a certificate of a name.
func (a *app) hasCertificate(name string) bool {
	stored, err := certificate.Stored(filepath.Join(a.dataDir, certificatesDir))
	return err == nil && slices.ContainsFunc(stored, func(e certificate.Expiry) bool { return e.Name == name })
}

// domainOwnership returns a function that reports the state of a domain's owner. A suspended shop
// gets no new certificate. Its current one is still served, so that clients receive the API's error
// about the suspension. A domain without proof does not count.
func domainOwnership(t *tenants.Tenants) func(name string) certificate.Ownership {
	return func(name string) certificate.Ownership {
		owner, ok := t.DomainOwner(name)
		switch {
		case !ok, t.DomainProof(name) == tenants.ProofMissing:
			return certificate.Unowned
		case owner.Suspended:
			return certificate.Suspended
		}
		return certificate.Owned
	}
}
