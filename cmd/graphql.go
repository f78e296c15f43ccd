package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/server"
)

func newGraphQLCommand(a *app) *cobra.Command {
	return newGroupCommand("graphql", "Print the GraphQL schema", newGraphQLSchemaCommand(a))
}

func newGraphQLSchemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the GraphQL schema in SDL",
		Long: `Print the schema of /graphql in the schema definition language (SDL), with descriptions, for code
generators and other tools. Neither a data folder nor a server is required.`,
		Example: "  storefront graphql schema > schema.graphql",
		RunE: func(*cobra.Command, []string) error {
			schema, err := server.GraphQLSchema()
			if err != nil {
				return fmt.Errorf("read the GraphQL schema: %w", err)
			}
			if a.json {
				return a.print(map[string]string{"schema": schema}, nil)
			}
			if _, err := io.WriteString(a.Stdout, schema); err != nil {
				return fmt.Errorf("print: %w", err)
			}
			return nil
		},
	}
}
