package admin

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/fault"
)

// Nullable is a field of a change that null clears. The domain clears a field by its zero value.
type Nullable[T any] struct {
	value  *T // nil if it was not sent
	isNull bool
}

// Schema returns the schema of the field's value, or null.
func (Nullable[T]) Schema(r huma.Registry) *huma.Schema {
	schema := *r.Schema(reflect.TypeFor[T](), false, "")
	schema.Nullable = true
	return &schema
}

// UnmarshalJSON reads a value or null.
func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	n.value = new(T)
	if n.isNull = string(text) == "null"; n.isNull {
		return nil
	}
	return json.Unmarshal(text, n.value)
}

// edit returns the value of a change: nil if it was not sent, the zero value to clear it.
func (n Nullable[T]) edit() *T { return n.value }

// pointer returns the value of a change in a field that its zero value does not clear: nil if it
// was not sent, a pointer to nil to clear it.
func (n Nullable[T]) pointer() **T {
	switch {
	case n.value == nil:
		return nil
	case n.isNull:
		return new((*T)(nil))
	}
	return &n.value
}

// isNullable marks the types with values that null clears.
func (Nullable[T]) isNullable() {}

type nullable interface{ isNullable() }

// CheckNulls refuses null for each field of a change that cannot be cleared, which would be
// ignored. In a value that is replaced as a whole, such as an address, null means an omitted part.
// tree is the request's decoded JSON body. Codes: validation_failed.
func (o *Operation) CheckNulls(tree any) error {
	if o.body == nil {
		return nil
	}
	var bad fault.Invalid
	checkNulls(&bad, o.body, tree, "")
	return bad.Err()
}

func checkNulls(bad *fault.Invalid, of reflect.Type, tree any, at string) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch value := tree.(type) {
	case []any:
		if of.Kind() != reflect.Slice {
			return
		}
		for i, element := range value {
			checkNulls(bad, of.Elem(), element, fmt.Sprintf("%s[%d]", at, i))
		}
	case map[string]any:
		if of.Kind() != reflect.Struct || isWhole(of) {
			return
		}
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			field, sent := value[name]
			path := strings.TrimPrefix(at+"."+name, ".")
			switch isNullable := f.Type.Implements(reflect.TypeFor[nullable]()); {
			case !sent || isNullable:
			case field == nil:
				bad.Add(path, fault.CodeInvalidValue, "Must not be null: omit %s if it does not change.", name)
			default:
				checkNulls(bad, f.Type, field, path)
			}
		}
	}
}

// isWhole reports whether a value of a type is replaced as a whole, because part of it is required.
func isWhole(of reflect.Type) bool {
	for f := range of.Fields() {
		if tag := f.Tag.Get("json"); tag != "-" && !strings.Contains(tag, ",omit") {
			return true
		}
	}
	return false
}
