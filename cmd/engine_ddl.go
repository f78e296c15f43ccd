package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newEngineCommand(a *app) *cobra.Command {
	return newGroupCommand("engine", "Print the tables of a PostgreSQL database", newEngineDDLCommand(a))
}

func newEngineDDLCommand(a *app) *cobra.Command {
	var citus bool
	cmd := &cobra.Command{
		Use:   "ddl",
		Short: "Print the statements that create the tables of a database",
		Long: `Print the statements that create the tables of a PostgreSQL database for shops, as SQL for psql. The first
server creates the tables itself. Two cases need these statements, run before the first server starts: a
cluster of Citus, with --citus, and a server's user who may not create tables. In the latter case the
owner of the database runs them. Neither a data folder nor a database is required.`,
		Example: "  storefront engine ddl --citus | psql --set ON_ERROR_STOP=1 postgres://storefront@coordinator/storefront",
		RunE: func(*cobra.Command, []string) error {
			script, err := tenants.DatabaseScript(a.Schema, citus)
			if err != nil {
				return fmt.Errorf("translate the schema: %w", err)
			}
			if a.json {
				return a.print(map[string]string{"sql": script}, nil)
			}
			if _, err := io.WriteString(a.Stdout, script); err != nil {
				return fmt.Errorf("print: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&citus, "citus", false, "distribute the shops' tables over the nodes of a Citus cluster")
	return cmd
}
