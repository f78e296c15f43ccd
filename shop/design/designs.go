package design

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// preset is one of the designs: its values where a merchant has set none.
type preset struct {
	seed    rgb
	tone    tone
	radius  int // in pixels
	density Density
	weight  int // of headings
	ratio   Ratio
	header  Header
	fonts   Fonts
	home    []Section
}

// landing are the sections of a new landing page in every design.
var landing = []Section{
	section("productFacts", nil), section("orderForm", nil), section("promises", nil), section("contact", nil),
}

var designs = map[Name]*preset{
	Angan: {
		seed: parsed("#27497a"), tone: tone{hue: 78, chroma: 0.0182}, radius: 8, density: Medium, weight: 500,
		ratio: Portrait, header: HeaderLeft, fonts: Book,
		home: []Section{
			section("hero", nil), section("collections", nil), section("products", nil), section("products", map[string]any{"from": "sale", "count": 4}),
		},
	},
	Haat: {
		seed: parsed("#0f7a3d"), tone: tone{hue: 150, chroma: 0.006}, radius: 8, density: Dense, weight: 750,
		ratio: Square, header: HeaderSearch, fonts: Plain,
		home: []Section{
			section("collections", nil), section("products", map[string]any{"from": "sale", "count": 6}),
			section("products", map[string]any{"from": "bestSelling", "count": 12}),
			section("products", map[string]any{"count": 12}), section("promises", nil),
		},
	},
	Alo: {
		seed: parsed("#1d1d1b"), tone: tone{hue: 90, chroma: 0.0042}, radius: 0, density: Airy, weight: 400,
		ratio: Tall, header: HeaderCentre, fonts: Line,
		home: []Section{
			section("hero", nil), section("products", map[string]any{"count": 9}), section("collections", nil),
		},
	},
	Mela: {
		seed: parsed("#ffc400"), tone: tone{hue: 86, chroma: 0.0286, ofSeed: true}, radius: 22, density: Medium, weight: 850,
		ratio: Square, header: HeaderLeft, fonts: Round,
		home: []Section{
			section("hero", nil), section("collections", nil), section("products", nil),
			section("products", map[string]any{"from": "sale", "count": 4}), section("promises", nil),
		},
	},
}

func section(kind string, settings any) Section {
	s := Section{Kind: kind}
	if settings != nil {
		s.Settings, _ = json.Marshal(settings) // of this package
	}
	return s
}

// choices returns each design as it is without a merchant's changes.
func choices() []Document {
	var all []Document
	for _, name := range Names() {
		all = append(all, Document{Design: name}.Complete())
	}
	return all
}

// Default returns the design of a new shop.
func Default() Document { return Document{Design: Angan} }

// Complete returns the document with the values of its design wherever a merchant has set none.
func (d Document) Complete() Document {
	own := designs[d.Design]
	if own == nil { // of another version of the program
		d.Design, own = Angan, designs[Angan]
	}
	t := &d.Tokens
	t.Seed = cmp.Or(t.Seed, own.seed.String())
	if t.Radius == nil {
		t.Radius = &own.radius
	}
	if t.HeadingWeight == nil {
		t.HeadingWeight = &own.weight
	}
	t.Density, t.CardRatio = cmp.Or(t.Density, own.density), cmp.Or(t.CardRatio, own.ratio)
	t.Header, t.Fonts = cmp.Or(t.Header, own.header), cmp.Or(t.Fonts, own.fonts)
	if len(d.Templates.Home) == 0 {
		d.Templates.Home = own.home
	}
	if len(d.Templates.Landing) == 0 {
		d.Templates.Landing = landing
	}
	return d
}

// fontFamilies are the families of headings and of text. Android and Windows have Bangla fonts.
var fontFamilies = map[Fonts][2]string{
	Book: {
		`"Iowan Old Style","Palatino Linotype",Palatino,"Noto Serif","Noto Serif Bengali",Kohinoor,serif`,
		`system-ui,"Segoe UI",Roboto,"Noto Sans Bengali","Nirmala UI",sans-serif`,
	},
	Plain: {
		`system-ui,"Segoe UI",Roboto,"Noto Sans Bengali","Nirmala UI",sans-serif`,
		`system-ui,"Segoe UI",Roboto,"Noto Sans Bengali","Nirmala UI",sans-serif`,
	},
	Line: {
		`"Helvetica Neue",Roboto,Arial,"Kohinoor Bangla","Noto Sans Bengali","Nirmala UI",sans-serif`,
		`"Helvetica Neue",Roboto,Arial,"Kohinoor Bangla","Noto Sans Bengali","Nirmala UI",sans-serif`,
	},
	Round: {
		`ui-rounded,"SF Pro Rounded","Arial Rounded MT Bold",system-ui,Roboto,"Noto Sans Bengali","Nirmala UI",sans-serif`,
		`ui-rounded,"SF Pro Rounded",Nunito,system-ui,"Segoe UI",Roboto,"Noto Sans Bengali","Nirmala UI",sans-serif`,
	},
}

// spaces are the margins of the page and between sections, on phones and on wide screens, in rem.
var spaces = map[Density][4]string{
	Airy:   {"1rem", "4.5rem", "2.5rem", "7rem"},
	Medium: {"1rem", "3rem", "1.75rem", "4.5rem"},
	Dense:  {"0.75rem", "1.75rem", "1.5rem", "2.25rem"},
}

// stylesheet returns the custom properties of a complete document: its colours, fonts and spaces.
func (d *Document) stylesheet() string {
	t := d.Tokens
	light, dark := d.palettes()
	fonts, space := fontFamilies[t.Fonts], spaces[t.Density]
	var css strings.Builder
	fmt.Fprintf(&css, ":root{%s--heading:%s;--text:%s;--weight:%d;--radius:%dpx;--ratio:%s;--gap:%s;--section:%s}",
		light.css(), fonts[0], fonts[1], *t.HeadingWeight, *t.Radius, t.CardRatio, space[0], space[1])
	fmt.Fprintf(&css, "@media(prefers-color-scheme:dark){:root{%s}}", dark.css())
	fmt.Fprintf(&css, "@media(min-width:900px){:root{--gap:%s;--section:%s}}", space[2], space[3])
	return css.String()
}

// palettes returns the colours of a complete document.
func (d *Document) palettes() (light, dark palette) {
	own := designs[d.Design]
	seed, ok := parseRGB(d.Tokens.Seed)
	if !ok {
		seed = own.seed
	}
	return own.tone.light(seed), own.tone.dark(seed)
}

// bars returns the colours of a browser's bars, in light and dark.
func (d *Document) bars() (light, dark string) {
	bright, dim := d.palettes()
	return bright.paper.String(), dim.paper.String()
}
