package cmd

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"storefront/server/certificate"
	"storefront/tenants"
)

// proofs cache whether names point to this server.
type proofs struct {
	own    []string // names of the server
	lookup func(ctx context.Context, host string) ([]string, error)
	has    func(name string) bool // see tenants.Config.HasCertificate

	mu    sync.Mutex
	known map[string]proof
}

type proof struct {
	ok    bool
	until time.Time
}

// Times for which a proof and its absence are cached, and that a look-up may take.
const (
	proofTime   = time.Hour
	noProofTime = time.Minute
	lookupTime  = 2 * time.Second
	maxProofs   = 10_000
)

func newProofs(own []string, has func(name string) bool) *proofs {
	return &proofs{own: own, lookup: net.DefaultResolver.LookupHost, has: has, known: map[string]proof{}}
}

// pointsHere reports whether the DNS of a name leads to an address of this server, or did when it
// got a certificate.
func (p *proofs) pointsHere(name string) bool {
	p.mu.Lock()
	found, ok := p.known[name]
	p.mu.Unlock()
	if ok && time.Now().Before(found.until) {
		return found.ok
	}
	found = proof{p.has(name) || p.resolves(name), time.Now().Add(noProofTime)}
	if found.ok {
		found.until = time.Now().Add(proofTime)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxProofs {
		clear(p.known)
	}
	p.known[name] = found
	return found.ok
}

func (p *proofs) resolves(name string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	var own []string
	for _, host := range p.own {
		addresses, _ := p.lookup(ctx, host) // a name without an address has none in common
		own = append(own, addresses...)
	}
	if len(own) == 0 {
		return true // DNS proves nothing
	}
	addresses, _ := p.lookup(ctx, name) // as above
	return slices.ContainsFunc(addresses, func(address string) bool { return slices.Contains(own, address) })
}

// hasCertificate reports whether this data folder has had a certificate of a name.
func (a *app) hasCertificate(name string) bool {
	stored, err := certificate.Stored(filepath.Join(a.dataDir, certificatesDir))
	return err == nil && slices.ContainsFunc(stored, func(e certificate.Expiry) bool { return e.Name == name })
}

// domainOwnership returns a function that reports the state of a domain's owner. A suspended shop
// gets no new certificate. Its current one is still served, so that clients receive the API's error
// about the suspension. A domain that only staff have entered counts once DNS points here.
func domainOwnership(t *tenants.Tenants, p *proofs) func(name string) certificate.Ownership {
	return func(name string) certificate.Ownership {
		owner, ok := t.DomainOwner(name)
		switch {
		case !ok, !owner.Confirmed && !p.pointsHere(name):
			return certificate.Unowned
		case owner.Suspended:
			return certificate.Suspended
		}
		return certificate.Owned
	}
}
