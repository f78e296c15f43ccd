package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// sanitize sanitizes the description, which takes too long for a transaction.
func (change *ProductChange) sanitize() {
	if change.DescriptionHTML != nil {
		change.DescriptionHTML = new(input.SanitizeHTML(input.UnixNewlines(*change.DescriptionHTML)))
	}
}

// input returns the content of the product.
func (p *productRow) input() ProductInput {
	in := ProductInput{
		Handle: p.handle, Title: p.title, DescriptionHTML: p.descriptionHTML, sanitized: true, Status: p.status,
		Hidden: p.publishedAt == nil, PublishedAt: db.FromNullMillis(p.publishedAt), Vendor: p.vendor, Type: p.kind,
		Tags: p.tags, Options: p.options, SEOTitle: p.seoTitle, SEODescription: p.seoDescription, Metadata: p.metadataObject(),
		Images: make([]ImageInput, len(p.images)), Variants: make([]VariantInput, len(p.variants)),
	}
	for i, image := range p.images {
		in.Images[i] = ImageInput{ID: image.id, SameAlt: true}
	}
	for i := range p.variants {
		in.Variants[i] = p.variants[i].input(len(p.options))
	}
	return in
}

// metadataObject decodes the stored metadata with all digits of its numbers.
func (p *productRow) metadataObject() (object map[string]any) {
	dec := json.NewDecoder(strings.NewReader(p.metadata))
	dec.UseNumber()
	if err := dec.Decode(&object); err != nil {
		return nil // impossible: the column is checked to be JSON
	}
	return object
}

// input returns the content of the variant of a product with this number of options.
func (v *variantRow) input(options int) VariantInput {
	in := VariantInput{
		ID: v.id, Options: slices.Clone(v.options[:options]), SKU: v.sku, Barcode: v.barcode, Price: v.price, CompareAtPrice: v.compareAtPrice,
		Cost: v.cost, WeightGrams: int(v.weightGrams), Tracked: v.tracked, Backorder: v.backorder,
	}
	if v.imageID != nil {
		in.Image = &ImageInput{ID: *v.imageID, SameAlt: true}
	}
	return in
}

// merge returns the content of the product after the change.
func (change *ProductChange) merge(before *productRow, bad *fault.Invalid) ProductInput {
	in := before.input()
	set(&in.Title, change.Title)
	set(&in.Handle, change.Handle)
	set(&in.DescriptionHTML, change.DescriptionHTML)
	set(&in.Vendor, change.Vendor)
	set(&in.Type, change.Type)
	set(&in.SEOTitle, change.SEOTitle)
	set(&in.SEODescription, change.SEODescription)
	set(&in.Status, change.Status)
	switch {
	case change.PublishedAt != nil && change.PublishedAt.IsZero():
		in.Hidden = true
	case change.PublishedAt != nil:
		in.Hidden, in.PublishedAt = false, change.PublishedAt
	case change.Status != nil && *change.Status == ProductActive:
		in.Hidden = false
	}
	if change.Metadata != nil {
		in.Metadata = change.Metadata
	}
	if change.Tags != nil {
		in.Tags = change.Tags
	}
	if change.Options != nil {
		in.Options = change.Options
	}
	in.Tags = slices.DeleteFunc(slices.Concat(in.Tags, change.AddTags), func(tag string) bool {
		return slices.ContainsFunc(change.RemoveTags, func(removed string) bool {
			return input.FoldKey(input.CleanLine(removed)) == input.FoldKey(input.CleanLine(tag))
		})
	})
	in.Collections, in.QuantityPrices = change.Collections, change.QuantityPrices
	if change.Images != nil {
		in.Images = change.Images
		in.dropImages(before)
	}
	change.mergeVariants(&in, before, bad)
	if change.Reprice != nil {
		for i := range in.Variants {
			change.Reprice.apply(&in.Variants[i], fmt.Sprintf("variants[%d]", i), bad)
		}
	}
	return in
}

// mergeCollections adds and removes collections. A missing one to be removed is ignored.
func (change *ProductChange) mergeCollections(in *ProductInput, before *productRow, index *collectionIndex) {
	if len(change.AddCollections) == 0 && len(change.RemoveCollections) == 0 {
		return
	}
	in.Collections = slices.Concat([]string{}, before.collections, change.AddCollections)
	for _, name := range change.RemoveCollections {
		if id, ok := index.find(name); ok {
			in.Collections = slices.DeleteFunc(in.Collections, func(c string) bool { return c == id })
		}
	}
}

// set replaces a field by its change, if there is one.
func set[T any](field, change *T) {
	if change != nil {
		*field = *change
	}
}

// dropImages removes the images of variants that are not among the new images of the product.
func (in *ProductInput) dropImages(before *productRow) {
	names := func(image ImageInput, old *imageRow) bool {
		return image.ID == old.id || image.Media != "" && image.Media == old.media.id || image.ID == "" && image.Media == "" && image.URL == old.url ||
			old.media.id != "" && mediaIDOf(image.URL) == old.media.id
	}
	for i := range in.Variants {
		v := &in.Variants[i]
		if v.Image == nil {
			continue
		}
		old := before.imageByID(v.Image.ID)
		if !slices.ContainsFunc(in.Images, func(image ImageInput) bool { return names(image, old) }) {
			v.Image = nil
		}
	}
}

// mergeVariants sets the variants after the change. in has the variants before.
func (change *ProductChange) mergeVariants(in *ProductInput, before *productRow, bad *fault.Invalid) {
	if !change.ReplaceVariants {
		for i := range change.Variants {
			at := fmt.Sprintf("variants[%d]", i)
			if n := before.findVariant(change.Variants[i].Variant, at, bad); n >= 0 {
				change.Variants[i].merge(&in.Variants[n], at, bad)
			}
		}
		return
	}
	rows := make([]variantRow, len(change.Variants))
	for i := range change.Variants {
		v := &change.Variants[i]
		if rows[i].id = v.Variant; v.Variant == "" && len(rows) == 1 && len(before.variants) == 1 {
			rows[i].id = before.variants[0].id
		}
		if v.SKU != nil {
			rows[i].sku = input.CleanLine(*v.SKU)
		}
		for n, value := range v.Options[:min(len(v.Options), MaxOptions)] {
			rows[i].options[n] = input.CleanLine(value)
		}
	}
	variants := make([]VariantInput, len(rows))
	for i, old := range matchVariants(rows, before.variants) {
		at := fmt.Sprintf("variants[%d]", i)
		switch {
		case old != nil:
			n := slices.IndexFunc(before.variants, func(v variantRow) bool { return v.id == old.id })
			variants[i] = in.Variants[n]
		case change.Variants[i].Price == nil && rows[i].id == "":
			bad.Add(at+".price", fault.CodeRequired, "A new variant must have a price.")
		default:
			variants[i] = VariantInput{ID: rows[i].id, Tracked: change.Variants[i].Stock != nil}
		}
		change.Variants[i].merge(&variants[i], at, bad)
	}
	in.Variants = variants
}

// merge changes the fields of a variant.
func (v *VariantChange) merge(in *VariantInput, at string, bad *fault.Invalid) {
	if v.Options != nil {
		in.Options = v.Options
	}
	set(&in.SKU, v.SKU)
	set(&in.Barcode, v.Barcode)
	set(&in.Price, v.Price)
	set(&in.WeightGrams, v.WeightGrams)
	set(&in.Tracked, v.Tracked)
	set(&in.Backorder, v.Backorder)
	if v.CompareAtPrice != nil {
		if in.CompareAtPrice = v.CompareAtPrice; *v.CompareAtPrice == 0 {
			in.CompareAtPrice = nil
		}
	}
	if v.Cost != nil || v.NoCost {
		in.Cost = v.Cost
	}
	if v.Image != nil {
		if in.Image = v.Image; *v.Image == (ImageInput{}) {
			in.Image = nil
		}
	}
	if v.LowStock != nil {
		in.LowStock = v.LowStock
	}
	if v.Stock == nil {
		return
	}
	checkCount(bad, at+".stock", *v.Stock, -maxCount)
	if !in.Tracked {
		bad.Add(at+".tracked", fault.CodeInvalidValue, "The stock of this variant is not tracked: set tracked first.")
	}
	in.Stock = new(int(*v.Stock))
}

// findVariant returns the index of the variant with this SKU or ID, or of the only variant if name
// is empty. It returns -1 and adds to bad if there is none, or if there are several.
func (p *productRow) findVariant(name, at string, bad *fault.Invalid) int {
	if name == "" && len(p.variants) > 1 {
		bad.Add(at+".variant", fault.CodeRequired, "The product has %d variants: specify one by its SKU or ID.", len(p.variants))
		return -1
	}
	found := -1
	for i := range p.variants {
		v := &p.variants[i]
		if name != "" && v.id != name && v.sku != input.CleanLine(name) {
			continue
		}
		if found >= 0 {
			bad.Add(at+".variant", fault.CodeInvalidValue, "Several variants have the SKU %s: specify an ID.", input.Cut(input.CleanLine(name), maxLine))
			return -1
		}
		found = i
	}
	if found < 0 {
		bad.Add(at+".variant", fault.CodeInvalidValue, "The product has no variant %s.", input.Cut(input.CleanLine(name), maxLine))
	}
	return found
}
