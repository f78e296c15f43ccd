package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"storefront/shop/fault"
)

// outlinedDocument is the part of an OpenAPI document that its outline states.
type outlinedDocument struct {
	Paths      map[string]map[string]outlinedOperation
	Components struct{ Schemas map[string]outlinedSchema }
}

type outlinedOperation struct {
	OperationID, Description string
	Parameters               []outlinedParameter
	RequestBody              *struct {
		Required bool
		Content  map[string]outlinedContent
	}
	Responses map[string]struct {
		Description string
		Content     map[string]outlinedContent
		Headers     map[string]any
	}
}

type outlinedParameter struct {
	Name, In string
	Required bool
	Schema   outlinedSchema
}

type outlinedContent struct{ Schema outlinedSchema }

type outlinedSchema struct {
	Ref                  string `json:"$ref"`
	Type                 any    // a word, or a list of words
	AnyOf                []outlinedSchema
	Items                *outlinedSchema
	Properties           map[string]outlinedSchema
	AdditionalProperties any // whether others are allowed, or their schema
	Required             []string
	Enum                 []any
}

// outline returns an OpenAPI document in few lines, for review: the operations with their
// permission, inputs, results and codes, without the codes that all have, then the types. It omits
// descriptions and examples. A question mark marks what can be missing, "or null" what can be null.
func outline(t *testing.T, document []byte) []byte {
	t.Helper()
	var doc outlinedDocument
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	common := doc.commonCodes()
	fmt.Fprintf(&text, "# Codes of every operation: %s\n", strings.Join(common, " "))
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			fmt.Fprintf(&text, "\n%s %s ", strings.ToUpper(method), path)
			doc.Paths[path][method].write(&text, common)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		doc.Components.Schemas[name].write(&text, name)
	}
	return []byte(text.String())
}

func (doc *outlinedDocument) commonCodes() (common []string) {
	var all []outlinedOperation
	for _, item := range doc.Paths {
		all = slices.AppendSeq(all, maps.Values(item))
	}
	for _, info := range fault.Codes() {
		lacks := func(op outlinedOperation) bool { return !slices.Contains(op.codes(), string(info.Code)) }
		if !slices.ContainsFunc(all, lacks) {
			common = append(common, string(info.Code))
		}
	}
	return common
}

var (
	outlinedCode       = regexp.MustCompile("`([a-z0-9_]+)`")
	outlinedPermission = regexp.MustCompile("Requires the permission `([a-z.]+)`")
)

func (op outlinedOperation) codes() (codes []string) {
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		if status < "400" {
			continue
		}
		for _, code := range outlinedCode.FindAllStringSubmatch(op.Responses[status].Description, -1) {
			codes = append(codes, code[1])
		}
	}
	return codes
}

func (op outlinedOperation) write(text *strings.Builder, common []string) {
	text.WriteString(op.OperationID)
	if permission := outlinedPermission.FindStringSubmatch(op.Description); permission != nil {
		text.WriteString(" (" + permission[1] + ")")
	}
	text.WriteByte('\n')
	var inputs []string
	for _, p := range op.Parameters {
		if p.Name == "tenant" {
			continue
		}
		if p.In == "header" {
			p.Name = "header " + p.Name
		}
		inputs = append(inputs, member(p.Name, p.Schema, p.Required))
	}
	if op.RequestBody != nil {
		inputs = append(inputs, member("body", contentSchema(op.RequestBody.Content), op.RequestBody.Required))
	}
	writeList(text, "in", inputs)
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		response := op.Responses[status]
		if status >= "400" {
			continue
		}
		results := []string{contentSchema(response.Content).String()}
		for _, name := range slices.Sorted(maps.Keys(response.Headers)) {
			results = append(results, "header "+name)
		}
		writeList(text, status, results)
	}
	codes := slices.DeleteFunc(op.codes(), func(code string) bool { return slices.Contains(common, code) })
	writeList(text, "codes", codes)
}

// contentSchema returns the schema of JSON, or a type that is named after other contents.
func contentSchema(content map[string]outlinedContent) outlinedSchema {
	if body, ok := content["application/json"]; ok {
		return body.Schema
	}
	return outlinedSchema{Type: strings.Join(slices.Sorted(maps.Keys(content)), "|")}
}

// writeList writes a list in lines of at most 100 columns, if it is not empty.
func writeList(text *strings.Builder, name string, list []string) {
	width := 0
	for i, one := range list {
		switch {
		case i == 0:
			one = "  " + name + " " + one
		case width+len(one) > 98:
			text.WriteString(",\n")
			one, width = "    "+one, 0
		default:
			one = ", " + one
		}
		text.WriteString(one)
		width += len(one)
	}
	if len(list) > 0 {
		text.WriteByte('\n')
	}
}

func member(name string, s outlinedSchema, isRequired bool) string {
	if !isRequired {
		name += "?"
	}
	return name + " " + s.String()
}

// String returns the type in one word, or in a few.
func (s outlinedSchema) String() string {
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case len(s.AnyOf) > 0:
		options := make([]string, len(s.AnyOf))
		for i, option := range s.AnyOf {
			options[i] = option.String()
		}
		return strings.Join(options, " or ")
	case s.Enum != nil:
		return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(s.Enum)), "|"), "[]")
	}
	words, isList := s.Type.([]any)
	if !isList {
		words = []any{s.Type}
	}
	options := make([]string, len(words))
	for i, word := range words {
		switch others, isMap := s.AdditionalProperties.(map[string]any); {
		case word == nil:
			options[i] = "any"
		case word == "array" && s.Items != nil:
			options[i] = "[]" + s.Items.String()
		case word == "object" && isMap:
			options[i] = "map of " + schemaOf(others).String()
		default:
			options[i] = fmt.Sprint(word)
		}
	}
	return strings.Join(options, " or ")
}

func schemaOf(decoded map[string]any) (s outlinedSchema) {
	text, err := json.Marshal(decoded)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return outlinedSchema{Type: err.Error()}
	}
	return s
}

// write writes a type: each property of an object in a line, so that a change is one.
func (s outlinedSchema) write(text *strings.Builder, name string) {
	if s.Enum != nil {
		values := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			values[i] = fmt.Sprint(value)
		}
		text.WriteString("\n" + name)
		writeList(text, "=", values)
		return
	}
	if s.Properties == nil {
		fmt.Fprintf(text, "\n%s = %s\n", name, s)
		return
	}
	fmt.Fprintf(text, "\n%s\n", name)
	for _, property := range slices.Sorted(maps.Keys(s.Properties)) {
		isRequired := slices.Contains(s.Required, property)
		fmt.Fprintf(text, "  %s\n", member(property, s.Properties[property], isRequired))
	}
}
