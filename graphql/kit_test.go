package graphql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	graphqlgo "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/ast"

	"storefront/graphql"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// client sends requests for one shop to a handler.
type client struct {
	tb      testing.TB
	handler *graphql.Handler
	shop    *shop.Shop
	caller  access.Caller
	// statements returns the number of SQL statements run so far.
	statements func() uint64
}

func newClient(tb testing.TB, cfg graphql.Config) *client {
	tb.Helper()
	store := shoptest.NewStore(tb, nil)
	return &client{
		tb: tb, handler: graphql.New(cfg), shop: shoptest.New(tb, &shoptest.Options{Store: store}),
		statements: func() uint64 { return store.Stats().Statements },
	}
}

// as returns the same client with another caller.
func (c *client) as(caller access.Caller) *client {
	other := *c
	other.caller = caller
	return &other
}

// noLimits are limits that allow everything.
type noLimits struct{}

func (noLimits) Charge(int) error { return nil }

func (noLimits) AcquireList(context.Context) (func(), error) { return func() {}, nil }

func (noLimits) AcquireRecord(context.Context) (func(), error) { return func() {}, nil }

// response is a response, decoded.
type response struct {
	status int
	header http.Header
	body   string
	Data   map[string]any `json:"data"`
	Errors []struct {
		Message    string
		Locations  []struct{ Line, Column int }
		Path       []any
		Extensions struct {
			Code       fault.Code
			Status     int
			RequestID  string
			Errors     []fault.FieldError
			Details    map[string]any
			RetryAfter int
		}
	} `json:"errors"`
}

// sentence matches an error message that can be shown to a buyer.
var sentence = regexp.MustCompile(`(?s)^[A-Z].*[.?]$`)

// codes returns the error codes, separated by spaces.
func (r *response) codes() string {
	codes := make([]string, len(r.Errors))
	for i, e := range r.Errors {
		codes[i] = string(e.Extensions.Code)
	}
	return strings.Join(codes, " ")
}

// at returns a value of the data by its path, or nil.
func (r *response) at(path ...any) any {
	var value any = r.Data
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}

func (c *client) send(r *http.Request) *response {
	c.tb.Helper()
	w := httptest.NewRecorder()
	c.handler.Serve(w, r, c.shop, c.caller, "request-1", noLimits{})
	got := &response{status: w.Code, header: w.Header(), body: w.Body.String()}
	if err := json.Unmarshal(w.Body.Bytes(), got); err != nil {
		c.tb.Fatalf("response %d is not JSON: %v: %s", w.Code, err, w.Body)
	}
	for _, e := range got.Errors {
		texts := []string{e.Message}
		for _, f := range e.Extensions.Errors {
			texts = append(texts, f.Message)
		}
		for _, text := range texts {
			if !sentence.MatchString(text) && text != "PersistedQueryNotSupported" {
				c.tb.Errorf("message %q is not a sentence", text)
			}
		}
	}
	return got
}

// post sends a raw body.
func (c *client) post(body string) *response {
	c.tb.Helper()
	r := httptest.NewRequestWithContext(c.tb.Context(), http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return c.send(r)
}

// run executes a document.
func (c *client) run(query string, variables map[string]any) *response {
	c.tb.Helper()
	return c.post(c.json(map[string]any{"query": query, "variables": variables}))
}

// must executes a document and fails the test on errors.
func (c *client) must(query string, variables map[string]any) *response {
	c.tb.Helper()
	got := c.run(query, variables)
	if got.status != http.StatusOK || len(got.Errors) > 0 {
		c.tb.Fatalf("%s: got %d %s, want no errors", query, got.status, got.body)
	}
	return got
}

func (c *client) json(v any) string {
	c.tb.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		c.tb.Fatal(err)
	}
	return string(text)
}

// decoded returns a value of the domain as a client of REST decodes it.
func (c *client) decoded(v any) any {
	c.tb.Helper()
	var value any
	if err := json.Unmarshal([]byte(c.json(v)), &value); err != nil {
		c.tb.Fatal(err)
	}
	return value
}

// addProduct publishes a product with two variants.
func (c *client) addProduct(n int) *catalogue.Product {
	c.tb.Helper()
	stock, width, before := 10, 800, int64(150000)
	p, err := c.shop.Catalogue.CreateProduct(context.Background(), access.Operator(), catalogue.ProductInput{
		Handle: fmt.Sprintf("panjabi-%d", n), Title: fmt.Sprintf("পাঞ্জাবি \"%d\"", n), DescriptionHTML: "<p>Soft &amp; light</p>",
		Vendor: "Aarong", Type: "Clothes", Tags: []string{"cotton", "eid"}, Options: []string{"Size"},
		Images: []catalogue.ImageInput{{URL: "https://img.example/1.jpg", Alt: "Front", Width: &width}},
		Variants: []catalogue.VariantInput{
			{
				Options: []string{"M"}, SKU: fmt.Sprintf("P-%d-M", n), Price: 125000, CompareAtPrice: &before, WeightGrams: 300,
				Tracked: true, Stock: &stock, ImageURL: "https://img.example/1.jpg",
			},
			{Options: []string{"L"}, SKU: fmt.Sprintf("P-%d-L", n), Price: 130000},
		},
		SEOTitle: "Panjabi", Metadata: map[string]any{"care": "hand wash", "layers": 2},
	})
	if err != nil {
		c.tb.Fatal(err)
	}
	return &p.Product
}

// cart returns the input of a guest's order of two units of a product.
func cart(p *catalogue.Product) map[string]any {
	return map[string]any{
		"items":           []map[string]any{{"productId": p.ID, "variantId": p.Variants[0].ID, "quantity": 2}},
		"customer":        map[string]any{"name": "Ayesha Rahman", "phoneNumber": "01711-000000"},
		"shippingAddress": map[string]any{"line1": "House 12", "city": "Dhaka"},
	}
}

// register creates an account and returns a client signed in to it.
func (c *client) register() *client {
	c.tb.Helper()
	got := c.must(`mutation($i: StorefrontRegisterInput!) { register(input: $i) { accessToken } }`, map[string]any{
		"i": map[string]any{"name": "Ayesha", "email": "Ayesha@Example.com", "password": "a long and quiet river"},
	})
	return c.as(access.Caller{Bearer: got.at("register", "accessToken").(string)})
}

// schema returns the parsed schema.
func schema(tb testing.TB) *ast.Schema {
	tb.Helper()
	text, err := graphql.Schema()
	if err != nil {
		tb.Fatal(err)
	}
	parsed, err := graphqlgo.ParseSchema(text, nil, graphqlgo.UseStringDescriptions())
	if err != nil {
		tb.Fatal(err)
	}
	return parsed.AST()
}

// selectAll returns the selection of all fields of a type except those listed, "" for a scalar.
func selectAll(s *ast.Schema, t ast.Type, except ...string) string {
	switch t := t.(type) {
	case *ast.NonNull:
		return selectAll(s, t.OfType, except...)
	case *ast.List:
		return selectAll(s, t.OfType, except...)
	case *ast.ObjectTypeDefinition:
		var text strings.Builder
		text.WriteString("{")
		for _, f := range t.Fields {
			if !strings.Contains(" "+strings.Join(except, " ")+" ", " "+f.Name+" ") {
				text.WriteString(" " + f.Name + selectAll(s, f.Type, except...))
			}
		}
		return text.String() + " }"
	}
	return ""
}

// field returns a field of Query or Mutation.
func field(tb testing.TB, s *ast.Schema, name string) *ast.FieldDefinition {
	tb.Helper()
	for _, root := range []string{"query", "mutation"} {
		if f := s.RootOperationTypes[root].(*ast.ObjectTypeDefinition).Fields.Get(name); f != nil {
			return f
		}
	}
	tb.Fatalf("no operation %s", name)
	return nil
}
