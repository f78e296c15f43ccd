package graphql_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/graphql"
	"storefront/shop/fault"
)

func TestBody_StrictDecoding(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{MaxBody: 4096, MaxQuery: 512})
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for name, test := range map[string]struct {
		body   string
		status int
		code   fault.Code
	}{
		"empty":                          {``, 400, fault.CodeMalformed},
		"null":                           {`null`, 400, fault.CodeMalformed},
		"no query":                       {`{}`, 400, fault.CodeMalformed},
		"query null":                     {`{"query": null}`, 400, fault.CodeMalformed},
		"query blank":                    {`{"query": " "}`, 400, fault.CodeMalformed},
		"list of operations":             {`[{"query": "{ apiVersion }"}]`, 400, fault.CodeMalformed},
		"string":                         {`"{ apiVersion }"`, 400, fault.CodeMalformed},
		"truncated":                      {`{"query": "{ apiVersion }"`, 400, fault.CodeMalformed},
		"two values":                     {`{"query": "{ apiVersion }"} {}`, 400, fault.CodeMalformed},
		"query twice":                    {`{"query": "{ apiVersion }", "query": "{ me { _id } }"}`, 400, fault.CodeMalformed},
		"variable twice":                 {`{"query": "{ apiVersion }", "variables": {"a": 1, "a": 2}}`, 400, fault.CodeMalformed},
		"not UTF-8":                      {"{\"query\": \"{ apiVersion } # \xff\"}", 400, fault.CodeMalformed},
		"NUL in the query":               {`{"query": "{ apiVersion } # \u0000"}`, 400, fault.CodeMalformed},
		"NUL in a variable":              {`{"query": "{ apiVersion }", "variables": {"a": ["x\u0000"]}}`, 400, fault.CodeMalformed},
		"NUL in a variable's name":       {`{"query": "{ apiVersion }", "variables": {"\u0000": 1}}`, 400, fault.CodeMalformed},
		"nested too deeply":              {`{"query": "{ apiVersion }", "variables": ` + deep + `}`, 400, fault.CodeMalformed},
		"number out of range":            {`{"query": "{ apiVersion }", "variables": {"a": 1e999}}`, 400, fault.CodeMalformed},
		"unknown member":                 {`{"query": "{ apiVersion }", "id": 1}`, 422, fault.CodeUnknownField},
		"member in another case":         {`{"Query": "{ apiVersion }"}`, 422, fault.CodeUnknownField},
		"query is number":                {`{"query": 5}`, 422, fault.CodeValidationFailed},
		"variables is list":              {`{"query": "{ apiVersion }", "variables": []}`, 422, fault.CodeValidationFailed},
		"query too long":                 {`{"query": "{ apiVersion } #` + strings.Repeat("x", 512) + `"}`, 413, fault.CodeTooLarge},
		"body too large":                 {`{"query": "{ apiVersion }", "variables": {"a": "` + strings.Repeat("x", 4096) + `"}}`, 413, fault.CodeTooLarge},
		"escaped backslash before u0000": {`{"query": "{ apiVersion } # \\u0000"}`, 200, ""},
		"valid":                          {" {\"query\": \"{ apiVersion }\", \"operationName\": null}\n", 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.post(test.body)
			if got.status != test.status || got.codes() != string(test.code) {
				t.Errorf("got %d %s, want %d %s", got.status, got.body, test.status, test.code)
			}
		})
	}
}

func TestDocument_AmbiguousOperation(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for name, body := range map[string]string{
		"two without a name": `{"query": "query A { apiVersion } query B { apiVersion }"}`,
		"unknown name":       `{"query": "query A { apiVersion }", "operationName": "B"}`,
	} {
		got := c.post(body)
		if got.status != 400 || got.codes() != "malformed" || !strings.Contains(got.body, "operationName") {
			t.Errorf("%s: got %d %s, want 400 malformed with operationName", name, got.status, got.body)
		}
	}
}

func TestBody_UnknownLengthTooLarge(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{MaxBody: 64})
	body := struct{ *bytes.Buffer }{bytes.NewBufferString(`{"query": "` + strings.Repeat("x", 100) + `"}`)}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", body)
	r.ContentLength = -1
	r.Header.Set("Content-Type", "application/json")
	if got := c.send(r); got.status != http.StatusRequestEntityTooLarge || got.codes() != "too_large" {
		t.Errorf("got %d %s, want 413 too_large", got.status, got.body)
	}
}

func TestBody_ContentType(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for _, test := range []struct {
		name, value string
		status      int
	}{
		{"Content-Type", "application/json", 200},
		{"Content-Type", `Application/JSON; charset="UTF-8"`, 200},
		{"Content-Type", "application/json; charset=latin1", 415},
		{"Content-Type", "application/graphql", 415},
		{"Content-Type", "text/plain", 415},
		{"Content-Type", "application/x-www-form-urlencoded", 415},
		{"Content-Type", "", 415},
		{"Content-Encoding", "gzip", 415},
		{"Content-Encoding", "identity", 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", strings.NewReader(`{"query": "{ apiVersion }"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(test.name, test.value)
		if got := c.send(r); got.status != test.status || test.status == 415 && got.codes() != "unsupported_media_type" {
			t.Errorf("%s %q: got %d %s, want %d", test.name, test.value, got.status, got.body, test.status)
		}
	}
}

func TestQuery_StringEscapes(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	c.addProduct(1)
	for _, query := range []string{
		`{ products(search: "\u09AA\u09be") { meta { totalCount } } } # "\x"`,
		`{ products(search: """পা""") { meta { totalCount } } }`,
		`{ products(search: "পা\t\n") { meta { totalCount } } }`,
		"{ # \"\\q\n products(search: \"পা\") { meta { totalCount } } }",
	} {
		if got := c.must(query, nil); got.at("products", "meta", "totalCount") != 1.0 {
			t.Errorf("%s: got %s, want 1 product", query, got.body)
		}
	}
}
