package graphql

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graph-gophers/graphql-go/ast"
)

// newerField is a field of introspection that tools query and the library lacks. It is added to the
// library's types, so that it is validated. Before execution an older field stands in for it, under
// a name of its own, and its value is derived from the older one's.
type newerField struct {
	typeName, name, result string
	isRequired             bool
	description            string
	standIn                string
	value                  func(s *ast.Schema, standIn string) any
}

// newerFields are fields of the specification of October 2021 and of later drafts.
var newerFields = []newerField{
	{
		"__Schema", "description", "String", false, "The description of the schema.", "__typename",
		func(s *ast.Schema, _ string) any { return orNull(s.Desc) },
	},
	{
		"__Directive", "isRepeatable", "Boolean", true,
		"Whether the directive may be used several times at one place.", "name",
		func(s *ast.Schema, directive string) any { return s.Directives[directive].Repeatable },
	},
	{
		"__Directive", "isDeprecated", "Boolean", true, "Whether the directive is deprecated.", "name",
		func(*ast.Schema, string) any { return false },
	},
	{
		"__Directive", "deprecationReason", "String", false,
		"The reason why the directive is deprecated.", "name",
		func(*ast.Schema, string) any { return nil },
	},
	{
		"__Type", "isOneOf", "Boolean", false,
		"For an input object, whether exactly one of its fields must be given.", "name",
		func(s *ast.Schema, name string) any {
			if t, ok := s.Types[name].(*ast.InputObject); ok {
				return t.Directives.Get("oneOf") != nil
			}
			return nil
		},
	},
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// maxNewerFields limits the newer fields of a document: the tools' own queries have at most six.
const maxNewerFields = 100

// addNewerFields adds the newer fields to the types of a schema, and the argument that its list of
// directives has in drafts. The library ignores that argument: no directive is deprecated.
func addNewerFields(s *ast.Schema) {
	object := func(name string) *ast.ObjectTypeDefinition { return s.Types[name].(*ast.ObjectTypeDefinition) }
	for _, f := range newerFields {
		var result ast.Type = s.Types[f.result]
		if f.isRequired {
			result = &ast.NonNull{OfType: result}
		}
		t := object(f.typeName)
		t.Fields = append(t.Fields, &ast.FieldDefinition{Name: f.name, Type: result, Desc: f.description})
	}
	args := object("__Directive").Fields.Get("args").Arguments
	object("__Schema").Fields.Get("directives").Arguments = args
}

// replacement is a newer field in a document.
type replacement struct {
	start, end int    // of its alias, if any, and its name
	name       string // in the response
	field      int    // its index in newerFields
}

// standIns finds the newer fields of definitions.
type standIns struct {
	schema *ast.Schema
	found  []replacement
}

// findNewerFields returns the newer fields of definitions, by their positions. Codes: too_complex.
func findNewerFields(s *ast.Schema, kept []*definition) ([]replacement, error) {
	find := standIns{schema: s}
	for _, d := range kept {
		var t ast.Type = s.Types[d.on]
		if d.keyword != "fragment" {
			t = s.RootOperationTypes[d.keyword]
		}
		find.within(t, d.selections)
	}
	if len(find.found) > maxNewerFields {
		return nil, inDocument{errTooManyFields()}
	}
	slices.SortFunc(find.found, func(a, b replacement) int { return a.start - b.start })
	return find.found, nil
}

// within finds the newer fields in the selections of a type. Unknown types and fields are skipped:
// the library reports them.
func (find *standIns) within(t ast.Type, selections []selection) {
	object, _ := t.(*ast.ObjectTypeDefinition)
	for i := range selections {
		s := &selections[i]
		switch {
		case s.kind == '{' && s.on != "":
			find.within(find.schema.Types[s.on], s.selections)
		case s.kind == '{':
			find.within(t, s.selections)
		case s.kind == tokenName && object != nil:
			find.field(object, s)
		}
	}
}

func (find *standIns) field(object *ast.ObjectTypeDefinition, s *selection) {
	for i, f := range newerFields {
		if f.name == s.field && f.typeName == object.Name {
			find.found = append(find.found, replacement{s.start, s.end, s.name, i})
			return
		}
	}
	switch f := object.Fields.Get(s.field); {
	case s.field == "__schema":
		find.within(find.schema.Types["__Schema"], s.selections)
	case s.field == "__type":
		find.within(find.schema.Types["__Type"], s.selections)
	case f != nil && s.selections != nil:
		find.within(namedType(f.Type), s.selections)
	}
}

// namedType returns a type without marks and brackets.
func namedType(t ast.Type) ast.Type {
	for {
		switch of := t.(type) {
		case *ast.NonNull:
			t = of.OfType
		case *ast.List:
			t = of.OfType
		default:
			return t
		}
	}
}

// newMark returns the end of the names of stand-ins in responses. No client can guess it.
func newMark() string { return "_" + rand.Text() }

// replaceNewer returns the document with stand-ins for its newer fields, and the fields by their
// stand-ins' names.
func (h *Handler) replaceNewer(doc *document) (text string, replaced map[string]replacement) {
	replaced = make(map[string]replacement, len(doc.newer))
	var b strings.Builder
	end := 0
	for _, r := range doc.newer {
		name := r.name + "_" + strconv.Itoa(r.field) + h.mark
		replaced[name] = r
		b.WriteString(doc.Query[end:r.start] + name + ":" + newerFields[r.field].standIn)
		end = r.end
	}
	return b.String() + doc.Query[end:], replaced
}

// restoreNewer returns a response with the newer fields in the places of their stand-ins.
func (h *Handler) restoreNewer(data []byte, replaced map[string]replacement) ([]byte, error) {
	if len(data) == 0 {
		return data, nil
	}
	var restored bytes.Buffer
	restored.Grow(len(data))
	nameEnd := []byte(h.mark + `":`)
	for {
		at := bytes.Index(data, nameEnd)
		if at < 0 {
			restored.Write(data)
			return restored.Bytes(), nil
		}
		start := bytes.LastIndexByte(data[:at], '"') + 1
		r := replaced[string(data[start:at+len(h.mark)])]
		restored.Write(data[:start])
		data = data[at+len(nameEnd):]
		length := bytes.IndexAny(data, ",}") // the value is a name or null
		var standIn string
		if err := json.Unmarshal(data[:length], &standIn); err != nil {
			return nil, fmt.Errorf("read introspected name: %w", err)
		}
		value, err := json.Marshal(newerFields[r.field].value(h.schema.AST(), standIn))
		if err != nil {
			return nil, fmt.Errorf("write introspected field: %w", err)
		}
		restored.WriteString(r.name + `":`)
		restored.Write(value)
		data = data[length:]
	}
}
