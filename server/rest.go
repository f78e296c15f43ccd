package server

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop"
	"storefront/transport"
)

// huma keeps these for the whole process, so this is the one place that sets them.
func init() {
	huma.ValidateStrictCasing = true
	setValidationMessages()
	huma.NewErrorWithContext = humaProblem
	huma.NewError = func(int, string, ...error) huma.StatusError { return &problem{} } // asked for its type only
}

// newAPI gives the API that operations are registered with. It serves no pages of its own.
func newAPI(s *Server) huma.API {
	return huma.NewAPI(huma.Config{
		OpenAPI:       newOpenAPI(s.cfg),
		Formats:       map[string]huma.Format{"application/json": strictJSON, "json": strictJSON}, // json: of problem+json
		DefaultFormat: "application/json",
	}, newAdapter(s))
}

// operation says what the document tells of an operation, and how it is reached.
type operation struct {
	id, method, path string // method "": GET
	tag              string
	summary          string
	description      string
	token            tokenPolicy
	orderToken       bool                     // X-Order-Token is read
	created          bool                     // success is 201
	bodyOptional     bool                     // nothing sent is as good as an empty object
	codes            []shop.Code              // what can come back beside what comes from every operation
	example          any                      // of the body
	examples         map[string]*huma.Example // of the body, instead of one example
	links            map[string]*huma.Link    // from success to what can be done next
	parameters       []*huma.Param            // that are read by hand
	headers          map[string]*huma.Param
}

// tokenPolicy says what an operation wants of a token.
type tokenPolicy int

const (
	noToken      tokenPolicy = iota
	lenientToken             // a bad one is ignored
	optionalToken
	requiredToken
)

// request is embedded in every operation's input. It brings along the exchange, and with it the
// shop and the caller.
type request struct{ x *exchange }

// Resolve is called by huma before the operation.
func (r *request) Resolve(ctx huma.Context) []error {
	r.x = exchangeOf(ctx)
	return nil
}

// output is an operation's output.
type output[T any] struct{ Body T }

// registerCatalogue adds an operation whose answer is the same for all callers of a tenant.
func registerCatalogue[I, T any](s *Server, spec operation, do func(context.Context, *I) (*T, error)) {
	op := spec.document()
	op.Middlewares = huma.Middlewares{s.serveCatalogue}
	op.Responses = map[string]*huma.Response{
		"200": {Headers: map[string]*huma.Param{"ETag": stringHeader("Names these bytes: send it as If-None-Match")}},
		"304": {Description: "The client's copy is good: see ETag and If-None-Match"},
	}
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "If-None-Match", In: "header", Description: "ETags of answers that the client has", Schema: &huma.Schema{Type: huma.TypeString},
	})
	add(s, spec, op, do)
}

// register adds an operation whose answer depends on who calls, or that changes something.
func register[I, T any](s *Server, spec operation, do func(context.Context, *I) (*T, error)) {
	op := spec.document()
	op.Middlewares = huma.Middlewares{s.limitRate, checkQuery}
	if hasBody(op.Method) {
		op.Middlewares = append(op.Middlewares, s.readBody)
	}
	add(s, spec, op, do)
}

// limitRate is the middleware that holds a client to the ceiling on uncached work.
func (s *Server) limitRate(ctx huma.Context, next func(huma.Context)) {
	x := exchangeOf(ctx)
	if err := s.checkRate(x); err != nil {
		x.fail(err)
		return
	}
	next(ctx)
}

func add[I, T any](s *Server, spec operation, op huma.Operation, do func(context.Context, *I) (*T, error)) {
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*output[T], error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, err
		}
		return &output[T]{*out}, nil
	})
	spec.complete(s.api.OpenAPI())
}

func (spec operation) document() huma.Operation {
	op := huma.Operation{
		OperationID: spec.id, Method: spec.method, Path: spec.path, Tags: []string{spec.tag},
		Summary: spec.summary, Description: spec.description, Security: spec.security(), Parameters: spec.parameters,
	}
	if op.Method == "" {
		op.Method = http.MethodGet
	}
	if spec.created {
		op.DefaultStatus = http.StatusCreated
	}
	for status := range spec.codesByStatus(op.Method) {
		op.Errors = append(op.Errors, status)
	}
	slices.Sort(op.Errors)
	if hasBody(op.Method) {
		op.MaxBodyBytes = -1 // readBody has its own bound, and huma refuses a body of exactly its limit
	}
	return op
}

func (spec operation) security() []map[string][]string {
	tenant := map[string][]string{schemeTenant: {}}
	bearer := map[string][]string{schemeTenant: {}, schemeBearer: {}}
	token := map[string][]string{schemeTenant: {}, schemeOrderToken: {}}
	var all []map[string][]string
	if spec.token != requiredToken {
		all = append(all, tenant)
	}
	if spec.token != noToken {
		all = append(all, bearer)
	}
	if spec.orderToken {
		all = append(all, token)
	}
	return all
}

// codesByStatus lists the codes that can come back, those of every operation included.
func (spec operation) codesByStatus(method string) map[int][]shop.Code {
	codes := []shop.Code{
		shop.CodeTenantRequired, shop.CodeTenantNotFound, shop.CodeTenantSuspended, shop.CodeMalformed,
		shop.CodeInternal, shop.CodeUnavailable,
	}
	if hasBody(method) {
		codes = append(codes, shop.CodeUnsupportedMediaType, shop.CodeTooLarge, shop.CodeUnknownField, shop.CodeValidationFailed)
	}
	switch spec.token {
	case requiredToken:
		codes = append(codes, shop.CodeUnauthenticated, shop.CodeTokenExpired, shop.CodeTokenInvalid)
	case optionalToken:
		codes = append(codes, shop.CodeTokenExpired, shop.CodeTokenInvalid)
	}
	if hasBody(method) || spec.token != noToken {
		codes = append(codes, shop.CodeRateLimited)
	}
	byStatus := map[int][]shop.Code{}
	for _, code := range append(codes, spec.codes...) {
		status := transport.Status(code)
		if !slices.Contains(byStatus[status], code) {
			byStatus[status] = append(byStatus[status], code)
		}
	}
	return byStatus
}

// complete writes into the document what huma has no words for.
func (spec operation) complete(doc *huma.OpenAPI) {
	method := spec.method
	item := doc.Paths[spec.path]
	op := item.Get
	switch method {
	case http.MethodPost:
		op = item.Post
	case http.MethodPatch:
		op = item.Patch
	}
	byStatus := spec.codesByStatus(method)
	if byStatus[http.StatusUnprocessableEntity] == nil {
		delete(op.Responses, "422") // which huma adds to every operation with a parameter
	}
	for status, codes := range byStatus {
		describeStatus(doc, op.Responses[strconv.Itoa(status)], codes)
	}
	for _, p := range op.Parameters { // huma says the example of the schema, where no tool looks for it
		if p.Schema != nil && len(p.Schema.Examples) > 0 {
			p.Example, p.Schema.Examples = p.Schema.Examples[0], nil
		}
	}
	if spec.bodyOptional {
		op.RequestBody.Required = false
	}
	if op.RequestBody != nil {
		media := op.RequestBody.Content["application/json"]
		media.Example, media.Examples = spec.example, spec.examples
	}
	success := op.Responses[strconv.Itoa(op.DefaultStatus)]
	success.Links = spec.links
	for name, header := range spec.headers {
		success.Headers[name] = header
	}
}

func stringHeader(description string) *huma.Param {
	return &huma.Param{Description: description, Schema: &huma.Schema{Type: huma.TypeString}}
}
