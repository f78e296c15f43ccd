package design

import (
	"encoding/json"

	"storefront/shop/fault"
	"storefront/shop/locale"
)

// Name is the name of one of the designs that shops choose from.
//
//api:enum DesignName
type Name string

// The designs.
const (
	Angan Name = "angan" // Calm, warm and handmade: clothes, craft, food gifts
	Haat  Name = "haat"  // Quick, honest and full: groceries, gadgets, hundreds of products
	Alo   Name = "alo"   // Quiet and exact, with large photographs: fashion, few products
	Mela  Name = "mela"  // Glad, loud and round: children, sweets, beauty, gifts
)

// Names returns the designs, the default first.
func Names() []Name { return []Name{Angan, Haat, Alo, Mela} }

// Density is the space between the parts of a page.
//
//api:enum DesignDensity
type Density string

// The densities.
const (
	Airy   Density = "airy"   // Much space
	Medium Density = "medium" // Some space
	Dense  Density = "dense"  // Many products on a screen
)

// Header is the layout of the head of each page.
//
//api:enum DesignHeader
type Header string

// The layouts.
const (
	HeaderLeft   Header = "left"   // The name on the left
	HeaderCentre Header = "centre" // The name in the middle
	HeaderSearch Header = "search" // With an open search field
)

// Fonts is a pair of fonts that phones and computers have, for headings and text.
//
//api:enum DesignFonts
type Fonts string

// The pairs of fonts.
const (
	Book  Fonts = "book"  // Headings with serifs
	Plain Fonts = "plain" // One clear font
	Line  Fonts = "line"  // Large and light headings
	Round Fonts = "round" // Rounded and bold headings
)

// Ratio is the ratio of width and height of a product's picture in lists.
//
//api:enum DesignRatio
type Ratio string

// The ratios.
const (
	Square   Ratio = "1/1" // A square
	Portrait Ratio = "4/5" // A little higher than wide
	Tall     Ratio = "3/4" // Higher than wide
)

// Document is the design of a site.
type Document struct {
	Design Name   `json:"design"`
	Tokens Tokens `json:"tokens"`

	Inherited bool `json:"inherited,omitempty" doc:"The design and its values are the operator's default, and follow its changes"`

	Templates Templates `json:"templates"`
}

// Theme is a design with its values, without sections.
type Theme struct {
	Design Name   `json:"design"`
	Tokens Tokens `json:"tokens"`
}

// Check checks the theme. path is its field, with a dot at the end, or empty.
func (t *Theme) Check(bad *fault.Invalid, path string) {
	if designs[t.Design] == nil {
		bad.Add(path+"design", fault.CodeInvalidValue, "Must be %s, %s, %s or %s.", Angan, Haat, Alo, Mela)
	}
	t.Tokens.check(bad, path)
}

// Tokens are the values that a merchant sets in a design. The zero value of each one is the
// design's own.
type Tokens struct {
	Seed          string  `json:"seed,omitempty" doc:"The colour from which the others follow, such as #27497a" example:"#27497a"`
	Radius        *int    `json:"radius,omitempty" doc:"Radius of corners, in pixels: 0 to 24"`
	Density       Density `json:"density,omitempty"`
	HeadingWeight *int    `json:"headingWeight,omitempty" doc:"Weight of headings: 300 to 900, in hundreds"`
	CardRatio     Ratio   `json:"cardRatio,omitempty"`
	Header        Header  `json:"header,omitempty"`
	Fonts         Fonts   `json:"fonts,omitempty"`
}

// Templates are the sections of the kinds of pages. An empty list means the design's own sections.
type Templates struct {
	Home       []Section `json:"home,omitempty" nullable:"false" doc:"The home page, at most 25 sections"`
	Product    []Section `json:"product,omitempty" nullable:"false" doc:"Below each product"`
	Collection []Section `json:"collection,omitempty" nullable:"false" doc:"Below each list of products"`
	Page       []Section `json:"page,omitempty" nullable:"false" doc:"Below each text"`
	Landing    []Section `json:"landing,omitempty" nullable:"false" doc:"A new landing page"`
}

// Section is one part of a page.
type Section struct {
	Kind   string `json:"kind" doc:"Name of the kind, as in listSectionKinds"`
	Hidden bool   `json:"hidden,omitempty" doc:"The section is not shown"`

	Settings json.RawMessage `json:"settings,omitempty" doc:"The settings of the kind"`
}

const (
	// MaxSections is the maximum number of sections of a page.
	MaxSections = 25
	// maxDocument is the maximum length of a document in JSON, in bytes.
	maxDocument = 128 << 10
)

// Check checks the document and returns the images that it shows. Problems are added to bad.
func (d *Document) Check(bad *fault.Invalid) (images []image) {
	theme := d.theme()
	theme.Check(bad, "")
	for _, t := range d.Templates.all() {
		images = append(images, checkSections(*t.sections, "templates."+t.name, t.name == "landing", bad)...)
	}
	if text, err := json.Marshal(d); err != nil || len(text) > maxDocument {
		bad.Add("templates", fault.CodeInvalidValue, "The design must have at most %d KiB in JSON.", maxDocument>>10)
	}
	return images
}

// Below returns the sections below each page of a kind: product, list or text.
func (t *Templates) Below(kind string) []Section {
	return map[string][]Section{"product": t.Product, "list": t.Collection, "text": t.Page}[kind]
}

// template is the sections of a kind of page.
type template struct {
	name     string
	sections *[]Section
}

func (t *Templates) all() []template {
	return []template{{"home", &t.Home}, {"product", &t.Product}, {"collection", &t.Collection}, {"page", &t.Page}, {"landing", &t.Landing}}
}

func (t *Tokens) check(bad *fault.Invalid, path string) {
	invalid := func(field, format string, args ...any) {
		bad.Add(path+"tokens."+field, fault.CodeInvalidValue, format, args...)
	}
	if _, ok := parseRGB(t.Seed); t.Seed != "" && !ok {
		invalid("seed", "Must be a colour such as #27497a.")
	}
	if t.Radius != nil && (*t.Radius < 0 || *t.Radius > 24) {
		invalid("radius", "Must be from 0 to 24.")
	}
	if w := t.HeadingWeight; w != nil && (*w < 300 || *w > 900 || *w%100 != 0) {
		invalid("headingWeight", "Must be 300, 400, 500, 600, 700, 800 or 900.")
	}
	oneOf(bad, path+"tokens.density", t.Density, Airy, Medium, Dense)
	oneOf(bad, path+"tokens.cardRatio", t.CardRatio, Square, Portrait, Tall)
	oneOf(bad, path+"tokens.header", t.Header, HeaderLeft, HeaderCentre, HeaderSearch)
	oneOf(bad, path+"tokens.fonts", t.Fonts, Book, Plain, Line, Round)
}

// Text is a text in the languages of a site.
type Text struct {
	English string `json:"en,omitempty"`
	Bangla  string `json:"bn,omitempty"`
}

// In returns the text in a language, or else in the other one.
func (t Text) In(language locale.Language) string {
	if language == locale.Bangla && t.Bangla != "" || t.English == "" {
		return t.Bangla
	}
	return t.English
}

// Link is a path of the site, or the URL of another one.
type Link string

// Picture is an uploaded image. Its focus stays visible where the image is cut.
type Picture struct {
	MediaID string `json:"mediaId"`
	Alt     Text   `json:"alt"`
	Focus   *Focus `json:"focus,omitempty"`
}

// Focus is a point of an image, in percent of its width and height.
type Focus struct {
	X int `json:"x" max:"100"`
	Y int `json:"y" max:"100"`
}
