package cmd

import (
	"fmt"
	"os"
	"slices"

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
	var in statementFlags
	cmd := &cobra.Command{
		Use:   "reconcile UID FILE",
		Short: "Reconcile a courier's statement and list the differences",
		Long: `Match a courier's statement to the COD ledger, record it and list the differences. The statement is the
courier's own file: CSV with commas, semicolons or tabs, or a workbook (.xlsx), with one row per shipment.
Its header has a consignment column and any of: collected, fee, paid. Lines above the header are skipped.
Amounts are in major units; a payout may be negative, such as for a returned shipment. Without a payout
column, each row counts as paid out. Lines without a shipment, such as totals, are listed and not recorded;
the file's own total is compared with the rows.

If a column is not understood, --columns specifies what each has, in order: consignment, collected, fee,
cashFee (the courier's share of the cash), paidOut or none. That is saved for the courier's files with the
same header.

A statement of more than 2,000 rows is recorded part by part, so that orders need not wait. If that is
interrupted, the same command completes it.

A courier that deducts a share of the cash, about 1 % in Bangladesh, needs the setting cod_basis_points
(see storefront plugin list); otherwise every row differs.`,
		Example: `  storefront cod reconcile acme statement.csv --dry-run
  storefront cod reconcile acme statement.xlsx --courier courier_a --arrived 24650
  storefront cod reconcile acme statement.csv --columns none,consignment,collected,none,fee,paidOut`,
		ValidArgsFunction: a.completeUIDAndFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.reconcileStatement(cmd, s, args[1], in)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar((*string)(&in.courier), "courier", "", "courier_a or courier_b (default the courier of the shipments in the file)")
	flags.StringVar(&in.columns, "columns", "", "what each column of the file has, in order (default what their names say)")
	flags.StringVar(&in.arrived, "arrived", "", "amount that arrived at the bank, to compare")
	flags.BoolVar(&in.dryRun, "dry-run", false, "list the differences without recording the statement")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("courier",
		cobra.FixedCompletions([]string{string(plugin.CourierA), string(plugin.CourierB)}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// statementFlags are the flags of the command that reconciles a statement.
type statementFlags struct {
	courier plugin.Provider
	columns string
	arrived string
	dryRun  bool
}

func (a *app) reconcileStatement(cmd *cobra.Command, s *shop.Shop, path string, flags statementFlags) error {
	in := cash.StatementFile{Courier: flags.courier, Columns: cash.ParseColumns(flags.columns), DryRun: flags.dryRun}
	arrived, err := parseAmountFlag(cmd, s, "arrived", flags.arrived, 0)
	if err != nil {
		return err
	}
	in.Arrived = arrived
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open statement: %w", err)
	}
	defer file.Close()
	in.File = file
	result, err := s.Cash.ReconcileStatement(cmd.Context(), a.caller(), in)
	if err != nil {
		return err
	}
	return a.print(result, func(w *table) { printReconciliation(w, result) })
}

func printReconciliation(w *table, result *cash.Reconciliation) {
	row(w, "Courier", result.Provider)
	row(w, "Shipments", result.Shipments)
	row(w, "Collected", orNotInFile(result.Collected))
	row(w, "Fees", orNotInFile(result.Fees))
	row(w, "Paid out", result.PaidOut.Text())
	if result.Arrived != nil {
		row(w, "Arrived", result.Arrived.Text())
	}
	if result.DryRun {
		row(w, "Recorded", "nothing (dry run)")
	}
	if result.DryRun {
		printColumns(w, result.Columns)
	}
	printTotals(w, result.Totals)
	printDifferences(w, result.Differences)
	if result.Skipped > 0 {
		fmt.Fprintf(w, "\nLines without a shipment, not recorded: %d\n", result.Skipped)
		for _, note := range result.Notes {
			fmt.Fprintf(w, "  line %d: %s\n", note.Line, note.Text)
		}
	}
}

// printColumns prints the kind of each column of a statement.
func printColumns(w *table, columns []cash.StatementColumn) {
	fmt.Fprintln(w, "\nColumns:")
	for _, column := range columns {
		kind := string(column.Kind)
		if column.Unclear {
			kind += " (it has amounts: specify their kind with --columns)"
		}
		row(w, column.Name, kind)
	}
}

// printTotals prints the sums of a statement that differ.
func printTotals(w *table, totals []cash.StatementTotal) {
	totals = slices.DeleteFunc(slices.Clone(totals), func(t cash.StatementTotal) bool {
		return t.Rows == t.Entered && (t.Stated == nil || *t.Stated == t.Rows)
	})
	if len(totals) == 0 {
		return
	}
	fmt.Fprintln(w, "\nSums that differ:")
	heading(w, "OF", "THE FILE'S TOTAL", "ITS ROWS", "RECORDED")
	for _, total := range totals {
		row(w, total.Kind, formatted(total.Stated), total.Rows.Text(), total.Entered.Text())
	}
}

// orNotInFile returns a formatted amount, or that the file has none.
func orNotInFile(m *money.Money) string {
	if m == nil {
		return "not in the file"
	}
	return m.Text()
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
	return m.Text()
}
