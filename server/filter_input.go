package server

import (
	"reflect"
	"strings"

	"storefront/transport"
)

// FilterInput returns the input that the tags of a field of a list's filter declare; ok is false if
// they declare none.
func FilterInput(f reflect.StructField) (in Input, ok bool) {
	in.Name, _, _ = strings.Cut(f.Tag.Get("query"), ",")
	in.In, in.Description, in.Type = "query", f.Tag.Get("doc"), "string"
	typ := f.Type
	switch typ.Kind() {
	case reflect.Bool:
		in.Type = "boolean"
	case reflect.Slice:
		typ, in.Type, in.Items = typ.Elem(), "array", "string"
	}
	if values := f.Tag.Get("enum"); values != "" {
		in.Values = strings.Split(values, ",")
	} else if enum, isEnum := transport.EnumOf(typ); isEnum {
		for _, value := range enum.Values {
			in.Values = append(in.Values, value.Name)
		}
	}
	return in, in.Name != ""
}
