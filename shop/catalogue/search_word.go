package catalogue

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/shop/input"
)

// Words are corrected by one letter if they, or their corrections, have this many letters, marks
// included. In shorter words, another letter too often results in another word.
const minCorrectedLetters = 5

// Words outside these lengths are not stored, because they are never corrections.
const (
	minWordLetters = minCorrectedLetters - 1
	maxWordLetters = 32
)

// isCorrectable reports whether a folded word has only letters and marks, neither too few nor too
// many.
func isCorrectable(word string) bool {
	if len(word) < minWordLetters || len(word) > maxWordLetters*utf8.UTFMax {
		return false
	}
	n := 0
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
		n++
	}
	return n >= minWordLetters && n <= maxWordLetters
}

// maxSeenWords limits the memory of a wordSet.
const maxSeenWords = 200_000

// wordSet has the words of the documents that a transaction has indexed, so that the many products
// of an import insert each word once. The zero value is ready for use.
type wordSet struct {
	stored map[string]bool // by committed transactions
	seen   map[string]bool // by the current one; as written, and folded
}

// add returns the words of a document that can be corrections, except words in the set, and adds
// them. It omits SKUs: one letter or digit more is another variant.
func (s *wordSet) add(d *searchDocument) (words []string) {
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	for _, text := range [...]string{d.title, d.tags, d.vendor, d.kind, d.description} {
		for written := range strings.FieldsFuncSeq(text, isSeparator) {
			if len(written) < minWordLetters || s.has(written) {
				continue
			}
			word := input.FoldKey(written)
			s.put(strings.Clone(written)) // not a part of the whole text
			if !isCorrectable(word) || word != written && s.has(word) {
				continue
			}
			s.put(word)
			words = append(words, word)
		}
	}
	return words
}

func (s *wordSet) has(word string) bool { return s.stored[word] || s.seen[word] }

func (s *wordSet) put(word string) {
	if len(s.stored)+len(s.seen) < maxSeenWords {
		s.seen[word] = true
	}
}

// begin drops the words added by a transaction that is repeated.
func (s *wordSet) begin() { s.seen = nil }

// commit is called after the transaction has been committed.
func (s *wordSet) commit() {
	if s.stored == nil {
		s.stored = make(map[string]bool, len(s.seen))
	}
	maps.Copy(s.stored, s.seen)
	s.seen = nil
}

func reversed(word string) string {
	letters := []rune(word)
	slices.Reverse(letters)
	return string(letters)
}
