package tenants

import (
	"context"
	"errors"
	"testing"
)

// A domain that staff have entered gets a certificate once its DNS leads to this server.
func TestProofs_DNS(t *testing.T) {
	t.Parallel()
	addresses := map[string][]string{
		"api.agency.example": {"203.0.113.7", "2001:db8::7"}, "here.example": {"198.51.100.1", "2001:db8::7"},
		"elsewhere.example": {"198.51.100.1"}, "had.example": {"198.51.100.1"},
	}
	asked := map[string]int{}
	lookup := func(_ context.Context, host string) ([]string, error) {
		asked[host]++
		if found := addresses[host]; found != nil {
			return found, nil
		}
		return nil, errors.New("no such host")
	}
	has := func(name string) bool { return name == "had.example" }
	p := newProofs(&Config{PublicURL: "https://api.agency.example", HasCertificate: has, LookupHost: lookup})
	for name, want := range map[string]DomainProof{
		"here.example": ProofDNS, "elsewhere.example": ProofMissing, "missing.example": ProofMissing, "had.example": ProofDNS,
	} {
		for range 3 {
			if got := p.of(name); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
		if asked[name] > 1 {
			t.Errorf("%s: asked DNS %d times, want once a minute", name, asked[name])
		}
	}
	unknown := newProofs(&Config{OwnHosts: []string{"internal.example"}, LookupHost: lookup})
	if unknown.of("elsewhere.example") != ProofUnknown {
		t.Error("a server without an address of its own: want nothing known about any name")
	}
}
