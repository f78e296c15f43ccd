package catalogue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"storefront/db"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/translation"
)

// MaxOptions is the maximum number of options of a product.
const MaxOptions = productfile.MaxOptions

// Limits of a product.
const (
	maxVariants     = productfile.MaxVariants
	maxImages       = productfile.MaxImages
	maxTags         = 250
	maxLine         = productfile.MaxLine  // characters of a title, a tag, a SKU, …
	maxURL          = 2048                 // bytes
	maxText         = 1 << 19              // bytes of a description
	maxMetadata     = 1 << 14              // bytes
	maxCount        = productfile.MaxCount // units, grams or pixels
	defaultLowStock = 5                    // of a new variant, in units
	maxCollections  = 100
)

// ProductStatus is the status of a product.
//
// Buyers see only active products.
//
//api:enum ProductStatus
type ProductStatus string

// The product statuses.
const (
	ProductActive   ProductStatus = "active"   // on sale, from its time of publication
	ProductDraft    ProductStatus = "draft"    // being prepared
	ProductArchived ProductStatus = "archived" // no longer on sale
)

// ProductInput is the complete content of a product. Omitted fields are emptied unless their
// comment states otherwise.
type ProductInput struct {
	Handle          string // URL slug and natural key; empty means derived from the title
	Title           string
	DescriptionHTML string        // sanitized when saved
	Status          ProductStatus // empty means active
	Hidden          bool          // not published, in any status
	PublishedAt     *time.Time    // nil leaves it unchanged, or publishes a new product now
	Vendor          string
	Type            string
	Tags            []string
	Options         []string       // names such as Size, at most MaxOptions
	Variants        []VariantInput // at least one; without options exactly one
	Images          []ImageInput
	SEOTitle        string
	SEODescription  string
	Metadata        map[string]any
	Collections     []string       // handles, titles or IDs; nil leaves them unchanged
	QuantityPrices  QuantityPrices // nil leaves them unchanged
	// Translations are texts to change, clean; other texts are unchanged. An image has the field
	// "alt:" with its ID or URL.
	Translations translation.Record

	sanitized bool // DescriptionHTML has been sanitized
}

// VariantInput is one variant of a [ProductInput]. It is matched with an existing variant by ID, by
// SKU, or otherwise by option values, and retains its ID.
type VariantInput struct {
	ID             string   // of an existing variant; empty means that it is matched otherwise, or new
	Options        []string // one value for each option
	SKU            string
	Barcode        string
	Price          int64  // minor units
	CompareAtPrice *int64 // minor units; price before a sale
	Cost           *int64 // minor units; the shop's cost of a unit, for staff members only; nil means unknown
	WeightGrams    int
	ImageURL       string      // added to the product's images if missing
	Image          *ImageInput // instead of ImageURL
	Tracked        bool        // whether stock is counted
	Backorder      bool        // whether it may be sold below zero
	Stock          *int        // units; nil leaves it unchanged; 0 for a new variant
	LowStock       *int        // units at or below which stock is low; nil leaves it unchanged; 5 for a new variant
}

// ImageInput is one image of a [ProductInput]. It is matched with an existing image by ID, by URL,
// or by the uploaded image, and retains its ID.
type ImageInput struct {
	ID      string // of one of the product's images, instead of Media and URL
	SameAlt bool   // with ID: Alt is unchanged
	Media   string // ID of an uploaded image, whose size replaces Width and Height; empty means the image at URL
	URL     string // an http or https URL, or a path that begins with /; the URL of an uploaded image means that image
	Alt     string
	Width   *int // pixels; nil means unknown
	Height  *int // pixels; nil means unknown
}

// cleanHTML returns sanitized HTML. Text equal to stored is returned unchanged, byte for byte.
func cleanHTML(html, stored string) string {
	if html = input.UnixNewlines(html); html == stored {
		return stored
	}
	return input.SanitizeHTML(html)
}

// row returns the product to be stored: the values of in with the IDs of the existing parts of
// before, which is nil for a new product. The IDs of new parts are empty. refs finds the records
// that the product refers to. now is in milliseconds.
func (in *ProductInput) row(before *productRow, refs references, now int64, bad *fault.Invalid) *productRow {
	if before == nil {
		before = &productRow{}
	}
	want := &productRow{
		id: before.id, number: before.number, createdAt: before.createdAt, updatedAt: before.updatedAt,
		handle: input.CleanHandle(in.Handle), title: input.CleanLine(in.Title), status: in.Status,
		descriptionHTML: in.DescriptionHTML,
		vendor:          input.CleanLine(in.Vendor), kind: input.CleanLine(in.Type),
		seoTitle: input.CleanLine(in.SEOTitle), seoDescription: input.CleanLine(in.SEODescription),
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
	want.setImages(in, before, refs.media, bad)
	want.setVariants(in, before, bad)
	want.setQuantityPrices(in, before, bad)
	want.setCollections(in, before, refs.collections, bad)
	want.setTranslations(in, before, bad)
	return want
}

// setTranslations changes translations, which are those before unless in has others.
func (p *productRow) setTranslations(in *ProductInput, before *productRow, bad *fault.Invalid) {
	p.translations = before.translations
	original := p.translated()
	fields := original.Fields()
	for language, texts := range in.Translations {
		change, known := translation.Texts{}, slices.Clone(fields)
		for field, text := range texts {
			name := field
			if url, ok := strings.CutPrefix(field, productfile.AltField); ok {
				if image := p.imageByURL(url); image != nil {
					name = image.altText()
				}
			}
			if slices.Contains(fields, name) || text == "" { // a file has empty cells
				known = append(known, field)
			}
			change[name] = text
		}
		texts.Check(bad, "translations", known)
		p.translations = p.translations.With(language, change)
	}
}

func (p *productRow) check(bad *fault.Invalid) {
	switch {
	case p.handle == "" && p.title != "":
		bad.Add("handle", fault.CodeRequired, "The handle is required: none can be derived from the title.")
	case p.handle != "" && (!input.IsHandle(p.handle) || utf8.RuneCountInString(p.handle) > maxLine):
		bad.Add("handle", fault.CodeInvalidValue, "Must be at most %d letters, digits, hyphens and underscores, and begin with a letter or digit.", maxLine)
	}
	if p.title == "" {
		bad.Add("title", fault.CodeRequired, "The title is required.")
	}
	if !slices.Contains([]ProductStatus{ProductActive, ProductDraft, ProductArchived}, p.status) {
		bad.Add("status", fault.CodeInvalidValue, "Must be active, draft or archived.")
	}
	input.CheckText(bad, "title", p.title, maxLine)
	input.CheckText(bad, "vendor", p.vendor, maxLine)
	input.CheckText(bad, "type", p.kind, maxLine)
	input.CheckText(bad, "seoTitle", p.seoTitle, maxLine)
	if len(p.descriptionHTML) > maxText {
		bad.Add("descriptionHtml", fault.CodeInvalidValue, "Must be at most %d bytes.", maxText)
	}
	if len(p.seoDescription) > maxText {
		bad.Add("seoDescription", fault.CodeInvalidValue, "Must be at most %d bytes.", maxText)
	}
}

func checkCount(bad *fault.Invalid, field string, n, least int64) {
	if n < least || n > maxCount {
		bad.Add(field, fault.CodeInvalidValue, "Must be a whole number from %d to %d.", least, maxCount)
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

// metadata returns the object as canonical JSON, so that equal objects have equal text.
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
		bad.Add("metadata", fault.CodeInvalidValue, "Must be a JSON object.")
		return "{}"
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if len(text) > maxMetadata {
		bad.Add("metadata", fault.CodeInvalidValue, "Must be at most %d bytes of JSON.", maxMetadata)
	}
	return text
}

func (in *ProductInput) tags(bad *fault.Invalid) []string {
	var tags []string
	seen := map[string]bool{}
	for i, tag := range in.Tags {
		tag = input.CleanLine(tag)
		key := input.FoldKey(tag)
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		at := fmt.Sprintf("tags[%d]", i)
		input.CheckText(bad, at, tag, maxLine)
		if strings.Contains(tag, ",") {
			bad.Add(at, fault.CodeInvalidValue, "Must not contain a comma: product files separate tags with commas.")
		}
		tags = append(tags, tag)
	}
	if len(tags) > maxTags {
		bad.Add("tags", fault.CodeInvalidValue, "A product must have at most %d tags.", maxTags)
	}
	return tags
}

func (p *productRow) setOptions(in *ProductInput, bad *fault.Invalid) {
	if len(in.Options) > MaxOptions {
		bad.Add("options", fault.CodeInvalidValue, "A product must have at most %d options.", MaxOptions)
		return
	}
	for i, name := range in.Options {
		name = input.CleanLine(name)
		at := fmt.Sprintf("options[%d]", i)
		input.CheckText(bad, at, name, maxLine)
		if name == "" {
			bad.Add(at, fault.CodeRequired, "The name is required.")
		} else if slices.Contains(p.options, name) {
			bad.Add(at, fault.CodeInvalidValue, "Must differ from the names of the other options.")
		}
		p.options = append(p.options, name)
	}
}

// setImages sets the images of the product and of its variants, each URL once.
func (p *productRow) setImages(in *ProductInput, before *productRow, media func(id string) *mediaRow, bad *fault.Invalid) {
	add := func(at string, image ImageInput) {
		if image.ID != "" {
			p.addExisting(image, before, at, bad)
			return
		}
		image.URL = strings.TrimSpace(input.Clean(image.URL))
		if image.Media == "" && p.imageByURL(image.URL) != nil {
			return
		}
		row := imageRow{url: image.URL, alt: input.CleanLine(image.Alt), width: pixels(bad, at, image.Width), height: pixels(bad, at, image.Height)}
		row.setMedia(image.Media, media, at, bad)
		if p.imageByURL(row.url) != nil {
			return
		}
		if old := before.imageByURL(row.url); old != nil {
			row.id = old.id
		}
		p.images = append(p.images, row)
	}
	for i, image := range in.Images {
		add(fmt.Sprintf("images[%d]", i), image)
	}
	for i, v := range in.Variants {
		if image := v.image(); image != nil {
			add(fmt.Sprintf("variants[%d].image", i), *image)
		}
	}
	if len(p.images) > maxImages {
		bad.Add("images", fault.CodeInvalidValue, "A product must have at most %d images.", maxImages)
	}
}

// image returns the image of the variant, or nil.
func (in *VariantInput) image() *ImageInput {
	if in.Image == nil && strings.TrimSpace(in.ImageURL) != "" {
		return &ImageInput{URL: in.ImageURL}
	}
	return in.Image
}

// addExisting adds the image with image.ID, unless it was added before.
func (p *productRow) addExisting(image ImageInput, before *productRow, at string, bad *fault.Invalid) {
	if p.imageByID(image.ID) != nil {
		return
	}
	old := before.imageByID(image.ID)
	if old == nil {
		bad.Add(at, fault.CodeInvalidValue, "The product has no image %s.", input.Cut(input.CleanLine(image.ID), maxLine))
		return
	}
	row := *old
	if !image.SameAlt {
		row.alt = input.CleanLine(image.Alt)
	}
	p.images = append(p.images, row)
}

// imageByID returns the image with an ID, or nil.
func (p *productRow) imageByID(id string) *imageRow {
	for i := range p.images {
		if p.images[i].id == id {
			return &p.images[i]
		}
	}
	return nil
}

// imageNamed returns the image of an input, or nil.
func (p *productRow) imageNamed(in *ImageInput) *imageRow {
	switch {
	case in == nil:
		return nil
	case in.ID != "":
		return p.imageByID(in.ID)
	case in.Media != "":
		for i := range p.images {
			if p.images[i].media.id == in.Media {
				return &p.images[i]
			}
		}
		return nil
	}
	return p.imageByURL(strings.TrimSpace(input.Clean(in.URL)))
}

// setMedia makes the image the uploaded one with an ID, or the one of its URL.
func (i *imageRow) setMedia(id string, find func(id string) *mediaRow, at string, bad *fault.Invalid) {
	named := id != ""
	if !named {
		id = mediaIDOf(i.url)
	}
	var m *mediaRow
	if id != "" {
		m = find(id)
	}
	switch {
	case m != nil:
		width, height := int64(m.width), int64(m.height)
		i.url, i.media, i.width, i.height = m.stored(), m.ref(), &width, &height
		i.alt = cmp.Or(i.alt, m.alt)
	case named:
		bad.Add(at, fault.CodeInvalidValue, "The image %s does not exist: upload it first.", input.Cut(input.CleanLine(id), maxLine))
	case !isImageURL(i.url):
		bad.Add(at, fault.CodeInvalidValue, "Must be an http or https URL, or a path that begins with a slash.")
	}
}

// imageByURL returns the image with a URL. The URL of any file identifies an uploaded image.
func (p *productRow) imageByURL(url string) *imageRow {
	id := mediaIDOf(url)
	for i := range p.images {
		if image := &p.images[i]; image.url == url || id != "" && image.media.id == id {
			return image
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

// setCollections resolves the collections of the product. nil leaves them unchanged.
func (p *productRow) setCollections(in *ProductInput, before *productRow, index *collectionIndex, bad *fault.Invalid) {
	if in.Collections == nil {
		p.collections = before.collections
		return
	}
	ids := map[string]bool{}
	for i, name := range in.Collections {
		id, ok := index.find(name)
		if !ok {
			bad.Add(fmt.Sprintf("collections[%d]", i), fault.CodeInvalidValue, "The collection %q does not exist.", input.Cut(input.CleanLine(name), maxLine))
			continue
		}
		ids[id] = true
	}
	p.collections = slices.Sorted(maps.Keys(ids))
	if len(ids) > maxCollections {
		bad.Add("collections", fault.CodeInvalidValue, "A product must be in at most %d collections.", maxCollections)
	}
}
