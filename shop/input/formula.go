package input

import (
	"regexp"
	"strings"
)

// formulaStart is where a spreadsheet would begin to evaluate text as a formula: at the start of a
// cell, or after any separator, because a file may be opened with another separator than it was
// written with; then the quotes around a cell are part of its text. Spaces and quotes may come
// between.
const (
	formulaStart = `(^|[,;|\t\r\n])([\s\v\x{85}\p{Z}"'\x{FEFF}]*)`
	formulaSigns = `([=+\-@\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}])` // the second four are full-width
)

var (
	formula        = regexp.MustCompile(formulaStart + formulaSigns)
	guardedFormula = regexp.MustCompile(formulaStart + `'` + formulaSigns)
)

// GuardFormulas returns the text of a CSV cell with ' before each start of a formula. Phone numbers
// and amounts stay numbers.
func GuardFormulas(cell string) string {
	if !strings.ContainsAny(cell, "=+-@\uFF1D\uFF0B\uFF0D\uFF20") || isSignedNumber(cell) {
		return cell
	}
	return formula.ReplaceAllString(cell, "$1$2'$3")
}

// UnguardFormulas returns the text that GuardFormulas was called with.
func UnguardFormulas(cell string) string {
	if !strings.Contains(cell, "'") {
		return cell
	}
	return guardedFormula.ReplaceAllString(cell, "$1$2$3")
}

// isSignedNumber reports whether a cell is a sign followed by digits and at most dots.
func isSignedNumber(cell string) bool {
	return len(cell) > 1 && (cell[0] == '+' || cell[0] == '-') && strings.Trim(cell[1:], "0123456789.") == ""
}
