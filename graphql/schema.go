package graphql

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	graphqlgo "github.com/graph-gophers/graphql-go"
)

// Version is the label of the GraphQL interface.
const Version = "v0.15.0"

// introspectionDepth is that of the query by which tools read a schema.
const introspectionDepth = 15

// maxOverlaps bounds the pairs of equally named fields that validation compares.
const maxOverlaps = 10_000

//go:embed *.graphql
var schemaFiles embed.FS

// schemaRoot is the file that the others extend, so it comes first.
const schemaRoot = "schema.graphql"

// Schema gives the schema in GraphQL's own language.
func Schema() (string, error) {
	names, err := fs.Glob(schemaFiles, "*.graphql")
	if err != nil {
		return "", err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == schemaRoot })
	parts := make([]string, 0, 1+len(names))
	for _, name := range append([]string{schemaRoot}, names...) {
		part, err := schemaFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		parts = append(parts, string(part))
	}
	return strings.Join(parts, "\n"), nil
}

func (h *Handler) parseSchema(maxDepth int) (*graphqlgo.Schema, error) {
	text, err := Schema()
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	schema, err := graphqlgo.ParseSchema(text, root{},
		graphqlgo.UseStringDescriptions(),
		graphqlgo.UseFieldResolvers(), // a field costs less than a method
		graphqlgo.DisableFieldSelections(),
		graphqlgo.MaxDepth(maxDepth),
		graphqlgo.MaxQueryLength(h.cfg.MaxQuery),
		graphqlgo.MaxSelections(h.cfg.MaxSelections),
		graphqlgo.OverlapValidationLimit(maxOverlaps),
		graphqlgo.RestrictIntrospection(func(context.Context) bool { return !h.cfg.HideIntrospection }),
		graphqlgo.Tracer(meter{}),
		graphqlgo.Logger(panics{}),
		graphqlgo.PanicHandler(panics{}),
	)
	if err != nil {
		return nil, fmt.Errorf("parse schema: %w", err)
	}
	return schema, nil
}

// root gives each kind of operation its own resolvers, since a query and a mutation may have the
// same name.
type root struct{}

// Query resolves queries.
func (root) Query() *query { return &query{} }

// Mutation resolves mutations.
func (root) Mutation() *mutation { return &mutation{} }

type (
	query    struct{}
	mutation struct{}
)

// APIVersion gives the interface's label.
func (*query) APIVersion() string { return Version }
