package catalogue

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"storefront/shop/input"
)

// readProduct reads the fields of the current product from its first row.
func (p *fileParser) readProduct() {
	in := &p.current.input
	in.Title = cleanLine(p.cell(colTitle))
	in.DescriptionHTML = p.cell(colBody)
	in.Vendor, in.Type = p.cell(colVendor), p.cell(colType)
	in.SEOTitle, in.SEODescription = p.cell(colSEOTitle), p.cell(colSEODescription)
	in.Tags = strings.Split(p.cell(colTags), tagSeparator)
	in.Status = ProductStatus(strings.ToLower(strings.TrimSpace(p.cell(colStatus))))
	in.Hidden = !p.boolean(colPublished, true)
	in.PublishedAt = p.time(colPublishedAt)
	in.Metadata = p.object(colMetadata)
	for i := range MaxOptions {
		name := cleanLine(p.cell(optionName(i)))
		if name == "" {
			break
		}
		in.Options = append(in.Options, name)
	}
	if len(in.Options) == 1 && in.Options[0] == noOptionName && cleanLine(p.cell(colOption1Value)) == noOptionValue {
		in.Options = nil
	}
	if p.file.has[colCollections] {
		in.Collections = []string{}
		for name := range strings.SplitSeq(p.cell(colCollections), collectionSeparator) {
			if name = cleanLine(name); name != "" {
				in.Collections = append(in.Collections, name)
			}
		}
	}
	p.current.addTo = cleanLine(p.cell(colCollection))
}

// hasVariant reports whether the row contains a variant. Otherwise it only adds an image.
func (p *fileParser) hasVariant() bool {
	for _, c := range []column{colOption1Value, colOption2Value, colOption3Value, colSKU, colPrice, colBarcode, colStock} {
		if strings.TrimSpace(p.cell(c)) != "" {
			return true
		}
	}
	return false
}

func (p *fileParser) readVariant(first bool) {
	v := VariantInput{
		SKU: p.cell(colSKU), Barcode: p.cell(colBarcode), ImageURL: p.cell(colVariantImage),
		Tracked: strings.TrimSpace(p.cell(colTracker)) != "", Backorder: p.policy(),
		WeightGrams: p.grams(), Stock: p.integer(colStock), LowStock: p.integer(colLowStock),
		CompareAtPrice: p.amount(colComparePrice),
	}
	for i := range MaxOptions {
		v.Options = append(v.Options, cleanLine(p.cell(optionValue(i))))
	}
	if first && len(p.current.input.Options) == 0 && v.Options[0] == noOptionValue {
		v.Options[0] = ""
	}
	if price := p.amount(colPrice); price != nil {
		v.Price = *price
	} else if p.file.has[colPrice] && strings.TrimSpace(p.cell(colPrice)) == "" {
		p.addProblem(colPrice, "The price is required.")
	}
	p.current.variants = append(p.current.variants, fileVariant{line: p.line(), input: v})
}

func (p *fileParser) readImage() {
	url := strings.TrimSpace(p.cell(colImageURL))
	if url == "" {
		return
	}
	image := fileImage{line: p.line(), input: ImageInput{
		URL: url, Alt: p.cell(colImageAlt), Width: p.integer(colImageWidth), Height: p.integer(colImageHeight),
	}}
	if position := p.integer(colImagePosition); position != nil {
		if image.position = *position; *position < 1 {
			p.addProblem(colImagePosition, "Must be at least 1.")
		}
	}
	p.current.images = append(p.current.images, image)
}

// boolean parses a cell; blank is the value of an empty one.
func (p *fileParser) boolean(c column, blank bool) bool {
	switch strings.ToLower(strings.TrimSpace(p.cell(c))) {
	case "":
		return blank
	case "true", "yes", "1":
		return true
	case "false", "no", "0":
	default:
		p.addProblem(c, "Must be TRUE or FALSE.")
	}
	return false
}

// policy reports whether the variant may be sold below zero.
func (p *fileParser) policy() bool {
	switch strings.ToLower(strings.TrimSpace(p.cell(colPolicy))) {
	case "continue", "true":
		return true
	case "deny", "false", "":
	default:
		p.addProblem(colPolicy, "Must be deny or continue.")
	}
	return false
}

// amountPattern allows commas between groups of thousands, or of lakh and crore. A comma before the
// last one or two digits is rejected as a decimal comma: 12,50 read as 1250 would be wrong by a
// factor of 100.
var amountPattern = regexp.MustCompile(`^(\d+|\d{1,3}(,\d{2,3})*,\d{3})(\.\d+)?$`)

func (p *fileParser) amount(c column) *int64 {
	text := input.Fold(strings.TrimSpace(p.cell(c)))
	if text == "" {
		return nil
	}
	amount, ok := p.currency.Parse(text)
	if !ok || !amountPattern.MatchString(text) {
		p.addProblem(c, "Must be an amount in %s such as %s, with at most %d decimals after a point.",
			p.currency.Code, p.currency.Decimal(125000), p.currency.Digits)
		return nil
	}
	return &amount
}

func (p *fileParser) integer(c column) *int {
	text := input.Fold(strings.TrimSpace(p.cell(c)))
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		p.addProblem(c, "Must be a whole number.")
		return nil
	}
	return &n
}

// grams parses a weight. Zero decimals are ignored, because spreadsheets add them.
func (p *fileParser) grams() int {
	text := input.Fold(strings.TrimSpace(p.cell(colGrams)))
	if text == "" {
		return 0
	}
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || strings.Trim(fraction, "0") != "" {
		p.addProblem(colGrams, "Must be a whole number of grams.")
	}
	return n
}

func (p *fileParser) time(c column) *time.Time {
	text := strings.TrimSpace(p.cell(c))
	if text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		p.addProblem(c, "Must be a time such as 2026-03-26T09:00:00+06:00.")
		return nil
	}
	return &at
}

func (p *fileParser) object(c column) map[string]any {
	text := strings.TrimSpace(p.cell(c))
	if text == "" {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil || dec.More() {
		p.addProblem(c, "Must be a JSON object.")
		return nil
	}
	return object
}
