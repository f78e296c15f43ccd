package productfile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// build returns the product of rows. It is nil if it has nothing to sell.
func (s *wooSource) build(place wooProduct) (*Product, error) {
	if err := s.load(place.row); err != nil {
		return nil, err
	}
	base, flags := s.kind()
	product := &Product{Line: s.line()}
	s.readFields(product, flags)
	own := s.readVariation()
	hasPrice := s.readPrice(&own.Variant)
	attributes := s.readAttributes()
	stockLine := s.lineOf(s.columns[ColStock])
	if base == "simple" {
		s.noteLostAttributes(attributes, nil)
		if !hasPrice && s.file.Has[ColPrice] {
			product.Status = statusDraft
			s.addNote(ColPrice, NotePriceMissing,
				"The product has no price and is imported as a draft with the price 0.")
		}
		own.ImageURL, own.Options = "", make([]string, MaxOptions)
		product.Variants = []Variant{own.Variant}
		return product, nil
	}
	if len(place.variations) > MaxVariants {
		s.Findings.Add(Place{Line: product.Line}, ProblemCode(fault.CodeInvalidValue),
			"A product must have at most %d variants.", MaxVariants)
		return nil, nil
	}
	used := map[string]bool{}
	var variations []wooVariation
	for _, at := range place.variations {
		if err := s.load(at); err != nil {
			return nil, err
		}
		v := s.readVariation()
		if strings.TrimSpace(s.cell(ColGrams)) == "" {
			v.WeightGrams = own.WeightGrams
		}
		for _, a := range s.readAttributes() {
			v.values[a.key] = strings.Join(a.values, ", ")
			used[a.key] = true
		}
		switch published := strings.TrimSpace(s.cell(ColPublished)); {
		case published == "0" || published == "-1":
			s.addNote(ColPublished, NoteRowSkipped, "The variation is disabled and not imported.")
			continue
		case !s.readPrice(&v.Variant) && s.file.Has[ColPrice]:
			s.addNote(ColPrice, NotePriceMissing, "The variation has no price and is not imported.")
			continue
		}
		if s.cell(ColBody) != "" {
			s.addNote(ColBody, NoteTextLost,
				"The description of a variation is not imported: products have one description.")
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
		s.Findings.Note(Place{product.Line, "Type"}, NoteRowSkipped,
			"The product %s is not imported: it has no variation that can be sold.", product.Title)
		return nil, nil
	}
	s.shareStock(&own, variations, stockLine)
	s.addVariants(product, attributes, variations)
	return product, nil
}

// readFields reads the fields of a product from the current row.
func (s *wooSource) readFields(product *Product, flags []string) {
	in := product
	in.Title = s.text(s.cell(ColTitle))
	in.Handle = s.handle(in.Title)
	in.DescriptionHTML = wooDescription(s.at(s.woo.short), s.cell(ColBody))
	in.Vendor = strings.Join(s.listOf(ColVendor), ", ")
	for _, tag := range s.listOf(ColTags) {
		in.Tags = append(in.Tags, strings.ReplaceAll(tag, tagSeparator, " "))
	}
	if s.file.Has[ColCollections] {
		in.Collections = s.collections()
	}
	s.readStatus(in)
	for _, url := range s.urls() {
		product.Images = append(product.Images, Image{Line: s.lineOf(s.columns[ColImageURL]), URL: url})
	}
	for _, flag := range flags {
		switch flag {
		case "downloadable":
			in.Status = statusDraft
			s.Findings.Note(Place{s.lineOf(s.woo.kind), "Type"}, NoteProductReduced,
				"The download %s is imported as a draft, without its files.", in.Title)
		case "virtual":
			s.Findings.Note(Place{s.lineOf(s.woo.kind), "Type"}, NoteProductReduced,
				"The virtual product %s is imported as one that is delivered.", in.Title)
		}
	}
}

func (s *wooSource) readStatus(in *Product) {
	in.Status = statusActive
	switch text := strings.ToLower(strings.TrimSpace(s.cell(ColPublished))); text {
	case "1", "true", "", "publish":
	case "0", "false", "private":
		in.Hidden = true
	case "-1", "draft", "pending":
		in.Status = statusDraft
	default:
		s.addProblem(ColPublished, ProblemNotAllowed, "Must be 1, 0 or -1.")
	}
	note := func(format string, args ...any) {
		s.Findings.Note(
			Place{s.lineOf(s.woo.visibility), "Visibility in catalog"},
			NoteStatusReplaced,
			format,
			args...)
	}
	switch text := strings.ToLower(strings.TrimSpace(s.at(s.woo.visibility))); text {
	case "", "visible":
	case "hidden":
		in.Hidden = true
		note(
			"The visibility hidden becomes not published: there are no products that only a link leads to.",
		)
	default:
		note("The visibility %s becomes visible in lists and in the search.", text)
	}
}

// urls returns the images of the current row.
func (s *wooSource) urls() []string {
	var urls []string
	for text := range strings.SplitSeq(s.cell(ColImageURL), ",") {
		if url := s.cleanURL(ColImageURL, text); url != "" {
			urls = append(urls, url)
		}
		if len(urls) > MaxImages {
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
		if base = slugHandle(cmp.Or(s.cell(ColSKU), s.at(s.woo.id))); base == "" {
			s.addProblem(ColTitle, ProblemNoHandle, "No handle can be derived from this name: correct it.")
			base = "product"
		}
	}
	handle := base
	for n := 2; s.handles[handle] > 0; n = max(n, s.suffixes[base]) + 1 {
		suffix := strconv.Itoa(n)
		if n == 2 {
			suffix = cmp.Or(slugHandle(s.cell(ColSKU)), slugHandle(s.at(s.woo.id)), suffix)
		} else {
			s.suffixes[base] = n
		}
		handle = base + "-" + suffix
	}
	if handle != base {
		s.addNote(ColTitle, NoteHandleChanged,
			"The product on line %d has the handle %s already: this one gets %s.", s.handles[base], base,
			handle)
	}
	s.handles[handle] = s.line()
	return handle
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
		text = strings.TrimSpace(input.UnixNewlines(strings.ReplaceAll(text, `\n`, "\n")))
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
