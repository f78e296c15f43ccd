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

// Version is the version of the GraphQL API.
const Version = "v0.15.0"

// introspectionDepth is the depth of the introspection query that tools send.
const introspectionDepth = 15

// maxOverlaps limits the pairs of fields with equal names that validation compares.
const maxOverlaps = 10_000

//go:embed *.graphql
var schemaFiles embed.FS

// schemaRoot is the file that the others extend. It must be first.
const schemaRoot = "schema.graphql"

// Schema returns the schema in the GraphQL schema definition language.
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
	return strings.Join(append(parts, domainEnums()), "\n"), nil
}

func (h *Handler) parseSchema(maxDepth int) (*graphqlgo.Schema, error) {
	text, err := Schema()
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	schema, err := graphqlgo.ParseSchema(text, root{},
		graphqlgo.UseStringDescriptions(),
		graphqlgo.UseFieldResolvers(), // reading a field is cheaper than calling a method
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
	addNewerFields(schema.AST())
	return schema, nil
}

// root separates the resolvers of queries and mutations, since a query and a mutation may have the
// same name.
type root struct{}

// Query returns the resolver of queries.
func (root) Query() *query { return &query{} }

// Mutation returns the resolver of mutations.
func (root) Mutation() *mutation { return &mutation{} }

type (
	query    struct{ publicQuery }
	mutation struct{}
)

// publicQuery resolves the queries with a result that is the same for all callers of a shop and
// changes only with its content version. Their responses are cached.
type publicQuery struct{}

// APIVersion returns the version of the API.
func (*publicQuery) APIVersion() string { return Version }
