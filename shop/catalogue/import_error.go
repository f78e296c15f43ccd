package catalogue

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"storefront/shop/fault"
)

// maxImportProblems limits the problems that an ImportError lists.
const maxImportProblems = 100

// ImportProblem is a problem in a product file.
type ImportProblem struct {
	Line    int    `json:"line"`   // from 1
	Column  string `json:"column"` // its name in the header of the file; empty means the whole row
	Message string `json:"message"`
}

// ImportError reports the problems because of which a file was not imported.
type ImportError struct {
	Problems []ImportProblem // sorted by line; at most 100
	Total    int             // including those that Problems does not list
	// IgnoredColumns are the names of unsupported columns: a required one may be among them, mistyped.
	IgnoredColumns []string
}

// Error returns the first problem and the number of problems.
func (e *ImportError) Error() string {
	first := e.Problems[0]
	return fmt.Sprintf("line %d: %s: %s (problem 1 of %d)", first.Line, first.Column, first.Message, e.Total)
}

// Unwrap returns a [fault.Error] with code validation_failed and the problems as its details.
func (e *ImportError) Unwrap() error {
	message := "The file has a problem; nothing was imported. Correct it and import the file again."
	if e.Total > 1 {
		message = fmt.Sprintf("The file has %d problems; nothing was imported. Correct them and import the file again.", e.Total)
	}
	return &fault.Error{
		Code: fault.CodeValidationFailed, Message: message, Details: map[string]any{"problems": e.Problems, "total": e.Total},
	}
}

// importProblems collects the problems of a file.
type importProblems struct {
	found   []ImportProblem
	total   int
	ignored []string // see ImportError
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
	return &ImportError{Problems: p.found, Total: p.total, IgnoredColumns: p.ignored}
}

var indexedField = regexp.MustCompile(`^(variants|images|tags|collections)\[(\d+)\]\.?(.*)$`)

// locate returns the line and the column that a field of the product was read from.
func (p *fileProduct) locate(field string) (line int, col column) {
	match := indexedField.FindStringSubmatch(field)
	if match == nil {
		return p.Line, fieldColumns[field]
	}
	i, _ := strconv.Atoi(match[2]) // the pattern matches digits, and an index is short
	switch {
	case match[1] == "variants" && i < len(p.Variants):
		return p.Variants[i].Line, variantColumns[match[3]]
	case match[1] == "images" && i < len(p.Images):
		return p.Images[i].Line, colImageURL
	}
	return p.Line, fieldColumns[match[1]]
}
