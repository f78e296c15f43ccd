package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
)

func newSeedCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "seed UID",
		Short: "Fill a shop with the demo catalogue, settings and coupons",
		Long: `Fill a shop with the demo catalogue, settings and coupons. Settings of the same name are replaced;
products and collections with other handles stay. The command can be repeated after an interruption.`,
		Example: `  storefront tenant create test --name "Test shop"
  storefront seed test`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				report, err := s.Seed(cmd.Context(), access.Operator(), demoData())
				if err != nil {
					return err
				}
				return a.print(report, func(w io.Writer) {
					fmt.Fprintf(w, "Seeded %s with the demo catalogue: %d products, %d of them new.\n", args[0], report.Products, report.Created)
				})
			})
		},
	}
}
