package productfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of a product. A source does not read much more than a product may have: the rules of
// products reject the rest.
const (
	MaxOptions  = 3
	MaxVariants = 1000
	MaxImages   = 250
	MaxLine     = 255           // characters of a title, a tag, a SKU, …
	MaxCount    = 1_000_000_000 // units, grams or pixels
)

// The beginnings of the fields of [Product.Translations] about an option, before its name, about a
// value of an option, and about the text of an image, before its URL.
const (
	OptionField = "option:"
	ValueField  = "value:"
	AltField    = "alt:"
)

// Product is one product of a file. A field without a column in the file is zero.
type Product struct {
	Line            int // of its first row, from 1
	Handle          string
	Title           string
	DescriptionHTML string // as in the file
	Status          string // one of active, draft and archived, or invalid
	Hidden          bool   // not published
	PublishedAt     *time.Time
	Vendor          string
	Type            string
	Tags            []string
	Options         []string // names such as Size
	SEOTitle        string
	SEODescription  string
	Metadata        string   // a JSON object; empty means that there is none
	Collections     []string // handles or titles
	QuantityPrices  []QuantityPrice
	AddTo           []string // collections to add the product to, beside those that it is in
	Variants        []Variant
	Images          []Image
	// Translations are the texts in the file's language in brackets, by their fields. Columns
	// that the file lacks have none.
	Translations map[string]string `json:",omitempty"`
	Language     string            `json:",omitempty"` // of Translations; "" if there are none
}

// AllCollections returns the names of the product's collections.
func (p *Product) AllCollections() []string { return slices.Concat(p.Collections, p.AddTo) }

// QuantityPrice is the price of some units of a product together.
type QuantityPrice struct {
	Quantity int
	Price    int64 // minor units
}

// Variant is one variant of a [Product].
type Variant struct {
	Line           int
	Options        []string // one value for each option
	SKU            string
	Barcode        string
	Price          int64  // minor units
	CompareAtPrice *int64 // minor units
	Cost           *int64 // minor units
	WeightGrams    int
	ImageURL       string
	Tracked        bool // whether stock is counted
	Backorder      bool // whether it may be sold below zero
	Stock          *int // units
	LowStock       *int // units
}

// Image is one image of a [Product].
type Image struct {
	Line     int
	Position int // 0 if the cell is empty: sorted after the others
	URL      string
	Alt      string
	Width    *int // pixels
	Height   *int // pixels
}

// sortImages sorts the images by position.
func (p *Product) sortImages() {
	slices.SortStableFunc(p.Images, func(a, b Image) int {
		if (a.Position == 0) != (b.Position == 0) {
			return b.Position - a.Position
		}
		return a.Position - b.Position
	})
}

var indexedField = regexp.MustCompile(`^(variants|images|tags|collections|quantityPrices)\[(\d+)\]\.?(.*)$`)

// Place returns the place that a field of a product was read from. The field has the name that it
// has in the Admin API, such as variants[0].price.
func (f *File) Place(p *Product, field string) Place {
	if translated, ok := strings.CutPrefix(field, "translations."); ok {
		line, column := p.translatedPlace(translated)
		return Place{line, column}
	}
	line, c := p.locate(field)
	return Place{line, f.header[c]}
}

// locate returns the line and the column that a field of the product was read from.
func (p *Product) locate(field string) (line int, c Column) {
	match := indexedField.FindStringSubmatch(field)
	if match == nil {
		return p.Line, fieldColumns[field]
	}
	i, _ := strconv.Atoi(match[2]) // the pattern matches digits, and an index is short
	switch {
	case match[1] == "variants" && i < len(p.Variants):
		return p.Variants[i].Line, variantColumns[match[3]]
	case match[1] == "images" && i < len(p.Images):
		return p.Images[i].Line, ColImageURL
	}
	return p.Line, fieldColumns[match[1]]
}
