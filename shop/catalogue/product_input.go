package catalogue

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// Bounds of a product.
const (
	MaxOptions     = 3
	maxVariants    = 1000
	maxImages      = 250
	maxTags        = 250
	maxLine        = 255           // characters of a title, a tag, a SKU, …
	maxURL         = 2048          // bytes
	maxText        = 1 << 19       // bytes of a description
	maxMetadata    = 1 << 14       // bytes
	maxCount       = 1_000_000_000 // units, grams, pixels
	lowStockOfNew  = 5             // where nobody says
	maxCollections = 100
)

// ProductStatus says whether a product is on offer. Buyers see active ones only.
type ProductStatus string

// The product states.
const (
	ProductActive   ProductStatus = "active"
	ProductDraft    ProductStatus = "draft"
	ProductArchived ProductStatus = "archived"
)

// ProductInput is a whole product as the merchant gives it. What is left out is empty, except
// where a field says otherwise.
type ProductInput struct {
	Handle          string // URL slug, by which the product is known; "": made from the title
	Title           string
	DescriptionHTML string        // sanitized when written
	Status          ProductStatus // "": active
	Hidden          bool          // not published, whatever its status
	PublishedAt     *time.Time    // nil: as it was, or from now on
	Vendor          string
	Type            string
	Tags            []string
	Options         []string       // names such as Size, at most 3
	Variants        []VariantInput // at least one; without options exactly one
	Images          []ImageInput
	SEOTitle        string
	SEODescription  string
	Metadata        map[string]any
	Collections     []string // handles, titles or ids; nil: as they were

	sanitized bool // DescriptionHTML needs no second sanitizing
}

// VariantInput is one variant as the merchant gives it. It is known by its SKU, or else by its
// option values, and keeps its id.
type VariantInput struct {
	Options        []string // one value for each option
	SKU            string
	Barcode        string
	Price          int64  // minor units
	CompareAtPrice *int64 // minor units: the price before a sale
	WeightGrams    int
	ImageURL       string // one of the product's images; one that is not is added to them
	Tracked        bool   // stock is counted
	Backorder      bool   // may be sold below zero
	Stock          *int   // units; nil: as it was, or 0
	LowStock       *int   // units at or below which it counts as low; nil: as it was, or 5
}

// ImageInput is one picture as the merchant gives it. It is known by its URL, and keeps its id.
type ImageInput struct {
	URL    string // http or https, or a path that begins with /
	Alt    string
	Width  *int // pixels; nil: not known
	Height *int // pixels; nil: not known
}

var handlePattern = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]*$`)

// cleanHandle gives a handle as it is kept.
func CleanHandle(handle string) string { return strings.ToLower(cleanLine(handle)) }

// cleanLine gives text of one line as it is kept.
func cleanLine(text string) string {
	return strings.Join(strings.FieldsFunc(input.Clean(text), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// cleanHTML gives HTML as it is kept. What is kept already stays as it is, byte for byte.
func cleanHTML(html, kept string) string {
	if html = newlines.Replace(html); html == kept {
		return kept
	}
	return input.SanitizeHTML(html)
}

// row gives the product as the file is to have it: in's values, the ids of what was there before
// (before is nil for a new product) and "" for the ids of what is new. collections resolves a
// handle, title or id to an id. now is in milliseconds.
func (in *ProductInput) row(before *productRow, collections *collectionIndex, now int64, bad *fault.Invalid) *productRow {
	if before == nil {
		before = &productRow{}
	}
	want := &productRow{
		id: before.id, number: before.number, createdAt: before.createdAt, updatedAt: before.updatedAt,
		handle: CleanHandle(in.Handle), title: cleanLine(in.Title), status: in.Status,
		descriptionHTML: in.DescriptionHTML,
		vendor:          cleanLine(in.Vendor), kind: cleanLine(in.Type),
		seoTitle: cleanLine(in.SEOTitle), seoDescription: cleanLine(in.SEODescription),
	}
	if !in.sanitized {
		want.descriptionHTML = cleanHTML(in.DescriptionHTML, before.descriptionHTML)
	}
	if want.handle == "" {
		want.handle = input.Slug(want.title)
	}
	if want.status == "" {
		want.status = ProductActive
	}
	want.check(bad)
	want.publishedAt = in.publishedAt(before, now)
	want.metadata = in.metadata(bad)
	want.tags = in.tags(bad)
	want.setOptions(in, bad)
	want.setImages(in, before, bad)
	want.setVariants(in, before, bad)
	want.setCollections(in, before, collections, bad)
	return want
}

func (p *productRow) check(bad *fault.Invalid) {
	switch {
	case p.handle == "" && p.title != "":
		bad.Add("handle", fault.CodeRequired, "Give a handle: none can be made from this title.")
	case p.handle != "" && (!handlePattern.MatchString(p.handle) || utf8.RuneCountInString(p.handle) > maxLine):
		bad.Add("handle", fault.CodeInvalidValue, "A handle is letters, digits, - and _, at most %d of them.", maxLine)
	}
	if p.title == "" {
		bad.Add("title", fault.CodeRequired, "A product has a title.")
	}
	if !slices.Contains([]ProductStatus{ProductActive, ProductDraft, ProductArchived}, p.status) {
		bad.Add("status", fault.CodeInvalidValue, "A status is active, draft or archived.")
	}
	input.CheckText(bad, "title", p.title, maxLine)
	input.CheckText(bad, "vendor", p.vendor, maxLine)
	input.CheckText(bad, "type", p.kind, maxLine)
	input.CheckText(bad, "seoTitle", p.seoTitle, maxLine)
	if len(p.descriptionHTML) > maxText {
		bad.Add("descriptionHtml", fault.CodeInvalidValue, "A description has at most %d bytes.", maxText)
	}
	if len(p.seoDescription) > maxText {
		bad.Add("seoDescription", fault.CodeInvalidValue, "A description has at most %d bytes.", maxText)
	}
}

func checkCount(bad *fault.Invalid, field string, n, least int64) {
	if n < least || n > maxCount {
		bad.Add(field, fault.CodeInvalidValue, "This is a whole number from %d to %d.", least, maxCount)
	}
}

func (in *ProductInput) publishedAt(before *productRow, now int64) *int64 {
	switch {
	case in.Hidden:
		return nil
	case in.PublishedAt != nil:
		at := db.Millis(*in.PublishedAt)
		return &at
	case before.publishedAt != nil:
		return before.publishedAt
	}
	return &now
}

// metadata gives the object in one spelling, so that equal objects are equal text.
func (in *ProductInput) metadata(bad *fault.Invalid) string {
	if len(in.Metadata) == 0 {
		return "{}"
	}
	clean := mapJSON(in.Metadata, func(v any) any {
		if text, ok := v.(string); ok {
			return input.Clean(text)
		}
		return v
	})
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(clean); err != nil {
		bad.Add("metadata", fault.CodeInvalidValue, "Metadata is a JSON object.")
		return "{}"
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if len(text) > maxMetadata {
		bad.Add("metadata", fault.CodeInvalidValue, "Metadata has at most %d bytes.", maxMetadata)
	}
	return text
}

func (in *ProductInput) tags(bad *fault.Invalid) []string {
	var tags []string
	known := map[string]bool{}
	for i, tag := range in.Tags {
		tag = cleanLine(tag)
		key := input.FoldKey(tag)
		if key == "" || known[key] {
			continue
		}
		known[key] = true
		at := fmt.Sprintf("tags[%d]", i)
		input.CheckText(bad, at, tag, maxLine)
		if strings.Contains(tag, ",") {
			bad.Add(at, fault.CodeInvalidValue, "A tag has no comma: files separate tags by it.")
		}
		tags = append(tags, tag)
	}
	if len(tags) > maxTags {
		bad.Add("tags", fault.CodeInvalidValue, "A product has at most %d tags.", maxTags)
	}
	return tags
}

func (p *productRow) setOptions(in *ProductInput, bad *fault.Invalid) {
	if len(in.Options) > MaxOptions {
		bad.Add("options", fault.CodeInvalidValue, "A product has at most %d options.", MaxOptions)
		return
	}
	for i, name := range in.Options {
		name = cleanLine(name)
		at := fmt.Sprintf("options[%d]", i)
		input.CheckText(bad, at, name, maxLine)
		if name == "" {
			bad.Add(at, fault.CodeRequired, "An option has a name.")
		} else if slices.Contains(p.options, name) {
			bad.Add(at, fault.CodeInvalidValue, "Each option has a name of its own.")
		}
		p.options = append(p.options, name)
	}
}

// setImages lists the product's pictures, each URL once, and the variants' own with them.
func (p *productRow) setImages(in *ProductInput, before *productRow, bad *fault.Invalid) {
	add := func(at string, image ImageInput) {
		image.URL = strings.TrimSpace(input.Clean(image.URL))
		if p.imageByURL(image.URL) != nil {
			return
		}
		if !isImageURL(image.URL) {
			bad.Add(at, fault.CodeInvalidValue, "An image is an http or https address, or a path that begins with a slash.")
		}
		row := imageRow{url: image.URL, alt: cleanLine(image.Alt), width: pixels(bad, at, image.Width), height: pixels(bad, at, image.Height)}
		if old := before.imageByURL(row.url); old != nil {
			row.id = old.id
		}
		p.images = append(p.images, row)
	}
	for i, image := range in.Images {
		add(fmt.Sprintf("images[%d]", i), image)
	}
	for i, v := range in.Variants {
		if strings.TrimSpace(v.ImageURL) != "" {
			add(fmt.Sprintf("variants[%d].image", i), ImageInput{URL: v.ImageURL})
		}
	}
	if len(p.images) > maxImages {
		bad.Add("images", fault.CodeInvalidValue, "A product has at most %d images.", maxImages)
	}
}

func (p *productRow) imageByURL(url string) *imageRow {
	for i := range p.images {
		if p.images[i].url == url {
			return &p.images[i]
		}
	}
	return nil
}

func pixels(bad *fault.Invalid, at string, n *int) *int64 {
	if n == nil {
		return nil
	}
	size := int64(*n)
	checkCount(bad, at, size, 1)
	return &size
}

func isImageURL(text string) bool {
	if len(text) > maxURL || strings.ContainsAny(text, " \n\"<>\\") {
		return false
	}
	if strings.HasPrefix(text, "/") {
		_, err := url.Parse(text)
		return err == nil && !strings.HasPrefix(text, "//")
	}
	return input.IsWebURL(text)
}

// setCollections resolves the collections that the product is in. Naming none leaves them.
func (p *productRow) setCollections(in *ProductInput, before *productRow, known *collectionIndex, bad *fault.Invalid) {
	if in.Collections == nil {
		p.collections = before.collections
		return
	}
	ids := map[string]bool{}
	for i, name := range in.Collections {
		id, ok := known.find(name)
		if !ok {
			bad.Add(fmt.Sprintf("collections[%d]", i), fault.CodeInvalidValue, "There is no collection %q.", input.Cut(cleanLine(name), maxLine))
			continue
		}
		ids[id] = true
	}
	p.collections = slices.Sorted(maps.Keys(ids))
	if len(ids) > maxCollections {
		bad.Add("collections", fault.CodeInvalidValue, "A product is in at most %d collections.", maxCollections)
	}
}
