package cmd

import (
	"context"
	"errors"
	"testing"
)

// A domain that staff have entered gets a certificate once its DNS leads to this server.
func TestProofs_PointsHere(t *testing.T) {
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
	p := newProofs([]string{"api.agency.example"}, has)
	p.lookup = lookup
	for name, want := range map[string]bool{"here.example": true, "elsewhere.example": false, "missing.example": false, "had.example": true} {
		for range 3 {
			if got := p.pointsHere(name); got != want {
				t.Errorf("%s: got %t, want %t", name, got, want)
			}
		}
		if asked[name] > 1 {
			t.Errorf("%s: asked DNS %d times, want once a minute", name, asked[name])
		}
	}
	unknown := newProofs([]string{"internal.example"}, has)
	if unknown.lookup = lookup; !unknown.pointsHere("elsewhere.example") {
		t.Error("a server without an address of its own: got no proof, want any name accepted")
	}
}
