package graphql_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"storefront/graphql"
	"storefront/prepared"
)

const schemaDescription = "The API of one shop, which the header x-tenant selects."

func TestIntrospection_NewerFields(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{Cache: prepared.NewCache(1 << 20)})
	const description = `"` + schemaDescription + `"`
	for name, test := range map[string]struct {
		query     string
		variables map[string]any
		want      string // a part of the response
	}{
		"both of October 2021": {
			query: `{ __schema { description directives { name isRepeatable } } }`,
			want: `{"data":{"__schema":{"description":` + description +
				`,"directives":[{"name":"deprecated","isRepeatable":false},`,
		},
		"aliases": {
			query: `{a:__schema{b :description c : description} d:__schema{directives{e:isRepeatable f:name name:isRepeatable}}}`,
			want: `{"data":{"a":{"b":` + description + `,"c":` + description + `},` +
				`"d":{"directives":[{"e":false,"f":"deprecated","name":false},`,
		},
		"the same field several times": {
			query: `{__schema{description description ...A} __schema{description}} fragment A on __Schema{description}`,
			want:  `{"data":{"__schema":{"description":` + description + `}}}`,
		},
		"one name in different places": {
			query: `{__schema{x:description directives{x:isRepeatable}}}`,
			want:  `{"__schema":{"x":` + description + `,"directives":[{"x":false},`,
		},
		"fragments": {
			query: `{...Q} fragment Q on Query{...on Query{...{__schema{...S}}}}
				fragment S on __Schema{...on __Schema{...{description}} directives{...D}}
				fragment D on __Directive{isRepeatable isDeprecated deprecationReason}`,
			want: `{"__schema":{"description":` + description +
				`,"directives":[{"isRepeatable":false,"isDeprecated":false,"deprecationReason":null},`,
		},
		"directives": {
			query: `query($yes:Boolean!,$no:Boolean!){__schema{a:description@include(if:$yes) b:description@skip(if:$yes)
				description@include(if:$no)}}`,
			variables: map[string]any{"yes": true, "no": false},
			want:      `{"data":{"__schema":{"a":` + description + `}}}`,
		},
		"arguments of directives": {
			query: `{__schema{directives(includeDeprecated:true){name isDeprecated args(includeDeprecated:true){name}}}}`,
			want:  `{"name":"deprecated","isDeprecated":false,"args":[{"name":"reason"}]}`,
		},
		"one of": {
			query: `{a:__type(name:"PlaceOrderInput"){isOneOf} b:__type(name:"Query"){isOneOf}
				c:__type(name:"Product"){fields{type{isOneOf kind ofType{isOneOf}}}}}`,
			want: `{"data":{"a":{"isOneOf":false},"b":{"isOneOf":null},"c":{"fields":[{"type":{"isOneOf":null,"kind":"NON_NULL","ofType":{"isOneOf":null}}},`,
		},
		"the types of introspection": {
			query: `{__type(name:"__Directive"){fields{name isDeprecated}}}`,
			want:  `{"name":"isRepeatable","isDeprecated":false}`,
		},
		"beside products": {
			query: `{products{nodes{title} meta{totalCount}} __schema{description} apiVersion}`,
			want: `{"data":{"products":{"nodes":[],"meta":{"totalCount":0}},"__schema":{"description":` + description +
				`},"apiVersion":"` + graphql.Version + `"}}`,
		},
		"beside another operation": {
			query: `query A{__schema{description}} query B{__schema{directives{isRepeatable}}}`,
			want:  `{"data":{"__schema":{"description":` + description + `}}}`,
		},
		"other descriptions": {
			query: `{__schema{queryType{description}} __type(name:"Time"){description specifiedByURL isOneOf}}`,
			want:  `"specifiedByURL":"https://www.rfc-editor.org/rfc/rfc3339#section-5.6","isOneOf":null}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the second response is cached
				body := map[string]any{"query": test.query, "variables": test.variables}
				if strings.Contains(test.query, "query A") {
					body["operationName"] = "A"
				}
				got := c.post(c.json(body))
				if got.status != http.StatusOK || len(got.Errors) > 0 || !strings.Contains(got.body, test.want) {
					t.Errorf("got %d %s, want %s", got.status, got.body, test.want)
				}
			}
		})
	}
}

// A document with newer fields is as valid as with others.
func TestIntrospection_NewerFieldsInvalid(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for query, want := range map[string]string{
		`{__schema{isRepeatable}}`:                                `Cannot query field "isRepeatable"`,
		`{products{isOneOf}}`:                                     `Cannot query field "isOneOf"`,
		`{__schema{description{a}}}`:                              `description`,
		`{__schema{description(a:1)}}`:                            `"a"`,
		`{__schema{a:description a:queryType{name}}}`:             `conflict`,
		`{__schema{directives{a:isRepeatable a:name}}}`:           `conflict`,
		`{__schema{directives{name:isRepeatable name}}}`:          `conflict`,
		`{__schema{description} ...A}`:                            `Unknown fragment`,
		`{__schema{description} none}`:                            `Cannot query field "none"`,
		`{__schema{...A}} fragment A on None{description}`:        `Unknown type`,
		`{__schema{directives(includeDeprecated:1){name}}}`:       `"validation_failed"`,
		"{__schema{" + strings.Repeat("description ", 101) + "}}": `too many fields`,
	} {
		got := c.run(query, nil)
		if body := strings.ReplaceAll(got.body, `\"`, `"`); len(got.Errors) == 0 || !strings.Contains(body, want) {
			t.Errorf("%s: got %d %s, want %s", query, got.status, body, want)
		}
	}
	got := c.run("{__schema{description}\n  none}", nil)
	if at := got.Errors[0].Locations; len(at) != 1 || at[0].Line != 2 || at[0].Column != 3 {
		t.Errorf("got locations %v, want line 2, column 3", at)
	}
}

// The introspection query of graphql-js with each of its options.
func TestIntrospection_EveryOption(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	options := map[string][]string{
		"specifiedByUrl":                   {"specifiedByURL", ""},
		"directiveIsRepeatable":            {"isRepeatable", ""},
		"schemaDescription":                {"description\n    queryType", "queryType"},
		"oneOf":                            {"isOneOf", ""},
		"experimentalDirectiveDeprecation": {"directives(includeDeprecated: true) { isDeprecated deprecationReason", "directives {"},
	}
	full := strings.NewReplacer(
		"specifiedByURL", "specifiedByURL isOneOf", "directives {", "directives(includeDeprecated: true) { isDeprecated deprecationReason isRepeatable",
		"__schema {\n    queryType", "__schema {\n    description\n    queryType").Replace(toolQuery)
	queries := map[string]string{"all": full, "none": toolQuery}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		queries["without "+name] = strings.ReplaceAll(full, options[name][0], options[name][1])
	}
	for name, query := range queries {
		var schema struct {
			Data struct {
				Schema struct {
					Description *string
					Types       []struct {
						Name, Kind string
						IsOneOf    *bool
					}
					Directives []struct {
						Name         string
						IsRepeatable *bool
					}
				} `json:"__schema"`
			}
		}
		got := c.must(query, nil)
		if err := json.Unmarshal([]byte(got.body), &schema); err != nil {
			t.Fatal(err)
		}
		s := schema.Data.Schema
		if strings.Contains(got.body, "_0") || len(s.Types) < 100 || len(s.Directives) != 5 {
			t.Errorf("%s: got %d types and %d directives, want all", name, len(s.Types), len(s.Directives))
		}
		if name != "all" {
			continue
		}
		var oneOf []string
		for _, typ := range s.Types {
			if (typ.IsOneOf != nil) != (typ.Kind == "INPUT_OBJECT") || typ.IsOneOf != nil && *typ.IsOneOf {
				oneOf = append(oneOf, fmt.Sprint(typ.Name, typ.IsOneOf))
			}
		}
		if s.Description == nil || *s.Description != schemaDescription || oneOf != nil || s.Directives[0].IsRepeatable == nil {
			t.Errorf("got %+v, wrong %v", s.Directives, oneOf)
		}
	}
}
