package input_test

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"storefront/shop/input"
)

func TestGuardFormulas(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"":                       "",
		"Karim":                  "Karim",
		"+8801711000000":         "+8801711000000",
		"-12.50":                 "-12.50",
		"House 12-A, Road 5":     "House 12-A, Road 5",
		"=1+1":                   "'=1+1",
		"-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0",
		"@SUM(A1)":               "'@SUM(A1)",
		"\t=1":                   "\t'=1",
		" =1":                    " '=1",
		"Dhaka;=HYPERLINK(A1)":   "Dhaka;'=HYPERLINK(A1)",
		"Dhaka,=1":               "Dhaka,'=1",
		"Dhaka\t+1":              "Dhaka\t'+1",
		"Dhaka|@x":               "Dhaka|'@x",
		"first line\n-x":         "first line\n'-x",
		`a; "=1`:                 `a; "'=1`,
		"\uFF1Dcmd":              "'\uFF1Dcmd",
		"'=1":                    "''=1",
	} {
		if got := input.GuardFormulas(cell); got != want {
			t.Errorf("GuardFormulas(%q): got %q, want %q", cell, got, want)
		}
	}
}

var number = regexp.MustCompile(`^[+-][0-9.]+$`)

// Whatever separator a spreadsheet splits the file at, no cell begins with a formula, and the text
// can be restored.
func FuzzGuardFormulas(f *testing.F) {
	for _, cell := range []string{"=1+1", "a;=b", "a\n=b", `a","=b`, "'=x", "a,,'' =b", "-5", "-5;-5", "\uFEFF=1", "\r\r=;\"'@"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		cell = input.Clean(cell)
		if number.MatchString(cell) {
			return
		}
		guarded := input.GuardFormulas(cell)
		if got := input.UnguardFormulas(guarded); got != cell {
			t.Errorf("UnguardFormulas(%q): got %q, want %q", guarded, got, cell)
		}
		var line bytes.Buffer
		w := csv.NewWriter(&line)
		if err := w.Write([]string{"Order", guarded, "end"}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		for _, part := range strings.FieldsFunc(line.String(), func(r rune) bool { return strings.ContainsRune(",;|\t\r\n", r) }) {
			part = strings.TrimLeftFunc(part, func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '\uFEFF' })
			if part != "" && strings.ContainsRune("=+-@\uFF1D\uFF0B\uFF0D\uFF20", []rune(part)[0]) {
				t.Errorf("%q: a spreadsheet would evaluate %q", line.String(), part)
			}
		}
	})
}
