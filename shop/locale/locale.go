// Package locale has the languages in which a shop writes to people. It knows no texts.
package locale

import (
	"strings"
	"unicode"
)

// Language is a language of the dashboard and of messages.
//
//api:enum Language
type Language string

// The languages.
const (
	Bangla  Language = "bn" // Bangla
	English Language = "en" // English
)

// Languages returns the languages.
func Languages() []Language { return []Language{Bangla, English} }

// Of returns the language of a BCP 47 tag: Bangla, or English for any other tag.
func Of(tag string) Language {
	if language, _, _ := strings.Cut(strings.ToLower(tag), "-"); language == string(Bangla) {
		return Bangla
	}
	return English
}

// Digits returns text with its ASCII digits as the language writes them.
func (l Language) Digits(text string) string {
	if l != Bangla {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return r
		}
		return '০' + r - '0'
	}, text)
}

// NameIn returns the part of a shop's name that is in a language, if the name is in both, such as
// "Demo Shop — ডেমো শপ". Otherwise it returns the whole name.
func NameIn(language Language, name string) string {
	parts := strings.Split(name, " — ")
	bangla := func(part string) bool {
		return strings.ContainsFunc(part, func(r rune) bool { // ৳ and digits occur in both languages
			return unicode.Is(unicode.Bengali, r) && unicode.IsLetter(r)
		})
	}
	if len(parts) != 2 || bangla(parts[0]) == bangla(parts[1]) {
		return name
	}
	if bangla(parts[0]) == (language == Bangla) {
		return parts[0]
	}
	return parts[1]
}
