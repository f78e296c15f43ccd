package graphql

import (
	"fmt"
	"strings"

	graphqlgo "github.com/graph-gophers/graphql-go"
	gqlerrors "github.com/graph-gophers/graphql-go/errors"

	"storefront/shop/fault"
)

// syntaxPrefix is an operation that is nested too deeply for [Handler.syntax], whose validation
// therefore ends before it checks what follows.
const syntaxPrefix = "{a{a}}\n"

// newSyntax returns a schema that documents are parsed with, and that none is valid for.
func newSyntax() (*graphqlgo.Schema, error) {
	schema, err := graphqlgo.ParseSchema("type Query { a: Int }", nil, graphqlgo.MaxDepth(1))
	if err != nil {
		return nil, fmt.Errorf("parse schema: %w", err)
	}
	return schema, nil
}

// checkSyntax returns the error of a document whose syntax is wrong, as sent. Nil means that it is
// right.
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
