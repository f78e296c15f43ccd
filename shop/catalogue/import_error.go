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

// ProblemCode is a kind of problem in a product file, for which clients have words of their own.
type ProblemCode string

// The kinds of problems. A problem in a product's field has the code of the field's
// [fault.FieldError], as in any other request. A note of a strict import has its [NoteKind].
const (
	ProblemFileEmpty     ProblemCode = "file_empty"
	ProblemFileUTF16     ProblemCode = "file_utf16"
	ProblemNotCSV        ProblemCode = "file_not_csv"   // from this line on
	ProblemNotUTF8       ProblemCode = "cell_not_utf8"  // in this row
	ProblemRowLong       ProblemCode = "row_too_long"   // more cells than the header
	ProblemColumnTwice   ProblemCode = "column_twice"   // of the same meaning
	ProblemColumnMissing ProblemCode = "column_missing" // and the file is no product export
	ProblemTitleDiffers  ProblemCode = "title_differs"  // differs from the product's first row
	ProblemNoHandle      ProblemCode = "no_handle"      // can be derived from the title
	ProblemHandleTaken   ProblemCode = "handle_taken"   // by another product of the file
	ProblemRowsApart     ProblemCode = "rows_apart"     // rows of one product are not consecutive
	ProblemNoParent      ProblemCode = "no_parent"      // the file has no such product
	ProblemParentMissing ProblemCode = "parent_missing" // in a row of a variation
	ProblemMissing       ProblemCode = "required"       // as [fault.CodeRequired]
	ProblemNotAllowed    ProblemCode = "not_allowed"    // not one of a few values
	ProblemNotBoolean    ProblemCode = "not_boolean"    // not TRUE or FALSE
	ProblemNotWhole      ProblemCode = "not_whole"      // not a whole number
	ProblemTooSmall      ProblemCode = "too_small"      // less than 1
	ProblemNotAmount     ProblemCode = "not_amount"     // not an amount in the shop's currency
	ProblemWeightUnit    ProblemCode = "weight_unit"    // not a known one
	ProblemWeight        ProblemCode = "not_weight"     // not a number, or too large
	ProblemNotTime       ProblemCode = "not_time"
	ProblemNotDate       ProblemCode = "not_date"
	ProblemNotJSON       ProblemCode = "not_json_object"
)

// ProblemCodes returns the kinds of problems that only files have.
func ProblemCodes() []ProblemCode {
	return []ProblemCode{
		ProblemFileEmpty, ProblemFileUTF16, ProblemNotCSV, ProblemNotUTF8, ProblemRowLong, ProblemColumnTwice, ProblemColumnMissing,
		ProblemTitleDiffers, ProblemNoHandle, ProblemHandleTaken, ProblemRowsApart, ProblemNoParent, ProblemParentMissing, ProblemNotAllowed,
		ProblemNotBoolean, ProblemNotWhole, ProblemTooSmall, ProblemNotAmount, ProblemWeightUnit, ProblemWeight, ProblemNotTime,
		ProblemNotDate, ProblemNotJSON,
	}
}

// ImportProblem is a problem in a product file.
type ImportProblem struct {
	Line    int         `json:"line"`   // from 1
	Column  string      `json:"column"` // its name in the header of the file; empty means the whole row
	Code    ProblemCode `json:"code"`
	Message string      `json:"message"`
}

// ImportError reports the problems for which a file was not imported.
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

// filePlace is where a problem is: a line, from 1, and the name of a column in the header.
type filePlace struct {
	line   int
	column string // "" means the whole row
}

func (p *importProblems) add(at filePlace, code ProblemCode, format string, args ...any) {
	p.total++
	if len(p.found) < maxImportProblems {
		p.found = append(p.found, ImportProblem{Line: at.line, Column: at.column, Code: code, Message: fmt.Sprintf(format, args...)})
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
