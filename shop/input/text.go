package input

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/text/unicode/norm"
)

var htmlPolicy = sync.OnceValue(bluemonday.UGCPolicy)

// sanitizeHTML keeps the formatting of a merchant's text and drops everything that could run.
func SanitizeHTML(html string) string {
	if html == "" {
		return ""
	}
	return htmlPolicy().Sanitize(Clean(html))
}

// cleanText gives text as it is kept: NFC, without NUL.
func Clean(text string) string {
	return norm.NFC.String(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", ""))
}

// slug makes a handle from a title: lower-case ASCII letters and digits in groups joined by "-".
// It is "" for a title that has none.
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(title)) {
		switch {
		case r < unicode.MaxASCII && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9'):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		default:
			gap = true
		}
	}
	return b.String()
}

// HasNUL reports whether a text anywhere in decoded JSON has a NUL, which not every engine keeps.
func HasNUL(tree any) bool {
	switch v := tree.(type) {
	case string:
		return strings.Contains(v, "\x00")
	case []any:
		return slices.ContainsFunc(v, HasNUL)
	case map[string]any:
		for name, item := range v {
			if HasNUL(name) || HasNUL(item) {
				return true
			}
		}
	}
	return false
}

// fold gives text as the search index has it. Index and queries go through it alike, so that the
// same word typed on another keyboard is the same word: NFC, no joiners, Bangla digits as ASCII.
// Case and accents are left to the index's tokenizer.
func Fold(text string) string {
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
func FoldKey(text string) string {
	var b strings.Builder
	latin := false
	for _, r := range norm.NFD.String(strings.ToLower(Fold(text))) {
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

func Cut(text string, runes int) string {
	for i := range text {
		if runes == 0 {
			return text[:i]
		}
		runes--
	}
	return text
}
