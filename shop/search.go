package shop

import (
	"html"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxSearchWords bounds the work of one search; nobody types more.
	maxSearchWords = 16
	// maxWordRunes cuts a word that no product has; a run of "a-a-a-" would else become thousands of look-ups.
	maxWordRunes = 100
)

// fold gives text as the search index has it. Index and queries go through it alike, so that the
// same word typed on another keyboard is the same word: NFC, no joiners, Bangla digits as ASCII.
// Case and accents are left to the index's tokenizer.
func fold(text string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r == 0 || r == '\u200C' || r == '\u200D':
			return -1
		case r >= '০' && r <= '৯':
			return r - '০' + '0'
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	return norm.NFC.String(plain)
}

// foldKey gives the key that text is sorted and compared by: folded, in lower case, without the
// accents of Latin letters (marks of other scripts are part of their words), single spaces.
func foldKey(text string) string {
	var b strings.Builder
	latin := false
	for _, r := range norm.NFD.String(strings.ToLower(fold(text))) {
		if unicode.Is(unicode.Mn, r) {
			if latin {
				continue
			}
		} else {
			latin = unicode.Is(unicode.Latin, r)
		}
		b.WriteRune(r)
	}
	return strings.Join(strings.Fields(norm.NFC.String(b.String())), " ")
}

// searchWords gives the words of a query that can find anything.
func searchWords(query string) []string {
	var words []string
	for word := range strings.FieldsSeq(fold(query)) {
		if strings.IndexFunc(word, isLetterOrNumber) < 0 {
			continue
		}
		words = append(words, cut(word, maxWordRunes))
		if len(words) == maxSearchWords {
			break
		}
	}
	return words
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func cut(text string, runes int) string {
	for i := range text {
		if runes == 0 {
			return text[:i]
		}
		runes--
	}
	return text
}

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
		title:       fold(p.title),
		tags:        fold(strings.Join(p.tags, " ")),
		vendor:      fold(p.vendor),
		kind:        fold(p.kind),
		skus:        fold(strings.Join(skus, " ")),
		description: p.foldedDescription(),
	}
}

// foldedDescription is kept where it was worked out: stripping HTML is slow.
func (p *productRow) foldedDescription() string {
	if p.folded == "" {
		p.folded = fold(plainText(p.descriptionHTML))
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
