package cmd

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/money"
	"storefront/shop/page"
)

func newCODCommand(a *app) *cobra.Command {
	return newGroupCommand("cod", "Report and reconcile cash on delivery",
		newCODReportCommand(a),
		newCODListCommand(a),
		newCODExportCommand(a),
		newCODStatementsCommand(a),
		newCODStatementCommand(a),
		newCODReconcileCommand(a),
		a.deprecatedName("settle", newCODReconcileCommand(a)),
	)
}

func newCODReportCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "report UID",
		Short: "Show the cash that couriers hold, and all differences",
		Long: `Show for each courier the number of shipments under way and the cash expected from them, the number
of shipments whose cash the courier holds and that cash, its fees, the amount payable to the shop, and
what was paid out so far. Then list the differences between statements and the COD ledger.`,
		Example:           "  storefront cod report acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				report, err := s.ReportCash(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return a.print(report, func(w *table) {
					heading(w, "COURIER", "[UNDER WAY]", "EXPECTED", "[HOLDING]", "HELD", "FEES", "PAYABLE", "PAID OUT")
					for _, c := range report.Couriers {
						row(w, c.Provider, c.UnderWay, c.Expected.Formatted, c.Holding, c.Held.Formatted,
							c.Fees.Formatted, c.Payable.Formatted, c.PaidOut.Formatted)
					}
					printDifferences(w, report.Differences)
					if report.Bounded {
						fmt.Fprint(w, "\nMore shipments have differences; list them with: storefront cod list "+args[0]+" --status different\n")
					}
					for _, began := range report.Incomplete {
						fmt.Fprintf(w, "\nA statement of %s is recorded in part. If that does not continue, reconcile the same file again.\n", w.time(began))
					}
				})
			})
		},
	}
}

func newCODListCommand(a *app) *cobra.Command {
	var filter shop.LedgerFilter
	var couriers []string
	var status, from, before string
	var number, limit int
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List the COD ledger, one line per shipment, newest first",
		Example: `  storefront cod list acme --json
  storefront cod list acme --status held --courier courier_a`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) (err error) {
				filter.Request = page.Request{Page: &number, Limit: &limit}
				filter.Courier, filter.Status = typed[shop.Provider](couriers), shop.CashStatus(status)
				if filter.From, err = a.parseTime(cmd, "from", from); err != nil {
					return err
				}
				if filter.Before, err = a.parseTime(cmd, "before", before); err != nil {
					return err
				}
				list, err := s.ListLedger(cmd.Context(), a.caller(), filter)
				if err != nil {
					return err
				}
				return a.print(list.Nodes, func(w *table) {
					if len(list.Nodes) == 0 {
						fmt.Fprintln(w, "No shipments found.")
						return
					}
					heading(w, "COURIER", "CONSIGNMENT", "[ORDER]", "STATUS", "DUE", "COLLECTED", "[FEE]", "[SHARE OF CASH]", "PAID OUT", "[SOURCE]")
					for _, p := range list.Nodes {
						row(w, p.Provider, optional(p.ConsignmentID), p.OrderID, colour(p.Status), p.Due.Formatted,
							formatted(p.Collected), formatted(p.Fee), p.CashShare.Formatted, formatted(p.PaidOut), p.Source)
					}
					printMore(w, list.Meta.Meta)
				})
			})
		},
	}
	flags := cmd.Flags()
	complete := func(name string, values []string) {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	flags.StringSliceVar(&couriers, "courier", nil, "only shipments with courier_a or courier_b; repeatable (default any)")
	complete("courier", texts([]shop.Provider{shop.CourierA, shop.CourierB}))
	flags.StringVar(&status, "status", "", "only shipments whose cash is underWay, held or paid, or whose amounts are different")
	complete("status", texts(shop.CashStatuses()))
	flags.StringVar(&from, "from", "", "only shipments booked on or after this day, such as 2026-03-01 "+dayUsage)
	flags.StringVar(&before, "before", "", "only shipments booked before this day "+dayUsage)
	flags.StringVar(&filter.Search, "search", "", "only shipments of orders with these words, such as a consignment ID")
	flags.IntVar(&number, "page", 1, "page number")
	flags.IntVar(&limit, "limit", page.NoLimit, "shipments per page, at most 100, or -1 for all")
	return cmd
}

func newCODExportCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "export UID",
		Short:             "Export the COD ledger as CSV, one line per shipment",
		Example:           "  storefront cod export acme > cash.csv",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return s.ExportCash(cmd.Context(), a.caller(), a.Stdout)
			})
		},
	}
}

func newCODStatementsCommand(a *app) *cobra.Command {
	var number, limit int
	cmd := &cobra.Command{
		Use:               "statements UID",
		Short:             "List the statements that were reconciled, newest first",
		Example:           "  storefront cod statements acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.ListStatements(cmd.Context(), a.caller(), page.Request{Page: &number, Limit: &limit})
				if err != nil {
					return err
				}
				return a.print(list, func(w *table) {
					if len(list.Nodes) == 0 {
						fmt.Fprintln(w, "No statements found.")
						return
					}
					heading(w, "ID", "RECONCILED", "COURIER", "[SHIPMENTS]", "COLLECTED", "[FEES]", "PAID OUT", "[DIFFERENCES]")
					for _, c := range list.Nodes {
						courier, differences := "", ""
						if c.Provider != nil {
							courier = string(*c.Provider)
						}
						if c.Differences != nil {
							differences = strconv.Itoa(*c.Differences)
						}
						row(w, c.ID, w.time(c.At), courier, c.Shipments, c.Collected.Formatted, c.Fees.Formatted, c.PaidOut.Formatted, differences)
					}
					printMore(w, list.Meta.Meta)
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&number, "page", 1, "page number")
	flags.IntVar(&limit, "limit", defaultLimit, "statements per page, at most 100, or -1 for all")
	return cmd
}

func newCODStatementCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "statement UID ID",
		Short: "Show a statement that was reconciled, with its differences",
		Long: `Show the sums of a statement and the differences that were found when it was reconciled, whatever has
become of them since. storefront cod statements lists the IDs.`,
		Example:           "  storefront cod statement acme 0f3c9a7d51e2b846",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				record, err := s.FindStatement(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return err
				}
				return a.print(record, func(w *table) {
					if record.Provider != nil {
						row(w, "Courier", *record.Provider)
					}
					row(w, "Reconciled", w.time(record.At))
					row(w, "Shipments", record.Shipments)
					row(w, "Collected", record.Collected.Formatted)
					row(w, "Fees", record.Fees.Formatted)
					row(w, "Paid out", record.PaidOut.Formatted)
					printDifferences(w, record.Found)
					if n := record.Differences; n != nil && *n > len(record.Found) {
						fmt.Fprintf(w, "\n%d more differences were found and are not stored.\n", *n-len(record.Found))
					}
				})
			})
		},
	}
}

func newCODReconcileCommand(a *app) *cobra.Command {
	var courier string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "reconcile UID FILE.csv",
		Short: "Reconcile a courier's statement and list the differences",
		Long: `Match a courier's statement to the COD ledger, record it and list the differences. The statement is a
CSV file with one row per shipment, and commas, semicolons or tabs between its columns. Its header has
a consignment column and any of: collected (or cod_amount), fee (or delivery_charge), paid (or payout).
Amounts are in major units; a payout may be negative, such as for a returned shipment. Without a payout
column, each row counts as paid out. Lines about no shipment, such as totals, are listed and not recorded.

A statement of more than 2,000 rows is recorded part by part, so that orders need not wait. If that is
interrupted, the same command completes it.

A courier that deducts a share of the cash, about 1 % in Bangladesh, needs the setting cod_basis_points
(see storefront plugin show); otherwise every row differs.`,
		Example: `  storefront cod reconcile acme statement.csv --dry-run
  storefront cod reconcile acme statement.csv --courier courier_a`,
		ValidArgsFunction: a.completeUIDAndFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.reconcileStatement(cmd.Context(), s, args[1], shop.Provider(courier), dryRun)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&courier, "courier", "", "courier_a or courier_b (default the courier of the shipments in the file)")
	flags.BoolVar(&dryRun, "dry-run", false, "list the differences without recording the statement")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("courier",
		cobra.FixedCompletions([]string{string(shop.CourierA), string(shop.CourierB)}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (a *app) reconcileStatement(ctx context.Context, s *shop.Shop, path string, courier shop.Provider, dryRun bool) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open statement: %w", err)
	}
	defer file.Close()
	result, err := s.ReconcileStatement(ctx, a.caller(), courier, file, dryRun)
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
			fmt.Fprintf(w, "\nLines about no shipment, which are not recorded: %d\n", result.Skipped)
			for _, note := range result.Notes {
				fmt.Fprintf(w, "  line %d: %s\n", note.Line, note.Text)
			}
		}
	})
}

func printDifferences(w *table, differences []shop.CashDifference) {
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
