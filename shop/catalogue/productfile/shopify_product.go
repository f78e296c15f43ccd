package productfile

import (
	"strings"
	"unicode/utf8"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// readProduct reads the fields of the current product from its first row.
func (p *parser) readProduct() {
	in := p.current
	in.Title = input.CleanLine(p.cell(ColTitle))
	in.DescriptionHTML = p.cell(ColBody)
	in.Vendor, in.Type = p.cell(ColVendor), p.cell(ColType)
	in.SEOTitle, in.SEODescription = p.shortened(ColSEOTitle), p.cell(ColSEODescription)
	in.Tags = p.split(ColTags, tagSeparator)
	in.Hidden = !p.boolean(ColPublished, true)
	in.Status = strings.ToLower(strings.TrimSpace(p.cell(ColStatus)))
	if in.Status == statusUnlisted {
		in.Status, in.Hidden = statusActive, true
		p.addNote(ColStatus, NoteStatusReplaced,
			"The status unlisted becomes active and not published: every product is listed or hidden.")
	}
	in.PublishedAt = p.time(ColPublishedAt)
	in.Metadata = p.object(ColMetadata)
	in.QuantityPrices = p.quantityPrices()
	for i := range MaxOptions {
		name := input.CleanLine(p.cell(OptionName(i)))
		if name == "" {
			break
		}
		in.Options = append(in.Options, name)
	}
	if len(in.Options) == 1 && in.Options[0] == noOptionName &&
		input.CleanLine(p.cell(ColOption1Value)) == noOptionValue {
		in.Options = nil
	}
	p.readTranslations()
	if p.file.Has[ColCollections] {
		in.Collections = []string{}
		for _, name := range p.split(ColCollections, collectionSeparator) {
			if name = input.CleanLine(name); name != "" {
				in.Collections = append(in.Collections, name)
			}
		}
	}
	if name := input.CleanLine(p.cell(ColCollection)); name != "" {
		p.current.AddTo = append(p.current.AddTo, name)
	}
	for _, name := range p.split(ColCustomCollections, tagSeparator) {
		if name = input.CleanLine(name); name != "" {
			p.current.AddTo = append(p.current.AddTo, name)
		}
	}
	if strings.EqualFold(strings.TrimSpace(p.cell(ColGiftCard)), "true") {
		p.addNote(ColGiftCard, NoteProductReduced,
			"The gift card %s is imported as an ordinary product: no code is sent to its buyer.", in.Handle)
	}
}

// split returns the entries of a cell; no entries, and a problem, if there are too many.
func (p *parser) split(c Column, separator string) []string {
	if strings.Count(p.cell(c), separator) >= maxListed {
		p.problemListed(c)
		return nil
	}
	return strings.Split(p.cell(c), separator)
}

func (p *parser) problemListed(c Column) {
	p.addProblem(c, ProblemCode(fault.CodeInvalidValue), "Must have at most %d entries.", maxListed)
}

// shortened returns a cell with at most MaxLine characters. Shopify does not limit it.
func (p *parser) shortened(c Column) string {
	text := input.CleanLine(p.cell(c))
	if utf8.RuneCountInString(text) > MaxLine {
		p.addNote(c, NoteTextLost, "The text is shortened to %d characters.", MaxLine)
		text = strings.TrimSpace(string([]rune(text)[:MaxLine]))
	}
	return text
}

// The statuses of products. Shopify's unlisted products are those that only a link leads to.
const (
	statusActive   = "active"
	statusDraft    = "draft"
	statusUnlisted = "unlisted"
)

// hasVariant reports whether the row contains a variant. Otherwise it only adds an image.
func (p *parser) hasVariant() bool {
	for _, c := range []Column{
		ColOption1Value, ColOption2Value, ColOption3Value, ColSKU, ColPrice, ColBarcode, ColStock,
	} {
		if strings.TrimSpace(p.cell(c)) != "" {
			return true
		}
	}
	return false
}

func (p *parser) readVariant(first bool) {
	if strings.EqualFold(strings.TrimSpace(p.cell(ColVariantCommand)), "DELETE") && !first {
		p.addNote(ColVariantCommand, NoteRowSkipped,
			"The variant is not imported, because its command is DELETE.")
		return
	}
	if len(p.current.Variants) > MaxVariants {
		return // the rules of products reject those that were read
	}
	v := Variant{
		Line: p.line(),
		SKU:  p.number(ColSKU), Barcode: p.number(ColBarcode), ImageURL: p.url(ColVariantImage),
		Tracked: strings.TrimSpace(p.cell(ColTracker)) != "", Backorder: p.policy(),
		WeightGrams: p.weight(), Stock: p.stock(), LowStock: p.integer(ColLowStock),
		CompareAtPrice: p.amount(ColComparePrice), Cost: p.amount(ColCost),
	}
	for i := range MaxOptions {
		v.Options = append(v.Options, input.CleanLine(p.cell(OptionValue(i))))
	}
	if first && len(p.current.Options) == 0 && v.Options[0] == noOptionValue {
		v.Options[0] = ""
	}
	p.readTranslatedValues(&v)
	if price := p.amount(ColPrice); price != nil {
		v.Price = *price
	} else if p.file.Has[ColPrice] && strings.TrimSpace(p.cell(ColPrice)) == "" {
		p.addProblem(ColPrice, ProblemMissing, "The price is required.")
	}
	p.current.Variants = append(p.current.Variants, v)
}

// imageSeparator is between several URLs in one cell of Matrixify's files.
const imageSeparator = ";"

func (p *parser) readImage() {
	cell := p.cell(ColImageURL)
	urls := []string{cell}
	if strings.Contains(cell, imageSeparator+"http") ||
		strings.Contains(cell, imageSeparator+" http") {
		urls = p.split(ColImageURL, imageSeparator)
	}
	for _, text := range urls {
		url := p.cleanURL(ColImageURL, text)
		if url == "" {
			continue
		}
		if len(p.current.Images) > MaxImages {
			return // the rules of products reject those that were read
		}
		image := Image{
			Line: p.line(), URL: url, Alt: p.cell(ColImageAlt), Width: p.integer(ColImageWidth),
			Height: p.integer(ColImageHeight),
		}
		if position := p.integer(ColImagePosition); position != nil {
			if image.Position = *position; *position < 1 {
				p.addProblem(ColImagePosition, ProblemTooSmall, "Must be at least 1.")
			}
		}
		p.current.Images = append(p.current.Images, image)
		p.translate(ColImageAlt, AltField+url)
	}
}
