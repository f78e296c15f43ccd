package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/demo"
)

func newSeedCommand(a *app) *cobra.Command {
	noOrders := false
	cmd := &cobra.Command{
		Use:   "seed UID",
		Short: "Fill a shop with the demo catalogue, settings, coupons and orders",
		Long: `Fill a shop with the demo catalogue, settings and coupons, and with 120 orders of the last 30 days in
every status, with their shipments, statements and returns. Existing data stays unchanged: settings other
than their defaults, and products, collections and coupons with the same handle or code. A shop that has
an order gets no demo orders. The command can be repeated after an interruption.`,
		Example: `  storefront tenant create test --name "Test shop"
  storefront seed test
  storefront seed test --no-orders`,
		Annotations:       map[string]string{namedShopAnnotation: "true"},
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				report, err := demo.Seed(cmd.Context(), s, a.caller(), !noOrders)
				if err != nil {
					return err
				}
				return a.print(report, func(w *table) {
					fmt.Fprintf(w, "Seeded %s with the demo catalogue. Products: %d, new: %d.\n", args[0], report.Products, report.Created)
				})
			})
		},
	}
	cmd.Flags().BoolVar(&noOrders, "no-orders", false, "create no orders")
	return cmd
}
