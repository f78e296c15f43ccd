package catalogue

import (
	"slices"
	"strings"
	"unicode"

	"storefront/shop/input"
)

// searchExpression is a condition on products: each unit must match, by the typed words or one of
// its alternatives.
type searchExpression []searchUnit

// searchUnit is a word of a query, or two words that are also written as one.
type searchUnit struct {
	typed  []searchPhrase   // all of them
	others [][]searchPhrase // alternatives, each of all its phrases
}

// searchPhrase matches a word, or several in a row.
type searchPhrase struct {
	text   string
	prefix prefixKind
}

// prefixKind determines how a phrase matches words that begin with its last word.
type prefixKind int

const (
	notPrefix  prefixKind = iota
	fullPrefix            // as the word itself
	// shortPrefix matches them in all fields except the description: so many words begin with two
	// letters that most descriptions have one.
	shortPrefix
)

// searchView restricts a searchExpression.
type searchView struct {
	columns searchColumns
	whole   bool // beginnings of words do not match
	typed   bool // alternatives do not match
	any     bool // only one of the units must be in the columns, the others may be anywhere
}

// searchColumns are columns of the index.
type searchColumns int

const (
	inAll    searchColumns = iota
	inTitle                // the title alone
	inFields               // all except the description
)

// The alternatives of a query are limited, because each is a look-up in the index.
const (
	maxUnitAlternatives = 12
	maxAlternatives     = 48
)

// newSearchExpression returns the expression for the words of a query. Its alternatives are
// spellings that do not depend on the shop's products: of Bangla vowels, of hyphens, and synonyms.
func newSearchExpression(words []string, synonyms *Synonyms) searchExpression {
	var e searchExpression
	left := maxAlternatives
	for i := 0; i < len(words); i++ {
		u := searchUnit{typed: []searchPhrase{typedPhrase(words, i)}}
		spellings := vowelSpellings(words[i])
		if joined := joinParts(words[i]); joined != words[i] {
			spellings = append(spellings, joined)
		}
		spellings = append(spellings, synonyms.find(spellingKey(words[i]))...)
		if i+1 < len(words) {
			if pair := synonyms.find(spellingKey(words[i] + words[i+1])); len(pair) > 0 { // "t shirt"
				u.typed = append(u.typed, typedPhrase(words, i+1))
				spellings = pair
				i++
			}
		}
		u.add(spellings, &left)
		e = append(e, u)
	}
	return e
}

// typedPhrase returns the phrase of a word of a query.
func typedPhrase(words []string, i int) searchPhrase {
	p := searchPhrase{text: words[i], prefix: prefixOf(words[i])}
	if p.prefix == shortPrefix && i < len(words)-1 {
		p.prefix = notPrefix
	}
	return p
}

// add adds alternatives, at most left in all.
func (u *searchUnit) add(spellings []string, left *int) {
	for _, spelling := range spellings {
		p := spelledPhrase(spelling)
		known := slices.ContainsFunc(u.others, func(o []searchPhrase) bool { return o[0] == p })
		if known || spelling == "" || len(u.typed) == 1 && input.FoldKey(u.typed[0].text) == input.FoldKey(spelling) {
			continue
		}
		if *left == 0 || len(u.others) == maxUnitAlternatives {
			return
		}
		u.others = append(u.others, []searchPhrase{p})
		*left--
	}
}

// hasAlternatives reports whether products may match without the typed words.
func (e searchExpression) hasAlternatives() bool {
	return slices.ContainsFunc(e, func(u searchUnit) bool { return len(u.others) > 0 })
}

// prefixOf returns the kind of prefix match of a word in a query. A single letter or digit matches
// only itself, since most products have a word that begins with it. Two letters count as a
// beginning only at the end of a query, where they may still be typed. In a word with punctuation,
// such as t-shirt, the last part counts.
func prefixOf(word string) prefixKind {
	switch letters, ideographic := lettersOfLastPart(word); {
	case ideographic || letters > 2:
		return fullPrefix
	case letters == 2:
		return shortPrefix
	}
	return notPrefix
}

// spelledPhrase returns the phrase of a word that was not typed. Its beginning must be long enough
// to be certain.
func spelledPhrase(word string) searchPhrase {
	if letters, _ := lettersOfLastPart(word); letters > 3 {
		return searchPhrase{word, fullPrefix}
	}
	return searchPhrase{text: word}
}

func lettersOfLastPart(word string) (letters int, ideographic bool) {
	parts := strings.FieldsFunc(word, isSeparator)
	if len(parts) == 0 {
		return 0, false
	}
	for _, r := range parts[len(parts)-1] {
		if unicode.Is(unicode.Ideographic, r) {
			return 0, true
		}
		if r < 0x300 || r > 0x36F { // the index ignores these diacritics
			letters++
		}
	}
	return letters, false
}

// joinParts returns a word without the punctuation between its parts: tshirt for t-shirt.
func joinParts(word string) string {
	return strings.Map(func(r rune) rune {
		if isSeparator(r) {
			return -1
		}
		return r
	}, word)
}

// spellingKey returns the key of synonyms: folded, without punctuation and spaces, and with one of
// the two spellings of Bangla vowels.
func spellingKey(text string) string {
	return strings.Map(func(r rune) rune {
		if short, ok := shortVowel(r); ok {
			return short
		}
		return r
	}, joinParts(input.FoldKey(text)))
}

// bengaliVowels are the vowels that sound alike, in pairs of short and long. Many words are written
// with either, such as শাড়ি and শাড়ী.
var bengaliVowels = [...][2]rune{{'ি', 'ী'}, {'ু', 'ূ'}, {'ই', 'ঈ'}, {'উ', 'ঊ'}}

func shortVowel(r rune) (short rune, ok bool) {
	for _, pair := range bengaliVowels {
		if r == pair[1] {
			return pair[0], true
		}
	}
	return 0, false
}

func otherVowel(r rune) (other rune, ok bool) {
	for _, pair := range bengaliVowels {
		switch r {
		case pair[0]:
			return pair[1], true
		case pair[1]:
			return pair[0], true
		}
	}
	return 0, false
}

// maxVowels limits the vowels of a word that are spelt both ways in all combinations. In a word
// with more, only one vowel at a time is varied.
const maxVowels = 3

// vowelSpellings returns the other spellings of the Bangla vowels in a word.
func vowelSpellings(word string) []string {
	letters := []rune(word)
	var at []int
	for i, r := range letters {
		if _, ok := otherVowel(r); ok {
			at = append(at, i)
		}
	}
	swap := func(chosen func(n int) bool) string {
		other := slices.Clone(letters)
		for n, i := range at {
			if chosen(n) {
				other[i], _ = otherVowel(other[i])
			}
		}
		return string(other)
	}
	var spellings []string
	if len(at) > maxVowels {
		for one := range min(len(at), maxUnitAlternatives) {
			spellings = append(spellings, swap(func(n int) bool { return n == one }))
		}
		return spellings
	}
	for combination := 1; combination < 1<<len(at); combination++ {
		spellings = append(spellings, swap(func(n int) bool { return combination&(1<<n) != 0 }))
	}
	return spellings
}
