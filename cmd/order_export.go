package cmd

import (
	"github.com/spf13/cobra"

	"storefront/shop"
)

func newOrderExportCommand(a *app) *cobra.Command {
	var selected orderFilter
	cmd := &cobra.Command{
		Use:   "export UID",
		Short: "Export orders as CSV, one line per item",
		Long: `Export orders as CSV to the standard output, one line per item, newest order first.
Amounts are decimals in the shop's currency, times are in its time zone. Order totals are on the first
line of each order only, so that a column can be summed. Where a spreadsheet would evaluate text as a
formula, ' is inserted.`,
		Example:           "  storefront order export acme --from 2026-03-01 --before 2026-04-01 > march.csv",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				filter, err := selected.parse(a, cmd, s)
				if err != nil {
					return err
				}
				return s.ExportOrders(cmd.Context(), a.caller(), filter, a.Stdout)
			})
		},
	}
	selected.flags(cmd)
	return cmd
}
