package graphql_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graph-gophers/graphql-go/ast"

	"storefront/graphql"
	"storefront/prepared"
	"storefront/shop"
)

// newCachingClient gives a client whose handler keeps public answers.
func newCachingClient(tb testing.TB) (*client, *prepared.Cache) {
	tb.Helper()
	answers := prepared.NewCache(1 << 20)
	return newClient(tb, graphql.Config{Cache: answers}), answers
}

// A query that is new in the schema belongs into this table: is its answer the same for all callers?
func TestPublicQueries(t *testing.T) {
	t.Parallel()
	public := map[string]bool{
		"apiVersion": true, "collection": true, "collections": true, "product": true, "products": true, "storeFront": true,
		"me": false, "myOrders": false, "order": false, "plugin__webhookUrls": false, "plugins": false, "profile": false,
		"quoteOrder": false, "verifyCoupon": false,
	}
	queries := schema(t).RootOperationTypes["query"].(*ast.ObjectTypeDefinition).Fields
	if got, want := queries.Names(), slices.Sorted(maps.Keys(public)); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("the schema has the queries %q, the table %q", got, want)
	}
	c, answers := newCachingClient(t)
	p := c.addProduct(1)
	arguments := map[string]string{
		"product": `(handle: "panjabi-1") { _id }`, "products": "{ meta { totalCount } }", "collections": "{ meta { totalCount } }",
		"collection": `(id: "none") { _id }`, "storeFront": "{ name }", "me": "{ _id }", "profile": "{ _id }", "myOrders": "{ meta { totalCount } }",
		"plugin__webhookUrls": "{ url }", "plugins": "{ provider }",
		"order":        `(orderId: "none") { status }`,
		"quoteOrder":   `(input: { items: [{ productId: "` + p.ID + `", quantity: 1 }] }) { total { amount } }`,
		"verifyCoupon": `(input: { code: "none", items: [] }) { valid }`,
	}
	for name, isPublic := range public {
		before := answers.Stats()
		c.run("{ "+name+arguments[name]+" }", nil)
		after := answers.Stats()
		if looked := after.Misses > before.Misses; looked != isPublic {
			t.Errorf("%s is looked up among the prepared answers: %v", name, looked)
		}
	}
	if kept := answers.Stats().Responses; kept != 5 { // all public ones but the collection that is not found
		t.Errorf("%d answers are kept, want 5", kept)
	}
}

func TestCache_PublicResponsesPreparedOnce(t *testing.T) {
	t.Parallel()
	c, answers := newCachingClient(t)
	c.addProduct(1)
	const query = `query Titles($n: Int) { products(limit: $n) { nodes { title } } } query Total { products { meta { totalCount } } }`
	ask := func(operation string, limit int) *response {
		t.Helper()
		return c.post(c.json(map[string]any{"query": query, "operationName": operation, "variables": map[string]any{"n": limit}}))
	}
	first := ask("Titles", 1)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if again := ask("Titles", 1); again.body != first.body || again.header.Get("Cache-Control") != "no-store" {
				t.Errorf("again: %s with %v", again.body, again.header)
			}
		})
	}
	wait.Wait()
	if got := answers.Stats(); got.Hits != 8 || got.Misses != 1 {
		t.Errorf("%+v, want 8 hits after one miss", got)
	}
	if total := ask("Total", 1); total.body != `{"data":{"products":{"meta":{"totalCount":1}}}}` {
		t.Errorf("the document's other operation: %s", total.body)
	}
	if none := ask("Titles", 0); none.codes() != string(shop.CodeValidationFailed) {
		t.Errorf("other variables: %s", none.body)
	}
	c.addProduct(2)
	if after := ask("Titles", 2); len(after.at("products", "nodes").([]any)) != 2 {
		t.Errorf("after a change: %s", after.body)
	}
}

// Whoever calls, a public answer is the same; and what is asked together with it stays personal.
func TestCache_PersonalResponsesNotCached(t *testing.T) {
	t.Parallel()
	guest, answers := newCachingClient(t)
	owner := guest.register()
	kept := answers.Stats().Responses
	for _, query := range []string{
		"{ me { email } }", "{ apiVersion me { email } }", "query { ...f } fragment f on Query { me { email } }",
		"query($yes: Boolean = true) { apiVersion me @include(if: $yes) { email } }", "{ alias: me { email } }", "{ apiVersion\u0009me{email} }",
	} {
		if got := owner.must(query, nil).body; !strings.Contains(got, "ayesha@example.com") {
			t.Errorf("%s: the owner gets %s", query, got)
		}
		if got := guest.run(query, nil); strings.Contains(got.body, "ayesha") || !strings.Contains(got.codes(), string(shop.CodeUnauthenticated)) {
			t.Errorf("%s: a guest gets %s", query, got.body)
		}
	}
	if got := answers.Stats().Responses; got != kept {
		t.Errorf("%d personal answers are kept", got-kept)
	}
}

// What is written is written each time that it is sent.
func TestCache_MutationsNotCached(t *testing.T) {
	t.Parallel()
	c, answers := newCachingClient(t)
	order := c.json(map[string]any{
		"query": `mutation($i: PlaceOrderInput!) { placeOrder(input: $i) { orderNumber } }`, "variables": map[string]any{"i": cart(c.addProduct(1))},
	})
	first, second := c.post(order), c.post(order)
	if one, two := first.at("placeOrder", "orderNumber"), second.at("placeOrder", "orderNumber"); one == nil || two == nil || one == two {
		t.Errorf("the same order twice, without a key: %s, then %s", first.body, second.body)
	}
	c.must("mutation { logout { success } }", nil)
	if got := answers.Stats(); got.Responses != 0 {
		t.Errorf("%d answers of mutations are kept", got.Responses)
	}
}

func TestCache_ErrorsNotCached(t *testing.T) {
	t.Parallel()
	c, answers := newCachingClient(t)
	for _, query := range []string{
		`{ product(handle: "none") { _id } }`, `{ product { _id } }`, "{ products(limit: 1000) { nodes { _id } } }", "{ nothing }", "{",
		`{ apiVersion product(handle: "none") { _id } }`,
	} {
		for range 2 {
			if got := c.run(query, nil); len(got.Errors) == 0 || got.Errors[0].Extensions.RequestID != "request-1" {
				t.Errorf("%s: %s", query, got.body)
			}
		}
	}
	if got := answers.Stats(); got.Responses != 0 || got.Hits != 0 {
		t.Errorf("%+v", got)
	}
}

func TestCache_PublicResponsesCompressed(t *testing.T) {
	t.Parallel()
	c, _ := newCachingClient(t)
	for i := range 5 {
		c.addProduct(i)
	}
	body := c.json(map[string]any{"query": "{ products { nodes { _id title descriptionHtml variants { sku } images { url } } } }"})
	for range 2 { // prepared now, prepared before
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept-Encoding", "gzip")
		c.handler.Serve(w, r, c.shop, c.caller, "request-1", noRateLimit)
		h := w.Header()
		if h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" || h.Get("Cache-Control") != "no-store" || h.Get("ETag") != "" {
			t.Errorf("%v", h)
		}
	}
}
