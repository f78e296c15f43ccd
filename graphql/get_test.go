package graphql_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"storefront/graphql"
	"storefront/prepared"
)

const mediaGraphQL = "application/graphql-response+json"

// fetch sends a document by GET.
func (c *client) fetch(accept string, parameters url.Values) *response {
	c.tb.Helper()
	r := httptest.NewRequestWithContext(c.tb.Context(), http.MethodGet, "/graphql?"+parameters.Encode(), nil)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	return c.send(r)
}

func TestGet_Queries(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{Cache: prepared.NewCache(1 << 20)})
	c.addProduct(1)
	const named = `query A($limit: Int) { products(limit: $limit) { nodes { title } } } query B { apiVersion }`
	for name, test := range map[string]struct {
		parameters url.Values
		status     int
		body       string // a part of it
	}{
		"query":              {url.Values{"query": {"{ apiVersion }"}}, 200, `{"data":{"apiVersion":"` + graphql.Version + `"}}`},
		"named":              {url.Values{"query": {named}, "operationName": {"B"}}, 200, `"apiVersion"`},
		"variables":          {url.Values{"query": {named}, "operationName": {"A"}, "variables": {`{"limit":1}`}}, 200, `"nodes":[{"title"`},
		"empty parameters":   {url.Values{"query": {"{ apiVersion }"}, "variables": {""}, "extensions": {""}}, 200, `"apiVersion"`},
		"null parameters":    {url.Values{"query": {"{ apiVersion }"}, "variables": {"null"}}, 200, `"apiVersion"`},
		"unknown parameter":  {url.Values{"query": {"{ apiVersion }"}, "_": {"1"}}, 200, `"apiVersion"`},
		"private":            {url.Values{"query": {"{ me { _id } }"}}, 200, `"unauthenticated"`},
		"no query":           {url.Values{"operationName": {"A"}}, 400, `must have a query`},
		"syntax error":       {url.Values{"query": {"{"}}, 400, `"malformed"`},
		"variables no JSON":  {url.Values{"query": {"{ apiVersion }"}, "variables": {"{"}}, 400, `parameter variables`},
		"variables two":      {url.Values{"query": {"{ apiVersion }"}, "variables": {`{},"query":""`}}, 400, `parameter variables`},
		"variables a list":   {url.Values{"query": {"{ apiVersion }"}, "variables": {"[1]"}}, 422, `"variables"`},
		"variables mistyped": {url.Values{"query": {named}, "operationName": {"A"}, "variables": {`{"limit":"1"}`}}, 422, `"limit"`},
		"not UTF-8":          {url.Values{"query": {"{ a\xff }"}}, 400, `UTF-8`},
		"NUL":                {url.Values{"query": {"{ apiVersion }\x00"}}, 400, `"malformed"`},
		"long document":      {url.Values{"query": {"{ " + strings.Repeat("apiVersion ", 1500) + "}"}}, 413, `"too_large"`},
		"long":               {url.Values{"query": {"{" + strings.Repeat(" ", 64<<10) + "apiVersion }"}}, 413, `"too_large"`},
		"11 operations":      {url.Values{"query": {repeated(11, "query Q%d{apiVersion} ")}}, 422, `"too_complex"`},
		"mutation":           {url.Values{"query": {"mutation { logout { success } }"}}, 405, `"method_not_allowed"`},
		"mutation among queries": {
			url.Values{"query": {"query A { apiVersion } mutation B { logout { success } }"}, "operationName": {"B"}},
			405, `"method_not_allowed"`,
		},
		"query beside a mutation": {
			url.Values{"query": {"query A { apiVersion } mutation B { logout { success } }"}, "operationName": {"A"}},
			200, `"apiVersion"`,
		},
		"subscription": {url.Values{"query": {"subscription { apiVersion }"}}, 405, `"method_not_allowed"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the second response to a public document is cached
				got := c.fetch("*/*", test.parameters)
				if got.status != test.status || !strings.Contains(got.body, test.body) {
					t.Errorf("got %d %s, want %d %s", got.status, got.body, test.status, test.body)
				}
				if allow := got.header.Get("Allow"); (test.status == 405) != (allow == "POST") {
					t.Errorf("got Allow %q", allow)
				}
			}
		})
	}
}

// A document sent by GET has the cached response of the same document sent by POST.
func TestGet_CachedAsPost(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{Cache: prepared.NewCache(1 << 20)})
	c.addProduct(1)
	const query = `{ products { nodes { title } } }`
	want := c.post(`{"query":"` + query + `"}`)
	before := c.statements()
	if got := c.fetch("", url.Values{"query": {query}}); got.body != want.body {
		t.Errorf("got %s, want %s", got.body, want.body)
	}
	if got := c.statements() - before; got > 1 { // the content version
		t.Errorf("got %d statements, want the cached response", got)
	}
}

func TestResponse_MediaTypes(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{Cache: prepared.NewCache(1 << 20)})
	const json, ok, invalid = "application/json", `{"query":"{apiVersion}"}`, `{"query":"{none}"}`
	const unproven = `{"query":"{me{_id}}"}`
	variable := c.json(map[string]any{"query": "query($id: ID!) { product(id: $id) { title } }", "variables": map[string]any{"id": nil}})
	mistyped := c.json(map[string]any{"query": "query($id: ID!) { product(id: $id) { title } }", "variables": map[string]any{"id": true}})
	complex := c.json(map[string]any{"query": repeated(11, "query Q%d{apiVersion} ")})
	apollo := mediaGraphQL + "," + json + ";q=0.9"
	urql := mediaGraphQL + ", application/graphql+json, " + json + ", text/event-stream, multipart/mixed"
	for _, test := range []struct {
		accept, body string
		status       int
		media        string
	}{
		{"", ok, 200, json},
		{"*/*", ok, 200, json},
		{"text/plain", ok, 200, json},
		{json, ok, 200, json},
		{mediaGraphQL, ok, 200, mediaGraphQL},
		{strings.ToUpper(mediaGraphQL) + "; charset=utf-8", ok, 200, mediaGraphQL},
		{apollo, ok, 200, mediaGraphQL},
		{urql, ok, 200, mediaGraphQL},
		{mediaGraphQL + ";q=0, */*", ok, 200, json},
		{mediaGraphQL + ";q=0.5, " + json, ok, 200, json},
		{mediaGraphQL + ";q=x", ok, 200, json},

		{"", "{", 400, json},
		{json, "{", 400, json},
		{mediaGraphQL, "{", 400, mediaGraphQL},
		{"", invalid, 400, json},
		{json, invalid, 200, json},
		{mediaGraphQL, invalid, 400, mediaGraphQL},
		{"*/*", variable, 422, json},
		{json, variable, 200, json},
		{apollo, variable, 400, mediaGraphQL},
		{"*/*", mistyped, 422, json},
		{json, mistyped, 200, json},
		{urql, mistyped, 400, mediaGraphQL},
		{"", complex, 422, json},
		{json, complex, 200, json},
		{mediaGraphQL, complex, 400, mediaGraphQL},
		{json, unproven, 200, json},
		{mediaGraphQL, unproven, 200, mediaGraphQL},
	} {
		for range 2 {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", strings.NewReader(test.body))
			r.Header.Set("Content-Type", json)
			r.Header.Set("Accept", test.accept)
			got := c.send(r)
			if media := got.header.Get("Content-Type"); got.status != test.status || media != test.media {
				t.Errorf("%s for Accept %q: got %d %s, want %d %s", test.body, test.accept, got.status, media, test.status, test.media)
			}
		}
	}
}

// Clients that send the hash of a document first send the document when they read this error.
func TestPersistedQuery_NotSupported(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{Cache: prepared.NewCache(1 << 20)})
	const hash = `{"persistedQuery":{"version":1,"sha256Hash":"ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"}}`
	check := func(got *response, status int) {
		t.Helper()
		if got.status != status || len(got.Errors) != 1 || got.Errors[0].Message != "PersistedQueryNotSupported" ||
			got.codes() != "PERSISTED_QUERY_NOT_SUPPORTED" || got.Data != nil {
			t.Errorf("got %d %s, want %d PersistedQueryNotSupported", got.status, got.body, status)
		}
	}
	check(c.post(`{"operationName":"A","variables":{},"extensions":`+hash+`}`), 200)
	check(c.post(`{"query":"","extensions":`+hash+`}`), 200)
	check(c.post(`{"query":null,"extensions":`+hash+`}`), 200)
	check(c.fetch("*/*", url.Values{"extensions": {hash}, "variables": {"{}"}}), 200)
	check(c.fetch(mediaGraphQL, url.Values{"extensions": {hash}}), 400)
	if got := c.post(`{"query":"{apiVersion}","extensions":` + hash + `}`); got.status != 200 || len(got.Errors) > 0 {
		t.Errorf("with the document: got %d %s, want 200", got.status, got.body)
	}
	if got := c.fetch("", url.Values{"query": {"{apiVersion}"}, "extensions": {hash}}); got.status != 200 || len(got.Errors) > 0 {
		t.Errorf("with the document by GET: got %d %s, want 200", got.status, got.body)
	}
}

// GET has the limits and prices of POST.
func TestGet_ChargedAsPost(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for _, query := range []string{
		"{apiVersion}", "{apiVersion} #" + strings.Repeat("x", 3000), repeated(11, "query Q%d{apiVersion} "), "{", "{none}",
		"{a:storeFront{name} b:storeFront{name}}",
	} {
		post, get := newStrictLimits(), newStrictLimits()
		status := c.serve(t.Context(), c.json(map[string]any{"query": query}), post)
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/graphql?query="+url.QueryEscape(query), nil)
		c.handler.Serve(w, r, c.shop, c.caller, "request-1", get)
		if w.Code != status || get.charged.Load() != post.charged.Load() || get.charged.Load() == 0 || len(get.slot) != 0 {
			t.Errorf("%.40s: got status %d, %d units, %d slots, want %d, %d, none",
				query, w.Code, get.charged.Load(), len(get.slot), status, post.charged.Load())
		}
	}
	limits := newStrictLimits()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/graphql?query="+url.QueryEscape("mutation{logout{success}}"), nil)
	c.handler.Serve(httptest.NewRecorder(), r, c.shop, c.caller, "request-1", limits)
	if limits.charged.Load() != 1 {
		t.Errorf("refused mutation: got %d units, want 1", limits.charged.Load())
	}
}
