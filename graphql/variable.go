package graphql

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/graph-gophers/graphql-go/ast"
	"github.com/graph-gophers/graphql-go/introspection"

	"storefront/shop/fault"
)

// checkVariables returns an error for each value that does not match its type, with its path in the
// variables. The library itself checks objects, enums and missing values, but its errors have no
// path, and it converts the number 65 to the string "A".
func checkVariables(variables map[string]any, types map[string]*introspection.Type) []fault.FieldError {
	var fields []fault.FieldError
	for _, name := range slices.Sorted(maps.Keys(types)) {
		path, t := name, types[name]
		if _, isObject := variables[name].(map[string]any); isObject && nullableType(t).Kind() == "INPUT_OBJECT" {
			path = "" // the fields of an input have the same paths as in a REST body
		}
		checkVariable(&fields, path, variables[name], t)
	}
	return fields
}

func checkVariable(fields *[]fault.FieldError, path string, value any, t *introspection.Type) {
	if len(*fields) == maxFieldErrors {
		return
	}
	if value == nil {
		if t.Kind() == "NON_NULL" {
			*fields = append(*fields, fault.MissingField(path))
		}
		return
	}
	t = nullableType(t)
	allowed, expected := true, ""
	switch t.Kind() {
	case "LIST":
		items, ok := value.([]any)
		if !ok { // a single item counts as a list of one
			checkVariable(fields, path, value, t.OfType())
			return
		}
		for i, item := range items {
			checkVariable(fields, fmt.Sprintf("%s[%d]", path, i), item, t.OfType())
		}
	case "INPUT_OBJECT":
		var object map[string]any
		if object, allowed = value.(map[string]any); allowed {
			checkObject(fields, path, object, t)
		}
		expected = "an object"
	case "ENUM":
		names := enumNames(t)
		name, _ := value.(string)
		allowed, expected = slices.Contains(names, name), "one of "+strings.Join(names, ", ")
	case "SCALAR":
		allowed, expected = isScalar(*t.Name(), value), scalarNames[*t.Name()]
	}
	if !allowed {
		*fields = append(*fields, fault.FieldError{Field: path, Code: fault.CodeInvalidValue, Message: "Must be " + expected + "."})
	}
}

func checkObject(fields *[]fault.FieldError, path string, object map[string]any, t *introspection.Type) {
	if path != "" {
		path += "."
	}
	known := map[string]bool{}
	for _, in := range *t.InputFields(&struct{ IncludeDeprecated bool }{true}) {
		known[in.Name()] = true
		checkVariable(fields, path+in.Name(), object[in.Name()], in.Type())
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !known[name] && len(*fields) < maxFieldErrors {
			*fields = append(*fields, fault.UnknownField(shorten(path+name)))
		}
	}
}

func enumNames(t *introspection.Type) []string {
	var names []string
	for _, v := range *t.EnumValues(&struct{ IncludeDeprecated bool }{true}) {
		names = append(names, v.Name())
	}
	return names
}

func nullableType(t *introspection.Type) *introspection.Type {
	if t.Kind() == "NON_NULL" {
		return t.OfType()
	}
	return t
}

// declaredTypes returns the types of variables. The library does not report them for a document
// that it rejects. A name that is declared twice is omitted.
func (h *Handler) declaredTypes(variables []variable) map[string]*introspection.Type {
	types, seen := map[string]*introspection.Type{}, map[string]bool{}
	for _, v := range variables {
		if t := h.parseType(v.typeName); t != nil && !seen[v.name] {
			types[v.name] = introspection.WrapType(t)
		} else {
			delete(types, v.name)
		}
		seen[v.name] = true
	}
	return types
}

// parseType parses a type such as [OrderItemInput!]!. It returns nil if the type is unknown.
func (h *Handler) parseType(text string) ast.Type {
	if inner, ok := strings.CutSuffix(text, "!"); ok {
		if of := h.parseType(inner); of != nil {
			return &ast.NonNull{OfType: of}
		}
		return nil
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		if of := h.parseType(strings.TrimSuffix(inner, "]")); of != nil {
			return &ast.List{OfType: of}
		}
		return nil
	}
	if t, ok := h.schema.AST().Types[text]; ok {
		return t
	}
	return nil
}

// scalarNames are the descriptions of the scalars in error messages.
var scalarNames = map[string]string{
	"Boolean": "true or false",
	"Float":   "a number",
	"ID":      "an ID as a string",
	"Int":     "a 32-bit integer",
	"JSON":    "a JSON object",
	"Long":    "a 64-bit integer",
	"String":  "a string",
	"Time":    "an RFC 3339 time, such as 2026-03-01T06:00:00Z",
}

func isScalar(name string, value any) bool {
	switch v := value.(type) {
	case int32: // a default value in the document
		return isScalar(name, int64(v))
	case string:
		return slices.Contains([]string{"String", "ID", "Time"}, name)
	case bool:
		return name == "Boolean"
	case int64:
		if name == "Int" {
			return v >= math.MinInt32 && v <= math.MaxInt32
		}
		return slices.Contains([]string{"Long", "ID", "Float"}, name)
	case float64:
		return name == "Float" || name == "Int" && v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32
	case map[string]any:
		return name == "JSON"
	}
	return false
}
