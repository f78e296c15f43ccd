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
	// maxSearchWords bounds the work of one search; nobody types more.
	maxSearchWords = 16
	// maxWordRunes cuts a word that no product has; a run of "a-a-a-" would else become thousands of look-ups.
	maxWordRunes = 100
)

// searchWords gives the words of a query that can find anything.
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

// matchExpression asks the index for products in which each word begins some word. Inside double
// quotes nothing is syntax.
func matchExpression(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = `"` + strings.ReplaceAll(word, `"`, `""`) + `"*`
	}
	return strings.Join(quoted, " ")
}

// searchDocument is what the index knows of one product.
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

// foldedDescription is kept where it was worked out: stripping HTML is slow.
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

// plainText gives the words of sanitized HTML.
func plainText(sanitized string) string {
	if !strings.ContainsAny(sanitized, "<&") {
		return sanitized
	}
	return html.UnescapeString(textPolicy().Sanitize(sanitized))
}
