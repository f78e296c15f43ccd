package cmd

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newTenantExportCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "export UID [FILE]",
		Short: "Write all of a shop as JSON lines, for other programs",
		Long: `Write all tables of a shop, of one moment, as lines of JSON: for programs that do not read SQLite, and
to leave with. The server may run meanwhile. Without FILE, or with -, to the standard output.

It holds all that is known of the buyers, and is as confidential as the shop's file; providers'
credentials in it are sealed with the data folder's key. To copy a shop for a bad day, use backup.`,
		Example:           "  storefront tenant export acme acme.jsonl",
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				write := func(w io.Writer) error { return t.Export(cmd.Context(), args[0], w) }
				if len(args) == 1 || args[1] == "-" {
					return write(a.Stdout)
				}
				if err := replaceFile(args[1], write); err != nil {
					return fmt.Errorf("write %s: %w", args[1], err)
				}
				return a.print(map[string]string{"file": args[1]}, func(w io.Writer) {
					fmt.Fprintf(w, "Wrote %s.\n", args[1])
				})
			})
		},
	}
}

func newTenantImportCommand(a *app) *cobra.Command {
	var im tenants.Import
	cmd := &cobra.Command{
		Use:   "import FILE [--as UID]",
		Short: "Make a shop of what export wrote",
		Long: `Make a shop of a file that tenant export wrote with a program of the same schema, whole or not at all.
The data folder must have the key of the one that it comes from; where that is lost, --drop-secrets.

With --as it becomes another shop: suspended, in sandbox mode, with a new signing key, and without
administrators' tokens, as with restore.`,
		Example: "  storefront tenant import acme.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			im.From = f
			return a.withNewTenants(cmd.Context(), func(t *tenants.Tenants) error {
				done, err := t.Import(cmd.Context(), im)
				if err != nil {
					return a.restoreFailure(err)
				}
				return a.print(done, func(w io.Writer) { a.printRestored(w, done) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&im.As, "as", "", "UID of another shop to make of it")
	flags.BoolVar(&im.DropSecrets, "drop-secrets", false, "the key is lost: leave out the secrets; buyers sign in anew, providers are configured anew")
	return cmd
}
