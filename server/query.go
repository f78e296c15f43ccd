package server

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"

	"storefront/shop/fault"
)

// checkQuery is the middleware of operations with query parameters. It refuses values that huma
// would decode only in part, and rewrites the query in canonical form. Unknown parameters are
// ignored, since clients add some of their own to bypass caches, but not misspelt ones.
func checkQuery(ctx huma.Context, next func(huma.Context)) {
	r, _, _ := humahttprouter.Unwrap(ctx)
	query, err := canonicalQuery(r.URL.RawQuery, ctx.Operation().Parameters)
	if err != nil {
		exchangeOf(ctx).fail(err)
		return
	}
	canonical := *r.URL
	canonical.RawQuery = query
	r.URL = &canonical // ServeHTTP made this request a shallow copy
	next(ctx)
}

// checkStrictQuery is checkQuery, and refuses unknown parameters: a misspelt filter must not select
// everything. Codes: also unknown_field.
func checkStrictQuery(ctx huma.Context, next func(huma.Context)) {
	r, _, _ := humahttprouter.Unwrap(ctx)
	query, _ := url.ParseQuery(r.URL.RawQuery) // checkQuery reports the error
	var unknown []fault.FieldError
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if findParam(ctx.Operation().Parameters, name) == nil {
			unknown = append(unknown, fault.UnknownField(strings.ToValidUTF8(name[:min(len(name), maxFieldName)], "")))
		}
	}
	if unknown != nil {
		exchangeOf(ctx).fail(fault.InputError(unknown...))
		return
	}
	checkQuery(ctx, next)
}

// canonicalQuery returns the canonical form of a query: queries that mean the same to an operation
// with the known parameters have the same form, and that form is its own. Codes: malformed,
// validation_failed, unknown_field.
func canonicalQuery(raw string, known []*huma.Param) (string, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return "", &fault.Error{Code: fault.CodeMalformed, Message: "The query must be URL-encoded: check its percent signs.", Err: err}
	}
	if err := normalizeQuery(query, known); err != nil {
		return "", err
	}
	return query.Encode(), nil
}

// normalizeQuery removes unknown parameters from query and renames lists to their documented name,
// without duplicates and sorted, except IDs, which may be an order. Codes: malformed,
// validation_failed, unknown_field.
func normalizeQuery(query url.Values, known []*huma.Param) error {
	if err := checkSpelling(query, known); err != nil {
		return err
	}
	normalized := make(url.Values, len(query))
	for name, values := range query {
		p := findParam(known, name)
		if p == nil {
			continue
		}
		for _, v := range values {
			if !utf8.ValidString(v) {
				return &fault.Error{Code: fault.CodeMalformed, Message: "The value of " + p.Name + " must be valid UTF-8."}
			}
			normalized[p.Name] = append(normalized[p.Name], valuesOf(p, v)...)
		}
		if p.Schema.Type != huma.TypeArray && len(values) > 1 {
			return fault.InputError(fault.FieldError{Field: p.Name, Code: fault.CodeInvalidValue, Message: "Send this parameter once."})
		}
	}
	clear(query)
	for name, values := range normalized {
		if name == "ids" { // in the order of a document
			query[name] = unique(values)
			continue
		}
		slices.Sort(values)
		query[name] = slices.Compact(values)
	}
	return nil
}

// unique returns the first of each value.
func unique(values []string) (firsts []string) {
	for _, v := range values {
		if !slices.Contains(firsts, v) {
			firsts = append(firsts, v)
		}
	}
	return firsts
}

// withCommas are the lists of values that may contain commas; tags is the list of the Admin API.
var withCommas = []string{"tags", "vendors[]", "types[]", "options[]"}

// valuesOf returns the values that a text of a query has for a parameter: commas separate the
// values of a list, unless it is in withCommas.
func valuesOf(p *huma.Param, text string) (values []string) {
	if p.Schema.Type != huma.TypeArray || slices.Contains(withCommas, p.Name) || !strings.Contains(text, ",") {
		if text != "" {
			values = append(values, text)
		}
		return values
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			values = append(values, part)
		}
	}
	return values
}

// findParam returns the parameter of a name in a query, nil if there is none. A list's name[] may
// also be written name and name[0].
func findParam(known []*huma.Param, name string) *huma.Param {
	base, index, bracketed := strings.Cut(name, "[")
	isList := !bracketed || strings.Trim(index, "0123456789") == "]"
	for _, p := range known {
		if p.In != "query" {
			continue
		}
		if p.Name == name || isList && p.Name == base+"[]" {
			return p
		}
	}
	return nil
}
