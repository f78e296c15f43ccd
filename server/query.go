package server

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"

	"storefront/shop"
)

// optional is a query parameter that knows whether it was sent.
type optional[T any] struct {
	value T
	sent  bool
}

// Schema documents the parameter as its value's type.
func (o optional[T]) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[T]())
}

// Receiver is where huma puts the value.
func (o *optional[T]) Receiver() reflect.Value { return reflect.ValueOf(&o.value).Elem() }

// OnParamSet is how huma tells that there was one.
func (o *optional[T]) OnParamSet(sent bool, _ any) { o.sent = sent }

// pointer gives the value, or nil where none was sent.
func (o *optional[T]) pointer() *T {
	if !o.sent {
		return nil
	}
	return &o.value
}

// checkQuery is the middleware of operations with query parameters: it refuses what huma would
// silently read in part, and brings the forms of a list into the one that is documented. Parameters
// that are not known are left alone: clients add some of their own to get past caches.
func checkQuery(ctx huma.Context, next func(huma.Context)) {
	r, _, _ := humahttprouter.Unwrap(ctx)
	query, err := canonicalQuery(r.URL.RawQuery, ctx.Operation().Parameters)
	if err != nil {
		exchangeOf(ctx).fail(err)
		return
	}
	settled := *r.URL
	settled.RawQuery = query
	r.URL = &settled // of the request's own shallow copy, see ServeHTTP
	next(ctx)
}

// canonicalQuery gives the one form of all queries that ask the same of an operation with the known
// parameters; that form's own is itself. Codes: malformed, validation_failed.
func canonicalQuery(raw string, known []*huma.Param) (string, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return "", &shop.Error{Code: shop.CodeMalformed, Message: "The query is not well-formed: check its percent signs.", Err: err}
	}
	if err := normalizeQuery(query, known); err != nil {
		return "", err
	}
	return query.Encode(), nil
}

// normalizeQuery keeps the known parameters of query. Lists come under their documented name, as the
// sets that they are.
func normalizeQuery(query url.Values, known []*huma.Param) error {
	settled := make(url.Values, len(query))
	for name, values := range query {
		p := findParam(known, name)
		if p == nil {
			continue
		}
		for _, v := range values {
			if !utf8.ValidString(v) {
				return &shop.Error{Code: shop.CodeMalformed, Message: "The value of " + p.Name + " is not valid UTF-8."}
			}
			if v != "" {
				settled[p.Name] = append(settled[p.Name], v)
			}
		}
		if p.Schema.Type != huma.TypeArray && len(values) > 1 {
			return shop.InputError(shop.FieldError{Field: p.Name, Code: shop.CodeInvalidValue, Message: "Send it once."})
		}
	}
	clear(query)
	for name, values := range settled {
		slices.Sort(values)
		query[name] = slices.Compact(values)
	}
	return nil
}

// findParam finds the parameter that a name in a query means: a list's name[] is also written name
// and name[0].
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
