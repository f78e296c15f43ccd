package input

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Written by hand: Soundex, Metaphone and the like know no Bangla.

// Sound returns the consonants of a word as they sound, in Latin letters. Most words have the same
// sound in Bangla and in Latin letters: পাওয়ার and power, খাঁটি and khati. Many short words share
// theirs, since it has no vowels.
func Sound(word string) string {
	key := FoldKey(word)
	if strings.ContainsFunc(key, func(r rune) bool { return unicode.Is(unicode.Bengali, r) }) {
		key = banglaSounds.Replace(key)
	} else {
		key = latinSounds.Replace(key)
	}
	var b strings.Builder
	var last rune
	for _, r := range key {
		if r = consonant(r); r != 0 && r != last {
			b.WriteRune(r)
			last = r
		}
	}
	return b.String()
}

// consonant returns the letter for a group of similar consonants, or 0 for all but consonants and
// digits.
func consonant(r rune) rune {
	switch {
	case r == 'd':
		return 't'
	case r == 'v':
		return 'b'
	case r == 'z':
		return 'j'
	case r == 'q':
		return 'k'
	case strings.ContainsRune("aeiouwyh", r), !unicode.IsLetter(r) && !unicode.IsDigit(r):
		return 0
	}
	return r
}

var (
	latinSounds = strings.NewReplacer(
		"tch", "c", "ch", "c", "ph", "f", "ck", "k", "ce", "s", "ci", "s", "cy", "s", "c", "k",
		"x", "ks", "ge", "j", "gi", "j", "ng", "n",
	)
	banglaSounds = strings.NewReplacer(strings.Fields(norm.NFC.String(`
		ক্ষ k ক k খ k গ g ঘ g ঙ্গ n ঙ n চ c ছ c জ j ঝ j ঞ n ট t ঠ t ড় r ড t ঢ় r ঢ t ণ n
		ত t থ t দ t ধ t ন n প p ফ f ব b ভ b ম m য় y ্য y য j র r ল l শ s ষ s স s হ h ং n
		ৎ t ঋ r ৃ r অ o আ o ই o ঈ o উ o ঊ o এ o ঐ o ও o ঔ o`))...)
)
