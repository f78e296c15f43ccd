package cmd

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"storefront/server"
	"storefront/tenants"
)

func newMCPCommand(a *app) *cobra.Command {
	var tools server.AgentTools
	cmd := &cobra.Command{
		Use:   "mcp UID",
		Short: "Connect an agent to a shop by the Model Context Protocol",
		Long: `Serve the operations of the Admin API as tools of the Model Context Protocol (MCP), on the standard input
and output. Agents start this command themselves. The tools only read, unless --changes is set. Each call
is in the audit log. Tools neither return secrets nor files.

A running server has the same at /admin/v1/shops/UID/mcp, for agents with an API key.`,
		Example: `  storefront mcp acme --tags Orders,Customers
  storefront mcp acme --changes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				if _, err := t.FindIncludingSuspended(cmd.Context(), args[0]); err != nil {
					return err
				}
				err := server.ServeAgent(cmd.Context(), t, args[0], a.caller(), tools, a.Stdin, a.Stdout)
				if errors.Is(err, io.EOF) || cmd.Context().Err() != nil {
					return nil
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&tools.Changes, "changes", false, "also tools that change the shop")
	cmd.Flags().StringSliceVar(&tools.Tags, "tags", nil, "only tools with these tags, such as Orders,Customers; see api list")
	return cmd
}
