package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newOrderMarkPrintedCommand(a *app) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "mark-printed UID ORDER…",
		Short: "Record that a document of orders was printed",
		Long: `Record that a document of orders was printed: label, invoice, packing, picklist or handover. "order show"
lists what was printed.`,
		Example: `  storefront order mark-printed acme 1064 1065
  storefront order mark-printed acme 1064 --document invoice`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOrder(cmd.Context(), a, args, func(w *table, o *shop.Order) {
				fmt.Fprintf(w, "Order %d: %s recorded as printed.\n", o.OrderNumber, kind)
			}, func(s *shop.Shop, invoice string) (*shop.Order, error) {
				order, err := s.MarkPrinted(cmd.Context(), a.caller(), invoice, shop.PrintKind(kind))
				if err != nil {
					return nil, err
				}
				return &order.Order, nil
			})
		},
	}
	cmd.Flags().StringVar(&kind, "document", string(shop.PrintLabel), "label, invoice, packing, picklist or handover")
	return cmd
}
