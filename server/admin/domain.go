package admin

import (
	"context"
	"time"

	"storefront/shop/access"
	"storefront/tenants"
)

// CertificateState is the state of the certificate of a domain.
//
//api:enum CertificateState
type CertificateState string

// The states of a certificate.
const (
	CertificateValid CertificateState = "valid" // buyers can visit the domain over HTTPS
	// None yet: the first visit over HTTPS requests it.
	CertificateWaiting CertificateState = "waiting"
	// The authority could not reach this server by the name: check that DNS points to it.
	CertificateFailed CertificateState = "failed"
	// This server has no certificates: a proxy in front of it has them.
	CertificateElsewhere CertificateState = "elsewhere"
)

// Certificate is the state of a domain's certificate.
type Certificate struct {
	State         CertificateState `json:"state"`
	ExpiresAt     *time.Time       `json:"expiresAt" doc:"null if no certificate is valid"`
	NextAttemptAt *time.Time       `json:"nextAttemptAt" doc:"Earliest next request after a failure; null if at any time"`
}

// Domain is a host name of a shop.
type Domain struct {
	Name        string              `json:"name"`
	Proof       tenants.DomainProof `json:"proof" doc:"Proof that the domain belongs to the shop"`
	Certificate Certificate         `json:"certificate"`
	// Elsewhere is true although the domain counts, if its DNS has changed since.
	Elsewhere bool `json:"elsewhere" doc:"Its DNS leads elsewhere or nowhere now, so that buyers do not arrive unless a proxy forwards them"`
}

// Domains are the host names of a shop.
type Domains struct {
	Nodes     []Domain `json:"nodes" nullable:"false"`
	Host      string   `json:"host" doc:"Name of the server, for the CNAME record of a domain; empty if it has none"`
	Addresses []string `json:"addresses" nullable:"false" doc:"Its addresses, for A and AAAA records"`
}

func domainOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listDomains", Path: "domains", Tag: tagSettings, Use: access.ToFindSettings,
			Summary: "The shop's domains with their proofs and certificates",
			Description: "The domains are the setting of this name. A domain counts once its DNS leads " +
				"to the server, or if the operator has entered it. The first visit over HTTPS " +
				"requests a certificate; a failed attempt is repeated after a pause. If there are " +
				"several servers, each reports its own attempts.",
		}, func(ctx context.Context, in *struct{ request }) (*Domains, error) {
			set, err := in.shop().FindSettings(ctx, in.caller())
			if err != nil {
				return nil, err
			}
			return in.x.Domains(ctx, set.Domains), nil
		}),
	}
}
