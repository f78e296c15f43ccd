package catalogue

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"storefront/shop/fault"
)

// maxImportProblems bounds how many problems an ImportError lists.
const maxImportProblems = 100

// ImportProblem is one thing that is wrong with a file.
type ImportProblem struct {
	Line    int    `json:"line"`   // from 1, as an editor counts
	Column  string `json:"column"` // as the file's header has it; "": the whole row
	Message string `json:"message"`
}

// ImportError says why nothing of a file was imported.
type ImportError struct {
	Problems []ImportProblem // by line; at most 100 of them
	Total    int             // all that were found
}

func (e *ImportError) Error() string {
	first := e.Problems[0]
	return fmt.Sprintf("line %d: %s: %s (the first of %d)", first.Line, first.Column, first.Message, e.Total)
}

// Unwrap gives the domain's error, of code validation_failed.
func (e *ImportError) Unwrap() error {
	if e.Total == 1 {
		return fault.Errorf(fault.CodeValidationFailed, "The file has a problem; nothing was imported.")
	}
	return fault.Errorf(fault.CodeValidationFailed, "The file has %d problems; nothing was imported.", e.Total)
}

// importProblems collects what is wrong with a file.
type importProblems struct {
	found []ImportProblem
	total int
}

func (p *importProblems) add(line int, column, format string, args ...any) {
	p.total++
	if len(p.found) < maxImportProblems {
		p.found = append(p.found, ImportProblem{Line: line, Column: column, Message: fmt.Sprintf(format, args...)})
	}
}

func (p *importProblems) err() error {
	if p.total == 0 {
		return nil
	}
	slices.SortStableFunc(p.found, func(a, b ImportProblem) int { return a.Line - b.Line })
	return &ImportError{Problems: p.found, Total: p.total}
}

var indexedField = regexp.MustCompile(`^(variants|images|tags|collections)\[(\d+)\]\.?(.*)$`)

// place gives the line and the column that an input of the product came from.
func (p *fileProduct) place(field string) (line int, col column) {
	match := indexedField.FindStringSubmatch(field)
	if match == nil {
		return p.line, fieldColumns[field]
	}
	i, _ := strconv.Atoi(match[2]) // digits by the pattern, and few: it is an index
	switch {
	case match[1] == "variants" && i < len(p.variants):
		return p.variants[i].line, variantColumns[match[3]]
	case match[1] == "images" && i < len(p.images):
		return p.images[i].line, colImageURL
	}
	return p.line, fieldColumns[match[1]]
}
