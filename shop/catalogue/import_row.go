package catalogue

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/timezone"
)

// readProduct reads the fields of the current product from its first row.
func (p *fileParser) readProduct() {
	in := &p.current.Input
	in.Title = cleanLine(p.cell(colTitle))
	in.DescriptionHTML = p.cell(colBody)
	in.Vendor, in.Type = p.cell(colVendor), p.cell(colType)
	in.SEOTitle, in.SEODescription = p.shortened(colSEOTitle), p.cell(colSEODescription)
	in.Tags = p.split(colTags, tagSeparator)
	in.Hidden = !p.boolean(colPublished, true)
	in.Status = ProductStatus(strings.ToLower(strings.TrimSpace(p.cell(colStatus))))
	if in.Status == statusUnlisted {
		in.Status, in.Hidden = ProductActive, true
		p.addNote(colStatus, NoteStatusReplaced, "The status unlisted becomes active and not published: every product is listed or hidden.")
	}
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
		for _, name := range p.split(colCollections, collectionSeparator) {
			if name = cleanLine(name); name != "" {
				in.Collections = append(in.Collections, name)
			}
		}
	}
	if name := cleanLine(p.cell(colCollection)); name != "" {
		p.current.AddTo = append(p.current.AddTo, name)
	}
	for _, name := range p.split(colCustomCollections, tagSeparator) {
		if name = cleanLine(name); name != "" {
			p.current.AddTo = append(p.current.AddTo, name)
		}
	}
	if strings.EqualFold(strings.TrimSpace(p.cell(colGiftCard)), "true") {
		p.addNote(colGiftCard, NoteProductReduced, "The gift card %s is imported as an ordinary product: no code is sent to its buyer.", in.Handle)
	}
}

// split returns the entries of a cell; no entries, and a problem, if there are too many.
func (p *fileParser) split(c column, separator string) []string {
	if strings.Count(p.cell(c), separator) >= maxListed {
		p.problemListed(c)
		return nil
	}
	return strings.Split(p.cell(c), separator)
}

func (p *fileParser) problemListed(c column) {
	p.addProblem(c, ProblemCode(fault.CodeInvalidValue), "Must have at most %d entries.", maxListed)
}

// shortened returns a cell with at most maxLine characters. Shopify does not limit it.
func (p *fileParser) shortened(c column) string {
	text := cleanLine(p.cell(c))
	if utf8.RuneCountInString(text) > maxLine {
		p.addNote(c, NoteTextLost, "The text is shortened to %d characters.", maxLine)
		text = strings.TrimSpace(string([]rune(text)[:maxLine]))
	}
	return text
}

// statusUnlisted is Shopify's status of products that only a link leads to.
const statusUnlisted = "unlisted"

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
	if strings.EqualFold(strings.TrimSpace(p.cell(colVariantCommand)), "DELETE") && !first {
		p.addNote(colVariantCommand, NoteRowSkipped, "The variant is not imported, because its command is DELETE.")
		return
	}
	if len(p.current.Variants) > maxVariants {
		return // the rules of products reject those that were read
	}
	v := VariantInput{
		SKU: p.number(colSKU), Barcode: p.number(colBarcode), ImageURL: p.url(colVariantImage),
		Tracked: strings.TrimSpace(p.cell(colTracker)) != "", Backorder: p.policy(),
		WeightGrams: p.weight(), Stock: p.stock(), LowStock: p.integer(colLowStock),
		CompareAtPrice: p.amount(colComparePrice), Cost: p.amount(colCost),
	}
	for i := range MaxOptions {
		v.Options = append(v.Options, cleanLine(p.cell(optionValue(i))))
	}
	if first && len(p.current.Input.Options) == 0 && v.Options[0] == noOptionValue {
		v.Options[0] = ""
	}
	if price := p.amount(colPrice); price != nil {
		v.Price = *price
	} else if p.file.has[colPrice] && strings.TrimSpace(p.cell(colPrice)) == "" {
		p.addProblem(colPrice, ProblemMissing, "The price is required.")
	}
	p.current.Variants = append(p.current.Variants, fileVariant{Line: p.line(), Input: v})
}

// imageSeparator is between several URLs in one cell of Matrixify's files.
const imageSeparator = ";"

func (p *fileParser) readImage() {
	cell := p.cell(colImageURL)
	urls := []string{cell}
	if strings.Contains(cell, imageSeparator+"http") || strings.Contains(cell, imageSeparator+" http") {
		urls = p.split(colImageURL, imageSeparator)
	}
	for _, text := range urls {
		url := p.cleanURL(colImageURL, text)
		if url == "" {
			continue
		}
		if len(p.current.Images) > maxImages {
			return // the rules of products reject those that were read
		}
		image := fileImage{Line: p.line(), Input: ImageInput{
			URL: url, Alt: p.cell(colImageAlt), Width: p.integer(colImageWidth), Height: p.integer(colImageHeight),
		}}
		if position := p.integer(colImagePosition); position != nil {
			if image.Position = *position; *position < 1 {
				p.addProblem(colImagePosition, ProblemTooSmall, "Must be at least 1.")
			}
		}
		p.current.Images = append(p.current.Images, image)
	}
}

func (p *fileParser) url(c column) string { return p.cleanURL(c, p.cell(c)) }

// cleanURL completes and escapes a URL as browsers do.
func (p *fileParser) cleanURL(c column, text string) string {
	url := strings.TrimSpace(text)
	clean := cleanURL(url)
	if clean != url {
		p.addNote(c, NoteURLChanged, "The URL %s becomes %s.", url, clean)
	}
	return clean
}

var urlEscaper = strings.NewReplacer(" ", "%20", "\"", "%22", "<", "%3C", ">", "%3E", "\\", "/")

// cleanURL returns a URL with a scheme and without spaces.
func cleanURL(url string) string {
	if strings.HasPrefix(url, "//") {
		url = "https:" + url
	}
	if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
		url = urlEscaper.Replace(url)
	}
	return url
}

// quotedNumber is a number with the apostrophe that Shopify writes before it, because a spreadsheet
// would drop leading zeros and round long numbers.
var quotedNumber = regexp.MustCompile(`^'+\d+$`)

// guardNumber adds an apostrophe to one that is part of a stored text, so that an import restores
// it.
func guardNumber(cell string) string {
	if quotedNumber.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// number returns a cell without the apostrophe before a number.
func (p *fileParser) number(c column) string {
	text := strings.TrimSpace(p.cell(c))
	if input.IsScientific(text) {
		p.addNote(c, NoteDigitsLost, "The number %s has lost digits in a spreadsheet: enter it again, in a column of texts.", text)
	}
	if !quotedNumber.MatchString(text) {
		return p.cell(c)
	}
	p.findings.apostrophes++
	return text[1:]
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
		p.addProblem(c, ProblemNotBoolean, "Must be TRUE or FALSE.")
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
		p.addProblem(colPolicy, ProblemNotAllowed, "Must be deny or continue.")
	}
	return false
}

func (p *fileParser) amount(c column) *int64 {
	text := input.Fold(strings.TrimSpace(p.cell(c)))
	if text == "" {
		return nil
	}
	amount, ok := p.currency.Parse(text)
	if !ok {
		p.addProblem(c, ProblemNotAmount, "Must be an amount in %s such as %s, with at most %d decimals after a point.",
			p.currency.Code, p.currency.Decimal(125000), p.currency.Digits)
		return nil
	}
	return &amount
}

// integer parses a whole number. Zero decimals are ignored, because spreadsheets add them.
func (p *fileParser) integer(c column) *int {
	text := input.Fold(strings.TrimSpace(p.cell(c)))
	if text == "" {
		return nil
	}
	n, ok := parseWhole(text)
	if !ok {
		p.addProblem(c, ProblemNotWhole, "Must be a whole number.")
		return nil
	}
	return &n
}

func parseWhole(text string) (n int, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) == 3 { // 1.000 is a thousand if a dot separates thousands
		return 0, false
	}
	n, err := strconv.Atoi(whole)
	return n, err == nil && strings.Trim(fraction, "0") == ""
}

// stock parses the quantity of the variant, or adds up the quantities of its locations.
func (p *fileParser) stock() *int {
	if len(p.locations) == 0 {
		return p.integer(colStock)
	}
	var sum *int
	for _, i := range p.locations {
		text := input.Fold(strings.TrimSpace(p.at(i)))
		if text == "" || strings.EqualFold(text, "not stocked") {
			continue
		}
		n, ok := parseWhole(text)
		if !ok {
			p.findings.add(filePlace{p.lineOf(i), locationName}, ProblemNotWhole, "Must be a whole number.")
			continue
		}
		if sum == nil {
			sum = new(int)
		}
		*sum += n
	}
	return sum
}

// The units of Variant Weight and of WooCommerce's Weight, in grams.
var gramsPer = map[string]float64{
	"": 1, "g": 1, "gram": 1, "grams": 1, "kg": 1000, "lb": 453.59237, "lbs": 453.59237, "oz": 28.349523125,
}

// weight parses the weight of the variant.
func (p *fileParser) weight() int {
	if p.columns[colGrams] >= 0 || p.columns[colWeight] < 0 {
		return p.grams(colGrams, p.cell(colGrams), "g")
	}
	return p.grams(colWeight, p.cell(colWeight), p.cell(colWeightUnit))
}

// grams parses a weight in a unit and rounds it to whole grams.
func (p *fileParser) grams(c column, text, unit string) int {
	text = input.Fold(strings.TrimSpace(text))
	if text == "" {
		return 0
	}
	factor, known := gramsPer[strings.ToLower(strings.TrimSpace(unit))]
	if !known {
		p.addProblem(c, ProblemWeightUnit, "The unit of the weight must be g, kg, lb or oz.")
		return 0
	}
	weight, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(weight) || weight < 0 || weight*factor > maxCount {
		p.addProblem(c, ProblemWeight, "Must be a number from 0 to %d grams.", maxCount)
		return 0
	}
	exact := weight * factor
	grams := int(math.Round(exact))
	if math.Abs(exact-float64(grams)) > 1e-6 {
		p.addNote(c, NoteWeightRounded, "The weight %s %s is rounded to %d g.", text, cmp.Or(strings.TrimSpace(unit), "g"), grams)
	}
	return grams
}

// The forms of times in files. The last ones have no offset. Days are read by localTime.
var (
	timeForms      = []string{time.RFC3339, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", "2006-01-02T15:04:05-0700"}
	localTimeForms = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04"}
)

func (p *fileParser) time(c column) *time.Time {
	text := strings.TrimSpace(p.cell(c))
	if text == "" {
		return nil
	}
	for _, form := range timeForms {
		if at, err := time.Parse(form, text); err == nil {
			return &at
		}
	}
	if at, ok := p.localTime(text); ok {
		p.addNote(c, NoteTimeAssumed, "The time %s has no offset and is read in the time zone %s.", text, p.now.Location())
		return &at
	}
	p.addProblem(c, ProblemNotTime, "Must be a time such as 2026-03-26T09:00:00+06:00.")
	return nil
}

// localTime parses a day, or a time without an offset, in the shop's time zone.
func (p *fileParser) localTime(text string) (at time.Time, ok bool) {
	zone := p.now.Location()
	if day, err := timezone.ParseDay(text, zone); err == nil {
		return day, true
	}
	for _, form := range localTimeForms {
		if at, err := time.ParseInLocation(form, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
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
		p.addProblem(c, ProblemNotJSON, "Must be a JSON object.")
		return nil
	}
	return object
}
