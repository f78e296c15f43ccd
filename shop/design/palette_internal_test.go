package design

import (
	"math/rand/v2"
	"testing"
)

// TestPalette_Contrast checks WCAG 2.2 AA for random seeds in every design, in light and dark.
func TestPalette_Contrast(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	seeds := []rgb{parsed("#000000"), parsed("#ffffff"), parsed("#808080"), parsed("#ffff00"), parsed("#0000ff"), parsed("#ff0000")}
	for len(seeds) < 1000 {
		seeds = append(seeds, rgb{random.Float64(), random.Float64(), random.Float64()}.rounded())
	}
	for _, name := range Names() {
		for _, seed := range seeds {
			for mode, p := range map[string]palette{"light": designs[name].tone.light(seed), "dark": designs[name].tone.dark(seed)} {
				p.check(t, string(name)+" "+mode+" "+seed.String())
			}
		}
	}
}

func (p *palette) check(t *testing.T, at string) {
	t.Helper()
	grounds := []rgb{p.paper, p.raised, p.sunken, p.tint}
	for _, c := range []struct {
		what    string
		of      rgb
		on      []rgb
		minimum float64
	}{
		{"ink", p.ink, grounds, 7},
		{"quiet text", p.quiet, grounds, minText},
		{"accent", p.accent, grounds, minText},
		{"text of a button", p.onBrand, []rgb{p.brand}, minText},
		{"edge of a button", p.brandEdge, []rgb{p.paper}, minControl},
		{"edge of a field", p.edge, []rgb{p.paper, p.raised}, minControl},
		{"sale", p.sale, []rgb{p.paper, p.raised, p.sunken, p.saleTint}, minText},
		{"good", p.good, []rgb{p.paper, p.raised, p.goodTint}, minText},
		{"warning", p.warn, []rgb{p.paper, p.raised, p.warnTint}, minText},
	} {
		for _, ground := range c.on {
			if got := contrast(c.of, ground); got < c.minimum {
				t.Errorf("%s: %s %v on %v: got a contrast of %.2f, want at least %v", at, c.what, c.of, ground, got, c.minimum)
			}
		}
	}
}
