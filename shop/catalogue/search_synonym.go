package catalogue

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// SearchSettings are a shop's settings of its search. The zero value is the default.
type SearchSettings struct {
	// Synonyms are groups of spellings and names of the same thing: a search for one finds products
	// with any of them. They are added to the built-in ones.
	Synonyms [][]string `json:"synonyms"`
	OwnOnly  bool       `json:"ownOnly"` // do not use the built-in synonyms
}

// Limits of the setting.
const (
	maxSynonymGroups = 200
	maxSynonyms      = 12 // in a group
	maxSynonymRunes  = 60
)

// Check adds invalid settings to bad.
func (set *SearchSettings) Check(bad *fault.Invalid) {
	if len(set.Synonyms) > maxSynonymGroups {
		bad.Add("search.synonyms", fault.CodeInvalidValue, "There must be at most %d groups of synonyms.", maxSynonymGroups)
		return
	}
	for i, group := range set.Synonyms {
		at := fmt.Sprintf("search.synonyms[%d]", i)
		if len(group) < 2 || len(group) > maxSynonyms {
			bad.Add(at, fault.CodeInvalidValue, "A group of synonyms must have 2 to %d spellings.", maxSynonyms)
			continue
		}
		for j, spelling := range group {
			if utf8.RuneCountInString(spelling) > maxSynonymRunes || spellingKey(spelling) == "" {
				bad.Add(fmt.Sprintf("%s[%d]", at, j), fault.CodeInvalidValue,
					"A synonym must have a letter or digit and at most %d characters.", maxSynonymRunes)
			}
		}
	}
}

// Synonyms finds other spellings of a word. A nil *Synonyms has none. It must not be modified.
type Synonyms struct {
	spellings map[string][]string // by spellingKey
}

// NewSynonyms returns the synonyms of a shop with these settings, which are valid. terms are its
// translated tags and types: a search for a word of the translation finds their products.
func NewSynonyms(set SearchSettings, terms []TermName) *Synonyms {
	if len(set.Synonyms) == 0 && !set.OwnOnly && len(terms) == 0 {
		return shippedSynonyms()
	}
	s := &Synonyms{make(map[string][]string)}
	for _, group := range set.Synonyms {
		s.add(group)
	}
	for _, t := range terms {
		s.addTerm(t)
	}
	if !set.OwnOnly {
		for key, spellings := range shippedSynonyms().spellings {
			s.spellings[key] = append(s.spellings[key], spellings...)
		}
	}
	return s
}

func (s *Synonyms) add(group []string) {
	folded := make([]string, len(group))
	for i, spelling := range group {
		folded[i] = input.FoldKey(spelling)
	}
	for _, spelling := range folded {
		key := spellingKey(spelling)
		for _, other := range folded {
			if !slices.Contains(s.spellings[key], other) {
				s.spellings[key] = append(s.spellings[key], other)
			}
		}
	}
}

// addTerm adds a term as the spelling of its translation, and of each word of the translation.
func (s *Synonyms) addTerm(t TermName) {
	spelling := input.FoldKey(t.Term)
	for _, word := range append(strings.Fields(t.Name), t.Name) {
		key := spellingKey(word)
		if utf8.RuneCountInString(key) > 1 && !slices.Contains(s.spellings[key], spelling) {
			s.spellings[key] = append(s.spellings[key], spelling)
		}
	}
}

// find returns the spellings of a spellingKey, which may include the word itself.
func (s *Synonyms) find(key string) []string {
	if s == nil {
		return nil
	}
	return slices.Clip(s.spellings[key])
}

// findSimilar returns the spellings of the keys that are one edit from a key.
func (s *Synonyms) findSimilar(key []rune) (spellings []string) {
	if s == nil {
		return nil
	}
	var keys []string
	for other := range s.spellings {
		if len(other) > (len(key)+1)*utf8.UTFMax || !isCorrectable(other) {
			continue
		}
		letters := []rune(other)
		if max(len(key), len(letters)) >= minCorrectedLetters && input.IsOneEditApart(key, letters) {
			keys = append(keys, other)
		}
	}
	slices.Sort(keys)
	for _, other := range keys {
		spellings = append(spellings, s.spellings[other]...)
	}
	return spellings
}

// synonymList has one group a line, its spellings separated by commas.
//
//go:embed synonyms.txt
var synonymList string

var shippedSynonyms = sync.OnceValue(func() *Synonyms {
	s := &Synonyms{make(map[string][]string)}
	for line := range strings.Lines(synonymList) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s.add(strings.Split(line, ","))
	}
	return s
})
