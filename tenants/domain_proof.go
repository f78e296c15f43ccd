package tenants

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// DomainProof is what shows that a domain belongs to the shop that has it.
//
//api:enum DomainProof
type DomainProof string

// The proofs of a domain.
const (
	ProofOperator DomainProof = "operator" // the operator of the server has entered it
	// Its DNS leads to this server, or did when it got a certificate.
	ProofDNS DomainProof = "dns"
	// Its DNS leads elsewhere or nowhere: the domain does not count yet.
	ProofMissing DomainProof = "missing"
	// The server does not know an address of its own, and so cannot check.
	ProofUnknown DomainProof = "unknown"
)

// proofs cache whether names lead to this server.
type proofs struct {
	own    []string // names of the server
	lookup func(ctx context.Context, host string) ([]string, error)
	has    func(name string) bool // see Config.HasCertificate; may be nil

	mu    sync.Mutex
	known map[string]proof
}

type proof struct {
	of    DomainProof
	until time.Time
}

// Times for which a proof and its absence are cached, and that a look-up may take.
const (
	proofTime   = time.Hour
	noProofTime = time.Minute
	lookupTime  = 2 * time.Second
	maxProofs   = 10_000
)

func newProofs(cfg *Config) *proofs {
	p := &proofs{
		own:    ownHosts(cfg),
		lookup: cfg.LookupHost,
		has:    cfg.HasCertificate,
		known:  map[string]proof{},
	}
	if p.lookup == nil {
		p.lookup = net.DefaultResolver.LookupHost
	}
	return p
}

// of returns the proof by DNS of a name in canonical form.
func (p *proofs) of(name string) DomainProof {
	p.mu.Lock()
	found, ok := p.known[name]
	p.mu.Unlock()
	if ok && time.Now().Before(found.until) {
		return found.of
	}
	found = proof{ProofDNS, time.Now().Add(proofTime)}
	if p.has == nil || !p.has(name) {
		found.of = p.resolve(name)
	}
	if found.of != ProofDNS {
		found.until = time.Now().Add(noProofTime)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxProofs {
		clear(p.known)
	}
	p.known[name] = found
	return found.of
}

func (p *proofs) resolve(name string) DomainProof {
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	var own []string
	for _, host := range p.own {
		own = append(own, p.addresses(ctx, host)...)
	}
	switch {
	case len(own) == 0:
		return ProofUnknown
	case slices.ContainsFunc(p.addresses(ctx, name), func(address string) bool { return slices.Contains(own, address) }):
		return ProofDNS
	}
	return ProofMissing
}

// addresses returns the addresses of a host, none if DNS has none.
func (p *proofs) addresses(ctx context.Context, host string) []string {
	found, _ := p.lookup(ctx, host)
	return found
}

// DomainProof returns the proof of a shop's domain in canonical form. It may query DNS.
func (t *Tenants) DomainProof(name string) DomainProof {
	if owner, ok := t.DomainOwner(name); ok && owner.Confirmed {
		return ProofOperator
	}
	return t.proofs.of(name)
}

// DomainElsewhere reports whether the DNS of a domain leads elsewhere or nowhere now, regardless of
// its proof. It queries DNS.
func (t *Tenants) DomainElsewhere(name string) bool { return t.proofs.resolve(name) == ProofMissing }

// ServerAddress returns the name of the server that the DNS of domains must lead to, "" if it has
// none, and the addresses of that name.
func (t *Tenants) ServerAddress(ctx context.Context) (host string, addresses []string) {
	if len(t.proofs.own) == 0 {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	host = t.proofs.own[0]
	return host, t.proofs.addresses(ctx, host)
}
