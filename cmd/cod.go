package cmd

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/cash"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

func newCODCommand(a *app) *cobra.Command {
	return newGroupCommand("cod", "Reconcile cash on delivery",
		newCODReconcileCommand(a),
	)
}

func newCODReconcileCommand(a *app) *cobra.Command {
	var courier string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "reconcile UID FILE.csv",
		Short: "Reconcile a courier's statement and list the differences",
		Long: `Match a courier's statement to the COD ledger, record it and list the differences. The statement is a CSV
file with one row per shipment, and commas, semicolons or tabs between its columns. Its header has a
consignment column and any of: collected (or cod_amount), fee (or delivery_charge), paid (or payout).
Amounts are in major units; a payout may be negative, such as for a returned shipment. Without a payout
column, each row counts as paid out. Lines without a shipment, such as totals, are listed and not
recorded.

A statement of more than 2,000 rows is recorded part by part, so that orders need not wait. If that is
interrupted, the same command completes it.

A courier that deducts a share of the cash, about 1 % in Bangladesh, needs the setting cod_basis_points
(see storefront plugin list); otherwise every row differs.`,
		Example: `  storefront cod reconcile acme statement.csv --dry-run
  storefront cod reconcile acme statement.csv --courier courier_a`,
		ValidArgsFunction: a.completeUIDAndFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.reconcileStatement(cmd.Context(), s, args[1], plugin.Provider(courier), dryRun)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&courier, "courier", "", "courier_a or courier_b (default the courier of the shipments in the file)")
	flags.BoolVar(&dryRun, "dry-run", false, "list the differences without recording the statement")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("courier",
		cobra.FixedCompletions([]string{string(plugin.CourierA), string(plugin.CourierB)}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (a *app) reconcileStatement(ctx context.Context, s *shop.Shop, path string, courier plugin.Provider, dryRun bool) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open statement: %w", err)
	}
	defer file.Close()
	result, err := s.Cash.ReconcileStatement(ctx, a.caller(), courier, file, dryRun)
	if err != nil {
		return err
	}
	return a.print(result, func(w *table) {
		row(w, "Courier", result.Provider)
		row(w, "Shipments", result.Shipments)
		row(w, "Collected", result.Collected.Formatted)
		row(w, "Fees", result.Fees.Formatted)
		row(w, "Paid out", result.PaidOut.Formatted)
		if dryRun {
			row(w, "Recorded", "nothing (dry run)")
		}
		printDifferences(w, result.Differences)
		if result.Skipped > 0 {
			fmt.Fprintf(w, "\nLines without a shipment, not recorded: %d\n", result.Skipped)
			for _, note := range result.Notes {
				fmt.Fprintf(w, "  line %d: %s\n", note.Line, note.Text)
			}
		}
	})
}

func printDifferences(w *table, differences []cash.Difference) {
	if len(differences) == 0 {
		return
	}
	fmt.Fprintln(w, "\nDifferences:")
	heading(w, "COURIER", "CONSIGNMENT", "[ORDER]", "EXPECTED", "REPORTED", "DIFFERENCE…")
	for _, d := range differences {
		row(w, d.Provider, d.ConsignmentID, optional(d.OrderID), formatted(d.Expected), formatted(d.Reported), d.Problem)
	}
}

// formatted returns the formatted amount, or "" for nil.
func formatted(m *money.Money) string {
	if m == nil {
		return ""
	}
	return m.Formatted
}
