package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newMigrateCommand(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "migrate UID… | --all",
		Short: "Migrate shops to the schema of this version",
		Long: `Migrate shops to the schema of this version, as the server does after an upgrade. All other commands
refuse a shop with an older schema. A server of another version must be stopped first; while one of this
version runs, idle shops can be migrated.

Each file is first copied to the folder before-steps of the data folder, where it replaces the copy of
an earlier upgrade. If a step fails, that file stays unchanged and the other shops are migrated. A file
of a newer version is refused.

With --engine, --all also migrates the database, in one transaction. Servers of the older version then refuse
its shops until they are replaced.`,
		Example:           "  storefront migrate --all",
		ValidArgsFunction: a.completeUID,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return arguments{}.check(cmd, args, false)
			}
			return exactArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, uids []string) error {
			a.migrateDatabase = all
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) (err error) {
				if all {
					if uids, err = t.FileUIDs(cmd.Context()); err != nil {
						return err
					}
				}
				return a.migrate(cmd.Context(), t, uids)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "migrate all shops")
	return cmd
}

func (a *app) migrate(ctx context.Context, t *tenants.Tenants, uids []string) error {
	report, err := eachShop(ctx, a, "migrating", uids, func(uid string) (*tenants.Migrated, error) { return t.Migrate(ctx, uid) })
	if err != nil {
		return err
	}
	err = a.print(report, func(w *table) { printMigration(w, report) })
	if failed := report.failure("migrated"); failed != nil {
		err = errors.Join(err, fmt.Errorf("%w; their files are unchanged", failed))
	}
	return err
}

func printMigration(w *table, r *shopResults[*tenants.Migrated]) {
	migrated := 0
	for _, s := range r.Shops {
		if s.Copy != nil {
			migrated++
			row(w, s.UID, fmt.Sprintf("schema %d to %d", s.From, s.To), "previous file: "+*s.Copy)
		}
	}
	for _, f := range r.Failed {
		row(w, f.UID, "failed", f.Error)
	}
	fmt.Fprintf(w, "%d migrated, %d up to date, %d failed.\n", migrated, len(r.Shops)-migrated, len(r.Failed))
}
