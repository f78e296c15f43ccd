package graphql_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/graphql"
	"storefront/shop/fault"
)

// Whatever the body is, the response is JSON with data or with errors of the catalogue, never a
// fault of the program, and never larger than its limits allow.
func FuzzServe(f *testing.F) {
	for _, body := range []string{
		`{"query":"{ products(limit: 2, search: \"a\") { nodes { title variants { price { amount } } } meta { totalCount } } }"}`,
		`{"query":"query Q($id: String) { product(handle: $id) { ...F } } fragment F on Product { title tags }",` +
			`"variables":{"id":"panjabi-1"},"operationName":"Q"}`,
		`{"query":"mutation { login(input: {user: \"a\", password: \"b\"}) { accessToken } }"}`,
		`{"query":"{ __schema { types { name fields { name } } } }"}`,
		`{"query":"{ a: apiVersion a: apiVersion @skip(if: true) }"}`,
		`{"query":"query($a: [Int!]! = [1]) { products(page: 1e400) { nodes { title } } }","variables":{"a":null}}`,
		`[{"query":"{ apiVersion }"}]`, `{"query":"{ me { name } }","query":"{"}`, `{"query":1}`, `{"query":"\u0000"}`, `{}`, ``, `"`, "\xff",
		`{"query":"{ tracking: order(orderId: \"0000000000000000\") { status } }","extensions":{}}`,
	} {
		f.Add(body, "application/json")
	}
	f.Add(`query={apiVersion}`, "application/x-www-form-urlencoded")
	c := newClient(f, graphql.Config{})
	c.addProduct(1)
	f.Fuzz(func(t *testing.T, body, contentType string) {
		c := *c
		c.tb = t
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header["Content-Type"] = []string{contentType}
		got := c.send(r)
		if got.status >= http.StatusInternalServerError {
			t.Errorf("%q: got status %d: %s", body, got.status, got.body)
		}
		if got.Data == nil && len(got.Errors) == 0 {
			t.Errorf("%q: got neither data nor errors: %s", body, got.body)
		}
		for _, e := range got.Errors {
			if e.Extensions.Code == "" || e.Extensions.Code == fault.CodeInternal {
				t.Errorf("%q: got the error code %q: %s", body, e.Extensions.Code, got.body)
			}
		}
	})
}
