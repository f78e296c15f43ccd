package graphql

import (
	"context"
	"strings"

	"github.com/graph-gophers/graphql-go/errors"
	"github.com/graph-gophers/graphql-go/introspection"

	"storefront/shop/fault"
)

// meter implements the library's tracer, which is called after validation, before the first
// resolver, and for each field before its resolver. It validates variables, which the library
// checks only in part, and counts the values of the response.
type meter struct{}

// TraceQuery aborts a document with variables of wrong types.
func (meter) TraceQuery(
	ctx context.Context, _, _ string, variables map[string]any, types map[string]*introspection.Type,
) (context.Context, func([]*errors.QueryError)) {
	if fields := checkVariables(variables, types); len(fields) > 0 {
		requestOf(ctx).abort(fault.InputError(fields...))
	}
	return ctx, func([]*errors.QueryError) {}
}

// TraceField counts one value of the response. The first call ends the validation: by then all
// fields are selected and have their arguments.
func (meter) TraceField(ctx context.Context, _, typeName, _ string, _ bool, _ map[string]any) (context.Context, func(*errors.QueryError)) {
	r := requestOf(ctx)
	r.endValidation()
	if typeName == "Mutation" {
		r.changed.Store(true)
	}
	cost := int64(1)
	if strings.HasPrefix(typeName, "__") {
		cost = costSchemaValue
	}
	r.spend(ctx, cost)
	return ctx, fieldDone
}

func fieldDone(*errors.QueryError) {}
