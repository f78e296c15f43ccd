package input

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/phone"
)

// Clean returns the stored form of a text: valid UTF-8 in NFC, without NUL. It is "" for a text
// that shows nothing.
func Clean(text string) string {
	if ShowsNothing(text) {
		return ""
	}
	return norm.NFC.String(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", ""))
}

// Slug derives a handle from a title: its ASCII letters, in lower case, and digits, in groups
// joined by "-". It is "" for a title without any.
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

// ScriptSlug derives a handle from a title in any script: its letters with their marks, in lower
// case, and digits, in groups joined by "-". It is "" for a title without any.
func ScriptSlug(title string) string {
	var b strings.Builder
	gap := true
	for _, r := range norm.NFC.String(strings.ToLower(title)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case unicode.IsMark(r):
			if !gap {
				b.WriteRune(r)
			}
		case isInvisible(r): // such as a joiner within a word
		default:
			gap = true
		}
	}
	return b.String()
}

// CodeKey returns the form in which codes that people enter are compared: in upper case, with plain
// letters for full-width ones, the digits of any script as ASCII, single spaces and without signs
// that nobody sees. Punctuation and letters of other scripts differ.
func CodeKey(code string) string {
	plain := strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		if d, ok := phone.DigitValue(r); ok {
			return rune('0' + d)
		}
		return unicode.ToUpper(r)
	}, norm.NFKC.String(code))
	return strings.Join(strings.Fields(plain), " ")
}

// DropInvisible returns text without the signs that nobody sees, such as joiners and marks of the
// writing direction. Spaces are left.
func DropInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, text)
}

// ShowsNothing reports whether a text has only spaces, control characters and signs that nobody
// sees.
func ShowsNothing(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.IsControl(r) && !isInvisible(r)
	})
}

// isInvisible reports whether a sign is neither seen nor a space: it is ignorable by default in
// Unicode, or a blank pattern of Braille.
func isInvisible(r rune) bool {
	if r <= unicode.MaxASCII {
		return false
	}
	return r == '\u2800' || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// HasNUL reports whether any text in decoded JSON contains NUL, which not every SQL engine can
// store.
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

// Fold returns text in the form of the search index: NFC, without joiners, Bangla digits as ASCII.
// Both indexed texts and queries are folded, so that a word matches, typed on any keyboard. Case
// and accents are left to the index's tokenizer.
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

// FoldKey returns the key by which text is sorted and compared: folded, in lower case, with single
// spaces, without the accents of Latin letters. Marks of other scripts are part of their words.
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

// Cut returns at most the first runes characters of text.
func Cut(text string, runes int) string {
	for i := range text {
		if runes == 0 {
			return text[:i]
		}
		runes--
	}
	return text
}

// Shorten returns text in at most limit characters. A longer text ends after a word and with an
// ellipsis; a single long word is cut between two visible characters.
func Shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	cut := Cut(text, max(limit-1, 0))
	rest := text[len(cut):]
	if space := strings.LastIndexFunc(cut, unicode.IsSpace); space > 0 {
		if next, _ := utf8.DecodeRuneInString(rest); !unicode.IsSpace(next) && next != ',' {
			cut = cut[:space]
		}
	}
	for next, _ := utf8.DecodeRuneInString(text[len(cut):]); cut != "" && joins(next); {
		var size int
		next, size = utf8.DecodeLastRuneInString(cut)
		cut = cut[:len(cut)-size]
	}
	return Cut(strings.TrimRight(cut, " ,;-\t\n")+"…", limit)
}

// joins reports whether a character is shown as a part of the one before it.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || r == '\u200c' || r == '\u200d'
}
