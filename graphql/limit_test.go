package graphql_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"storefront/graphql"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// toolQuery is the introspection query of tools: the deepest legitimate document.
const toolQuery = `query IntrospectionQuery {
  __schema {
    queryType { name kind } mutationType { name kind } subscriptionType { name kind }
    types { ...FullType }
    directives { name description locations args(includeDeprecated: true) { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description specifiedByURL
  fields(includeDeprecated: true) {
    name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason
  }
  inputFields(includeDeprecated: true) { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
fragment TypeRef on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
    kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }
}`

// aliases returns n copies of a field.
func aliases(n int, field string) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, " a%d: %s", i, field)
	}
	return text.String()
}

// nested returns n levels of a field whose type is recursive.
func nested(n int, field, inner string) string {
	return strings.Repeat(field+" { ", n) + inner + strings.Repeat(" }", n)
}

func TestSignIn_OncePerDocument(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	c.register()
	const (
		login    = `login(input: {user: "ayesha@example.com", password: "a long and quiet river"}) { accessToken }`
		register = `register(input: {name: "B", email: "b@example.com", password: "a long and quiet river"}) { accessToken }`
	)
	for name, test := range map[string]struct {
		fields string
		codes  string
	}{
		"one":             {`login(input: {user: "x@example.com", password: "a wrong guess"}) { accessToken }`, "invalid_credentials"},
		"guesses":         {aliases(3, login), "too_many_operations too_many_operations"},
		"register, login": {register + " " + login, "too_many_operations"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.run("mutation {"+test.fields+"}", nil); got.codes() != test.codes {
				t.Errorf("got %s, want %q", got.body, test.codes)
			}
		})
	}
}

// Each operation that verifies or sets a password or a code is followed by a login, which is
// rejected before its password is checked.
func TestSignIn_EveryOperationCounted(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	const again = ` again: login(input: {user: "nobody@example.com", password: "a wrong guess"}) { accessToken }`
	for _, operation := range []string{
		`register(input: {name: "B", email: "b@example.com", password: "a long and quiet river"}) { accessToken }`,
		`login(input: {user: "nobody@example.com", password: "a wrong guess"}) { accessToken }`,
		`sendOtp(input: {phoneNumber: "01711000000"}) { success }`,
		`verifyOtpToLogin(input: {phoneNumber: "01711000000", code: "0000"}) { accessToken }`,
		`sendEmailCode(input: {email: "a@example.com"}) { success }`,
		`verifyEmail(input: {email: "a@example.com", code: "000000"}) { accessToken }`,
		`requestPasswordReset(input: {email: "a@example.com"}) { success }`,
		`resetPassword(input: {email: "a@example.com", code: "000000", newPassword: "another quiet river"}) { accessToken }`,
		`joinAccounts(input: {phoneNumber: "01711000000", code: "0000"}) { name }`,
		`deleteAccount(input: {currentPassword: "a wrong guess"}) { success }`,
		`changePassword(input: {newPassword: "another quiet river"}) { accessToken }`,
	} {
		got := c.run("mutation { "+operation+again+" }", nil)
		last := got.Errors[len(got.Errors)-1]
		if last.Extensions.Code != fault.CodeTooManyOperations || last.Path[0] != "again" || len(got.Errors) > 2 {
			t.Errorf("%.20s and a login: got %s, want too_many_operations", operation, got.body)
		}
	}
}

func TestDocument_MaxComplexity(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for name, test := range map[string]struct {
		fields  string
		refused int
	}{
		"pages of 100":       {aliases(12, `products(limit: 100) { meta { totalCount } }`), 2},
		"pages of 20":        {aliases(52, `products { meta { totalCount } }`), 2},
		"all, twice":         {aliases(2, `products(limit: -1) { meta { totalCount } }`), 0},
		"all, three times":   {aliases(3, `products(limit: -1) { meta { totalCount } }`), 1},
		"limit out of range": {aliases(12, `products(limit: 2000000000) { meta { totalCount } }`), 2},
		"records":            {aliases(101, `storeFront { name }`), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.run("{"+test.fields+"}", nil)
			if n := strings.Count(got.codes(), "too_complex"); n != test.refused || got.status != http.StatusOK {
				t.Errorf("got %d rejected fields, want %d: %d %s", n, test.refused, got.status, got.body)
			}
		})
	}
	orders := c.run("mutation($i: PlaceOrderInput!) {"+aliases(11, `placeOrder(input: $i) { _id }`)+"}", input(cart(c.addProduct(1))))
	if !strings.HasSuffix(orders.codes(), "too_complex") || orders.at("a0", "_id") == nil {
		t.Errorf("eleven orders: got %s, want too_complex for the last", orders.body)
	}
}

func TestDocument_MaxDepthAndSelections(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{MaxSelections: 100})
	const login = `login(input: {user: "a@example.com", password: "b"}) { accessToken }`
	spreads := `fragment A on StoreFront { name }`
	for i := range 12 { // each spreads the previous one twice
		spreads += fmt.Sprintf(" fragment %c on StoreFront { ...%c ...%c }", 'B'+i, 'A'+i, 'A'+i)
	}
	for name, test := range map[string]struct {
		query string
		code  string
	}{
		"12 levels":         {"{ " + nested(11, "a", "a") + " }", "malformed"}, // of an unknown field
		"13 levels":         {"{ " + nested(12, "a", "a") + " }", "too_complex"},
		"16 of schema":      {"{ __schema { types { " + nested(13, "ofType", "name") + " } } }", "too_complex"},
		"14 and a query":    {"{ __schema { types { " + nested(11, "ofType", "name") + " } } storeFront { name } }", "too_complex"},
		"14 and a mutation": {"mutation { " + login + " __schema { types { " + nested(11, "ofType", "name") + " } } }", "too_complex"},
		"aliases":           {"{" + aliases(101, "__typename") + "}", "too_complex"},
		"spreads":           {"{ storeFront { ...M } } " + spreads, "too_complex"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.run(test.query, nil)
			if got.Data != nil || len(got.Errors) == 0 || string(got.Errors[0].Extensions.Code) != test.code ||
				got.status != got.Errors[0].Extensions.Status {
				t.Errorf("got %d %s, want %s", got.status, got.body, test.code)
			}
		})
	}
	if got := c.must("{ __schema { types { "+nested(11, "ofType", "name")+" } } }", nil); got.at("__schema", "types", 0) == nil {
		t.Errorf("14 levels of the schema only: got %s, want data", got.body)
	}
}

func TestResponse_MaxValues(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{MaxValues: 2000})
	for i := range 10 {
		c.addProduct(i)
	}
	if got := c.must(`{ products { nodes { title tags } } }`, nil); got.at("products", "nodes", 9, "title") == nil {
		t.Errorf("small response: got %s, want 10 products", got.body)
	}
	for name, query := range map[string]string{
		"values": `{ products { nodes {` + aliases(250, "title") + ` } } }`,
		"schema": `{ __schema { types { fields { name description type { kind name } } } } }`,
	} {
		got := c.run(query, nil)
		if got.status != http.StatusUnprocessableEntity || got.codes() != "too_complex" || got.Data != nil {
			t.Errorf("%s: got %d %.300s, want 422 too_complex", name, got.status, got.body)
		}
	}
}

func TestResponse_LongTextsCountedByLength(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{MaxValues: 500})
	if err := c.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{
		"legalPolicies": []map[string]any{{"slug": "terms", "title": "Terms", "bodyHtml": strings.Repeat("<p>We are fair.</p>", 400)}},
	})); err != nil {
		t.Fatal(err)
	}
	const one = `legalPolicies { bodyHtml }`
	if got := c.must("{ storeFront { "+one+" } }", nil); got.at("storeFront", "legalPolicies", 0, "bodyHtml") == "" {
		t.Errorf("one: got %s, want the text", got.body)
	}
	got := c.run("{ storeFront {"+aliases(10, one)+" } }", nil)
	if got.status != http.StatusUnprocessableEntity || got.codes() != "too_complex" {
		t.Errorf("ten: got %d %.300s, want 422 too_complex", got.status, got.body)
	}
}

// Many heavy responses wait for one slot, and all complete.
func TestResponse_ConcurrentHeavy(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{MaxValues: 100, MaxHeavyResponses: 1})
	c.addProduct(1)
	done := make(chan string)
	for range 20 {
		go func() { done <- c.run(`{ products { nodes {`+aliases(20, "title")+` } } }`, nil).codes() }()
	}
	for range 20 {
		if codes := <-done; codes != "" {
			t.Errorf("got errors %q, want none", codes)
		}
	}
}

func TestIntrospection_ToolQuery(t *testing.T) {
	t.Parallel()
	got := newClient(t, graphql.Config{}).must(toolQuery, nil)
	if got.at("__schema", "queryType", "name") != "Query" || got.at("__schema", "mutationType", "name") != "Mutation" {
		t.Errorf("got %.300s, want Query and Mutation", got.body)
	}
}

func TestIntrospection_Disabled(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{HideIntrospection: true})
	for _, query := range []string{toolQuery, `{ __schema { types { name } } }`, `{ __type(name: "Query") { name } }`} {
		if got := c.run(query, nil); strings.Contains(got.body, "Query") {
			t.Errorf("%.40s: got %s, want no schema", query, got.body)
		}
	}
	if got := c.must(`{ __typename apiVersion }`, nil); got.at("__typename") != "Query" {
		t.Errorf("got %s, want __typename Query", got.body)
	}
}
