package graphql_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"storefront/graphql"
	"storefront/shop"
	"storefront/shop/shoptest"
)

// toolQuery is how tools read a schema: the deepest document that anyone sends for good.
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

// aliases gives n copies of a field.
func aliases(n int, field string) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, " a%d: %s", i, field)
	}
	return text.String()
}

// nested gives n levels of a field that leads back to its own type.
func nested(n int, field, inner string) string {
	return strings.Repeat(field+" { ", n) + inner + strings.Repeat(" }", n)
}

func TestSignIn_OncePerDocument(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	c.register()
	for name, test := range map[string]struct {
		fields string
		codes  string
	}{
		"one":              {`login(input: {user: "x@example.com", password: "a wrong guess"}) { accessToken }`, "invalid_credentials"},
		"guesses":          {aliases(3, `login(input: {user: "ayesha@example.com", password: "a long and quiet river"}) { accessToken }`), "too_many_operations too_many_operations"},
		"login after sign": {`register(input: {name: "B", email: "b@example.com", password: "a long and quiet river"}) { accessToken } login(input: {user: "ayesha@example.com", password: "x"}) { accessToken }`, "too_many_operations"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.run("mutation {"+test.fields+"}", nil); got.codes() != test.codes {
				t.Errorf("got %s", got.body)
			}
		})
	}
}

// TestSignIn_EveryOperationCounted pairs each operation that proves or sets a password or a code with a second
// one, which is refused before it is tried.
func TestSignIn_EveryOperationCounted(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	const again = ` again: login(input: {user: "nobody@example.com", password: "a wrong guess"}) { accessToken }`
	for _, operation := range []string{
		`register(input: {name: "B", email: "b@example.com", password: "a long and quiet river"}) { accessToken }`,
		`login(input: {user: "nobody@example.com", password: "a wrong guess"}) { accessToken }`,
		`sendOtp(input: {phoneNumber: "01711000000"}) { success }`,
		`verifyOtpToLogin(input: {phoneNumber: "01711000000", code: "0000"}) { accessToken }`,
		`changePassword(input: {newPassword: "another quiet river"}) { accessToken }`,
	} {
		got := c.run("mutation { "+operation+again+" }", nil)
		last := got.Errors[len(got.Errors)-1]
		if last.Extensions.Code != shop.CodeTooManyOperations || last.Path[0] != "again" || len(got.Errors) > 2 {
			t.Errorf("%.20s and a login: %s", operation, got.body)
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
		"pages of 100":        {aliases(12, `products(limit: 100) { meta { totalCount } }`), 2},
		"pages of 20":         {aliases(52, `products { meta { totalCount } }`), 2},
		"all, twice":          {aliases(2, `products(limit: -1) { meta { totalCount } }`), 0},
		"all, three times":    {aliases(3, `products(limit: -1) { meta { totalCount } }`), 1},
		"pages that are none": {aliases(12, `products(limit: 2000000000) { meta { totalCount } }`), 2},
		"records":             {aliases(101, `storeFront { name }`), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.run("{"+test.fields+"}", nil)
			if n := strings.Count(got.codes(), "too_complex"); n != test.refused || got.status != http.StatusOK {
				t.Errorf("%d refused, want %d: %d %s", n, test.refused, got.status, got.body)
			}
		})
	}
	orders := c.run("mutation($i: PlaceOrderInput!) {"+aliases(11, `placeOrder(input: $i) { _id }`)+"}", input(cart(c.addProduct(1))))
	if !strings.HasSuffix(orders.codes(), "too_complex") || orders.at("a0", "_id") == nil {
		t.Errorf("eleven orders: %s", orders.body)
	}
}

func TestDocument_MaxDepthAndSelections(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{MaxSelections: 100})
	spreads := `fragment A on StoreFront { name }`
	for i := range 12 { // each spreads the one before twice
		spreads += fmt.Sprintf(" fragment %c on StoreFront { ...%c ...%c }", 'B'+i, 'A'+i, 'A'+i)
	}
	for name, test := range map[string]struct {
		query string
		code  string
	}{
		"12 levels":         {"{ " + nested(11, "a", "a") + " }", "malformed"}, // of a field that there is not
		"13 levels":         {"{ " + nested(12, "a", "a") + " }", "too_complex"},
		"16 of the schema":  {"{ __schema { types { " + nested(13, "ofType", "name") + " } } }", "too_complex"},
		"14, and something": {"{ __schema { types { " + nested(11, "ofType", "name") + " } } storeFront { name } }", "too_complex"},
		"14, and a write":   {`mutation { login(input: {user: "a@example.com", password: "b"}) { accessToken } __schema { types { ` + nested(11, "ofType", "name") + " } } }", "too_complex"},
		"aliases":           {"{" + aliases(101, "__typename") + "}", "too_complex"},
		"spreads":           {"{ storeFront { ...M } } " + spreads, "too_complex"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.run(test.query, nil)
			if got.Data != nil || len(got.Errors) == 0 || string(got.Errors[0].Extensions.Code) != test.code || got.status != got.Errors[0].Extensions.Status {
				t.Errorf("got %d %s", got.status, got.body)
			}
		})
	}
	if got := c.must("{ __schema { types { "+nested(11, "ofType", "name")+" } } }", nil); got.at("__schema", "types", 0) == nil {
		t.Errorf("14 levels of the schema alone: %s", got.body)
	}
}

func TestResponse_MaxValues(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{MaxValues: 2000})
	for i := range 10 {
		c.addProduct(i)
	}
	if got := c.must(`{ products { nodes { title tags } } }`, nil); got.at("products", "nodes", 9, "title") == nil {
		t.Errorf("a small answer: %s", got.body)
	}
	for name, query := range map[string]string{
		"values": `{ products { nodes {` + aliases(250, "title") + ` } } }`,
		"schema": `{ __schema { types { fields { name description type { kind name } } } } }`,
	} {
		got := c.run(query, nil)
		if got.status != http.StatusUnprocessableEntity || got.codes() != "too_complex" || got.Data != nil {
			t.Errorf("%s: got %d %.300s", name, got.status, got.body)
		}
	}
}

func TestResponse_LongTextsCountedByLength(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{MaxValues: 500})
	if err := c.shop.SetSettings(t.Context(), shoptest.Raw(t, map[string]any{
		"legalPolicies": []map[string]any{{"slug": "terms", "title": "Terms", "bodyHtml": strings.Repeat("<p>We are fair.</p>", 400)}},
	})); err != nil {
		t.Fatal(err)
	}
	const one = `legalPolicies { bodyHtml }`
	if got := c.must("{ storeFront { "+one+" } }", nil); got.at("storeFront", "legalPolicies", 0, "bodyHtml") == "" {
		t.Errorf("one: %s", got.body)
	}
	got := c.run("{ storeFront {"+aliases(10, one)+" } }", nil)
	if got.status != http.StatusUnprocessableEntity || got.codes() != "too_complex" {
		t.Errorf("ten: got %d %.300s", got.status, got.body)
	}
}

// TestResponse_ConcurrentHeavy lets many large answers wait for one place, and all get theirs.
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
			t.Error(codes)
		}
	}
}

func TestIntrospection_ToolQuery(t *testing.T) {
	t.Parallel()
	got := newClient(t, graphql.Config{}).must(toolQuery, nil)
	if got.at("__schema", "queryType", "name") != "Query" || got.at("__schema", "mutationType", "name") != "Mutation" {
		t.Errorf("got %.300s", got.body)
	}
}

func TestIntrospection_Disabled(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{HideIntrospection: true})
	for _, query := range []string{toolQuery, `{ __schema { types { name } } }`, `{ __type(name: "Query") { name } }`} {
		if got := c.run(query, nil); strings.Contains(got.body, "Query") {
			t.Errorf("%.40s: %s", query, got.body)
		}
	}
	if got := c.must(`{ __typename apiVersion }`, nil); got.at("__typename") != "Query" {
		t.Errorf("got %s", got.body)
	}
}
