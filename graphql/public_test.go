package graphql_test

import (
	goast "go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/graph-gophers/graphql-go/ast"

	"storefront/graphql"
	"storefront/prepared"
	"storefront/shop/fault"
)

// newCachingClient returns a client whose handler caches public responses.
func newCachingClient(tb testing.TB) (*client, *prepared.Cache) {
	tb.Helper()
	cache := prepared.NewCache(1 << 20)
	return newClient(tb, graphql.Config{Cache: cache}), cache
}

// publicResolvers returns the resolvers of public queries, by name. It fails the test if one uses
// the caller.
func publicResolvers(t *testing.T) map[string]bool {
	t.Helper()
	public := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			method, ok := decl.(*goast.FuncDecl)
			if !ok || method.Recv == nil || types.ExprString(method.Recv.List[0].Type) != "*publicQuery" {
				continue
			}
			public[strings.ToLower(method.Name.Name)] = true
			goast.Inspect(method.Body, func(n goast.Node) bool {
				if s, ok := n.(*goast.SelectorExpr); ok && s.Sel.Name == "caller" {
					t.Errorf("%s: a public query must not use the caller", method.Name.Name)
				}
				return true
			})
		}
	}
	return public
}

// The cache has the responses of the queries that publicQuery resolves, and of no others.
func TestPublicQueries_Cached(t *testing.T) {
	t.Parallel()
	public := publicResolvers(t)
	s := schema(t)
	c, cache := newCachingClient(t)
	p := c.addProduct(1)
	arguments := map[string]string{ // of queries that need some
		"product": `(handle: "panjabi-1")`, "collection": `(id: "none")`, "order": `(orderId: "none")`,
		"relatedProducts": `(id: "` + p.ID + `")`, "productReviews": `(id: "` + p.ID + `")`,
		"quoteOrder":   `(input: { items: [{ productId: "` + p.ID + `", quantity: 1 }] })`,
		"verifyCoupon": `(input: { code: "none", items: [] })`,
	}
	for _, field := range s.RootOperationTypes["query"].(*ast.ObjectTypeDefinition).Fields {
		before := cache.Stats()
		c.run("{ "+field.Name+arguments[field.Name]+selectAll(s, field.Type)+" }", nil)
		after := cache.Stats()
		isPublic := public[strings.ToLower(strings.ReplaceAll(field.Name, "_", ""))]
		if got := after.Misses > before.Misses; got != isPublic {
			t.Errorf("%s: got cache use %v, want %v", field.Name, got, isPublic)
		}
		if got := after.Responses > before.Responses; got != (isPublic && field.Name != "collection") { // which is not found
			t.Errorf("%s: got a cached response %v", field.Name, got)
		}
	}
}

func TestCache_PublicResponsesPreparedOnce(t *testing.T) {
	t.Parallel()
	c, cache := newCachingClient(t)
	c.addProduct(1)
	const query = `query Titles($n: Int) { products(limit: $n) { nodes { title } } } query Total { products { meta { totalCount } } }`
	run := func(operation string, limit int) *response {
		t.Helper()
		return c.post(c.json(map[string]any{"query": query, "operationName": operation, "variables": map[string]any{"n": limit}}))
	}
	first := run("Titles", 1)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if again := run("Titles", 1); again.body != first.body || again.header.Get("Cache-Control") != "no-store" {
				t.Errorf("again: got %s with %v, want the same response", again.body, again.header)
			}
		})
	}
	wait.Wait()
	if got := cache.Stats(); got.Hits != 8 || got.Misses != 1 {
		t.Errorf("got %+v, want 8 hits after one miss", got)
	}
	if total := run("Total", 1); total.body != `{"data":{"products":{"meta":{"totalCount":1}}}}`+"\n" {
		t.Errorf("other operation of the document: got %s, want its own response", total.body)
	}
	if none := run("Titles", 0); none.codes() != string(fault.CodeValidationFailed) {
		t.Errorf("other variables: got %s, want validation_failed", none.body)
	}
	c.addProduct(2)
	if after := run("Titles", 2); len(after.at("products", "nodes").([]any)) != 2 {
		t.Errorf("after a change: got %s, want 2 products", after.body)
	}
}

// A document that mixes public and personal queries is not cached.
func TestCache_PersonalResponsesNotCached(t *testing.T) {
	t.Parallel()
	guest, cache := newCachingClient(t)
	owner := guest.register()
	before := cache.Stats().Responses
	for _, query := range []string{
		"{ me { email } }", "{ apiVersion me { email } }", "query { ...f } fragment f on Query { me { email } }",
		"query($yes: Boolean = true) { apiVersion me @include(if: $yes) { email } }", "{ alias: me { email } }", "{ apiVersion\u0009me{email} }",
	} {
		if got := owner.must(query, nil).body; !strings.Contains(got, "ayesha@example.com") {
			t.Errorf("%s: owner got %s, want the account", query, got)
		}
		if got := guest.run(query, nil); strings.Contains(got.body, "ayesha") || !strings.Contains(got.codes(), string(fault.CodeUnauthenticated)) {
			t.Errorf("%s: guest got %s, want unauthenticated", query, got.body)
		}
	}
	if got := cache.Stats().Responses; got != before {
		t.Errorf("got %d cached personal responses, want 0", got-before)
	}
}

// A mutation is executed each time that it is sent.
func TestCache_MutationsNotCached(t *testing.T) {
	t.Parallel()
	c, cache := newCachingClient(t)
	order := c.json(map[string]any{
		"query": `mutation($i: PlaceOrderInput!) { placeOrder(input: $i) { orderNumber } }`, "variables": map[string]any{"i": cart(c.addProduct(1))},
	})
	first, second := c.post(order), c.post(order)
	if one, two := first.at("placeOrder", "orderNumber"), second.at("placeOrder", "orderNumber"); one == nil || two == nil || one == two {
		t.Errorf("same order twice without a key: got %s, then %s, want two orders", first.body, second.body)
	}
	c.must("mutation { logout { success } }", nil)
	if got := cache.Stats(); got.Responses != 0 {
		t.Errorf("got %d cached responses of mutations, want 0", got.Responses)
	}
}

func TestCache_ErrorsNotCached(t *testing.T) {
	t.Parallel()
	c, cache := newCachingClient(t)
	for _, query := range []string{
		`{ product(handle: "none") { _id } }`, `{ product { _id } }`, "{ products(limit: 1000) { nodes { _id } } }", "{ nothing }", "{",
		`{ apiVersion product(handle: "none") { _id } }`,
	} {
		for range 2 {
			if got := c.run(query, nil); len(got.Errors) == 0 || got.Errors[0].Extensions.RequestID != "request-1" {
				t.Errorf("%s: got %s, want its own error", query, got.body)
			}
		}
	}
	if got := cache.Stats(); got.Responses != 0 || got.Hits != 0 {
		t.Errorf("got %+v, want an empty cache", got)
	}
}

func TestCache_PublicResponsesCompressed(t *testing.T) {
	t.Parallel()
	c, _ := newCachingClient(t)
	for i := range 5 {
		c.addProduct(i)
	}
	body := c.json(map[string]any{"query": "{ products { nodes { _id title descriptionHtml variants { sku } images { url } } } }"})
	for range 2 { // built, then cached
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept-Encoding", "gzip")
		c.handler.Serve(w, r, c.shop, c.caller, "request-1", noLimits{})
		h := w.Header()
		if h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" || h.Get("Cache-Control") != "no-store" || h.Get("ETag") != "" {
			t.Errorf("got %v, want gzip that varies by encoding", h)
		}
	}
}
