package catalogue

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/timezone"
)

// wooVariation is a variation of a product, or the only variant of a simple one.
type wooVariation struct {
	line     int
	position int
	values   map[string]string // by the folded name of the attribute; "" stands for any value
	input    VariantInput
	shared   bool // uses the stock of the product
}

// build returns the product of rows. It is nil if it has nothing to sell.
func (s *wooSource) build(place wooProduct) (*fileProduct, error) {
	if err := s.load(place.row); err != nil {
		return nil, err
	}
	base, flags := s.kind()
	product := &fileProduct{Line: s.line()}
	s.readFields(product, flags)
	own := s.readVariation()
	hasPrice := s.readPrice(&own.input)
	attributes := s.readAttributes()
	stockLine := s.lineOf(s.columns[colStock])
	if base == "simple" {
		s.noteLostAttributes(attributes, nil)
		if !hasPrice && s.file.has[colPrice] {
			product.Input.Status = ProductDraft
			s.addNote(colPrice, NotePriceMissing, "The product has no price and is imported as a draft with the price 0.")
		}
		own.input.ImageURL, own.input.Options = "", make([]string, MaxOptions)
		product.Variants = []fileVariant{{Line: own.line, Input: own.input}}
		return product, nil
	}
	if len(place.variations) > maxVariants {
		s.findings.add(filePlace{line: product.Line}, ProblemCode(fault.CodeInvalidValue), "A product must have at most %d variants.", maxVariants)
		return nil, nil
	}
	used := map[string]bool{}
	var variations []wooVariation
	for _, at := range place.variations {
		if err := s.load(at); err != nil {
			return nil, err
		}
		v := s.readVariation()
		if strings.TrimSpace(s.cell(colGrams)) == "" {
			v.input.WeightGrams = own.input.WeightGrams
		}
		for _, a := range s.readAttributes() {
			v.values[a.key] = strings.Join(a.values, ", ")
			used[a.key] = true
		}
		switch published := strings.TrimSpace(s.cell(colPublished)); {
		case published == "0" || published == "-1":
			s.addNote(colPublished, NoteRowSkipped, "The variation is disabled and not imported.")
			continue
		case !s.readPrice(&v.input) && s.file.has[colPrice]:
			s.addNote(colPrice, NotePriceMissing, "The variation has no price and is not imported.")
			continue
		}
		if s.cell(colBody) != "" {
			s.addNote(colBody, NoteTextLost, "The description of a variation is not imported: products have one description.")
		}
		variations = append(variations, v)
	}
	if err := s.load(place.row); err != nil {
		return nil, err
	}
	s.noteLostAttributes(attributes, used)
	attributes = slices.DeleteFunc(attributes, func(a wooValues) bool { return !used[a.key] })
	slices.SortStableFunc(variations, func(a, b wooVariation) int { return a.position - b.position })
	if len(variations) == 0 {
		s.findings.note(product.Line, "Type", NoteRowSkipped, "The product %s is not imported: it has no variation that can be sold.", product.Input.Title)
		return nil, nil
	}
	s.shareStock(&own, variations, stockLine)
	s.addVariants(product, attributes, variations)
	return product, nil
}

// readFields reads the fields of a product from the current row.
func (s *wooSource) readFields(product *fileProduct, flags []string) {
	in := &product.Input
	in.Title = s.text(s.cell(colTitle))
	in.Handle = s.handle(in.Title)
	in.DescriptionHTML = wooDescription(s.at(s.woo.short), s.cell(colBody))
	in.Vendor = strings.Join(s.listOf(colVendor), ", ")
	for _, tag := range s.listOf(colTags) {
		in.Tags = append(in.Tags, strings.ReplaceAll(tag, tagSeparator, " "))
	}
	if s.file.has[colCollections] {
		in.Collections = s.collections()
	}
	s.readStatus(in)
	for _, url := range s.urls() {
		product.Images = append(product.Images, fileImage{Line: s.lineOf(s.columns[colImageURL]), Input: ImageInput{URL: url}})
	}
	for _, flag := range flags {
		switch flag {
		case "downloadable":
			in.Status = ProductDraft
			s.findings.note(s.lineOf(s.woo.kind), "Type", NoteProductReduced, "The download %s is imported as a draft, without its files.", in.Title)
		case "virtual":
			s.findings.note(s.lineOf(s.woo.kind), "Type", NoteProductReduced, "The virtual product %s is imported as one that is delivered.", in.Title)
		}
	}
}

func (s *wooSource) readStatus(in *ProductInput) {
	in.Status = ProductActive
	switch text := strings.ToLower(strings.TrimSpace(s.cell(colPublished))); text {
	case "1", "true", "", "publish":
	case "0", "false", "private":
		in.Hidden = true
	case "-1", "draft", "pending":
		in.Status = ProductDraft
	default:
		s.addProblem(colPublished, ProblemNotAllowed, "Must be 1, 0 or -1.")
	}
	note := func(format string, args ...any) {
		s.findings.note(s.lineOf(s.woo.visibility), "Visibility in catalog", NoteStatusReplaced, format, args...)
	}
	switch text := strings.ToLower(strings.TrimSpace(s.at(s.woo.visibility))); text {
	case "", "visible":
	case "hidden":
		in.Hidden = true
		note("The visibility hidden becomes not published: there are no products that only a link leads to.")
	default:
		note("The visibility %s becomes visible in lists and in the search.", text)
	}
}

// urls returns the images of the current row.
func (s *wooSource) urls() []string {
	var urls []string
	for text := range strings.SplitSeq(s.cell(colImageURL), ",") {
		if url := s.cleanURL(colImageURL, text); url != "" {
			urls = append(urls, url)
		}
		if len(urls) > maxImages {
			break // the rules of products reject those that were read
		}
	}
	return urls
}

// handle returns a handle for a product that no other product of the file has.
func (s *wooSource) handle(title string) string {
	base := slugHandle(s.at(s.woo.slug))
	if base == "" {
		base = slugHandle(title)
	}
	const longest = 200 // characters, so that a suffix fits
	if utf8.RuneCountInString(base) > longest {
		base = strings.Trim(string([]rune(base)[:longest]), "-")
	}
	if base == "" {
		if base = slugHandle(cmp.Or(s.cell(colSKU), s.at(s.woo.id))); base == "" {
			s.addProblem(colTitle, ProblemNoHandle, "No handle can be derived from this name: correct it.")
			base = "product"
		}
	}
	handle := base
	for n := 2; s.handles[handle] > 0; n = max(n, s.suffixes[base]) + 1 {
		suffix := strconv.Itoa(n)
		if n == 2 {
			suffix = cmp.Or(slugHandle(s.cell(colSKU)), slugHandle(s.at(s.woo.id)), suffix)
		} else {
			s.suffixes[base] = n
		}
		handle = base + "-" + suffix
	}
	if handle != base {
		s.addNote(colTitle, NoteHandleChanged, "The product on line %d has the handle %s already: this one gets %s.",
			s.handles[base], base, handle)
	}
	s.handles[handle] = s.line()
	return handle
}

// readVariation reads the columns that a product without variations and a variation share.
func (s *wooSource) readVariation() wooVariation {
	v := wooVariation{line: s.line(), values: map[string]string{}}
	v.position, _ = strconv.Atoi(strings.TrimSpace(s.at(s.woo.position))) // "" is 0
	v.input = VariantInput{
		SKU: s.number(colSKU), Barcode: s.number(colBarcode), LowStock: s.integer(colLowStock), Cost: s.amount(colCost),
		WeightGrams: s.grams(colGrams, s.cell(colGrams), s.weightUnit),
	}
	if urls := s.urls(); len(urls) > 0 {
		v.input.ImageURL = urls[0]
	}
	switch text := strings.ToLower(strings.TrimSpace(s.cell(colPolicy))); text {
	case "1", "notify", "yes":
		v.input.Backorder = true
	case "0", "no", "":
	default:
		s.addProblem(colPolicy, ProblemNotAllowed, "Must be 1, 0 or notify.")
	}
	s.readStock(&v)
	return v
}

func (s *wooSource) readStock(v *wooVariation) {
	text := input.Fold(strings.ToLower(strings.TrimSpace(s.cell(colStock))))
	inStock := strings.ToLower(strings.TrimSpace(s.at(s.woo.inStock)))
	switch {
	case text == "parent":
		v.shared = true
	case text != "":
		quantity, err := strconv.ParseFloat(text, 64)
		_, fraction, _ := strings.Cut(text, ".")
		if err != nil || len(fraction) == 3 || math.IsNaN(quantity) || math.Abs(quantity) > maxCount {
			s.addProblem(colStock, ProblemNotAllowed, "Must be a number of units, or parent.")
			return
		}
		units := int(math.Floor(quantity))
		if float64(units) != quantity {
			s.addNote(colStock, NoteStockRaised, "The stock %s becomes %d: stock is counted in whole units.", text, units)
		}
		v.input.Tracked, v.input.Stock = true, &units
	case inStock == "0" || inStock == "outofstock":
		v.input.Tracked, v.input.Stock = true, new(0)
	}
}

// shareStock assigns the stock of a product to the first variation without a stock.
func (s *wooSource) shareStock(own *wooVariation, variations []wooVariation, line int) {
	if own.input.Stock == nil {
		return
	}
	first := true
	for i := range variations {
		v := &variations[i]
		if !v.shared && v.input.Stock != nil {
			continue
		}
		v.input.Tracked, v.input.Backorder, v.input.Stock = true, own.input.Backorder, new(0)
		if first {
			first = false
			*v.input.Stock = *own.input.Stock
			s.findings.note(line, s.file.header[colStock], NoteStockShared,
				"The stock %d belongs to all variations: the first one receives it, and the others have none. Distribute it.", *own.input.Stock)
		}
	}
}

// readPrice reads the price of the current row. ok is false if it has none.
func (s *wooSource) readPrice(v *VariantInput) (ok bool) {
	regular, sale := s.amount(colPrice), s.amount(colComparePrice)
	if s.columns[colPrice] < 0 {
		regular, sale = sale, nil
	}
	starts, ends := s.date(s.woo.saleStarts, "Date sale price starts"), s.date(s.woo.saleEnds, "Date sale price ends")
	switch {
	case regular == nil && sale == nil:
		return strings.TrimSpace(s.cell(colPrice)) != "" || strings.TrimSpace(s.cell(colComparePrice)) != "" // an invalid one, which is a problem
	case regular == nil:
		v.Price = *sale
	case sale == nil || *sale >= *regular:
		v.Price = *regular
	case starts != nil && starts.After(s.now), ends != nil && !s.now.Before(endOfSale(*ends)):
		v.Price = *regular
		s.addNote(colComparePrice, NoteSaleChanged, "The sale price %s does not apply today and is not imported.", s.currency.Decimal(*sale))
	default:
		v.Price, v.CompareAtPrice = *sale, regular
		if ends != nil {
			s.addNote(colComparePrice, NoteSaleChanged, "The sale price %s has no end here; in WooCommerce it ends on %s.",
				s.currency.Decimal(*sale), ends.Format(time.DateOnly))
		}
	}
	return true
}

// endOfSale returns when a sale is over that ends at a time, or with a day.
func endOfSale(ends time.Time) time.Time {
	if ends.Equal(timezone.StartOfDay(ends, 0)) {
		return timezone.StartOfDay(ends, 1)
	}
	return ends
}

// date parses a time; without an offset it is of the shop's time zone.
func (s *wooSource) date(index int, name string) *time.Time {
	text := strings.TrimSpace(s.at(index))
	if text == "" {
		return nil
	}
	if at, ok := s.localTime(text); ok {
		return &at
	}
	for _, form := range timeForms {
		if at, err := time.Parse(form, text); err == nil {
			at = at.In(s.now.Location())
			return &at
		}
	}
	s.findings.add(filePlace{s.lineOf(index), name}, ProblemNotDate, "Must be a date such as 2026-03-26.")
	return nil
}

// wooValues is an attribute of a row.
type wooValues struct {
	key, name string
	values    []string
}

func (s *wooSource) readAttributes() []wooValues {
	var attributes []wooValues
	for _, columns := range s.attributes {
		name := s.text(s.at(columns.name))
		if name == "" {
			continue
		}
		values, ok := s.list(s.at(columns.values))
		if !ok {
			s.problemListed(optionValue(0))
		}
		attributes = append(attributes, wooValues{input.FoldKey(name), name, values})
	}
	return attributes
}

// noteLostAttributes adds a note about attributes that no variation has.
func (s *wooSource) noteLostAttributes(attributes []wooValues, used map[string]bool) {
	var lost []string
	for _, a := range attributes {
		if !used[a.key] {
			lost = append(lost, a.name)
		}
	}
	if len(lost) > 0 {
		s.findings.note(s.line(), s.file.header[colOption1Name], NoteAttributeLost,
			"Attributes without variations are not imported: %s. Add them to the description.", strings.Join(lost, ", "))
	}
}

// anyValue is the value of an option for a variation of any value of an attribute without values.
const anyValue = "Any"

// addVariants adds the variants of the variations. A variation for any value of an attribute
// becomes one variant for each value without a variation.
func (s *wooSource) addVariants(product *fileProduct, attributes []wooValues, variations []wooVariation) {
	exact := map[string]bool{}
	for _, a := range attributes {
		product.Input.Options = append(product.Input.Options, a.name)
	}
	for _, v := range variations {
		if isSplit(attributes, v.values) {
			continue
		}
		if combinations := combine(attributes, v.values); len(combinations) == 1 {
			exact[strings.Join(combinations[0], "\x00")] = true
		}
	}
	for _, v := range variations {
		combinations := combine(attributes, v.values)
		split := len(combinations) > 1
		if split {
			combinations = slices.DeleteFunc(combinations, func(values []string) bool { return exact[strings.Join(values, "\x00")] })
			format := "The variation applies to any value: a variant is created for each of %d values."
			if v.input.Stock != nil && *v.input.Stock > 0 {
				format += " The first one receives the stock. Distribute it."
			}
			s.findings.note(v.line, s.file.header[colOption1Value], NoteVariantsAdded, format, len(combinations))
		}
		for n, values := range combinations {
			variant := v.input
			variant.Options = append(slices.Clone(values), make([]string, max(0, MaxOptions-len(values)))...)
			if split {
				exact[strings.Join(values, "\x00")] = true
				if n > 0 && variant.Stock != nil {
					variant.Stock = new(0)
				}
			}
			product.Variants = append(product.Variants, fileVariant{Line: v.line, Input: variant})
			if len(product.Variants) > maxVariants {
				return // rejected by the rules of products
			}
		}
	}
}

// isSplit reports whether a variation applies to several values of an attribute.
func isSplit(attributes []wooValues, values map[string]string) bool {
	return slices.ContainsFunc(attributes, func(a wooValues) bool { return values[a.key] == "" && len(a.values) > 1 })
}

// combine returns the values of the options of a variation, or of several variants if it applies to
// any value of an attribute.
func combine(attributes []wooValues, values map[string]string) [][]string {
	combinations := [][]string{{}}
	for _, a := range attributes {
		choices := []string{values[a.key]}
		if choices[0] == "" {
			if choices = a.values; len(choices) == 0 {
				choices = []string{anyValue}
			}
		}
		var longer [][]string
		for _, before := range combinations {
			for _, choice := range choices {
				longer = append(longer, append(slices.Clone(before), choice))
			}
			if len(longer) > maxVariants {
				break
			}
		}
		combinations = longer
	}
	return combinations
}

var (
	wooBlock      = regexp.MustCompile(`(?i)<(p|div|ul|ol|table|h[1-6]|br|section|blockquote|figure)\b`)
	wooParagraphs = regexp.MustCompile(`\n[ \t]*\n\s*`)
)

// wooDescription returns the short and the long description as one. WooCommerce writes line breaks
// as \n and shows plain lines as paragraphs.
func wooDescription(short, long string) string {
	var parts []string
	for _, text := range []string{short, long} {
		text = strings.TrimSpace(newlines.Replace(strings.ReplaceAll(text, `\n`, "\n")))
		if text == "" || slices.Contains(parts, text) {
			continue
		}
		if !wooBlock.MatchString(text) {
			var b strings.Builder
			for _, paragraph := range wooParagraphs.Split(text, -1) {
				fmt.Fprintf(&b, "<p>%s</p>\n", strings.ReplaceAll(paragraph, "\n", "<br>\n"))
			}
			text = strings.TrimSuffix(b.String(), "\n")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}
