package catalogue

import (
	"html"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/microcosm-cc/bluemonday"

	"storefront/shop/input"
)

const (
	// maxSearchWords limits the work of one search; queries of buyers are shorter.
	maxSearchWords = 16
	// maxWordRunes limits the length of a word, which is truncated. Otherwise "a-a-a-…" would
	// become thousands of index look-ups.
	maxWordRunes = 100
)

// searchWords returns the words of a query that contain a letter or number.
func searchWords(query string) []string {
	var words []string
	for word := range strings.FieldsSeq(input.Fold(query)) {
		if strings.IndexFunc(word, isLetterOrNumber) < 0 {
			continue
		}
		words = append(words, input.Cut(word, maxWordRunes))
		if len(words) == maxSearchWords {
			break
		}
	}
	return words
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// matchExpression returns the index query for products in which each word is a prefix of a word.
// Text in double quotes is not parsed as syntax.
func matchExpression(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = `"` + strings.ReplaceAll(word, `"`, `""`) + `"*`
	}
	return strings.Join(quoted, " ")
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
	return searchDocument{
		title:       input.Fold(p.title),
		tags:        input.Fold(strings.Join(p.tags, " ")),
		vendor:      input.Fold(p.vendor),
		kind:        input.Fold(p.kind),
		skus:        input.Fold(strings.Join(skus, " ")),
		description: p.foldedDescription(),
	}
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
		slices.Equal(p.tags, q.tags) &&
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
