package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/page"
)

func newSalesCommand(a *app) *cobra.Command {
	var filter shop.SalesFilter
	var by, compare string
	var asCSV, overview bool
	cmd := &cobra.Command{
		Use:     "sales UID",
		Aliases: []string{"analytics"},
		Short:   "Show what was sold, by day, product, courier, place, payment method, coupon, source or buyer",
		Long: `Show what was sold in a period, by day, product, courier, city, area, payment method, coupon, source or buyer (new
and returning ones). With --overview, show the main figures beside those of the period before. Days are those of
the shop's time zone.

An order counts on the day on which it was placed, with the status that it has now. Orders that were placed
in sandbox mode, await their online payment, expired or were cancelled are not counted. Returned orders
are, and refunds are not deducted.

  SALES      prices of the units less discounts
  DELIVERY   delivery charges
  REVENUE    totals of the orders: sales and delivery charges, less what is rounded off
  DELIVERED  those of the orders that are delivered, or delivered in part
  RETURNED   those of the orders that are returned, or on their way back
  CANCELLED  cancelled orders, which are not among the orders

A courier's orders are those whose newest shipment it carries. With --compare, BEFORE has the sales of an earlier
period: previous is the one of as many days before, year the same days of the year before.`,
		Example: `  storefront sales acme
  storefront sales acme --from 2026-03-01 --to 2026-03-31 --by product
  storefront sales acme --by city --compare previous
  storefront sales acme --overview
  storefront sales acme --by courier --csv > couriers.csv`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				filter.By, filter.Compare = shop.SalesGrouping(by), shop.SalesComparison(compare)
				if overview {
					return a.printOverview(cmd, s, filter, asCSV)
				}
				if asCSV && compare != "" {
					return errors.New("--csv has the rows of one period: leave out --compare")
				}
				if asCSV {
					return s.ExportSales(cmd.Context(), a.caller(), filter, cmd.OutOrStdout())
				}
				report, err := s.ReportSales(cmd.Context(), a.caller(), filter)
				if err != nil {
					return err
				}
				return a.print(report, func(w *table) { printSales(w, report) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.From, "from", "", "first day, such as 2026-03-01 (default 29 days before the last)")
	flags.StringVar(&filter.To, "to", "", "last day (default today)")
	flags.StringVar(&by, "by", string(shop.SalesByDay), strings.Join(texts(shop.SalesGroupings()), ", "))
	flags.StringVar(&compare, "compare", "", "earlier period to compare with: previous or year")
	flags.IntVar(&filter.Limit, "limit", defaultLimit, "rows at most that are no days, or -1 for all")
	flags.BoolVar(&asCSV, "csv", false, "write the rows as CSV")
	flags.BoolVar(&overview, "overview", false, "show the main figures, and how each is counted")
	cmd.MarkFlagsMutuallyExclusive("overview", "by")
	for name, values := range map[string][]string{"by": texts(shop.SalesGroupings()), "compare": texts(shop.SalesComparisons())} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	return cmd
}

// printOverview prints the main figures of a period.
func (a *app) printOverview(cmd *cobra.Command, s *shop.Shop, filter shop.SalesFilter, asCSV bool) error {
	if asCSV {
		return s.ExportOverview(cmd.Context(), a.caller(), filter, cmd.OutOrStdout())
	}
	o, err := s.ReportOverview(cmd.Context(), a.caller(), filter)
	if err != nil {
		return err
	}
	return a.print(o, func(w *table) {
		heading(w, "FIGURE", "VALUE", "BEFORE", "CHANGE", "HOW…")
		for _, line := range o.Lines() {
			row(w, line[0], line[1], line[2], line[3], line[4])
		}
		fmt.Fprintf(w, "\n%s to %s (%s), beside %s to %s.\n", o.From, o.To, o.TimeZone, o.BeforeFrom, o.BeforeTo)
	})
}

func printSales(w *table, r *shop.SalesReport) {
	if len(r.Rows) == 0 {
		fmt.Fprintf(w, "Nothing was ordered from %s to %s (%s).\n", r.From, r.To, r.TimeZone)
		return
	}
	columns := []string{strings.ToUpper(string(r.By)), "ORDERS", "[UNITS]", "SALES", "[DELIVERY]", "REVENUE", "[DELIVERED]", "RETURNED", "[CANCELLED]"}
	none := "no " + string(r.By)
	switch r.By {
	case shop.SalesByProduct:
		columns = []string{"PRODUCT…", "ORDERS", "UNITS", "SALES", "[DELIVERED]", "RETURNED", "[CANCELLED]"}
	case shop.SalesByCourier:
		columns[6], none = "DELIVERED", "no shipment"
	}
	if r.Before != nil {
		columns = slices.Insert(columns, slices.Index(columns, "SALES")+1, "BEFORE")
	}
	heading(w, columns...)
	for _, s := range r.Rows {
		printSalesRow(w, cmp.Or(s.Name, none), &s.Sales, r.Before != nil, s.Before)
	}
	if r.By != shop.SalesByProduct { // an order of several products is in the rows of each
		var before *shop.Sales
		if r.Before != nil {
			before = &r.Before.Total
		}
		printSalesRow(w, "total", &r.Total, r.Before != nil, before)
	}
	if r.MoreRows {
		fmt.Fprintf(w, "\nThe %d rows with the largest sales; all: --limit %d.\n", len(r.Rows), page.NoLimit)
	}
	fmt.Fprintf(w, "\n%s to %s (%s): orders %d, revenue %s", r.From, r.To, r.TimeZone, r.Total.Orders, r.Total.Revenue.Formatted)
	if r.Total.Average != nil {
		fmt.Fprintf(w, ", average %s", r.Total.Average.Formatted)
	}
	fmt.Fprint(w, ".\n")
	if b := r.Before; b != nil {
		fmt.Fprintf(w, "%s to %s: orders %d, revenue %s.\n", b.From, b.To, b.Total.Orders, b.Total.Revenue.Formatted)
	}
	fmt.Fprint(w, "Orders that are cancelled, expired or unpaid online do not count; see \"storefront sales --help\".\n")
}

// printSalesRow prints a row, with the sales before it if the report is compared.
func printSalesRow(w *table, name string, s *shop.Sales, compared bool, before *shop.Sales) {
	cells := []any{name, s.Orders, s.Units, s.Sales.Formatted}
	if compared {
		was := "" // nothing to compare
		if before != nil {
			was = before.Sales.Formatted
		}
		cells = append(cells, was)
	}
	if s.Revenue != nil {
		cells = append(cells, s.Delivery.Formatted, s.Revenue.Formatted)
	}
	row(w, append(cells, s.Delivered, s.Returned, s.Cancelled)...)
}
