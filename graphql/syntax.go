package graphql

import (
	"fmt"
	"strings"

	graphqlgo "github.com/graph-gophers/graphql-go"
	gqlerrors "github.com/graph-gophers/graphql-go/errors"

	"storefront/shop/fault"
)

// syntaxPrefix is an operation that is nested too deeply for [Handler.syntax]. Validation therefore
// ends before the rest of the document.
const syntaxPrefix = "{a{a}}\n"

// newSyntax returns a schema for parsing documents that rejects every one of them.
func newSyntax() (*graphqlgo.Schema, error) {
	schema, err := graphqlgo.ParseSchema("type Query { a: Int }", nil, graphqlgo.MaxDepth(1))
	if err != nil {
		return nil, fmt.Errorf("parse schema: %w", err)
	}
	return schema, nil
}

// checkSyntax returns the error of a document with wrong syntax, as sent. Nil means that the syntax
// is correct.
func (h *Handler) checkSyntax(doc *document) *gqlerrors.QueryError {
	err := h.syntax.Validate(syntaxPrefix + doc.sent)[0]
	if !isTooDeep([]*gqlerrors.QueryError{err}) {
		for i := range err.Locations {
			err.Locations[i].Line -= strings.Count(syntaxPrefix, "\n")
		}
		return err
	}
	if doc.sent == doc.Query { // the library is more lenient than the grammar
		err := clientError(fault.CodeMalformed, "The query has a syntax error.")
		return &gqlerrors.QueryError{Err: err}
	}
	return nil
}
