// Package fulltext divides text into words as SQLite's tokenizer unicode61 does, and writes
// documents and queries of PostgreSQL's full-text search with them, so that both engines find the
// same. It does not depend on tables.
package fulltext

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"storefront/db"
)

// Words returns the words of a text, folded. Letters, numbers, marks and private characters belong
// to words, as in the tokenizer of schema.sql.
func Words(text string) []string {
	var words []string
	for word := range strings.FieldsFuncSeq(text, isSeparator) {
		if word = fold(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

func isSeparator(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.N, unicode.Co, unicode.Mn, unicode.Mc)
}

// fold returns a word in lower case, without the accents of Latin letters.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < unicode.MaxASCII:
			return unicode.ToLower(r)
		case r >= 0x300 && r <= 0x36F:
			return -1
		}
		if unicode.Is(unicode.Latin, r) {
			if base := norm.NFD.String(string(r)); base[0] < unicode.MaxASCII {
				r = rune(base[0])
			}
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, word)
}

// Limits of PostgreSQL: of a position, of the bytes of a word and of a document. The rest is not
// found.
const (
	maxPosition = 16_383
	maxWord     = 1_000
	maxDocument = 900_000
	// fieldGap is the distance between the words of two fields, so that no phrase has words of both.
	fieldGap = 2
)

// Document collects the words of a document.
type Document struct {
	words    []string // in the order of their first position
	places   map[string][]string
	position int
	size     int
}

// Add adds the words of a field. weight is one of A to D.
func (d *Document) Add(text string, weight byte) {
	if d.places == nil {
		d.places = map[string][]string{}
	}
	for _, word := range Words(text) {
		word = cut(word)
		d.position = min(d.position+1, maxPosition)
		places, known := d.places[word]
		if !known {
			d.size += len(word) + 16 // the scope and the entry
		}
		if d.size += 2; d.size > maxDocument {
			return
		}
		if !known {
			d.words = append(d.words, word)
		}
		d.places[word] = append(places, strconv.Itoa(d.position)+string(weight))
	}
	d.position = min(d.position+fieldGap, maxPosition)
}

// Text returns the document as text of the type tsvector.
func (d *Document) Text() db.ScopedText {
	var b strings.Builder
	for _, word := range d.words {
		b.WriteString("'" + string(db.ScopeMark) + word + "':" + strings.Join(d.places[word], ",") + " ")
	}
	return db.ScopedText(b.String())
}

// Phrase returns a query, text of the type tsquery, that matches the words of a text as a
// phrase. weights restricts them to fields; "" means all. prefix also matches words that begin with
// the last one. The result is "" if the text has no words.
func Phrase(text, weights string, prefix bool) string {
	words := Words(text)
	parts := make([]string, len(words))
	for i, word := range words {
		options := weights
		if prefix && i == len(words)-1 {
			options = "*" + options
		}
		if options != "" {
			options = ":" + options
		}
		parts[i] = "'" + string(db.ScopeMark) + cut(word) + "'" + options
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return "(" + strings.Join(parts, " <-> ") + ")"
}

// cut shortens a word to PostgreSQL's limit.
func cut(word string) string {
	if len(word) > maxWord {
		word = strings.ToValidUTF8(word[:maxWord], "")
	}
	return word
}
