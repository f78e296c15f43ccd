package cmd

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/page"
)

func newSalesCommand(a *app) *cobra.Command {
	var filter shop.SalesFilter
	var by string
	cmd := &cobra.Command{
		Use:   "sales UID",
		Short: "Show what was sold, by day, product or courier",
		Long: `Show what was sold in a period, by day, product or courier. Days are those of the shop's time zone.

An order counts on the day on which it was placed, with the status that it has now. Orders that were placed
in sandbox mode, await their online payment, expired or were cancelled are not counted. Returned orders
are, and refunds are not deducted.

  SALES      prices of the units less discounts
  DELIVERY   delivery charges
  REVENUE    totals of the orders: sales and delivery charges, less what is rounded off
  DELIVERED  those of the orders that are delivered, or delivered in part
  RETURNED   those of the orders that are returned, or on their way back
  CANCELLED  cancelled orders, which are not among the orders

A courier's orders are those whose newest shipment it carries.`,
		Example: `  storefront sales acme
  storefront sales acme --from 2026-03-01 --to 2026-03-31 --by product
  storefront sales acme --by courier --json`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				filter.By = shop.SalesGrouping(by)
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
	flags.StringVar(&by, "by", string(shop.SalesByDay), "day, product or courier")
	flags.IntVar(&filter.Limit, "limit", defaultLimit, "products at most, or -1 for all")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(salesGroupings(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func salesGroupings() (names []string) {
	for _, by := range shop.SalesGroupings() {
		names = append(names, string(by))
	}
	return names
}

func printSales(w *table, r *shop.SalesReport) {
	if len(r.Rows) == 0 {
		fmt.Fprintf(w, "Nothing was ordered from %s to %s (%s).\n", r.From, r.To, r.TimeZone)
		return
	}
	switch r.By {
	case shop.SalesByProduct:
		heading(w, "PRODUCT…", "ORDERS", "UNITS", "SALES", "[DELIVERED]", "RETURNED", "[CANCELLED]")
	case shop.SalesByCourier:
		heading(w, "COURIER", "ORDERS", "[UNITS]", "SALES", "[DELIVERY]", "REVENUE", "DELIVERED", "RETURNED", "[CANCELLED]")
	default:
		heading(w, "DAY", "ORDERS", "[UNITS]", "SALES", "[DELIVERY]", "REVENUE", "[DELIVERED]", "RETURNED", "[CANCELLED]")
	}
	for _, s := range r.Rows {
		printSalesRow(w, cmp.Or(s.Name, "no shipment"), &s.Sales)
	}
	if r.By != shop.SalesByProduct { // an order of several products is in the rows of each
		printSalesRow(w, "total", &r.Total)
	}
	if r.MoreRows {
		fmt.Fprintf(w, "\nThe %d products with the largest sales; all: --limit %d.\n", len(r.Rows), page.NoLimit)
	}
	fmt.Fprintf(w, "\n%s to %s (%s): orders %d, revenue %s", r.From, r.To, r.TimeZone, r.Total.Orders, r.Total.Revenue.Formatted)
	if r.Total.Average != nil {
		fmt.Fprintf(w, ", average %s", r.Total.Average.Formatted)
	}
	fmt.Fprint(w, ".\nOrders that are cancelled, expired or unpaid online do not count; see \"storefront sales --help\".\n")
}

func printSalesRow(w *table, name string, s *shop.Sales) {
	if s.Revenue == nil {
		row(w, name, s.Orders, s.Units, s.Sales.Formatted, s.Delivered, s.Returned, s.Cancelled)
		return
	}
	row(w, name, s.Orders, s.Units, s.Sales.Formatted, s.Delivery.Formatted, s.Revenue.Formatted, s.Delivered, s.Returned, s.Cancelled)
}
