package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestIntrospection_Disabled(t *testing.T) {
	t.Parallel()
	p := serve(t, "--no-introspection", "--data", newShop(t, "shy", 1))
	got := p.graphql("shy", "", `{ apiVersion __schema { queryType { name } } }`, nil)
	if strings.Contains(string(got.body), `"Query"`) || got.text("data", "apiVersion") == "" {
		t.Errorf("a server that hides its schema answers %s", got.body)
	}
}

// graphQLSchema is the introspected schema of a running server, by type name.
type graphQLSchema map[string]graphQLType

type graphQLType struct {
	Kind, Name  string
	Fields      []graphQLField
	InputFields []graphQLInput
	EnumValues  []struct{ Name string }
}

type graphQLField struct {
	Name string
	Type graphQLRef
	Args []graphQLInput
}

type graphQLInput struct {
	Name string
	Type graphQLRef
}

// graphQLRef is a type as a field names it.
type graphQLRef struct {
	Kind, Name string
	OfType     *graphQLRef
}

// nonNull takes off the exclamation mark.
func (r graphQLRef) nonNull() (inner graphQLRef, isNonNull bool) {
	if r.Kind == "NON_NULL" {
		return *r.OfType, true
	}
	return r, false
}

// name returns the type without marks and brackets.
func (r graphQLRef) name() string {
	for r.OfType != nil {
		r = *r.OfType
	}
	return r.Name
}

const introspection = `{ __schema { types { kind name fields { name type { ...T } args { name type { ...T } } }
	inputFields { name type { ...T } } enumValues { name } } } }
fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`

func (p *process) introspect(tenant string) graphQLSchema {
	p.t.Helper()
	var told struct {
		Data struct {
			Schema struct{ Types []graphQLType } `json:"__schema"`
		}
	}
	a := p.graphql(tenant, "", introspection, nil)
	if err := json.Unmarshal(a.body, &told); err != nil || len(told.Data.Schema.Types) == 0 {
		p.t.Fatalf("no introspection: %v %s", err, a.body)
	}
	s := graphQLSchema{}
	for _, t := range told.Data.Schema.Types {
		s[t.Name] = t
	}
	return s
}

// operation finds "mutation profile" or, where that is clear, "myOrders".
func (s graphQLSchema) operation(name string) (kind string, field graphQLField, ok bool) {
	wanted, name, found := strings.Cut(name, " ")
	if !found {
		wanted, name = "", wanted
	}
	for _, root := range []string{"Query", "Mutation"} {
		kind = strings.ToLower(root)
		if i := slices.IndexFunc(s[root].Fields, func(f graphQLField) bool { return f.Name == name }); i >= 0 && (wanted == "" || wanted == kind) {
			return kind, s[root].Fields[i], true
		}
	}
	return "", field, false
}

// operations returns all operations, such as "mutation profile".
func (s graphQLSchema) operations() (all []string) {
	for _, root := range []string{"Query", "Mutation"} {
		for _, f := range s[root].Fields {
			all = append(all, strings.ToLower(root)+" "+f.Name)
		}
	}
	return all
}

// everything returns the selection of all fields of a type, "" for a scalar, so that complete
// responses can be compared.
func (s graphQLSchema) everything(typ string) string {
	if len(s[typ].Fields) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(" {")
	for _, f := range s[typ].Fields {
		b.WriteString(" " + f.Name + s.everything(f.Type.name()))
	}
	b.WriteString(" }")
	return b.String()
}
