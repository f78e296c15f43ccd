package design

import (
	"fmt"
	"math"
	"strings"
)

// palette are the colours of a page in light or dark, by the name of their CSS variable.
type palette struct {
	paper, raised, sunken      rgb // grounds
	ink, quiet, line, edge     rgb
	brand, onBrand, brandEdge  rgb // buttons
	accent, tint               rgb // links and chosen values, on any ground; tint is a ground too
	sale, saleTint, good, warn rgb
	goodTint, warnTint         rgb
}

// tone is the hue and chroma of a design's neutral colours.
type tone struct {
	hue, chroma float64 // degrees
	ofSeed      bool    // the hue is the seed's
}

// Contrasts of WCAG 2.2 AA: https://www.w3.org/TR/WCAG22/#contrast-minimum. A colour that is
// computed exceeds them a little, because it is rounded.
const (
	minText     = 4.5
	minAccent   = 4.6
	minControl  = 3
	maxBrand    = 0.20 // chroma
	maxAccent   = 0.17
	greyChroma  = 0.02
	lightStep   = 0.01
	tintOfLight = 0.09
	tintOfDark  = 0.16
)

// Fixed colours: in every shop red means a lower price or an error.
var (
	darkInk = parsed("#1b1714")
	white   = parsed("#ffffff")
)

func parsed(text string) rgb {
	c, ok := parseRGB(text)
	if !ok {
		panic("not a colour: " + text)
	}
	return c
}

// neutral returns a neutral colour of this lightness, with a part of the tone's chroma.
func (t tone) neutral(seed colour, lightness, part float64) rgb {
	hue := t.hue * math.Pi / 180
	if t.ofSeed && seed.chroma >= greyChroma {
		hue = seed.hue
	}
	return colour{lightness, t.chroma * part, hue}.rgb()
}

// light returns the palette of a seed on light paper.
func (t tone) light(seed rgb) palette {
	base := seed.oklch()
	p := palette{
		paper: t.neutral(base, 0.977, 0.65), raised: t.neutral(base, 0.997, 0.1), sunken: t.neutral(base, 0.942, 1),
		ink: t.neutral(base, 0.22, 0.7), quiet: t.neutral(base, 0.46, 1), line: t.neutral(base, 0.895, 1), edge: t.neutral(base, 0.6, 1.2),
		sale: parsed("#a82a2a"), saleTint: parsed("#fbe9e6"), good: parsed("#1b6b45"), goodTint: parsed("#e4f2e8"),
		warn: parsed("#7d4e00"), warnTint: parsed("#fbefd5"),
	}
	base.chroma = min(base.chroma, maxBrand)
	p.setBrand(base, -lightStep)
	p.tint = mix(p.raised, p.brand, tintOfLight)
	p.setAccent(colour{min(base.lightness, 0.56), min(base.chroma, maxAccent), base.hue}, -lightStep)
	return p
}

// dark returns the palette of a seed on dark paper.
func (t tone) dark(seed rgb) palette {
	base := seed.oklch()
	p := palette{
		paper: t.neutral(base, 0.195, 0.45), raised: t.neutral(base, 0.235, 0.55), sunken: t.neutral(base, 0.275, 0.65),
		ink: t.neutral(base, 0.945, 0.75), quiet: t.neutral(base, 0.76, 1.1), line: t.neutral(base, 0.33, 0.8), edge: t.neutral(base, 0.61, 1.1),
		sale: parsed("#ffa49b"), saleTint: parsed("#402321"), good: parsed("#8fd6ac"), goodTint: parsed("#1d3427"),
		warn: parsed("#f0c274"), warnTint: parsed("#3b2e14"),
	}
	base.chroma = min(base.chroma, maxBrand)
	accent := colour{max(base.lightness, 0.78), min(base.chroma, maxAccent), base.hue}
	if base.lightness = max(base.lightness, 0.70); base.chroma < greyChroma {
		base.lightness, accent.lightness = 0.93, 0.93
	}
	p.setBrand(base, lightStep)
	p.tint = mix(p.raised, p.brand, tintOfDark)
	p.setAccent(accent, lightStep)
	return p
}

// setBrand sets the colours of buttons: text is white or dark, whichever can be read on the brand.
// Otherwise the brand gets darker or lighter by steps until one can.
func (p *palette) setBrand(base colour, step float64) {
	for {
		p.brand = base.rgb()
		switch {
		case contrast(p.brand, white) >= minText:
			p.onBrand = white
			return
		case contrast(p.brand, darkInk) >= minText:
			p.onBrand = darkInk
			return
		}
		base.lightness += step
	}
}

// setAccent sets the colour of links from this one on, darker or lighter by steps until it can be
// read on every ground.
func (p *palette) setAccent(base colour, step float64) {
	for ; ; base.lightness += step {
		p.accent = base.rgb()
		worst := 21.0
		for _, ground := range []rgb{p.paper, p.raised, p.sunken, p.tint} {
			worst = min(worst, contrast(p.accent, ground))
		}
		if worst >= minAccent {
			break
		}
	}
	if p.brandEdge = p.brand; contrast(p.brand, p.paper) < minControl {
		p.brandEdge = p.accent
	}
}

// css returns the palette as custom properties.
func (p *palette) css() string {
	var text strings.Builder
	for _, c := range []struct {
		name  string
		value rgb
	}{
		{"paper", p.paper}, {"raised", p.raised}, {"sunken", p.sunken},
		{"ink", p.ink}, {"quiet", p.quiet}, {"line", p.line}, {"edge", p.edge},
		{"brand", p.brand}, {"on-brand", p.onBrand}, {"brand-edge", p.brandEdge}, {"accent", p.accent}, {"tint", p.tint},
		{"sale", p.sale}, {"sale-tint", p.saleTint}, {"good", p.good}, {"good-tint", p.goodTint},
		{"warn", p.warn}, {"warn-tint", p.warnTint},
	} {
		fmt.Fprintf(&text, "--%s:%v;", c.name, c.value)
	}
	return text.String()
}
