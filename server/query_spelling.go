package server

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/fault"
)

// Written by hand: the distance of two short names is fewer lines than a dependency needs.

// maxSpelled is the number of parameters up to which misspelt names are looked for.
const maxSpelled = 50

// checkSpelling returns an error for unknown parameters with almost the name of a known one that
// was not sent: a misspelt filter must not select everything. Codes: unknown_field.
func checkSpelling(query url.Values, known []*huma.Param) error {
	if len(query) > maxSpelled {
		return nil
	}
	sent := map[*huma.Param]bool{}
	for name := range query {
		sent[findParam(known, name)] = true
	}
	var unknown []fault.FieldError
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if findParam(known, name) != nil {
			continue
		}
		for _, p := range known {
			if p.In == "query" && !sent[p] && isMisspelt(name, p.Name) {
				unknown = append(unknown, fault.FieldError{
					Field: name, Code: fault.CodeUnknownField,
					Message: "Unknown parameter. Did you mean " + p.Name + "?",
				})
				break
			}
		}
	}
	if unknown != nil {
		return fault.InputError(unknown...)
	}
	return nil
}

// isMisspelt reports whether name differs from a known name in case, separators, brackets, or one
// letter, or two of a name of six letters or more.
func isMisspelt(name, known string) bool {
	name, known = foldName(name), foldName(known)
	most := 1
	if len(known) >= 6 {
		most = 2
	}
	return max(len(name)-len(known), len(known)-len(name)) <= most && distance(name, known) <= most
}

// foldName returns the letters of a parameter's name before its brackets, in lower case.
func foldName(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
}

// distance returns the number of bytes to insert, delete or replace to change a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, replaced)
		}
	}
	return row[len(b)]
}
