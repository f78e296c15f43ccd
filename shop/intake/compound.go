package intake

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/shop/district"
	"storefront/shop/input"
)

// Bounds of the letters of a word in which a district may be glued to another word.
const (
	minCompound = 7
	maxCompound = 30
	minPart     = 3
)

// splitCompounds splits tokens in which the name of a district is written together with the word
// before or behind it: বগুড়াসদর, "MirpurDhaka".
func (r *reader) splitCompounds(tokens []token) []token {
	if r.Country != "BD" {
		return tokens
	}
	all := make([]token, 0, len(tokens))
	for _, t := range tokens {
		at := r.compoundAt(r.text[t.start:t.end])
		if at == 0 {
			all = append(all, t)
			continue
		}
		left, right := t, t
		left.end, left.colon = t.start+at, false
		left.word = foldWord(r.text[t.start:left.end])
		right.start, right.before, right.gap = left.end, "", space
		right.word = foldWord(r.text[right.start:t.end])
		left.key, right.key = wordKey(left.word), wordKey(right.word)
		all = append(all, left, right)
	}
	return all
}

// compoundAt returns the position in a word at which its second part begins, or 0.
func (r *reader) compoundAt(word string) int {
	n := utf8.RuneCountInString(word)
	if n < minCompound || n > maxCompound || r.isPlaceName(word) || district.FindArea(word) != nil {
		return 0
	}
	letters := 0
	for at, first := range word {
		if letters++; letters <= minPart || n-letters+1 < minPart || unicode.IsMark(first) {
			continue
		}
		left, right := word[:at], word[at:]
		if city, ok := r.findCity(left); ok && r.goesWith(right, city) {
			return at
		}
		if city, ok := r.findCity(right); ok && (r.goesWith(left, city) || r.is("address", wordKey(left))) {
			return at
		}
	}
	return 0
}

// goesWith reports whether a word is a part of a district, or one that people add to its name.
func (r *reader) goesWith(word, city string) bool {
	return r.is("with district", wordKey(word)) || slices.Contains(district.FindArea(word), city)
}

// foldWord returns a word as [token] has it.
func foldWord(word string) string {
	return strings.TrimSuffix(input.FoldKey(word), visarga)
}
