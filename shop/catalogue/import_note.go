package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxImportNotes limits the notes that an ImportReport lists.
const maxImportNotes = 10_000

// NoteKind is what an import changed of a file, or could not import.
//
//api:enum ImportNoteKind
type NoteKind string

// The kinds of notes.
const (
	NoteWeightRounded NoteKind = "weight_rounded" // a weight was rounded to whole grams
	// A quantity below zero was raised to zero, or a quantity was reduced to whole units.
	NoteStockRaised NoteKind = "stock_raised"
	// A status or visibility without a counterpart was replaced.
	NoteStatusReplaced NoteKind = "status_replaced"
	// A handle was changed to letters, digits and hyphens.
	NoteHandleChanged NoteKind = "handle_changed"
	NoteURLChanged    NoteKind = "url_changed"  // a URL was completed or escaped
	NoteTimeAssumed   NoteKind = "time_assumed" // a time had no offset
	// Stock is counted, but the file has no quantity.
	NoteStockMissing NoteKind = "stock_missing"
	NoteStockShared  NoteKind = "stock_shared" // several variants share one quantity
	NoteRowSkipped   NoteKind = "row_skipped"  // a product or variant is not imported
	// A gift card, a download or the like is imported as an ordinary product.
	NoteProductReduced NoteKind = "product_reduced"
	// A product without a price is imported as a draft.
	NotePriceMissing  NoteKind = "price_missing"
	NoteSaleChanged   NoteKind = "sale_changed"   // a sale price had dates
	NoteVariantsAdded NoteKind = "variants_added" // a variation of any value was split
	// An attribute without variations is not imported.
	NoteAttributeLost NoteKind = "attribute_lost"
	NoteTextLost      NoteKind = "text_lost" // a text was shortened, or has no counterpart
	// A category is not imported under its own name.
	NoteCategoryChanged NoteKind = "category_changed"
	// A spreadsheet has shortened a SKU or a barcode to a number such as 8.9E+12.
	NoteDigitsLost NoteKind = "digits_lost"
)

// ImportNote is a value of a file that an import has changed.
type ImportNote struct {
	Line    int      `json:"line"`   // from 1
	Column  string   `json:"column"` // its name in the header of the file
	Kind    NoteKind `json:"kind"`
	Message string   `json:"message"`
}

// importFindings collects the findings of an import in a file.
type importFindings struct {
	importProblems
	strict bool // notes are problems

	notes       []ImportNote
	noteCounts  map[NoteKind]int
	removedHTML map[string]int // see ImportReport
	apostrophes int            // removed from numbers
}

// note adds a note, or a problem if the import is strict.
func (f *importFindings) note(line int, column string, kind NoteKind, format string, args ...any) {
	if f.strict {
		f.add(filePlace{line, column}, ProblemCode(kind), format, args...)
		return
	}
	f.addNote(line, column, kind, format, args...)
}

func (f *importFindings) addNote(line int, column string, kind NoteKind, format string, args ...any) {
	if f.noteCounts == nil {
		f.noteCounts = map[NoteKind]int{}
	}
	f.noteCounts[kind]++
	if len(f.notes) < maxImportNotes {
		f.notes = append(f.notes, ImportNote{Line: line, Column: column, Kind: kind, Message: fmt.Sprintf(format, args...)})
	}
}

// sortedNotes returns the notes by line.
func (f *importFindings) sortedNotes() []ImportNote {
	notes := slices.Clone(f.notes)
	slices.SortStableFunc(notes, func(a, b ImportNote) int { return a.Line - b.Line })
	if notes == nil {
		notes = []ImportNote{}
	}
	return notes
}

// maxRemovedHTML limits the distinct names that countRemovedHTML adds.
const maxRemovedHTML = 100

// countRemovedHTML counts the elements and attributes of text that its sanitized form lacks. Names
// of attributes are in brackets, as in CSS.
func (f *importFindings) countRemovedHTML(text, sanitized string) {
	if text == sanitized || !strings.Contains(text, "<") {
		return
	}
	if f.removedHTML == nil {
		f.removedHTML = map[string]int{}
	}
	left := countHTML(sanitized)
	for name, n := range countHTML(text) {
		if n -= left[name]; n <= 0 {
			continue
		}
		if _, ok := f.removedHTML[name]; !ok && len(f.removedHTML) >= maxRemovedHTML {
			name = "other"
		}
		f.removedHTML[name] += n
	}
}

// countHTML counts the elements and attributes of HTML by name.
func countHTML(text string) map[string]int {
	counts := map[string]int{}
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return counts
		case html.CommentToken:
			counts["comment"]++
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			counts[string(name)]++
			for more {
				var key []byte
				key, _, more = tokens.TagAttr()
				attribute := string(key)
				if strings.HasPrefix(attribute, "data-") {
					attribute = "data-*"
				}
				counts["["+attribute+"]"]++
			}
		}
	}
}
