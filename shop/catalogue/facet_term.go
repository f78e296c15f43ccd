package catalogue

import (
	"maps"
	"slices"
	"strings"

	"storefront/shop/input"
)

// facetTerms are the texts of one field of the products of a facetTable, such as the vendors. Each
// has a number; 0 is the empty text. They are not modified, only copied and extended.
type facetTerms struct {
	numbers map[string]uint32 // by text
	byKey   map[string]uint32 // the first text with a folded text
	texts   []string
	keys    []string // folded texts
	firsts  []uint32 // the first text with the same folded text
	shared  bool     // with an older table
}

// number returns the number of a text, which it adds if it is new. fold returns its folded text.
func (t *facetTerms) number(text string, fold func(string) string) uint32 {
	if text == "" {
		return 0
	}
	if n, ok := t.numbers[text]; ok {
		return n
	}
	if t.shared {
		t.copy()
	}
	n := uint32(len(t.texts))
	text = strings.Clone(text)
	key := fold(text)
	first, ok := t.byKey[key]
	if !ok {
		first, t.byKey[key] = n, n
	}
	t.numbers[text] = n
	t.texts, t.keys, t.firsts = append(t.texts, text), append(t.keys, key), append(t.firsts, first)
	return n
}

func (t *facetTerms) copy() {
	t.shared = false
	if t.numbers == nil {
		t.numbers, t.byKey = map[string]uint32{}, map[string]uint32{}
		t.texts, t.keys, t.firsts = []string{""}, []string{""}, []uint32{0}
		return
	}
	t.numbers, t.byKey = maps.Clone(t.numbers), maps.Clone(t.byKey)
	t.texts, t.keys, t.firsts = slices.Clone(t.texts), slices.Clone(t.keys), slices.Clone(t.firsts)
}

// facetSet is a set of terms, by their numbers. nil means any term.
type facetSet []bool

func (s facetSet) has(number uint32) bool { return s == nil || s[number] }

func (s facetSet) hasAny(numbers []uint32) bool {
	return s == nil || slices.ContainsFunc(numbers, func(n uint32) bool { return s[n] })
}

// find returns the terms with any of the folded texts, nil if there are no texts.
func (t *facetTerms) find(keys []string) facetSet {
	if len(keys) == 0 {
		return nil
	}
	set := make(facetSet, len(t.texts))
	for _, key := range keys {
		if first, ok := t.byKey[key]; ok {
			set.add(t, first)
		}
	}
	return set
}

// add adds the terms with the folded text of a term.
func (s facetSet) add(t *facetTerms, first uint32) {
	for n, f := range t.firsts {
		if f == first {
			s[n] = true
		}
	}
}

// optionSeparator separates the name and the value in the text of an option. Neither has it.
const optionSeparator = "\x00"

func foldOption(text string) string {
	name, value, _ := strings.Cut(text, optionSeparator)
	return input.FoldKey(name) + optionSeparator + input.FoldKey(value)
}

// findOption returns the folded text of the option that a filter NAME:VALUE means, and its folded
// name. Names and values may contain colons.
func (t *facetTerms) findOption(filter string) (key, name string) {
	for at, r := range filter {
		if r != ':' {
			continue
		}
		left := strings.TrimSpace(filter[:at])
		split := left + optionSeparator + strings.TrimSpace(filter[at+1:])
		if _, ok := t.byKey[split]; ok {
			return split, left
		}
		if key == "" {
			key, name = split, left
		}
	}
	return key, name
}
