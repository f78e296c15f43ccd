package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newMigrateCommand(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "migrate UID… | --all",
		Short: "Migrate shops to the schema of this version",
		Long: `Migrate shops to the schema of this version now, instead of at the first request to each shop. Stop a
server of an older version first.

Each file is first copied to the folder before-steps of the data folder, where it replaces the copy of
an earlier upgrade. If a step fails, that file stays unchanged and the other shops are migrated. A file
of a newer version is refused.`,
		Example:           "  storefront migrate --all",
		ValidArgsFunction: a.completeUID,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, uids []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) (err error) {
				if all {
					if uids, err = t.UIDs(cmd.Context()); err != nil {
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

// migration is the result of migrate.
type migration struct {
	Shops  []*tenants.Migrated `json:"shops"`
	Failed []failedShop        `json:"failed"`
}

func (a *app) migrate(ctx context.Context, t *tenants.Tenants, uids []string) error {
	report := migration{Shops: []*tenants.Migrated{}, Failed: []failedShop{}}
	bar := a.progress("migrating")
	defer bar.end()
	for i, uid := range uids {
		done, err := t.Migrate(ctx, uid)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && len(uids) == 1:
			return err
		case err != nil:
			report.Failed = append(report.Failed, failedShop{uid, message(err)})
		default:
			report.Shops = append(report.Shops, done)
		}
		bar.set(i+1, len(uids))
	}
	bar.end()
	err := a.print(report, func(w io.Writer) { printMigration(w, report) })
	if n := len(report.Failed); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d shops were not migrated; their files are unchanged", n, len(uids)))
	}
	return err
}

func printMigration(w io.Writer, r migration) {
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
