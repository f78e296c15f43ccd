package catalogue

import (
	"fmt"

	"storefront/shop/catalogue/productfile"
	"storefront/shop/fault"
)

// ImportError reports the problems for which a file was not imported.
type ImportError struct {
	Problems []productfile.Problem // sorted by line; at most 100
	Total    int                   // including those that Problems does not list
	Partial  bool                  // there were so many problems that the file was not read further
	// IgnoredColumns are the names of unsupported columns: a required one may be among them,
	// mistyped.
	IgnoredColumns []string
}

// Error returns the first problem and the number of problems.
func (e *ImportError) Error() string {
	first := e.Problems[0]
	return fmt.Sprintf("line %d: %s: %s (problem 1 of %d)", first.Line, first.Column, first.Message,
		e.Total)
}

// Unwrap returns a [fault.Error] with code validation_failed and the problems as its details.
func (e *ImportError) Unwrap() error {
	message := "The file has a problem; nothing was imported. Correct it and import the file again."
	switch {
	case e.Partial:
		message = fmt.Sprintf("The file has at least %d problems, so it was not read further; "+
			"nothing was imported. Correct them and import the file again.", e.Total)
	case e.Total > 1:
		message = fmt.Sprintf(
			"The file has %d problems; nothing was imported. Correct them and import the file again.",
			e.Total,
		)
	}
	return &fault.Error{
		Code: fault.CodeValidationFailed, Message: message,
		Details: map[string]any{"problems": e.Problems, "total": e.Total},
	}
}

// importError returns an [*ImportError] with the problems that were found, or nil.
func importError(found *productfile.Findings, ignored []string) error {
	if found.Total == 0 {
		return nil
	}
	return &ImportError{
		Problems: found.SortedProblems(), Total: found.Total, Partial: found.Full(),
		IgnoredColumns: ignored,
	}
}
