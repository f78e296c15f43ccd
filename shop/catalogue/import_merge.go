package catalogue

import (
	"encoding/json"
	"fmt"
	"strings"

	"storefront/shop/fault"
)

// noteFunc adds a note about the cell of a column.
type noteFunc func(line int, c column, kind NoteKind, format string, args ...any)

// merge returns the input that saves the product of the file. Fields without a column in the file
// are inherited from before, which is nil for a new product.
func (p *fileProduct) merge(has *[columnCount]bool, before *productRow, note noteFunc, bad *fault.Invalid) ProductInput {
	in := p.Input
	in.sanitized = p.Sanitized
	if before == nil {
		before = &productRow{}
		in.Hidden = has[colPublished] && in.Hidden
	} else {
		p.inheritFields(&in, has, before)
	}
	p.mergeVariants(&in, has, before, note, bad)
	p.mergeImages(&in, has, before)
	if len(p.AddTo) > 0 {
		if in.Collections == nil {
			in.Collections = append(in.Collections, before.collections...)
		}
		in.Collections = append(in.Collections, p.AddTo...)
	}
	return in
}

func (p *fileProduct) inheritFields(in *ProductInput, has *[columnCount]bool, before *productRow) {
	for _, text := range []struct {
		column column
		field  *string
		before string
	}{
		{colTitle, &in.Title, before.title},
		{colVendor, &in.Vendor, before.vendor},
		{colType, &in.Type, before.kind},
		{colSEOTitle, &in.SEOTitle, before.seoTitle},
		{colSEODescription, &in.SEODescription, before.seoDescription},
		{colStatus, (*string)(&in.Status), string(before.status)},
	} {
		if !has[text.column] {
			*text.field = text.before
		}
	}
	if !has[colBody] {
		in.DescriptionHTML, in.sanitized = before.descriptionHTML, true
	}
	if !has[colTags] {
		in.Tags = before.tags
	}
	if !has[colPublished] {
		in.Hidden = before.publishedAt == nil && in.PublishedAt == nil
	}
	if !has[colOption1Name] {
		in.Options = before.options
	}
	if !has[colMetadata] {
		dec := json.NewDecoder(strings.NewReader(before.metadata))
		dec.UseNumber()
		if err := dec.Decode(&in.Metadata); err != nil {
			in.Metadata = nil // impossible: the column is checked to be JSON
		}
	}
}

func (p *fileProduct) mergeVariants(in *ProductInput, has *[columnCount]bool, before *productRow, note noteFunc, bad *fault.Invalid) {
	rows := make([]variantRow, len(p.Variants))
	for i, v := range p.Variants {
		rows[i].sku = cleanLine(v.Input.SKU)
		copy(rows[i].options[:], v.Input.Options)
	}
	in.Variants = make([]VariantInput, len(p.Variants))
	for i, old := range matchVariants(rows, before.variants) {
		v := p.Variants[i].Input
		if old == nil && !has[colPrice] {
			bad.Add(fmt.Sprintf("variants[%d].price", i), fault.CodeRequired, "A new variant must have a price: add the column to the file.")
		}
		if old != nil {
			v.inheritFields(has, before, old)
			if p.KeepStock && old.tracked {
				v.Stock = nil
			}
		} else if !has[colTracker] {
			v.Tracked = v.Stock != nil
		}
		switch {
		case !v.Tracked:
			v.Stock = nil // Shopify's exports contain a 0
		case v.Stock != nil && *v.Stock < 0 && !v.Backorder:
			note(p.Variants[i].Line, colStock, NoteStockRaised, "The stock %d becomes 0, because the variant is not sold below zero.", *v.Stock)
			v.Stock = new(0)
		case old == nil && !has[colStock]:
			note(1, colStock, NoteStockMissing, "The file has no quantities: new variants whose stock is counted have none.")
		}
		in.Variants[i] = v
	}
}

// inheritFields copies the fields without a column in the file.
func (in *VariantInput) inheritFields(has *[columnCount]bool, before *productRow, old *variantRow) {
	if !has[colSKU] {
		in.SKU = old.sku
	}
	if !has[colBarcode] {
		in.Barcode = old.barcode
	}
	if !has[colPrice] {
		in.Price = old.price
	}
	if !has[colComparePrice] {
		in.CompareAtPrice = old.compareAtPrice
	}
	if !has[colCost] {
		in.Cost = old.cost
	}
	if !has[colGrams] {
		in.WeightGrams = int(old.weightGrams)
	}
	if !has[colTracker] {
		in.Tracked = old.tracked
	}
	if !has[colPolicy] {
		in.Backorder = old.backorder
	}
	if !has[colVariantImage] && old.imageID != nil {
		for _, image := range before.images {
			if image.id == *old.imageID {
				in.ImageURL = image.url
			}
		}
	}
	options := make([]string, len(old.options))
	for i := range options {
		if has[optionValue(i)] {
			options[i] = in.Options[i]
		} else {
			options[i] = old.options[i]
		}
	}
	in.Options = options
}

func (p *fileProduct) mergeImages(in *ProductInput, has *[columnCount]bool, before *productRow) {
	in.Images = nil
	if !has[colImageURL] {
		for _, image := range before.images {
			in.Images = append(in.Images, image.input())
		}
		return
	}
	for _, image := range p.Images {
		merged := image.Input
		if old := before.imageByURL(merged.URL); old != nil {
			existing := old.input()
			if !has[colImageAlt] {
				merged.Alt = existing.Alt
			}
			if !has[colImageWidth] {
				merged.Width = existing.Width
			}
			if !has[colImageHeight] {
				merged.Height = existing.Height
			}
		}
		in.Images = append(in.Images, merged)
	}
}

func (i imageRow) input() ImageInput {
	return ImageInput{URL: i.url, Alt: i.alt, Width: fromNullInt(i.width), Height: fromNullInt(i.height)}
}
