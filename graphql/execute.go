package graphql

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	graphqlgo "github.com/graph-gophers/graphql-go"
	gqlerrors "github.com/graph-gophers/graphql-go/errors"

	"storefront/shop"
)

// execute runs a document for a shop and a caller.
func (h *Handler) execute(ctx context.Context, doc *document, s *shop.Shop, caller shop.Caller, requestID string) *response {
	r := &request{handler: h, shop: s, caller: caller}
	result := r.run(ctx, h.schema, doc)
	if isTooDeep(result.Errors) && !h.cfg.HideIntrospection && strings.Contains(doc.Query, "__") {
		schema, err := h.schemaOnly()
		if err != nil {
			return h.errorResponse(ctx, err, requestID)
		}
		deep := &request{handler: h, shop: s, caller: caller, schemaOnly: true}
		if about := deep.run(ctx, schema, doc); !deep.refused.Load() {
			r, result = deep, about
		}
	}
	if fault := r.fault.Load(); fault != nil {
		return h.errorResponse(ctx, fault, requestID)
	}
	return h.newResponse(ctx, doc, result, r, requestID)
}

func (r *request) run(ctx context.Context, schema *graphqlgo.Schema, doc *document) (result *graphqlgo.Response) {
	ctx, r.cancel = context.WithCancel(ctx)
	defer r.end()
	defer func() {
		if value := recover(); value != nil { // outside of resolvers: a literal that is not one
			result = &graphqlgo.Response{Errors: []*gqlerrors.QueryError{panics{}.MakePanicError(ctx, value)}}
		}
	}()
	return schema.Exec(context.WithValue(ctx, requestKey{}, r), doc.Query, doc.OperationName, doc.Variables)
}

// isTooDeep reports whether a document went no further than the check of its depth.
func isTooDeep(errs []*gqlerrors.QueryError) bool {
	return len(errs) > 0 && errs[0].Rule == ruleDepth
}

// newResponse gives the library's response our form.
func (h *Handler) newResponse(ctx context.Context, doc *document, result *graphqlgo.Response, r *request, requestID string) *response {
	a := &response{status: http.StatusOK, data: result.Data, replayed: r.replayed.Load()}
	before := false
	for _, err := range mergeValueFaults(result.Errors, h.variableFaults(doc, result.Errors)) {
		if len(a.errors) == maxErrors {
			break
		}
		before = before || len(err.Path) == 0
		a.errors = append(a.errors, h.newError(ctx, faultOf(err), err, requestID))
	}
	// Nothing ran: the request failed as a whole, and HTTP says so. Of operations whose arguments
	// could not be read the library leaves an empty object.
	if len(a.errors) > 0 && (len(a.data) == 0 || before && bytes.Equal(a.data, []byte("{}")) || bytes.Equal(a.data, []byte("null"))) {
		a.data, a.status = nil, a.errors[0].Extensions.Status
	}
	return a
}

// variableFaults says by their paths what is wrong with the variables of a document that the library
// has refused for one of them.
func (h *Handler) variableFaults(doc *document, errs []*gqlerrors.QueryError) []shop.FieldError {
	isOfVariable := func(err *gqlerrors.QueryError) bool { return err.Rule == ruleVariables }
	if !slices.ContainsFunc(errs, isOfVariable) {
		return nil
	}
	return checkVariables(doc.Variables, h.declaredTypes(doc.Query))
}

// errorResponse is the answer to a request of which nothing ran.
func (h *Handler) errorResponse(ctx context.Context, err error, requestID string) *response {
	e := h.newError(ctx, err, &gqlerrors.QueryError{}, requestID)
	return &response{status: e.Extensions.Status, errors: []responseError{e}}
}

// panics turns a panic into an error that is logged with its stack and told without.
type panics struct{}

// LogPanic does nothing: the error is logged like any other fault of ours.
func (panics) LogPanic(context.Context, any) {}

// MakePanicError gives the error of a panic. The library panics with strconv's error when a literal
// passes its syntax and has no value, such as a number of 30 digits.
func (panics) MakePanicError(_ context.Context, value any) *gqlerrors.QueryError {
	err, _ := value.(error)
	if _, ok := errors.AsType[*strconv.NumError](err); ok || errors.Is(err, strconv.ErrSyntax) {
		return &gqlerrors.QueryError{Err: refuse(shop.CodeMalformed, "The query has a literal that can not be read. Better send it as a variable.")}
	}
	return &gqlerrors.QueryError{Err: fmt.Errorf("panic: %v\n%s", value, debug.Stack())}
}
