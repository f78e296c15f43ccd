package graphql_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/graphql"
)

// BenchmarkProductPage executes a query of 20 products with the fields of a typical list.
func BenchmarkProductPage(b *testing.B) {
	c := newClient(b, graphql.Config{})
	for i := range 20 {
		c.addProduct(i)
	}
	const query = `{ products(limit: 20) { nodes {
		_id handle title available price { amount formatted } compareAtPrice { amount formatted } images { url alt width height }
		variants { _id title stockStatus price { amount formatted } }
	} meta { totalCount hasNextPage } } }`
	body := c.json(map[string]any{"query": query})
	c.must(query, nil)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		c.handler.Serve(w, r, c.shop, c.caller, "request-1", noLimits{})
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
		b.SetBytes(int64(w.Body.Len()))
	}
}
