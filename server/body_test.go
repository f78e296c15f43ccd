package server_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/fault"
)

func TestBody_Malformed(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	const secret = "hunter2-hunter2"
	for _, tt := range []struct{ name, body string }{
		{"no JSON", "user=a&password=" + secret},
		{"half an object", `{"user":"a","password":"` + secret + `"`},
		{"two values", `{"user":"a","password":"x"} {}`},
		{"a comma too many", `{"user":"a","password":"` + secret + `",}`},
		{"a duplicate name", `{"user":"a","password":"x","password":"` + secret + `"}`},
		{"a duplicate name inside", `{"user":{"a":1,"a":2},"password":"x"}`},
		{"invalid UTF-8", "{\"user\":\"\xff\",\"password\":\"x\"}"},
		{"a lone surrogate", `{"user":"\ud800","password":"x"}`},
		{"NUL in a text", `{"user":"a\u0000b","password":"x"}`},
		{"NUL in a name", `{"user":"a","password":"x","\u0000":1}`},
		{"a raw control character", "{\"user\":\"a\x01\",\"password\":\"x\"}"},
		{"a BOM", "\ufeff{}"},
		{"deep lists", `{"user":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`},
		{"deep objects", strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)},
		{"an endless list", strings.Repeat("[", 1<<19)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := s.send("POST", "/api/v1/auth/login", tt.body)
			got.tb = t
			got.problem(400, fault.CodeMalformed)
			if strings.Contains(string(got.body), "hunter2") {
				t.Errorf("the response repeats a password: %s", got.body)
			}
		})
	}
}

func TestBody_Invalid(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, tt := range []struct {
		name, path, body string
		code             fault.Code
		fields           string
	}{
		{"unknown field", "auth/login", `{"user":"a","password":"hunter2-hunter2","phone":"1"}`, fault.CodeUnknownField, "phone unknown_field"},
		{"another case", "auth/login", `{"user":"a","PASSWORD":"hunter2-hunter2","password":"x"}`, fault.CodeUnknownField, "PASSWORD unknown_field"},
		{"missing fields", "auth/login", `{}`, fault.CodeValidationFailed, "password required, user required"},
		{"no body", "auth/login", ``, fault.CodeValidationFailed, "password required, user required"},
		{"wrong type", "auth/login", `{"user":1,"password":"hunter2-hunter2"}`, fault.CodeValidationFailed, "user invalid_value"},
		{"secret of a wrong type", "auth/login", `{"user":"a","password":["hunter2-hunter2"]}`, fault.CodeValidationFailed, "password invalid_value"},
		{"null for a text", "auth/login", `{"user":null,"password":"hunter2-hunter2"}`, fault.CodeValidationFailed, "user invalid_value"},
		{"a list", "auth/login", `[]`, fault.CodeValidationFailed, "body invalid_value"},
		{"null", "auth/login", `null`, fault.CodeValidationFailed, "body invalid_value"},
		{"no items", "orders/quote", `{"items":[]}`, fault.CodeValidationFailed, "items invalid_value"},
		{"quantity zero", "orders/quote", `{"items":[{"productId":"p","quantity":0}]}`, fault.CodeValidationFailed, "items[0].quantity invalid_value"},
		{"half a piece", "orders/quote", `{"items":[{"productId":"p","quantity":1.5}]}`, fault.CodeValidationFailed, "items[0].quantity invalid_value"},
		{"quantity by exponent", "orders/quote", `{"items":[{"productId":"p","quantity":1e9}]}`, fault.CodeValidationFailed,
			"items[0].quantity invalid_value"},
		{"too large for an integer", "orders/quote", `{"items":[{"productId":"p","quantity":1}],"expectedTotal":9223372036854775808}`,
			fault.CodeValidationFailed, "expectedTotal invalid_value"},
		{"unknown field inside", "orders/quote", `{"items":[{"productId":"p","quantity":1,"price":1}]}`, fault.CodeUnknownField,
			"items[0].price unknown_field"},
		{"missing inside", "orders/quote", `{"items":[{"productId":"p","quantity":1},{"quantity":1}]}`, fault.CodeValidationFailed,
			"items[1].productId required"},
		{"unknown payment method", "orders/quote", `{"items":[{"productId":"p","quantity":1}],"paymentMethod":"beads"}`,
			fault.CodeValidationFailed, "paymentMethod invalid_value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := s.send("POST", "/api/v1/"+tt.path, tt.body)
			got.tb = t
			if fields := got.problem(422, tt.code).fields(); fields != tt.fields {
				t.Errorf("got fields %q, want %q", fields, tt.fields)
			}
			if strings.Contains(string(got.body), "hunter2") {
				t.Errorf("the response repeats a password: %s", got.body)
			}
		})
	}
}

// A body that is wrong everywhere must not cause a response larger than itself.
func TestBody_HostileInputGetsSmallResponse(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	var names strings.Builder
	for i := range 20_000 {
		names.WriteString(`"` + strings.Repeat("n", i%50) + strings.Repeat("x", i/50) + `":1,`)
	}
	for name, body := range map[string]string{
		"unknown names": `{"user":"a",` + names.String()[:900_000] + `":1}`,
		"one long name": `{"` + strings.Repeat("n", 900_000) + `":1}`,
		"wrong items":   `{"items":[` + strings.Repeat("1,", 400_000) + `1]}`,
	} {
		path := "/api/v1/auth/login"
		if name == "wrong items" {
			path = "/api/v1/orders/quote"
		}
		if got := s.send("POST", path, body); got.status < 400 || got.status >= 500 || len(got.body) > 40_000 {
			t.Errorf("%s: got %d with %d bytes", name, got.status, len(got.body))
		}
	}
}

func TestBody_ContentType(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, tt := range []struct {
		contentType string
		read        bool
	}{
		{"application/json", true},
		{"application/json; charset=utf-8", true},
		{"Application/JSON;charset=UTF-8", true},
		{"application/json; charset=latin1", false},
		{"text/plain", false},
		{"application/x-www-form-urlencoded", false},
		{"application/json, text/plain", false},
		{"application/problem+json", false},
		{"", false},
	} {
		got := s.send("POST", "/api/v1/auth/login", `{"user":"a"}`, "Content-Type", tt.contentType)
		if tt.read {
			got.problem(422, fault.CodeValidationFailed)
		} else {
			got.problem(415, fault.CodeUnsupportedMediaType)
		}
	}
	s.send("POST", "/api/v1/auth/login", "\x1f\x8b", "Content-Encoding", "gzip").problem(415, fault.CodeUnsupportedMediaType)
}

// For JSON Schema, to which OpenAPI refers, 2.0 is an integer.
func TestBody_WholeNumbers(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, products := stockShop(t, s.shop)
	for number, status := range map[string]int{
		"2.0": 200, "20e-1": 200, "2e0": 200, "0.2E1": 200, "2.00": 200,
		"2.5": 422, "2.0000000000000000001": 422, "1e400": 422, "-2.0": 422, "25e-1": 422, "9007199254740993.0": 422,
	} {
		body := fmt.Sprintf(`{"items":[{"productId":%q,"quantity":%s}],%s}`, products[0].ID, number, buyer)
		got := s.send("POST", "/api/v1/orders/quote", body)
		if got.status != status {
			t.Errorf("%s: got %d %s, want %d", number, got.status, got.body, status)
		}
		if status == 200 && !strings.Contains(string(got.body), `"quantity":2`) {
			t.Errorf("%s: got %s, want a quantity of 2", number, got.body)
		}
	}
	s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+`,"expectedTotal":1.0}`).problem(409, fault.CodePriceChanged)
}

func TestBody_Limit(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	s := newSite(t, nil)
	fill := func(size int) string { return `{"user":"` + strings.Repeat("a", size-11) + `"}` }
	for _, tt := range []struct {
		size    int
		chunked bool
		status  int
		code    fault.Code
	}{
		{limit, false, 422, fault.CodeValidationFailed},
		{limit, true, 422, fault.CodeValidationFailed},
		{limit + 1, false, 413, fault.CodeTooLarge},
		{limit + 1, true, 413, fault.CodeTooLarge},
		{8 * limit, false, 413, fault.CodeTooLarge},
	} {
		var body io.Reader = strings.NewReader(fill(tt.size))
		if tt.chunked {
			body = io.MultiReader(body) // a type whose length net/http does not know
		}
		req, err := http.NewRequest("POST", s.url+"/api/v1/auth/login", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-tenant", "test")
		req.Header.Set("Content-Type", "application/json")
		s.do(req).problem(tt.status, tt.code)
	}
	small := newSite(t, func(cfg *server.Config) { cfg.MaxBody = 10 })
	small.send("POST", "/api/v1/auth/login", `{"user":"a"}`).problem(413, fault.CodeTooLarge)
}

// A client that sends its whole body before it reads gets the response, and not a connection that
// is reset.
func TestBody_RefusedUpload(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	const size = 16 << 20
	for name, tt := range map[string]struct {
		path, header string
		status       string
		sent         int
	}{
		"too large":           {"/api/v1/auth/login", "", "413 ", size},
		"too large, GraphQL":  {"/graphql", "", "413 ", size},
		"no key":              {"/admin/v1/shops/test/media", "", "401 ", size},
		"no such path":        {"/nothing", "", "404 ", size},
		"waiting to continue": {"/api/v1/auth/login", "Expect: 100-continue\r\n", "413 ", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nx-tenant: test\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n",
				tt.path, tt.header, size)
			if _, err := io.WriteString(conn, head); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Write(make([]byte, tt.sent)); err != nil {
				t.Fatal(err)
			}
			got, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(got.Body); err != nil || !strings.HasPrefix(got.Status, tt.status) {
				t.Errorf("got %s %s, %v, want %s", got.Status, body, err, tt.status)
			}
		})
	}
}

// A client that leaves in the middle of a refused body, with its connection reset, causes no panic.
func TestBody_RefusedClientLeaves(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	var logged bytes.Buffer
	web := httptest.NewUnstartedServer(s.server.Handler())
	web.Config.ErrorLog = log.New(&logged, "", 0)
	web.Start()
	for range 10 {
		conn, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(conn, "POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\nx", 100<<10)
		if err == nil {
			_, err = conn.Read(make([]byte, 12))
		}
		if err == nil {
			err = conn.(*net.TCPConn).SetLinger(0)
		}
		if err := errors.Join(err, conn.Close()); err != nil {
			t.Fatal(err)
		}
	}
	web.Close() // after its connections
	if logged.Len() > 0 {
		t.Errorf("logged: %s", logged.String())
	}
}

func TestBody_GraphQLLimit(t *testing.T) {
	t.Parallel()
	body := func(size int) string {
		const start, end = `{"query":"{apiVersion}","variables":{"a":"`, `"}}`
		return start + strings.Repeat("x", size-len(start)-len(end)) + end
	}
	for _, tt := range []struct {
		name    string
		maxBody int64
		fits    int
	}{
		{"default", 0, 64 << 10},
		{"smaller bodies", 1000, 1000},
	} {
		s := newSite(t, func(cfg *server.Config) { cfg.MaxBody = tt.maxBody })
		for size, want := range map[int]int{tt.fits: 200, tt.fits + 1: 413} {
			if got := s.send("POST", "/graphql", body(size)); got.status != want {
				t.Errorf("%s, %d bytes: got %d %.200s, want %d", tt.name, size, got.status, got.body, want)
			}
		}
	}
}
