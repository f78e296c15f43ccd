package server

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/julienschmidt/httprouter"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/transport"
)

// huma stores these for the whole process, so they are set only here.
func init() {
	huma.ValidateStrictCasing = true
	setValidationMessages()
	huma.NewErrorWithContext = humaProblem
	huma.NewError = func(int, string, ...error) huma.StatusError { return &problem{} } // huma derives the error's schema from its type
}

// newAPI returns an API with which operations are registered. It serves no pages of its own.
func newAPI(doc *huma.OpenAPI, routes huma.Adapter) huma.API {
	return huma.NewAPI(huma.Config{
		OpenAPI:       doc,
		Formats:       map[string]huma.Format{"application/json": strictJSON, "json": strictJSON}, // "json" is for problem+json
		DefaultFormat: "application/json",
	}, routes)
}

// operation describes an operation for the router and for the document.
type operation struct {
	id, method, path string // the default method is GET
	tag              string
	summary          string
	description      string
	token            tokenPolicy
	orderToken       bool                     // X-Order-Token is read
	created          bool                     // success is 201
	readOnly         bool                     // without changes; without a body this is the default
	bodyOptional     bool                     // no body means an empty object
	codes            []fault.Code             // in addition to the codes of every operation
	example          any                      // of the request body
	examples         map[string]*huma.Example // of the request body, instead of example
	links            map[string]*huma.Link    // from success to further operations
	parameters       []*huma.Param            // parameters that the operation reads itself
	headers          map[string]*huma.Param
	permission       access.Permission // of the Admin API; "" in the storefront API
	admin            adminInput        // of an operation of the Admin API
	csv              bool              // the body is a CSV file
	workbook         bool              // or a workbook
	image            bool              // the body is an image
}

// adminInput describes the input and requirements of an operation of the Admin API, as far as codes
// depend on them.
type adminInput struct {
	query       bool // it has query parameters
	conditional bool // If-Match is accepted
	beforeSetup bool // permitted to staff members before they set up a required second factor
}

// tokenPolicy is an operation's treatment of the access token.
type tokenPolicy int

const (
	noToken      tokenPolicy = iota
	lenientToken             // an invalid one is ignored
	optionalToken
	requiredToken
)

// request is embedded in every operation's input. It holds the exchange with the shop and the
// caller.
type request struct{ x *exchange }

// Resolve is called by huma before the operation.
func (r *request) Resolve(ctx huma.Context) []error {
	r.x = exchangeOf(ctx)
	return nil
}

func (r *request) exchange() *exchange { return r.x }

// output is an operation's output.
type output[T any] struct{ Body T }

// registerCatalogue adds an operation with a response that is the same for every caller of a
// tenant.
func registerCatalogue[I, T any](s *Server, spec operation, do func(context.Context, *I) (*T, error)) {
	op := spec.document()
	op.Middlewares = huma.Middlewares{s.serveCatalogue}
	op.Responses = map[string]*huma.Response{
		"200": {Headers: map[string]*huma.Param{"ETag": stringHeader("Identifies this response: send it as If-None-Match")}},
		"304": {Description: "The response has not changed: see ETag and If-None-Match"},
	}
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "If-None-Match", In: "header", Description: "ETags of responses that the client has stored",
		Schema: &huma.Schema{Type: huma.TypeString},
	})
	addJSON(s, spec, op, do)
}

// register adds an operation with a response that depends on the caller, or with an effect.
func register[I, T any](s *Server, spec operation, do func(context.Context, *I) (*T, error)) {
	op := spec.document()
	op.Middlewares = huma.Middlewares{s.limitRate, checkQuery}
	if hasBody(op.Method) {
		op.Middlewares = append(op.Middlewares, s.readBody)
	}
	op.Middlewares = append(op.Middlewares, limitResponse(hasBody(op.Method) && !spec.readOnly))
	addJSON(s, spec, op, do)
}

// limitRate is the middleware that enforces the rate limit.
func (s *Server) limitRate(ctx huma.Context, next func(huma.Context)) {
	x := exchangeOf(ctx)
	if err := x.Charge(1); err != nil {
		x.fail(err)
		return
	}
	next(ctx)
}

func addJSON[I, T any](s *Server, spec operation, op huma.Operation, do func(context.Context, *I) (*T, error)) {
	s.deprecate(&spec, &op)
	identify := func(x *exchange, r *http.Request, _ huma.Context) error { return s.identify(x, r) }
	s.add(op.Method, op.Path, identify, func(api huma.API) {
		huma.Register(api, op, func(ctx context.Context, in *I) (*output[T], error) {
			out, err := do(ctx, in)
			if err != nil {
				return nil, err
			}
			return &output[T]{*out}, nil
		})
		spec.complete(api.OpenAPI())
	})
}

// add adds an operation, which register adds to an API. A server of clients does so at the first
// request, with an API of its own: deriving the schemas of all operations is most of a start.
func (s *Server) add(method, path string, identify identifier, register func(huma.API)) {
	if s.api != nil {
		register(s.api)
		return
	}
	s.routes.handleLate(method, path, func(tree *httprouter.Router) {
		register(newAPI(&huma.OpenAPI{Components: newComponents()}, newAdapter(tree, identify)))
	})
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
		op.MaxBodyBytes = -1 // readBody has its own limit, and huma refuses a body of exactly its limit
	}
	return op
}

func (spec operation) security() []map[string][]string {
	switch spec.permission {
	case "":
	case access.Anybody:
		return []map[string][]string{{}}
	case access.Own:
		return []map[string][]string{{schemeSession: {}}}
	default:
		return []map[string][]string{{schemeAPIKey: {}}, {schemeSession: {}}}
	}
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

// codesByStatus returns the codes of an operation's errors, including the codes of every operation.
func (spec operation) codesByStatus(method string) map[int][]fault.Code {
	codes := spec.callerCodes(method)
	if hasBody(method) {
		codes = append(codes, fault.CodeUnsupportedMediaType, fault.CodeTooLarge, fault.CodeUnknownField, fault.CodeValidationFailed)
	}
	switch spec.token {
	case requiredToken:
		codes = append(codes, fault.CodeUnauthenticated, fault.CodeTokenExpired, fault.CodeTokenInvalid)
	case optionalToken:
		codes = append(codes, fault.CodeTokenExpired, fault.CodeTokenInvalid)
	}
	byStatus := map[int][]fault.Code{}
	for _, code := range append(codes, spec.codes...) {
		status := transport.Status(code)
		if !slices.Contains(byStatus[status], code) {
			byStatus[status] = append(byStatus[status], code)
		}
	}
	return byStatus
}

// callerCodes returns the codes of requests that are refused by their shop or their caller.
func (spec operation) callerCodes(method string) []fault.Code {
	codes := []fault.Code{
		fault.CodeTenantNotFound, fault.CodeMalformed, fault.CodeRateLimited, fault.CodeInternal, fault.CodeUnavailable,
	}
	if spec.permission != "" && !strings.Contains(spec.path, "{tenant}") {
		codes = codes[1:]
	}
	switch spec.permission {
	case "":
		codes = append([]fault.Code{fault.CodeTenantRequired, fault.CodeTenantNotFound, fault.CodeTenantSuspended}, codes[1:]...)
	case access.Anybody:
		codes = append(codes, fault.CodeHTTPSRequired, fault.CodeUnknownField)
		if method != http.MethodGet { // a page of another site may have sent it
			codes = append(codes, fault.CodeForbidden)
		}
	default:
		codes = append(codes, fault.CodeUnauthenticated, fault.CodeForbidden, fault.CodeHTTPSRequired, fault.CodeUnknownField)
		if !spec.admin.beforeSetup {
			codes = append(codes, fault.CodeSecondFactorSetupRequired)
		}
		if staff.NeedsProof(spec.permission) {
			codes = append(codes, fault.CodeProofRequired)
		}
	}
	if spec.permission != "" && (spec.admin.query || method != http.MethodGet && !spec.admin.conditional) { // an If-Match that is not accepted
		codes = append(codes, fault.CodeValidationFailed)
	}
	return codes
}

// complete completes the document where huma cannot express it.
func (spec operation) complete(doc *huma.OpenAPI) {
	method := cmp.Or(spec.method, http.MethodGet)
	op := operationsOf(doc.Paths[spec.path])[method]
	byStatus := spec.codesByStatus(method)
	if byStatus[http.StatusUnprocessableEntity] == nil {
		delete(op.Responses, "422") // huma adds it to every operation with a parameter
	}
	for status, codes := range byStatus {
		describeStatus(doc, op.Responses[strconv.Itoa(status)], codes)
	}
	for _, p := range op.Parameters { // huma puts the example into the schema, where no tool reads it
		if p.Schema != nil && len(p.Schema.Examples) > 0 {
			p.Example, p.Schema.Examples = p.Schema.Examples[0], nil
		}
	}
	if spec.bodyOptional {
		op.RequestBody.Required = false
	}
	if op.RequestBody != nil {
		media := op.RequestBody.Content["application/json"]
		switch {
		case spec.csv:
			media = op.RequestBody.Content["text/csv"]
			if spec.workbook {
				op.RequestBody.Content[workbookType] = media
			}
		case spec.image:
			media = op.RequestBody.Content["image/jpeg"]
			for _, other := range []string{"image/png", "image/webp", "image/gif"} {
				op.RequestBody.Content[other] = media
			}
		}
		media.Example, media.Examples = spec.example, spec.examples
	}
	success := op.Responses[strconv.Itoa(op.DefaultStatus)]
	success.Links = spec.links
	for status, response := range op.Responses {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		if response.Headers == nil {
			response.Headers = map[string]*huma.Param{}
		}
		maps.Copy(response.Headers, spec.headers)
	}
}

func stringHeader(description string) *huma.Param {
	return &huma.Param{Description: description, Schema: &huma.Schema{Type: huma.TypeString}}
}
