package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// openAPI is the part of the document about parameters, bodies and responses.
type openAPI struct {
	Paths      map[string]struct{ Get, Post, Put, Patch, Delete *restOperation }
	Components struct{ Schemas map[string]*restSchema }
}

type restOperation struct {
	OperationID string
	Parameters  []struct {
		Name, In string
		Required bool
		Schema   *restSchema
		Example  any
	}
	RequestBody *struct {
		Content map[string]struct{ Schema *restSchema }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema *restSchema }
	}
}

type restSchema struct {
	Ref        string `json:"$ref"`
	Type       any    // a word, or a list of words
	AnyOf      []*restSchema
	Properties map[string]*restSchema
	Required   []string
	Items      *restSchema
	Enum       []any
}

func (p *process) document() *openAPI {
	p.t.Helper()
	var doc openAPI
	a := p.must(request{method: "GET", path: "/openapi.json"})
	if err := json.Unmarshal(a.body, &doc); err != nil {
		p.t.Fatalf("no document: %v", err)
	}
	return &doc
}

// operations returns the storefront's operations by method and path.
func (d *openAPI) operations() map[string]*restOperation {
	found := map[string]*restOperation{}
	for path, item := range d.Paths {
		isOutside := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
		if slices.ContainsFunc(slices.Collect(maps.Keys(outside)), isOutside) {
			continue
		}
		for method, op := range map[string]*restOperation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op != nil {
				found[method+" "+path] = op
			}
		}
	}
	return found
}

// isPublic reports whether an operation's response is the same for every caller of a shop.
func (op *restOperation) isPublic() bool {
	_, ok := op.Responses["304"]
	return ok
}

// resolve follows references and takes null off.
func (d *openAPI) resolve(s *restSchema) (inner *restSchema, nullable bool) {
	if kinds, ok := s.Type.([]any); ok && slices.Contains(kinds, any("null")) {
		other := *s
		other.Type = kinds[slices.IndexFunc(kinds, func(kind any) bool { return kind != "null" })]
		return &other, true
	}
	if len(s.AnyOf) == 2 && s.AnyOf[1].Type == "null" {
		inner, _ = d.resolve(s.AnyOf[0])
		return inner, true
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.resolve(d.Components.Schemas[name])
	}
	return s, false
}

// comparison holds the shapes of one capability against each other.
type comparison struct {
	t       *testing.T
	rest    *openAPI
	graphql graphQLSchema
	seen    map[string]bool // types whose fields are compared already
}

// restInput is one thing that a client sends, wherever it goes.
type restInput struct {
	schema   *restSchema
	required bool
}

func (c *comparison) operation(routes []string, operation string) {
	inputs := map[string]restInput{}
	var sent int // by how many routes each would be taken
	for _, route := range routes {
		op := c.rest.operations()[route]
		if op == nil {
			continue // reported already
		}
		sent++
		for name, in := range c.inputsOf(op) {
			in.required = in.required && len(routes) == 1 // where there are two, it is one or the other
			inputs[name] = in
		}
	}
	_, field, ok := c.graphql.operation(operation)
	if !ok || sent == 0 {
		return
	}
	var args []graphQLInput
	for _, arg := range field.Args {
		if arg.Name == "input" {
			args = append(args, c.graphql[arg.Type.name()].InputFields...)
		} else {
			args = append(args, arg)
		}
	}
	c.inputs(field.Name, inputs, args)
	for _, route := range routes {
		for status, response := range c.rest.operations()[route].Responses {
			if strings.HasPrefix(status, "2") {
				c.output(field.Name, response.Content["application/json"].Schema, true, field.Type)
			}
		}
	}
}

func (c *comparison) inputsOf(op *restOperation) map[string]restInput {
	inputs := map[string]restInput{}
	for _, p := range op.Parameters {
		if p.In != "header" { // those are named in onlyInGraphQL
			inputs[strings.TrimSuffix(p.Name, "[]")] = restInput{p.Schema, p.Required}
		}
	}
	if op.RequestBody != nil {
		body, _ := c.rest.resolve(op.RequestBody.Content["application/json"].Schema)
		maps.Copy(inputs, propertiesOf(body))
	}
	return inputs
}

func propertiesOf(object *restSchema) map[string]restInput {
	properties := map[string]restInput{}
	for name, schema := range object.Properties {
		properties[name] = restInput{schema, slices.Contains(object.Required, name)}
	}
	return properties
}

func (c *comparison) inputs(owner string, rest map[string]restInput, graphql []graphQLInput) {
	c.t.Helper()
	left := maps.Clone(rest)
	for _, in := range graphql {
		at := owner + "." + in.Name
		of, ok := left[in.Name]
		delete(left, in.Name)
		if !ok {
			if onlyInGraphQL[at] == "" {
				c.t.Errorf("only GraphQL takes %s", at)
			}
			continue
		}
		typ, isRequired := in.Type.nonNull()
		if isRequired != of.required {
			c.t.Errorf("%s is required by one transport: REST %t, GraphQL %t", at, of.required, isRequired)
		}
		schema, _ := c.rest.resolve(of.schema)
		c.value(at, schema, typ, func(schema *restSchema, typ graphQLType) {
			c.inputs(typ.Name, propertiesOf(schema), typ.InputFields)
		})
	}
	for name := range left {
		c.t.Errorf("only REST takes %s.%s", owner, name)
	}
}

// output compares what comes back; mayFail is for an operation itself, which is null in GraphQL
// where it is refused.
func (c *comparison) output(at string, schema *restSchema, mayFail bool, typ graphQLRef) {
	c.t.Helper()
	if schema == nil {
		c.t.Errorf("REST documents no response of %s", at)
		return
	}
	schema, nullable := c.rest.resolve(schema)
	typ, isNonNull := typ.nonNull()
	if isNonNull == nullable && !mayFail {
		c.t.Errorf("%s is null in one transport: REST %t, GraphQL %t", at, nullable, !isNonNull)
	}
	c.value(at, schema, typ, func(schema *restSchema, typ graphQLType) {
		if c.seen[typ.Name] {
			return
		}
		c.seen[typ.Name] = true
		left := propertiesOf(schema)
		for _, f := range typ.Fields {
			name := typ.Name + "." + f.Name
			of, ok := left[f.Name]
			delete(left, f.Name)
			switch {
			case onlyInGraphQL[name] != "":
			case !ok:
				c.t.Errorf("only GraphQL has %s", name)
			case !of.required && bothWays[typ.Name] == "":
				c.t.Errorf("REST may leave out %s", name)
			default:
				c.output(name, of.schema, false, f.Type)
			}
		}
		for name := range left {
			c.t.Errorf("only REST has %s.%s", typ.Name, name)
		}
	})
}

// value compares two types that are not null, and has object compare the fields of two objects.
func (c *comparison) value(at string, schema *restSchema, typ graphQLRef, object func(*restSchema, graphQLType)) {
	c.t.Helper()
	words := func() (words []string) {
		for _, v := range c.graphql[typ.Name].EnumValues {
			words = append(words, v.Name)
		}
		return words
	}
	kinds := map[string]string{"Int": "integer", "Long": "integer", "Boolean": "boolean", "String": "string",
		"ID": "string", "Time": "string", "JSON": "object"}
	want := map[string]string{"LIST": "array", "OBJECT": "object", "INPUT_OBJECT": "object", "ENUM": "string", "SCALAR": kinds[typ.Name]}[typ.Kind]
	if schema.Type != want {
		c.t.Errorf("%s is %v in REST and %s in GraphQL", at, schema.Type, typ.name())
		return
	}
	switch typ.Kind {
	case "LIST":
		items, _ := c.rest.resolve(schema.Items)
		inner, _ := typ.OfType.nonNull()
		c.value(at+"[]", items, inner, object)
	case "OBJECT", "INPUT_OBJECT":
		object(schema, c.graphql[typ.Name])
	case "ENUM":
		for _, word := range schema.Enum {
			if !slices.Contains(words(), fmt.Sprint(word)) {
				c.t.Errorf("%s is %v in REST and one of %v in GraphQL", at, schema.Enum, words())
				return
			}
		}
	}
}
