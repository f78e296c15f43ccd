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

	"storefront/shop/fault"
)

// execute runs a document. A document that is too deep but queries only the schema is run again
// with the depth of introspection.
func (h *Handler) execute(ctx context.Context, doc *document, of requestScope, requestID string) *response {
	r := &request{requestScope: of}
	result, err := r.run(ctx, h.schema, doc)
	if err != nil {
		return h.errorResponse(ctx, err, requestID)
	}
	if isTooDeep(result.Errors) && !h.cfg.HideIntrospection && strings.Contains(doc.Query, "__") {
		schema, err := h.schemaOnly()
		if err != nil {
			return h.errorResponse(ctx, err, requestID)
		}
		deep := &request{requestScope: of, schemaOnly: true}
		deepResult, err := deep.run(ctx, schema, doc)
		if err != nil {
			return h.errorResponse(ctx, err, requestID)
		}
		if !deep.refused.Load() {
			r, result = deep, deepResult
		}
	}
	if err := r.abortErr.Load(); err != nil {
		resp := h.errorResponse(ctx, inDocument{err}, requestID)
		resp.actions = r.actions() // the errors before the document was aborted
		return resp
	}
	return h.newResponse(ctx, doc, result, r, requestID)
}

// run parses, validates and executes a document. An error means that it was not executed. Codes:
// rate_limited.
func (r *request) run(ctx context.Context, schema *graphqlgo.Schema, doc *document) (result *graphqlgo.Response, err error) {
	if err := r.beginValidation(ctx); err != nil {
		return nil, err
	}
	ctx, r.cancel = context.WithCancel(ctx)
	defer r.end()
	defer func() {
		if value := recover(); value != nil { // outside resolvers: a malformed literal
			result = &graphqlgo.Response{Errors: []*gqlerrors.QueryError{panics{}.MakePanicError(ctx, value)}}
		}
	}()
	if doc.sent != "" {
		if err := r.handler.checkSyntax(doc); err != nil {
			return &graphqlgo.Response{Errors: []*gqlerrors.QueryError{err}}, nil
		}
	}
	ctx = context.WithValue(ctx, requestKey{}, r)
	if len(doc.newer) == 0 {
		return schema.Exec(ctx, doc.Query, doc.OperationName, doc.Variables), nil
	}
	if errs := schema.ValidateWithVariables(doc.Query, doc.Variables); len(errs) > 0 {
		return &graphqlgo.Response{Errors: errs}, nil
	}
	text, replaced := r.handler.replaceNewer(doc)
	result = schema.Exec(ctx, text, doc.OperationName, doc.Variables)
	result.Data, err = r.handler.restoreNewer(result.Data, replaced)
	return result, err
}

// isTooDeep reports whether validation stopped at the depth limit.
func isTooDeep(errs []*gqlerrors.QueryError) bool {
	return len(errs) > 0 && errs[0].Rule == ruleDepth
}

// newResponse converts the library's response.
func (h *Handler) newResponse(ctx context.Context, doc *document, result *graphqlgo.Response, r *request, requestID string) *response {
	resp := &response{status: http.StatusOK, data: result.Data, replayed: r.replayed.Load(), actions: r.actions(), changed: r.changed.Load()}
	anyBeforeExecution := false
	for _, err := range mergeValueErrors(result.Errors, h.variableErrors(doc, result.Errors), h.enumError(doc)) {
		if len(resp.errors) == maxErrors {
			break
		}
		anyBeforeExecution = anyBeforeExecution || len(err.Path) == 0
		resp.errors = append(resp.errors, h.newError(ctx, domainError(err), err, requestID))
	}
	// If nothing ran, the request failed as a whole and has the HTTP status of its error. The library
	// returns an empty object if the arguments of all operations were invalid.
	isEmpty := len(resp.data) == 0 || bytes.Equal(resp.data, []byte("null")) || anyBeforeExecution && bytes.Equal(resp.data, []byte("{}"))
	if len(resp.errors) > 0 && isEmpty {
		resp.data, resp.status = nil, resp.errors[0].Extensions.Status
		resp.documentError = anyBeforeExecution && isDocumentError(resp.status)
	}
	return resp
}

// variableErrors returns the invalid variables by path, if the library rejected the document
// because of a variable. The library's own errors have no paths.
func (h *Handler) variableErrors(doc *document, errs []*gqlerrors.QueryError) []fault.FieldError {
	isVariableError := func(err *gqlerrors.QueryError) bool { return err.Rule == ruleVariables }
	if !slices.ContainsFunc(errs, isVariableError) {
		return nil
	}
	return checkVariables(doc.Variables, h.declaredTypes(doc.variables))
}

// errorResponse returns the response to a request that was not executed.
func (h *Handler) errorResponse(ctx context.Context, err error, requestID string) *response {
	e := h.newError(ctx, err, &gqlerrors.QueryError{}, requestID)
	resp := &response{status: e.Extensions.Status, errors: []responseError{e}}
	if _, ok := errors.AsType[inDocument](err); ok {
		resp.documentError = isDocumentError(resp.status)
	}
	if errors.Is(err, errPersistedQuery) {
		resp.errors[0].Extensions.Code = codePersistedQuery
		resp.status, resp.documentError = http.StatusOK, true
	}
	return resp
}

// panics converts a panic to an internal error. Its stack is logged and not returned.
type panics struct{}

// LogPanic does nothing: the error is logged like any other internal error.
func (panics) LogPanic(context.Context, any) {}

// MakePanicError returns the error of a panic. The library panics with strconv's error if a literal
// is syntactically valid but out of range, such as a number of 30 digits.
func (panics) MakePanicError(_ context.Context, value any) *gqlerrors.QueryError {
	err, _ := value.(error)
	if _, ok := errors.AsType[*strconv.NumError](err); ok || errors.Is(err, strconv.ErrSyntax) {
		return &gqlerrors.QueryError{Err: clientError(fault.CodeMalformed, "The query contains an invalid literal. Send the value as a variable.")}
	}
	return &gqlerrors.QueryError{Err: fmt.Errorf("panic: %v\n%s", value, debug.Stack())}
}
