package shop

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
func sanitizeHTML(html string) string {
	if html == "" {
		return ""
	}
	return htmlPolicy().Sanitize(cleanText(html))
}

// cleanText gives text as it is kept: NFC, without NUL.
func cleanText(text string) string {
	return norm.NFC.String(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", ""))
}

// slug makes a handle from a title: lower-case ASCII letters and digits in groups joined by "-".
// It is "" for a title that has none.
func slug(title string) string {
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
