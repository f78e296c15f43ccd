package graphql

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/graph-gophers/graphql-go/introspection"

	"storefront/shop"
)

// checkVariables names each value that its type does not allow. The library has checked objects,
// enums and what is missing; of scalars it reads the number 65 as the text "A".
func checkVariables(variables map[string]any, types map[string]*introspection.Type) []shop.FieldError {
	var fields []shop.FieldError
	for _, name := range slices.Sorted(maps.Keys(types)) {
		path := name
		if t := nullableType(types[name]); t.Kind() == "INPUT_OBJECT" {
			path = "" // fields of an input have the same paths as in a REST body
		}
		checkVariable(&fields, path, variables[name], types[name])
	}
	return fields
}

func checkVariable(fields *[]shop.FieldError, path string, value any, t *introspection.Type) {
	if value == nil || len(*fields) == maxFieldErrors {
		return
	}
	t = nullableType(t)
	switch t.Kind() {
	case "LIST":
		items, ok := value.([]any)
		if !ok { // one item may stand for a list of one
			checkVariable(fields, path, value, t.OfType())
			return
		}
		for i, item := range items {
			checkVariable(fields, fmt.Sprintf("%s[%d]", path, i), item, t.OfType())
		}
	case "INPUT_OBJECT":
		object, _ := value.(map[string]any)
		for _, in := range *t.InputFields(&struct{ IncludeDeprecated bool }{true}) {
			at := in.Name()
			if path != "" {
				at = path + "." + at
			}
			checkVariable(fields, at, object[in.Name()], in.Type())
		}
	case "SCALAR":
		if name := *t.Name(); !isScalar(name, value) {
			*fields = append(*fields, shop.FieldError{Field: path, Code: shop.CodeInvalidValue, Message: "Send " + scalarNames[name] + "."})
		}
	}
}

func nullableType(t *introspection.Type) *introspection.Type {
	if t.Kind() == "NON_NULL" {
		return t.OfType()
	}
	return t
}

// scalarNames says for people what an input takes.
var scalarNames = map[string]string{
	"Boolean": "true or false",
	"Float":   "a number",
	"ID":      "an id as text",
	"Int":     "a whole number of 32 bits",
	"JSON":    "a JSON object",
	"Long":    "a whole number of 64 bits",
	"String":  "a text",
	"Time":    "a time as text, such as 2026-03-01T06:00:00Z",
}

func isScalar(name string, value any) bool {
	switch v := value.(type) {
	case int32: // a default of the document
		return isScalar(name, int64(v))
	case string:
		return name == "String" || name == "ID" || name == "Time"
	case bool:
		return name == "Boolean"
	case int64:
		return name == "Long" || name == "ID" || name == "Float" || name == "Int" && v >= math.MinInt32 && v <= math.MaxInt32
	case float64:
		return name == "Float" || name == "Int" && v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32
	case map[string]any:
		return name == "JSON"
	}
	return false
}
