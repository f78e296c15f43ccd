package catalogue

import (
	"encoding/json"
	"fmt"
	"strings"

	"storefront/shop/catalogue/productfile"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/translation"
)

// fileProduct is a product of a file that is imported.
type fileProduct struct {
	productfile.Product
	KeepStock bool `json:",omitempty"` // as in ImportOptions
	sanitized bool // DescriptionHTML has been sanitized
}

// edit returns the edit that saves a product of a file with these columns.
func (p *fileProduct) edit(has *productfile.Columns, note noteFunc) *productEdit {
	return &productEdit{
		handle: p.Handle,
		input: func(before *productRow, bad *fault.Invalid) ProductInput {
			return p.merge(has, before, note, bad)
		},
	}
}

// noteFunc adds a note about the cell of a column.
type noteFunc func(
	line int, c productfile.Column, kind productfile.NoteKind, format string, args ...any,
)

func discardNote(int, productfile.Column, productfile.NoteKind, string, ...any) {}

// merge returns the input that saves the product of the file. Fields without a column in the file
// are inherited from before, which is nil for a new product.
func (p *fileProduct) merge(
	has *productfile.Columns, before *productRow, note noteFunc, bad *fault.Invalid,
) ProductInput {
	in := ProductInput{
		Handle: p.Handle, Title: p.Title, DescriptionHTML: p.DescriptionHTML, sanitized: p.sanitized,
		Status: ProductStatus(p.Status), Hidden: p.Hidden, PublishedAt: p.PublishedAt,
		Vendor: p.Vendor, Type: p.Type, Tags: p.Tags, Options: p.Options,
		SEOTitle: p.SEOTitle, SEODescription: p.SEODescription,
		Metadata: parseMetadata(p.Metadata), Collections: p.Collections,
	}
	if p.Translations != nil {
		in.Translations = translation.Record{locale.Language(p.Language): p.Translations}
	}
	if before == nil {
		before = &productRow{}
		in.Hidden = has[productfile.ColPublished] && in.Hidden
	} else {
		inheritFields(&in, has, before)
	}
	if has[productfile.ColQuantityPrices] {
		in.QuantityPrices = QuantityPrices{}
		for _, q := range p.QuantityPrices {
			in.QuantityPrices = append(in.QuantityPrices, QuantityPriceInput(q))
		}
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

// parseMetadata returns the JSON object in text. It is nil if text is not one, which is checked
// before.
func parseMetadata(text string) (object map[string]any) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber() // all digits are retained
	if err := dec.Decode(&object); err != nil {
		return nil
	}
	return object
}

func inheritFields(in *ProductInput, has *productfile.Columns, before *productRow) {
	for _, text := range []struct {
		column productfile.Column
		field  *string
		before string
	}{
		{productfile.ColTitle, &in.Title, before.title},
		{productfile.ColVendor, &in.Vendor, before.vendor}, {productfile.ColType, &in.Type, before.kind},
		{productfile.ColSEOTitle, &in.SEOTitle, before.seoTitle},
		{productfile.ColSEODescription, &in.SEODescription, before.seoDescription},
		{productfile.ColStatus, (*string)(&in.Status), string(before.status)},
	} {
		if !has[text.column] {
			*text.field = text.before
		}
	}
	if !has[productfile.ColBody] {
		in.DescriptionHTML, in.sanitized = before.descriptionHTML, true
	}
	if !has[productfile.ColTags] {
		in.Tags = before.tags
	}
	if !has[productfile.ColPublished] {
		in.Hidden = before.publishedAt == nil && in.PublishedAt == nil
	}
	if !has[productfile.ColOption1Name] {
		in.Options = before.options
	}
	if !has[productfile.ColMetadata] {
		in.Metadata = parseMetadata(before.metadata)
	}
}

func (p *fileProduct) mergeVariants(
	in *ProductInput, has *productfile.Columns, before *productRow, note noteFunc, bad *fault.Invalid,
) {
	rows := make([]variantRow, len(p.Variants))
	for i, v := range p.Variants {
		rows[i].sku = input.CleanLine(v.SKU)
		copy(rows[i].options[:], v.Options)
	}
	in.Variants = make([]VariantInput, len(p.Variants))
	for i, old := range matchVariants(rows, before.variants) {
		v := variantInput(&p.Variants[i])
		if old == nil && !has[productfile.ColPrice] {
			bad.Add(fmt.Sprintf("variants[%d].price", i), fault.CodeRequired,
				"A new variant must have a price: add the column to the file.")
		}
		if old != nil {
			v.inheritFields(has, before, old)
			if p.KeepStock && old.tracked {
				v.Stock = nil
			}
		} else if !has[productfile.ColTracker] {
			v.Tracked = v.Stock != nil
		}
		switch {
		case !v.Tracked:
			v.Stock = nil // Shopify's exports contain a 0
		case v.Stock != nil && *v.Stock < 0 && !v.Backorder:
			note(p.Variants[i].Line, productfile.ColStock, productfile.NoteStockRaised,
				"The stock %d becomes 0, because the variant is not sold below zero.", *v.Stock)
			v.Stock = new(0)
		case old == nil && !has[productfile.ColStock]:
			note(1, productfile.ColStock, productfile.NoteStockMissing,
				"The file has no quantities: new variants whose stock is counted have none.")
		}
		in.Variants[i] = v
	}
}

func variantInput(v *productfile.Variant) VariantInput {
	return VariantInput{
		Options: v.Options, SKU: v.SKU, Barcode: v.Barcode,
		Price: v.Price, CompareAtPrice: v.CompareAtPrice, Cost: v.Cost, WeightGrams: v.WeightGrams,
		ImageURL: v.ImageURL,
		Tracked:  v.Tracked, Backorder: v.Backorder, Stock: v.Stock, LowStock: v.LowStock,
	}
}

// inheritFields copies the fields without a column in the file.
func (in *VariantInput) inheritFields(
	has *productfile.Columns, before *productRow, old *variantRow,
) {
	if !has[productfile.ColSKU] {
		in.SKU = old.sku
	}
	if !has[productfile.ColBarcode] {
		in.Barcode = old.barcode
	}
	if !has[productfile.ColPrice] {
		in.Price = old.price
	}
	if !has[productfile.ColComparePrice] {
		in.CompareAtPrice = old.compareAtPrice
	}
	if !has[productfile.ColCost] {
		in.Cost = old.cost
	}
	if !has[productfile.ColGrams] {
		in.WeightGrams = int(old.weightGrams)
	}
	if !has[productfile.ColTracker] {
		in.Tracked = old.tracked
	}
	if !has[productfile.ColPolicy] {
		in.Backorder = old.backorder
	}
	if !has[productfile.ColVariantImage] && old.imageID != nil {
		for _, image := range before.images {
			if image.id == *old.imageID {
				in.ImageURL = image.url
			}
		}
	}
	options := make([]string, len(old.options))
	for i := range options {
		if has[productfile.OptionValue(i)] {
			options[i] = in.Options[i]
		} else {
			options[i] = old.options[i]
		}
	}
	in.Options = options
}

func (p *fileProduct) mergeImages(in *ProductInput, has *productfile.Columns, before *productRow) {
	in.Images = nil
	if !has[productfile.ColImageURL] {
		for _, image := range before.images {
			in.Images = append(in.Images, image.input())
		}
		return
	}
	for _, image := range p.Images {
		merged := ImageInput{URL: image.URL, Alt: image.Alt, Width: image.Width, Height: image.Height}
		if old := before.imageByURL(merged.URL); old != nil {
			existing := old.input()
			if !has[productfile.ColImageAlt] {
				merged.Alt = existing.Alt
			}
			if !has[productfile.ColImageWidth] {
				merged.Width = existing.Width
			}
			if !has[productfile.ColImageHeight] {
				merged.Height = existing.Height
			}
		}
		in.Images = append(in.Images, merged)
	}
}

func (i imageRow) input() ImageInput {
	return ImageInput{
		URL: i.url, Alt: i.alt, Width: fromNullInt(i.width), Height: fromNullInt(i.height),
	}
}
