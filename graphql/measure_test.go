package graphql_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"storefront/graphql"
	"storefront/shop/fault"
)

// repeated returns a text n times, with its number in place of %d.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

func TestDocument_Definitions(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	const query, spread = "query Q%d{apiVersion} ", "fragment F%d on Query{apiVersion} "
	for name, test := range map[string]struct {
		query, operation string
		status           int
		code             fault.Code
		message          string // a part of it
	}{
		"10 operations": {
			repeated(10, query),
			"Q9", 200, "", "",
		},
		"11 operations": {
			repeated(11, query),
			"Q9", 422, "too_complex", "10 operations",
		},
		"50 fragments": {
			"{" + repeated(50, "...F%d ") + "}" + repeated(50, spread),
			"", 200, "", "",
		},
		"51 fragments": {
			"{" + repeated(51, "...F%d ") + "}" + repeated(51, spread),
			"", 422, "too_complex", "50 fragments",
		},
		"101 variables": {
			"query(" + repeated(101, "$v%d:Int ") + ") {apiVersion}",
			"", 422, "too_complex", "100 variables",
		},
		"lists nested 201 levels deep": {
			"{product(handle:" + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "){title}}",
			"", 422, "too_complex", "nested",
		},
		"fragment in itself": {
			"{...A} fragment A on Query{...B} fragment B on Query{...A}",
			"", 400, "malformed", "itself",
		},
		"fragment nobody spreads": {
			"{apiVersion} fragment A on Query{apiVersion}",
			"", 400, "malformed", "never used",
		},
		"unknown fragment": {
			"{...A}",
			"", 400, "malformed", "Unknown fragment",
		},
		"fragment twice": {
			"{...A} fragment A on Query{apiVersion} fragment A on Query{apiVersion}",
			"", 400, "malformed", "only one fragment",
		},
		"operation twice": {
			"query A{apiVersion} query A{apiVersion}",
			"A", 400, "malformed", "two operations",
		},
		"no operation": {
			"fragment A on Query{apiVersion}",
			"", 400, "malformed", "operationName",
		},
		"name of another operation": {
			"query A{apiVersion}",
			"B", 400, "malformed", "operationName",
		},
		"invalid operation not chosen": {
			"query A{apiVersion} query B($a:X){...F} fragment F on Query{x}",
			"A", 200, "", "",
		},
		"invalid operation chosen": {
			"query A{apiVersion} query B{x}",
			"B", 400, "malformed", `Cannot query field "x"`,
		},
		"fragment of both operations": {
			"query A{...F} query B{...F} fragment F on Query{apiVersion}",
			"B", 200, "", "",
		},
		"syntax error in another": {
			"query A{apiVersion} query B{apiVersion(}",
			"A", 400, "malformed", "syntax",
		},
		"value without a name in another": {
			"query A{apiVersion} query B{a(b:1.e)}",
			"A", 400, "malformed", "syntax",
		},
		"syntax error in a fragment": {
			"{apiVersion} fragment A on Query{a:}",
			"", 400, "malformed", "syntax",
		},
		"names of letters beyond ASCII": {
			"{é}",
			"", 400, "malformed", "syntax",
		},
		"descriptions, defaults, comments": {
			`"a" query A("b" $a: [Int!]! = [1 -2.5e+3] @x, $b:I={a:{b:"}"}}){apiVersion} # }` +
				"\n\"\"\"}\"\"\" query B{apiVersion}",
			"B", 200, "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.post(c.json(map[string]any{"query": test.query, "operationName": test.operation}))
			body := strings.ReplaceAll(got.body, `\"`, `"`)
			code, _, _ := strings.Cut(got.codes(), " ")
			if got.status != test.status || code != string(test.code) ||
				!strings.Contains(body, test.message) {
				t.Errorf("got %d %s, want %d %s", got.status, got.body, test.status, test.code)
			}
		})
	}
}

// What is not executed is left out of validation, and errors still have the lines of the document
// as sent.
func TestDocument_LocationsAsSent(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for query, line := range map[string]int{
		"query A {\n  apiVersion\n}\nquery B {\n  nothing\n}": 5,
		"query A {\n  apiVersion\n}\nquery B {\n  no(\n}":     6,
	} {
		got := c.post(c.json(map[string]any{"query": query, "operationName": "B"}))
		if len(got.Errors) != 1 || len(got.Errors[0].Locations) != 1 ||
			got.Errors[0].Locations[0].Line != line {
			t.Errorf("%s: got %s, want line %d", query, got.body, line)
		}
	}
}

// strictLimits count what they allow. A client has one slot, for lists and records together.
type strictLimits struct {
	slot    chan struct{}
	charged atomic.Int64 // by resolvers that run side by side
}

func newStrictLimits() *strictLimits { return &strictLimits{slot: make(chan struct{}, 1)} }

func (l *strictLimits) Charge(work int) error {
	l.charged.Add(int64(work))
	return nil
}

func (l *strictLimits) AcquireList(ctx context.Context) (func(), error) {
	return l.AcquireRecord(ctx)
}

func (l *strictLimits) AcquireRecord(ctx context.Context) (func(), error) {
	select {
	case l.slot <- struct{}{}:
		return func() { <-l.slot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serve serves a document with limits and returns the status.
func (c *client) serve(ctx context.Context, body string, limits graphql.Limits) int {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	c.handler.Serve(w, r, c.shop, c.caller, "request-1", limits)
	return w.Code
}

// A document holds its client's slot while it is validated, and releases it before it reads what
// needs the slot too.
func TestDocument_SlotOfValidation(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for query, status := range map[string]int{
		`{storeFront{name} collections{meta{totalCount}} products{meta{totalCount}}}`: 200,
		`{__typename}`: 200,
		`{nothing}`:    400,
		`{storeFront(`: 400,
		`{__schema{types{` + nested(12, "ofType", "name") + `}} storeFront{name}}`: 422,
	} {
		limits := newStrictLimits()
		got := c.serve(t.Context(), c.json(map[string]any{"query": query}), limits)
		if got != status || len(limits.slot) != 0 {
			t.Errorf("%s: got status %d and %d slots held, want %d and none",
				query, got, len(limits.slot), status)
		}
	}
}

// A client that leaves while its document waits to be validated costs nothing more.
func TestDocument_ClientGone(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	limits := newStrictLimits()
	limits.slot <- struct{}{} // another document of the client
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.serve(ctx, `{"query":"{storeFront{name}}"}`, limits)
	}()
	leave()
	<-done
	<-limits.slot
	before := c.statements()
	c.serve(ctx, `{"query":"{storeFront{name}}"}`, limits)
	if len(limits.slot) != 0 || c.statements() != before {
		t.Errorf("gone before its validation: got %d slots and %d statements, want none",
			len(limits.slot), c.statements()-before)
	}
}

func TestDocument_ChargedBySize(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	comment := func(n int) string { return " #" + strings.Repeat("x", n) }
	for name, test := range map[string]struct {
		query     string
		variables map[string]any
		work      int
	}{
		"small":           {`{apiVersion}`, nil, 1},
		"3 KiB":           {`{apiVersion}` + comment(3000), nil, 3},
		"two operations":  {`{a:storeFront{name} b:storeFront{name}}`, nil, 2},
		"fragment thrice": {`{...A ...A ...A} fragment A on Query{x` + comment(1000) + "\n}", nil, 4},
		"variable": {
			`query($a:String!){product(handle:$a){title}}`, map[string]any{"a": strings.Repeat("x", 1500)}, 3,
		},
		"unused variable":     {`{apiVersion}`, map[string]any{"a": strings.Repeat("x", 9000)}, 1},
		"too many fields":     {"{" + strings.Repeat("a ", 1001) + "}", nil, 2},
		"too many operations": {repeated(100, "query A%d{apiVersion} "), nil, 3},
		"syntax error":        {`{apiVersion(` + comment(2000), nil, 2},
	} {
		limits := newStrictLimits()
		body := c.json(map[string]any{"query": test.query, "variables": test.variables})
		c.serve(t.Context(), body, limits)
		if limits.charged.Load() != int64(test.work) {
			t.Errorf("%s: got %d units of work, want %d", name, limits.charged.Load(), test.work)
		}
	}
}

// Without a shop, a document is charged and bounded in the same way.
func TestServeSchema_ChargedBySize(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for name, test := range map[string]struct {
		query        string
		status, work int
	}{
		"tools":            {toolQuery, 200, 8},
		"another document": {`{apiVersion}`, 404, 0},
		"a large one":      {`{__schema{types{name}}} #` + strings.Repeat("x", 10_000), 200, 15},
		"51 fragments":     {`{__schema{types{name}}}` + repeated(51, "fragment F%d on Query{x}"), 422, 2},
	} {
		limits := newStrictLimits()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql",
			strings.NewReader(c.json(map[string]any{"query": test.query})))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		noShop := &fault.Error{Code: fault.CodeNotFound, Message: "No shop."}
		c.handler.ServeSchema(w, r, "request-1", limits, noShop)
		if w.Code != test.status || limits.charged.Load() != int64(test.work) || len(limits.slot) != 0 {
			t.Errorf("%s: got status %d, %d units, %d slots, want %d, %d, none: %.200s",
				name, w.Code, limits.charged.Load(), len(limits.slot), test.status, test.work, w.Body)
		}
	}
}

// newIdleClient returns a client whose documents are validated and not executed.
func newIdleClient(tb testing.TB) *client {
	tb.Helper()
	return newClient(tb, graphql.Config{MaxComplexity: 1, HideIntrospection: true})
}

// allocated returns the bytes that a request allocates, and what else runs at the same time.
func (c *client) allocated(body string) uint64 {
	var before, after runtime.MemStats
	limits := newStrictLimits()
	runtime.ReadMemStats(&before)
	c.serve(context.Background(), body, limits)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// maxAllocated is the memory that may be allocated for a body. The first term is that of the
// largest number of overlaps.
func maxAllocated(body string) uint64 { return 3<<20 + 300*uint64(len(body)) }

// hostileBody returns a body of a hostile family.
func (c *client) hostileBody(family string, size int) string {
	query, variables := hostile[family](size)
	body := map[string]any{"query": query, "variables": variables}
	if strings.Contains(query, "query Q0") {
		body["operationName"] = "Q0"
	}
	return c.json(body)
}

// The work before execution grows with the size of a body, whatever the document is. Allocations
// stand for it: those of validation are in proportion to its steps.
func TestDocument_HostileWorkBounded(t *testing.T) {
	c := newIdleClient(t)
	for family := range hostile {
		for _, size := range []int{2000, 4000, 8000, 15_000} {
			body := c.hostileBody(family, size)
			// What goroutines of other tests allocate counts too, so the smaller of two figures does.
			if got := min(c.allocated(body), c.allocated(body)); got > maxAllocated(body) {
				t.Errorf("%s of %d bytes: got %d KiB allocated, want at most %d",
					family, len(body), got>>10, maxAllocated(body)>>10)
			}
		}
	}
}
