package district

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"storefront/shop/input"
)

//go:embed bangladesh.txt
var bangladeshText string

// District is a district with the names that [Find] recognizes.
type District struct {
	Name      string   `json:"name" doc:"Present English name"`
	NameBN    string   `json:"nameBn" doc:"Bangla name"`
	Spellings []string `json:"spellings" nullable:"false" doc:"Earlier names and other spellings, in English and Bangla"`
}

// Bangladesh returns the 64 districts of Bangladesh, sorted by name. The result must not be
// modified.
func Bangladesh() []District { return parseBangladesh() }

var parseBangladesh = sync.OnceValue(func() []District {
	var all []District
	for line := range strings.Lines(bangladeshText) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		names := strings.Split(line, ",")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		i := slices.IndexFunc(names, isBangla)
		all = append(all, District{Name: names[0], NameBN: names[i], Spellings: append(append([]string{}, names[1:i]...), names[i+1:]...)})
	}
	return all
})

func isBangla(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Bengali, r) })
}

// minSimilar is the least length of a name, in bytes, that is recognized in a spelling of its own.
const minSimilar = 8

// loadBangladesh returns the districts' present names by the keys of all their spellings. Long ones
// also have the key of areas: Mymenshing.
var loadBangladesh = sync.OnceValue(func() map[string]string {
	byKey := map[string]string{}
	for _, d := range Bangladesh() {
		for _, name := range append([]string{d.Name, d.NameBN}, d.Spellings...) {
			if similar := areaKey(name); byKey[similar] == "" && len(similar) >= minSimilar {
				byKey[similar] = d.Name
			}
			byKey[Key(name)] = d.Name
		}
	}
	return byKey
})

// Find returns the present English name of the district in a text: the whole text, or one of its
// parts ("Mirpur, Dhaka"). ok is false if there is none, or if there are several.
func Find(text string) (name string, ok bool) {
	byKey := loadBangladesh()
	for _, part := range append([]string{text}, Parts(text)...) {
		key := bare(part)
		found, known := byKey[key]
		if !known {
			found, known = byKey[squeezeArea(key)]
		}
		if !known || found == name {
			continue
		}
		if name != "" {
			return "", false
		}
		name = found
	}
	return name, name != ""
}

// bare returns the key of a text without its digits and without the words that people add to a
// city.
func bare(text string) string {
	var words []string
	for _, word := range strings.Fields(spaced(text)) {
		if word = strings.Trim(word, "0123456789"); word != "" && !additions[word] {
			words = append(words, word)
		}
	}
	return squeeze(strings.Join(words, ""))
}

// additions are words that people add to the name of a district, in the form of spaced. It is not
// modified.
var additions = func() map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(`city corporation district dist zila zilla jela jila sadar shadar town metro metropolitan division
		north south of bangladesh bd শহর সিটি কর্পোরেশন জেলা সদর মহানগর নগরী বিভাগ উত্তর দক্ষিণ বাংলাদেশ`) {
		m[spaced(word)] = true
	}
	return m
}()

// Parts returns the parts of a text that are separated by commas and the like, if there are
// several.
func Parts(text string) []string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;/|()[]\n।،", r) })
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// Key returns the form in which names of cities and areas are compared: without case, accents,
// punctuation, spaces and postcodes, with one spelling for variants of a name. It is "" for a text
// without a letter or digit.
func Key(text string) string {
	words := slices.DeleteFunc(strings.Fields(spaced(text)), isPostcode)
	return squeeze(strings.Join(words, ""))
}

// Words returns the words of a text in the form in which [Key] compares them, numbers too.
func Words(text string) []string { return strings.Fields(squeeze(spaced(text))) }

// isPostcode reports whether a word is a number of four digits or more. Shorter numbers distinguish
// areas: Mirpur 10, Sector 7.
func isPostcode(word string) bool {
	return len(word) >= 4 && strings.Trim(word, "0123456789") == ""
}

// spaced returns text folded, with spaces for its punctuation and between letters and numbers.
// Apostrophes and dots are dropped, since they are inside words: Cox's Bazar, B.Baria.
func spaced(text string) string {
	var b strings.Builder
	digit := false
	for _, r := range input.FoldKey(text) {
		switch {
		case strings.ContainsRune("'’‘`´.", r):
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
			if d := unicode.IsDigit(r); d != digit {
				digit = d
				b.WriteByte(' ')
			}
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// squeeze unifies spellings that vary. Bangla texts often have the other vowel length or lack the
// chandrabindu.
func squeeze(key string) string { return spellings.Replace(key) }

var spellings = strings.NewReplacer(
	"gonj", "ganj", "gong", "ganj", "gunj", "ganj", "bazaar", "bazar", "bajar", "bazar",
	"ী", "ি", "ূ", "ু", "ণ", "ন", "ঁ", "",
)
