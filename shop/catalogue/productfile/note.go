package productfile

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxNotes limits the notes that Findings lists.
const maxNotes = 10_000

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

// Note is a value of a file that an import has changed.
type Note struct {
	Line    int      `json:"line"`   // from 1
	Column  string   `json:"column"` // its name in the header of the file
	Kind    NoteKind `json:"kind"`
	Message string   `json:"message"`
}

// Findings collects what is found in a file: problems, notes and what was removed.
type Findings struct {
	Strict bool // notes are problems

	Total       int              // number of problems
	NoteCounts  map[NoteKind]int // including notes that are not listed
	RemovedHTML map[string]int   // see [Findings.CountRemovedHTML]
	Apostrophes int              // removed from numbers

	problems []Problem
	notes    []Note
}

// Place is where a finding is: a line, from 1, and the name of a column in the header.
type Place struct {
	Line   int
	Column string // "" means the whole row
}

// Full reports whether so many problems were found that the file is not read further.
func (f *Findings) Full() bool { return f.Total >= maxCounted }

// Add adds a problem.
func (f *Findings) Add(at Place, code ProblemCode, format string, args ...any) {
	f.Total++
	if len(f.problems) < maxProblems {
		f.problems = append(f.problems, Problem{
			Line: at.Line, Column: at.Column, Code: code, Message: fmt.Sprintf(format, args...),
		})
	}
}

// Note adds a note, or a problem if notes are problems.
func (f *Findings) Note(at Place, kind NoteKind, format string, args ...any) {
	if f.Strict {
		f.Add(at, ProblemCode(kind), format, args...)
		return
	}
	f.AddNote(at, kind, format, args...)
}

// AddNote adds a note.
func (f *Findings) AddNote(at Place, kind NoteKind, format string, args ...any) {
	if f.NoteCounts == nil {
		f.NoteCounts = map[NoteKind]int{}
	}
	f.NoteCounts[kind]++
	if len(f.notes) < maxNotes {
		f.notes = append(f.notes, Note{
			Line: at.Line, Column: at.Column, Kind: kind, Message: fmt.Sprintf(format, args...),
		})
	}
}

// SortedProblems returns the problems by line; at most 100.
func (f *Findings) SortedProblems() []Problem {
	slices.SortStableFunc(f.problems, func(a, b Problem) int { return a.Line - b.Line })
	return f.problems
}

// SortedNotes returns the notes by line; at most 10,000.
func (f *Findings) SortedNotes() []Note {
	notes := slices.Clone(f.notes)
	slices.SortStableFunc(notes, func(a, b Note) int { return a.Line - b.Line })
	if notes == nil {
		notes = []Note{}
	}
	return notes
}

// maxRemovedHTML limits the distinct names that CountRemovedHTML adds.
const maxRemovedHTML = 100

// CountRemovedHTML counts the elements and attributes of text that its sanitized form lacks. Names
// of attributes are in brackets, as in CSS.
func (f *Findings) CountRemovedHTML(text, sanitized string) {
	if text == sanitized || !strings.Contains(text, "<") {
		return
	}
	if f.RemovedHTML == nil {
		f.RemovedHTML = map[string]int{}
	}
	left := countHTML(sanitized)
	for name, n := range countHTML(text) {
		if n -= left[name]; n <= 0 {
			continue
		}
		if _, ok := f.RemovedHTML[name]; !ok && len(f.RemovedHTML) >= maxRemovedHTML {
			name = "other"
		}
		f.RemovedHTML[name] += n
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
