package catalogue

import (
	"html"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/microcosm-cc/bluemonday"

	"storefront/shop/input"
	"storefront/shop/locale"
)

const (
	// maxSearchWords limits the work of one search; queries of buyers are shorter.
	maxSearchWords = 16
	// maxWordRunes limits the length of a word, which is truncated. Otherwise "a-a-a-…" would
	// become thousands of index look-ups.
	maxWordRunes = 100
	// maxSearchRunes limits the part of a query that is read.
	maxSearchRunes = maxSearchWords * maxWordRunes
)

// searchWords returns the words of a query that contain a letter or number. A word that begins
// another one is dropped, since every product that matches the longer one matches it too.
func searchWords(query string) []string {
	var words, keys []string
	for word := range strings.FieldsSeq(input.Fold(input.Cut(query, maxSearchRunes))) {
		if strings.IndexFunc(word, isLetterOrNumber) < 0 {
			continue
		}
		word = input.Cut(strings.TrimFunc(word, isSeparator), maxWordRunes)
		key := input.FoldKey(word)
		if slices.ContainsFunc(keys, func(k string) bool { return implies(k, key) }) {
			continue
		}
		for i := len(keys) - 1; i >= 0; i-- {
			if implies(key, keys[i]) {
				words, keys = slices.Delete(words, i, i+1), slices.Delete(keys, i, i+1)
			}
		}
		words, keys = append(words, word), append(keys, key)
		if len(words) == maxSearchWords {
			break
		}
	}
	return words
}

// implies reports whether every product that matches word also matches other.
func implies(word, other string) bool {
	return word == other || prefixOf(other) != notPrefix && strings.HasPrefix(word, other)
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// isSeparator reports whether a rune separates words in the index. See its tokenizer in schema.sql.
func isSeparator(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.N, unicode.Co, unicode.Mn, unicode.Mc)
}

// searchWork is the work of finding products by an index; each word adds one.
const searchWork = 4

// selectWork is the work of checking all products in memory, and facetWork of counting them too.
const (
	selectWork = 4
	facetWork  = 8
)

// Work returns the cost of the list for rate limits.
func (f *ProductFilter) Work() int { return f.Request.Work() + f.FilterWork() }

// FilterWork returns the part of Work caused by the search, and by the filters that are checked in
// memory.
func (f *ProductFilter) FilterWork() int {
	work := 0
	if len(f.Vendors) > 0 || len(f.Types) > 0 || len(f.Options) > 0 {
		work = selectWork
	}
	return work + f.searchWork()
}

// FacetWork returns the cost of the filter's facets for rate limits.
func (f *ProductFilter) FacetWork() int { return facetWork + f.searchWork() }

func (f *ProductFilter) searchWork() int {
	words := len(searchWords(f.Search))
	if words == 0 {
		return 0
	}
	return searchWork + words
}

// searchDocument is the index entry of one product.
type searchDocument struct {
	title, tags, vendor, kind, skus, description string
}

func (p *productRow) searchDocument() searchDocument {
	skus := make([]string, 0, 2*len(p.variants))
	for _, v := range p.variants {
		skus = append(skus, v.sku, v.barcode)
	}
	d := searchDocument{
		title:       input.Fold(p.title),
		tags:        input.Fold(strings.Join(p.tags, " ")),
		vendor:      input.Fold(p.vendor),
		kind:        input.Fold(p.kind),
		skus:        input.Fold(strings.Join(skus, " ")),
		description: p.foldedDescription(),
	}
	for _, language := range locale.Languages() {
		if texts := p.translations[language]; texts != nil {
			d.title += " " + input.Fold(texts[fieldTitle])
			d.description += " " + input.Fold(plainText(texts[fieldDescription]))
		}
	}
	return d
}

// foldedDescription returns the description for the index. It is cached, because stripping HTML is
// slow.
func (p *productRow) foldedDescription() string {
	if p.folded == "" {
		p.folded = input.Fold(plainText(p.descriptionHTML))
	}
	return p.folded
}

// sameSearch reports whether the index has the same words for both.
func (p *productRow) sameSearch(q *productRow) bool {
	return p.title == q.title && p.vendor == q.vendor && p.kind == q.kind && p.descriptionHTML == q.descriptionHTML &&
		slices.Equal(p.tags, q.tags) && p.translations.Equal(q.translations) &&
		slices.EqualFunc(p.variants, q.variants, func(a, b variantRow) bool { return a.sku == b.sku && a.barcode == b.barcode })
}

var textPolicy = sync.OnceValue(func() *bluemonday.Policy {
	return bluemonday.StrictPolicy().AddSpaceWhenStrippingTag(true)
})

// plainText returns the text of sanitized HTML.
func plainText(sanitized string) string {
	if !strings.ContainsAny(sanitized, "<&") {
		return sanitized
	}
	return html.UnescapeString(textPolicy().Sanitize(sanitized))
}
