package intake

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"storefront/shop/input"
)

//go:embed words.txt
var wordText string

//go:embed names.txt
var nameText string

// maxPhrase is the maximum number of words of a phrase in words.txt.
const maxPhrase = 3

// vocabulary has the words of words.txt and names.txt by their keys.
type vocabulary struct {
	labels map[string]label           // by phrase
	words  map[string]map[string]bool // by kind
	values map[string]int             // of words for numbers
	units  map[string]string          // of words for units of measure
	names  map[string]bool            // by key, and by sound after a tilde
}

// label is the field that a label names.
type label struct {
	kind   string
	strict bool // it must be followed by a colon or a line break
}

var loadVocabulary = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{
		map[string]label{}, map[string]map[string]bool{}, map[string]int{}, map[string]string{},
		map[string]bool{},
	}
	for line := range strings.Lines(wordText) {
		head, list, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || strings.HasPrefix(head, "#") {
			continue
		}
		for phrase := range strings.SplitSeq(list, ",") {
			v.add(head, phraseKey(phrase))
		}
	}
	for name := range strings.FieldsSeq(nameText[strings.Index(nameText, "\n\n"):]) {
		key := wordKey(name)
		v.names[key] = true
		if sound := soundKey(key); sound != "" && !isBangla(key) {
			v.names[sound] = true
		}
	}
	return v
})

func (v *vocabulary) add(head, phrase string) {
	kind, rest, _ := strings.Cut(head, " ")
	switch kind {
	case "label":
		field, strict := strings.CutSuffix(rest, ":")
		if _, known := v.labels[phrase]; !known || !strict {
			v.labels[phrase] = label{field, strict}
		}
		return
	case "number":
		v.values[phrase] = parseCount(rest)
		return
	case "unit":
		v.units[phrase] = rest
		return
	}
	if v.words[head] == nil {
		v.words[head] = map[string]bool{}
	}
	v.words[head][phrase] = true
}

// is reports whether a key is a word of a kind.
func (v *vocabulary) is(kind, key string) bool { return v.words[kind][key] }

// isName reports whether a key is a common name.
func (v *vocabulary) isName(key string) bool {
	if v.names[key] || nameEnding.MatchString(key) {
		return true
	}
	return isBangla(key) && v.names[soundKey(key)]
}

// soundKey returns the form in which words are compared by their sound, or "" if it is too short.
func soundKey(key string) string {
	if sound := input.Sound(key); len(sound) >= minSound {
		return "~" + initial(key) + sound
	}
	return ""
}

// initial returns h if a word begins with it, a if it begins with a vowel, and otherwise "".
func initial(key string) string {
	first, _ := utf8.DecodeRuneInString(key)
	switch {
	case first == 'h' || first == 'হ':
		return "h"
	case strings.ContainsRune("aeiouঅআইউএঐওঔ", first):
		return "a"
	}
	return ""
}

// nameEnding matches names that are composed in Arabic.
var nameEnding = regexp.MustCompile(
	`^[a-z]{3,}(?:ul|uddin|ullah|unnahar|unnesa|unnessa|uzzaman|ur)$|^\S{2,}(?:উদ্দিন|উল্লাহ|ুজ্জামান|ুন্নাহার|ুন্নেছা|ুন্নেসা|ুল্লাহ|ুদ্দিন)$`,
)

// minSound is the least number of consonants by which a word is recognized.
const minSound = 3

// phraseKey returns the keys of the words of a phrase, with single spaces.
func phraseKey(phrase string) string {
	words := strings.Fields(phrase)
	for i, word := range words {
		words[i] = wordKey(word)
	}
	return strings.Join(words, " ")
}

// wordKey returns the form in which words are compared: folded, without a visarga at the end, and
// with one spelling of Bangla vowels and consonants that are mixed up.
func wordKey(word string) string {
	return strings.TrimSuffix(banglaSpellings.Replace(input.FoldKey(word)), visarga)
}

// visarga is a sign of Bangla that many people write as a colon.
const visarga = "ঃ"

var banglaSpellings = strings.NewReplacer("ী", "ি", "ূ", "ু", "ঈ", "ই", "ঊ", "উ", "ণ", "ন", "ঁ", "")

func isBangla(key string) bool {
	return strings.ContainsFunc(key, func(r rune) bool { return unicode.Is(unicode.Bengali, r) })
}

// parseCount returns the number that ASCII digits write, at most 999,999; otherwise -1.
func parseCount(digits string) int {
	if digits == "" || len(digits) > 6 {
		return -1
	}
	n := 0
	for _, r := range digits {
		if r < '0' || r > '9' {
			return -1
		}
		n = n*10 + int(r-'0')
	}
	return n
}

// stems returns a word without the endings that Bangla and English add to it.
func stems(key string) []string {
	var all []string
	endings := latinEndings
	if isBangla(key) {
		endings = banglaEndings
	}
	for _, ending := range endings {
		if stem, ok := strings.CutSuffix(key, ending); ok && len([]rune(stem)) >= 2 {
			all = append(all, stem)
		}
	}
	return all
}

var (
	banglaEndings = []string{
		"টার", "টির", "গুলো", "গুলা", "টা", "টি", "ের", "য়ের", "য়", "তে", "কে", "ে", "র", "এর",
	}
	latinEndings = []string{"gulo", "gula", "tar", "ta", "ti", "er", "es", "s", "te", "e", "r"}
)
