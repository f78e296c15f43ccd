package server

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"storefront/server/admin"
	"storefront/shop/fault"
	"storefront/transport"
)

// enumSchemas are the schemas of the enumerated types of the API, with the same names, values and
// meanings as in GraphQL.
type enumSchemas struct {
	types  map[string]transport.Enum
	used   map[string]*huma.Schema // referred to by the document
	names  map[reflect.Type]string // of types that have another name in the document
	inputs bool                    // whether requests refer to them too
}

// newEnumSchemas returns the schemas of the types that are in GraphQL.
func newEnumSchemas(types map[string]transport.Enum) *enumSchemas {
	return &enumSchemas{types: types, used: map[string]*huma.Schema{}, names: map[reflect.Type]string{reflect.TypeFor[fault.Code](): "ErrorCode"}}
}

// newAdminEnumSchemas returns the schemas of these types and of the types for staff only.
func newAdminEnumSchemas(types map[string]transport.Enum) *enumSchemas {
	e := newEnumSchemas(maps.Clone(types))
	e.inputs = true
	for _, enum := range transport.Enums() {
		e.types[enum.Name] = enum
	}
	for typ, enum := range admin.Enums() {
		e.names[typ], e.types[enum.Name] = enum.Name, enum
	}
	return e
}

// replace makes a property of an enumerated Go type, or of a list of one, refer to its schema. A
// property that can be null still can.
func (e *enumSchemas) replace(property *huma.Schema, of reflect.Type, nullable bool) {
	isPointer := of.Kind() == reflect.Pointer
	if isPointer {
		of = of.Elem()
	}
	if of.Kind() == reflect.Slice && property.Items != nil {
		e.replace(property.Items, of.Elem(), nullable)
		return
	}
	if of.Kind() != reflect.String || of.PkgPath() == "" {
		return
	}
	ref := e.ref(e.name(of))
	switch {
	case ref == "":
	case isPointer && nullable:
		*property = huma.Schema{Description: property.Description, AnyOf: []*huma.Schema{{Ref: ref}, {Type: "null"}}}
	default:
		*property = huma.Schema{Description: property.Description, Examples: property.Examples, Default: property.Default, Ref: ref}
	}
}

// name returns the name that a type has in the document if it is enumerated.
func (e *enumSchemas) name(of reflect.Type) string {
	enum, _ := transport.EnumOf(of)
	return cmp.Or(e.names[of], enum.Name, of.Name())
}

// sortSchemas are the types of the parameters sort and sortBy, by path.
var sortSchemas = map[string]string{"/api/v1/products": "ProductSort", "/api/v1/collections": "CollectionSort"}

// replaceParameters makes the sort keys of lists refer to their schemas.
func (e *enumSchemas) replaceParameters(doc *huma.OpenAPI) {
	for path, sortBy := range sortSchemas {
		for _, p := range doc.Paths[path].Get.Parameters {
			switch p.Name {
			case "sortBy":
				p.Schema = &huma.Schema{Ref: e.ref(sortBy)}
			case "sort":
				p.Schema = &huma.Schema{Ref: e.ref("SortDirection")}
			}
		}
	}
}

// addTo adds the schemas that the document refers to. It panics if another type has a name of
// theirs.
func (e *enumSchemas) addTo(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	for name, schema := range e.used {
		if schemas[name] != nil {
			panic("two types are named " + name + ": see namesByPackage")
		}
		schemas[name] = schema
	}
}

// ref returns the reference to the schema of an enumerated type, or "" if there is no such type.
func (e *enumSchemas) ref(name string) string {
	enum, ok := e.types[name]
	if !ok {
		return ""
	}
	if e.used[name] == nil {
		schema := &huma.Schema{Type: huma.TypeString}
		var text strings.Builder
		text.WriteString(enum.Description + "\n")
		descriptions := make([]string, len(enum.Values))
		for i, value := range enum.Values {
			schema.Enum = append(schema.Enum, value.Name)
			fmt.Fprintf(&text, "\n- `%s`: %s", value.Name, value.Description)
			descriptions[i] = value.Description
		}
		schema.Description = text.String()
		schema.Extensions = map[string]any{"x-enum-descriptions": descriptions} // for generators
		e.used[name] = schema
	}
	return schemaPrefix + name
}
