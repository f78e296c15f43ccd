package graphql_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/graphql"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// secret is a password in the inputs: no response may contain it.
const secret = "s3cret-of-mine"

const (
	loginBy    = `mutation($i: StorefrontLoginInput!) { login(input: $i) { accessToken } }`
	registerBy = `mutation($i: StorefrontRegisterInput!) { register(input: $i) { accessToken } }`
	quoteBy    = `query($i: OrderInput!) { quoteOrder(input: $i) { total { amount } } }`
)

func input(v any) map[string]any { return map[string]any{"i": v} }

// If nothing of a document runs, the HTTP status is that of the error, and there is no data.
func TestDocument_NotExecutable(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	one := func(field string, code fault.Code) []fault.FieldError {
		return []fault.FieldError{{Field: field, Code: code}}
	}
	item := func(quantity any) map[string]any {
		return map[string]any{"items": []any{map[string]any{"productId": "a", "quantity": 1}, map[string]any{"productId": "b", "quantity": quantity}}}
	}
	for name, test := range map[string]struct {
		query  string
		vars   map[string]any
		status int
		code   fault.Code
		fields []fault.FieldError // without their messages
	}{
		"syntax":              {`{ apiVersion `, nil, 400, fault.CodeMalformed, nil},
		"syntax, string":      {`mutation { login(input: {user: "a" "` + secret + `"}) { accessToken } }`, nil, 400, fault.CodeMalformed, nil},
		"unterminated string": {`{ product(id: "` + secret + `) { _id } }`, nil, 400, fault.CodeMalformed, nil},
		"unknown field":       {`{ nothing }`, nil, 400, fault.CodeMalformed, nil},
		"unknown argument":    {`{ products(colour: "red") { meta { totalCount } } }`, nil, 400, fault.CodeMalformed, nil},
		"no selection":        {`{ products }`, nil, 400, fault.CodeMalformed, nil},
		"unknown fragment":    {`{ products { ...F } }`, nil, 400, fault.CodeMalformed, nil},
		"recursive fragment":  {`{ products { ...F } } fragment F on ProductPage { ...F }`, nil, 400, fault.CodeMalformed, nil},
		"two operations":      {`query A { apiVersion } query B { apiVersion }`, nil, 400, fault.CodeMalformed, nil},
		"fragment only":       {`fragment F on Product { _id }`, nil, 400, fault.CodeMalformed, nil},
		"subscription":        {`subscription { apiVersion }`, nil, 400, fault.CodeMalformed, nil},
		"comment only":        {`# hello`, nil, 400, fault.CodeMalformed, nil},
		"number over 64 bits": {`{ products(minPrice: 99999999999999999999) { meta { totalCount } } }`, nil, 400, fault.CodeMalformed, nil},
		"default over 64 bits": {
			`query($m: Long = 99999999999999999999) { products(minPrice: $m) { meta { totalCount } } }`, nil,
			400, fault.CodeMalformed, nil,
		},
		"NUL by escape":          {`{ products(search: "\u0000") { meta { totalCount } } }`, nil, 400, fault.CodeMalformed, nil},
		"not UTF-8 by escape":    {`{ products(search: "\xff") { meta { totalCount } } }`, nil, 400, fault.CodeMalformed, nil},
		"lone surrogate":         {`{ products(search: "\ud83d") { meta { totalCount } } }`, nil, 400, fault.CodeMalformed, nil},
		"octal escape":           {`{ products(search: "\101") { meta { totalCount } } }`, nil, 400, fault.CodeMalformed, nil},
		"undeclared variable":    {`{ product(id: $id) { _id } }`, map[string]any{"id": "x"}, 400, fault.CodeMalformed, nil},
		"variable of wrong type": {`query($id: Int) { product(id: $id) { _id } }`, map[string]any{"id": 1}, 400, fault.CodeMalformed, nil},
		"argument omitted":       {`{ relatedProducts { meta { totalCount } } }`, nil, 422, fault.CodeValidationFailed, one("id", fault.CodeRequired)},
		"literal of wrong type": {
			`mutation { login(input: {user: true, password: "` + secret + `"}) { accessToken } }`, nil,
			422, fault.CodeValidationFailed, nil,
		},
		"literal for an input":     {`mutation { login(input: "` + secret + `") { accessToken } }`, nil, 422, fault.CodeValidationFailed, nil},
		"literal with a fraction":  {`{ products(minPrice: 1.5) { meta { totalCount } } }`, nil, 422, fault.CodeValidationFailed, nil},
		"literal with an exponent": {`{ products(minPrice: 1e3) { meta { totalCount } } }`, nil, 422, fault.CodeValidationFailed, nil},
		"literal field unknown": {
			`mutation { login(input: {user: "a", password: "` + secret + `", colour: 1}) { accessToken } }`, nil,
			422, fault.CodeUnknownField, one("colour", fault.CodeUnknownField),
		},
		"literal field omitted": {
			`mutation { login(input: {password: "` + secret + `"}) { accessToken } }`, nil,
			422, fault.CodeValidationFailed, one("user", fault.CodeRequired),
		},
		"literal not in enum": {
			`{ quoteOrder(input: {items: [], paymentMethod: cheque}) { total { amount } } }`, nil,
			422, fault.CodeValidationFailed, one("paymentMethod", fault.CodeInvalidValue),
		},
		"sort key not in enum": {
			"{\n p: products(sortBy:\n  colour) { meta { totalCount } } }", nil,
			422, fault.CodeValidationFailed, one("sortBy", fault.CodeInvalidValue),
		},
		"sort key in quotes": {
			`{ products(sort: "asc") { meta { totalCount } } }`, nil,
			422, fault.CodeValidationFailed, one("sort", fault.CodeInvalidValue),
		},
		"sort key in a variable": {
			`query($by: ProductSort) { products(sortBy: $by) { meta { totalCount } } }`, map[string]any{"by": "colour"},
			422, fault.CodeValidationFailed, one("by", fault.CodeInvalidValue),
		},
		"input omitted":   {loginBy, nil, 422, fault.CodeValidationFailed, one("i", fault.CodeRequired)},
		"input is string": {loginBy, input(secret), 422, fault.CodeValidationFailed, one("i", fault.CodeInvalidValue)},
		"field omitted":   {loginBy, input(map[string]any{"password": secret}), 422, fault.CodeValidationFailed, one("user", fault.CodeRequired)},
		"field null": {
			loginBy, input(map[string]any{"user": nil, "password": secret}),
			422, fault.CodeValidationFailed, one("user", fault.CodeRequired),
		},
		"field unknown": {
			loginBy, input(map[string]any{"user": "a", "password": secret, "pass word": secret}),
			422, fault.CodeUnknownField, one("pass word", fault.CodeUnknownField),
		},
		"field in another case": {
			loginBy, input(map[string]any{"user": "a", "password": secret, "Password": secret}),
			422, fault.CodeUnknownField, one("Password", fault.CodeUnknownField),
		},
		"number for string": {
			registerBy, input(map[string]any{"name": 65, "password": secret}),
			422, fault.CodeValidationFailed, one("name", fault.CodeInvalidValue),
		},
		"object for string": {
			registerBy, input(map[string]any{"name": map[string]any{"x": secret}, "password": secret}),
			422, fault.CodeValidationFailed, one("name", fault.CodeInvalidValue),
		},
		"fraction for integer": {quoteBy, input(item(1.5)), 422, fault.CodeValidationFailed, one("items[1].quantity", fault.CodeInvalidValue)},
		"integer too large":    {quoteBy, input(item(int64(1) << 31)), 422, fault.CodeValidationFailed, one("items[1].quantity", fault.CodeInvalidValue)},
		"string for integer":   {quoteBy, input(item("1")), 422, fault.CodeValidationFailed, one("items[1].quantity", fault.CodeInvalidValue)},
		"string for amount": {
			`query($m: Long) { products(minPrice: $m) { meta { totalCount } } }`, map[string]any{"m": "1"},
			422, fault.CodeValidationFailed, one("m", fault.CodeInvalidValue),
		},
		"nested, omitted": {
			quoteBy, input(map[string]any{"items": []any{map[string]any{"productId": "p"}}}),
			422, fault.CodeValidationFailed, one("items[0].quantity", fault.CodeRequired),
		},
		"nested, unknown": {
			quoteBy, input(map[string]any{"items": []any{map[string]any{"productId": "p", "quantity": 1, "size": secret}}}),
			422, fault.CodeUnknownField, one("items[0].size", fault.CodeUnknownField),
		},
		"nested, string": {
			quoteBy, input(map[string]any{"items": []any{secret}}),
			422, fault.CodeValidationFailed, one("items[0]", fault.CodeInvalidValue),
		},
		"not in enum": {
			quoteBy, input(map[string]any{"items": []any{}, "paymentMethod": "cheque"}),
			422, fault.CodeValidationFailed, one("paymentMethod", fault.CodeInvalidValue),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.run(test.query, test.vars)
			if got.status != test.status || len(got.Errors) == 0 || strings.Contains(got.body, `"data"`) {
				t.Fatalf("got %d %s, want %d without data", got.status, got.body, test.status)
			}
			e := got.Errors[0].Extensions
			if e.Code != test.code || e.Status != test.status || e.RequestID != "request-1" || got.Errors[0].Message == "" {
				t.Errorf("got %s, want %s", got.body, test.code)
			}
			for i := range e.Errors {
				if e.Errors[i].Message == "" {
					t.Errorf("field %s has no message", e.Errors[i].Field)
				}
				e.Errors[i].Message = ""
			}
			if test.fields == nil {
				test.fields = []fault.FieldError{}
			}
			if diff := cmp.Diff(test.fields, e.Errors); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if strings.Contains(got.body, secret) {
				t.Errorf("response contains the secret: %s", got.body)
			}
		})
	}
}

// Errors of use cases have HTTP status 200, and do not affect other fields.
func TestField_IndependentErrors(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	p := c.addProduct(1)
	owner := c.register()
	otherTotal := cart(p)
	otherTotal["expectedTotal"] = 1
	tooMany := cart(p)
	tooMany["items"] = []any{map[string]any{"productId": p.ID, "variantId": p.Variants[0].ID, "quantity": 11}}
	noPhone := cart(p)
	delete(noPhone, "customer")
	keyed := cart(p)
	keyed["idempotencyKey"] = "with space"
	for name, test := range map[string]struct {
		as    *client
		field string
		vars  map[string]any
		head  string
		code  fault.Code
		at    string // the field of the first field error
	}{
		"no product":         {as: c, field: `product(id: "none") { _id }`, code: fault.CodeNotFound},
		"no handle":          {as: c, field: `product(handle: "none") { _id }`, code: fault.CodeNotFound},
		"product, no key":    {as: c, field: `product { _id }`, code: fault.CodeValidationFailed, at: "id"},
		"product, both keys": {as: c, field: `product(id: "a", handle: "b") { _id }`, code: fault.CodeValidationFailed, at: "id"},
		"no collection":      {as: c, field: `collection(id: 12) { _id }`, code: fault.CodeNotFound},
		"no order":           {as: c, field: `order(orderId: "0123456789ABCDEF") { _id }`, code: fault.CodeNotFound},
		"page 0":             {as: c, field: `products(page: 0) { meta { totalCount } }`, code: fault.CodeValidationFailed, at: "page"},
		"limit 101":          {as: c, field: `products(limit: 101) { meta { totalCount } }`, code: fault.CodeValidationFailed, at: "limit"},
		"limit -2":           {as: c, field: `collections(limit: -2) { meta { totalCount } }`, code: fault.CodeValidationFailed, at: "limit"},
		"me, guest":          {as: c, field: `me { _id }`, code: fault.CodeUnauthenticated},
		"me, bad token":      {as: c.as(access.Caller{Bearer: "x.y.z"}), field: `me { _id }`, code: fault.CodeTokenInvalid},
		"me, not Bearer":     {as: c.as(access.Caller{BadAuthorization: true}), field: `me { _id }`, code: fault.CodeTokenInvalid},
		"myOrders, guest":    {as: c, field: `myOrders { meta { totalCount } }`, code: fault.CodeUnauthenticated},
		"quote, bad token": {
			as: c.as(access.Caller{Bearer: "x.y.z"}), head: "query($i: OrderInput!)",
			field: `quoteOrder(input: $i) { total { amount } }`, vars: input(cart(p)),
			code: fault.CodeTokenInvalid,
		},
		"wrong password": {
			as: c, head: "mutation", field: `login(input: {user: "ayesha@example.com", password: "` + secret + `"}) { accessToken }`,
			code: fault.CodeInvalidCredentials,
		},
		"account exists": {
			as: c, head: "mutation", field: `register(input: {name: "B", email: "ayesha@example.com", password: "` + secret + `"}) { accessToken }`,
			code: fault.CodeCustomerExists,
		},
		"common password": {
			as: c, head: "mutation", field: `register(input: {name: "B", email: "b@example.com", password: "password1"}) { accessToken }`,
			code: fault.CodePasswordRejected,
		},
		"price changed": {
			as: c, head: "mutation($i: PlaceOrderInput!)", field: `placeOrder(input: $i) { _id }`, vars: input(otherTotal),
			code: fault.CodePriceChanged,
		},
		"out of stock": {
			as: owner, head: "mutation($i: PlaceOrderInput!)", field: `placeOrder(input: $i) { _id }`, vars: input(tooMany),
			code: fault.CodeOutOfStock, at: "items[0].quantity",
		},
		"no phone": {
			as: owner, head: "mutation($i: PlaceOrderInput!)", field: `placeOrder(input: $i) { _id }`, vars: input(noPhone),
			code: fault.CodePhoneRequired, at: "customer.phoneNumber",
		},
		"key with a space": {
			as: c, head: "mutation($i: PlaceOrderInput!)", field: `placeOrder(input: $i) { _id }`, vars: input(keyed),
			code: fault.CodeValidationFailed, at: "idempotencyKey",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := test.as.run(test.head+" { x: "+test.field+" other: __typename }", test.vars)
			if got.status != http.StatusOK || got.codes() != string(test.code) || got.at("x") != nil || got.at("other") == nil {
				t.Fatalf("got %d %s, want 200 %s", got.status, got.body, test.code)
			}
			e := got.Errors[0]
			if diff := cmp.Diff([]any{"x"}, e.Path); diff != "" {
				t.Errorf("path (-want +got):\n%s", diff)
			}
			if test.at != "" && (len(e.Extensions.Errors) == 0 || e.Extensions.Errors[0].Field != test.at) {
				t.Errorf("got %s, want a field error of %s", got.body, test.at)
			}
			if want := map[fault.Kind]int{
				fault.KindInvalid: 422, fault.KindNotFound: 404, fault.KindUnauthenticated: 401, fault.KindConflict: 409,
			}[test.code.Kind()]; e.Extensions.Status != want {
				t.Errorf("got status %d, want %d", e.Extensions.Status, want)
			}
			if strings.Contains(got.body, secret) {
				t.Errorf("response contains the secret: %s", got.body)
			}
		})
	}
}

func TestPlaceOrder_PriceChanged(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	order := cart(c.addProduct(1))
	order["expectedTotal"] = 9007199254740993 // not representable as float64
	got := c.run(`mutation($i: PlaceOrderInput!) { placeOrder(input: $i) { _id } }`, input(order))
	if got.codes() != "price_changed" || len(got.Errors[0].Extensions.Details) == 0 {
		t.Errorf("got %s, want price_changed with details", got.body)
	}
}

// Use cases of a nil shop panic.
func TestInternalError_NoDetailsExposed(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := newClient(t, graphql.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	c.shop = nil
	got := c.run(`mutation { login(input: {user: "a@b.example", password: "`+secret+`"}) { accessToken } }`, nil)
	e := got.Errors[0]
	if got.status != http.StatusOK || got.codes() != "internal" || e.Extensions.Status != 500 || e.Extensions.RequestID != "request-1" {
		t.Errorf("got %d %s, want 200 with an internal error", got.status, got.body)
	}
	if strings.Contains(got.body, "nil pointer") || strings.Contains(got.body, ".go") {
		t.Errorf("response exposes internals: %s", got.body)
	}
	text := log.String()
	if !strings.Contains(text, "requestId=request-1") || !strings.Contains(text, "nil pointer") || !strings.Contains(text, "customer.go") {
		t.Errorf("log lacks the error: %s", text)
	}
	if strings.Contains(log.String(), secret) {
		t.Errorf("log contains the secret: %s", &log)
	}
}

func TestDeadline_Exceeded(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(`{"query": "{ storeFront { name } }"}`))
	r.Header.Set("Content-Type", "application/json")
	if got := c.send(r); got.status != http.StatusServiceUnavailable || got.codes() != "unavailable" {
		t.Errorf("got %d %s, want 503 unavailable", got.status, got.body)
	}
}

func TestServeError_Format(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for _, test := range []struct {
		err    error
		status int
		body   string
	}{
		{
			&fault.Error{Code: fault.CodeTenantNotFound, Message: "No shop."}, 404,
			`{"errors":[{"message":"No shop.","extensions":{"code":"tenant_not_found","status":404,"requestId":"r","errors":[]}}]}`,
		},
		{
			&fault.Error{Code: fault.CodeRateLimited, Message: "Wait.", RetryAfter: 7}, 429,
			`{"errors":[{"message":"Wait.","extensions":{"code":"rate_limited","status":429,"requestId":"r","errors":[],"retryAfter":7}}]}`,
		},
	} {
		w := httptest.NewRecorder()
		c.handler.ServeError(w, httptest.NewRequest(http.MethodPost, "/graphql", nil), test.err, "r")
		if w.Code != test.status || w.Body.String() != test.body+"\n" {
			t.Errorf("got %d %s, want %d %s", w.Code, w.Body, test.status, test.body)
		}
	}
}
