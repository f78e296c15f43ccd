package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/server"
)

func newOpenAPICommand(a *app) *cobra.Command {
	var yaml, admin bool
	cmd := &cobra.Command{
		Use:   "openapi",
		Short: "Print the OpenAPI document of the REST API or the Admin API",
		Long: `Print the OpenAPI 3.1 document of the REST API as JSON, for code generators and other tools. It equals the
document that a server with default limits serves at /openapi.json and /openapi.yaml, and with --admin at
/admin/openapi.json and /admin/openapi.yaml. Neither a data folder nor a server is required.`,
		Example: `  storefront openapi > openapi.json
  storefront openapi --yaml --public-url https://api.example.com > openapi.yaml`,
		RunE: func(*cobra.Command, []string) error {
			document, err := server.OpenAPI(server.Config{PublicURL: a.publicURL})
			if admin {
				document, err = server.AdminOpenAPI(server.Config{PublicURL: a.publicURL})
			}
			if err != nil {
				return fmt.Errorf("write the OpenAPI document: %w", err)
			}
			text := document.JSON
			if yaml {
				text = document.YAML
			}
			if _, err := a.Stdout.Write(text); err != nil {
				return fmt.Errorf("print: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yaml, "yaml", false, "print YAML instead of JSON")
	cmd.Flags().BoolVar(&admin, "admin", false, "print the document of the Admin API")
	a.addPublicURL(cmd, "public URL of the server, for the document")
	return cmd
}
