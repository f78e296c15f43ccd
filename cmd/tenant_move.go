package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/tenants"
)

// defaultAtMost is shorter than the time for which a server lets an order wait.
const defaultAtMost = 5 * time.Second

func newTenantMoveCommand(a *app) *cobra.Command {
	var all bool
	var to, use string
	var o tenants.MoveOptions
	cmd := &cobra.Command{
		Use:   "move UID | --all {--to postgres|files | --use postgres|files}",
		Short: "Move a shop between files and PostgreSQL while it sells",
		Long: `Move a shop between a file of the data folder and the database in --engine. The server may be running,
with the same --engine. Pages are shown as usual, and orders wait until the move is complete. No order is
lost. The command first prints an estimate of the wait.

A move is undone if orders would wait longer than --at-most. If a move is interrupted, for example by a
crash, the next command or request that uses the shop completes or undoes it.

After a move to the database, the shop's file is put in the folder trash. After a move to a file, the copy
in the database is deleted. With --keep it is put in the folder trash too, as an export that restore
reads.

If the data folder is lost during a move, nothing completes or undoes the move. The copy in the database
stays hidden, and doctor reports it. --use ends such a move: the copy in that place becomes the valid one,
and the other one, if any, is put in the folder trash.`,
		Example: `  storefront tenant move acme --to postgres
  storefront tenant move --all --to files --at-most 1m
  storefront tenant move acme --use postgres`,
		ValidArgsFunction: a.completeUID,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return arguments{}.check(cmd, args, false)
			}
			return exactArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, uids []string) (err error) {
			if use != "" {
				return a.endMove(cmd.Context(), uids[0], tenants.Place(use))
			}
			if o.To = tenants.Place(to); o.To != tenants.InFiles && o.To != tenants.InPostgres {
				return fmt.Errorf("--to must be files or postgres, not %q", to)
			}
			if a.engine == "" {
				return withHint(errors.New("moving a shop needs the address of a database"), "set --engine or %s", variable(engineFlag))
			}
			if server := a.server(); server != nil && !server.Database && o.To == tenants.InPostgres {
				return withHint(errors.New("the running server has no database, so it could not serve the shop"),
					"restart it with --engine or %s", variable(engineFlag))
			}
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) (err error) {
				if all {
					if uids, err = t.UIDsOutside(cmd.Context(), o.To); err != nil {
						return err
					}
				}
				return a.moveShops(cmd.Context(), t, uids, o)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&to, "to", "", "new place: postgres or files")
	flags.DurationVar(&o.AtMost, "at-most", defaultAtMost, "undo the move if orders would wait longer; 0 means no limit")
	flags.BoolVar(&o.Keep, "keep", false, "put the copy in the database into the folder trash, as an export")
	flags.BoolVar(&all, "all", false, "move all shops that are not there yet, one after the other")
	flags.StringVar(&use, "use", "", "end an interrupted move whose data folder is lost: use the copy in postgres or files")
	cmd.MarkFlagsOneRequired("to", "use")
	cmd.MarkFlagsMutuallyExclusive("to", "use")
	cmd.MarkFlagsMutuallyExclusive("all", "use")
	cmd.MarkFlagsMutuallyExclusive("keep", "use")
	return cmd
}

// endMove ends a move with a lost data folder.
func (a *app) endMove(ctx context.Context, uid string, use tenants.Place) error {
	if use != tenants.InFiles && use != tenants.InPostgres {
		return fmt.Errorf("--use must be files or postgres, not %q", use)
	}
	return a.withTenants(ctx, func(t *tenants.Tenants) error {
		if err := t.EndMove(ctx, uid, use); err != nil {
			return err
		}
		ended := struct {
			UID string        `json:"uid"`
			In  tenants.Place `json:"in"`
		}{uid, use}
		return a.print(ended, func(w *table) { fmt.Fprintf(w, "The move of %s has ended. Next: %s\n", uid, a.command("tenant list")) })
	})
}

func (a *app) moveShops(ctx context.Context, t *tenants.Tenants, uids []string, o tenants.MoveOptions) error {
	report, err := eachShop(ctx, a, "moving", uids, func(uid string) (*tenants.MovedShop, error) { return a.moveShop(ctx, t, uid, o) })
	if err != nil {
		return err
	}
	err = a.print(report, func(w *table) { printMoves(w, report) })
	return errors.Join(err, report.failure("moved"))
}

func (a *app) moveShop(ctx context.Context, t *tenants.Tenants, uid string, o tenants.MoveOptions) (*tenants.MovedShop, error) {
	size, err := t.MoveSize(ctx, uid, o.To)
	if err != nil {
		return nil, err
	}
	if size.Bytes > 0 {
		fmt.Fprintf(a.Stderr, "%s: %s; orders will wait for about %s.\n", uid, megabytes(size.Bytes), size.Wait.Round(100*time.Millisecond))
	}
	done, err := t.Move(ctx, uid, o)
	if errors.Is(err, db.ErrMoveTooSlow) {
		err = withHint(err, "set a longer --at-most, at a time with few orders; nothing was changed")
	}
	return done, err
}

func printMoves(w *table, r *shopResults[*tenants.MovedShop]) {
	for _, s := range r.Shops {
		if s.Rows == 0 {
			fmt.Fprintf(w, "%s is in %s already.\n", s.UID, s.To)
			continue
		}
		fmt.Fprintf(w, "%s is in %s. Rows: %d. Orders waited for %.1f s.\n", s.UID, s.To, s.Rows, s.Seconds)
	}
	for _, f := range r.Failed {
		row(w, f.UID, "not moved", f.Error)
	}
	if len(r.Shops)+len(r.Failed) == 0 {
		fmt.Fprintln(w, "All shops are there already.")
	}
}
