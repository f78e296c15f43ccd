package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/catalogue"
)

func newCollectionCommand(a *app) *cobra.Command {
	return newGroupCommand("collection", "List collections",
		newCollectionListCommand(a),
	)
}

func newCollectionListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "list UID",
		Short:             "List a shop's collections",
		Example:           "  storefront collection list acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				page, err := s.Catalogue.ListCollectionRecords(cmd.Context(), a.caller(), catalogue.CollectionFilter{Request: noLimit()})
				if err != nil {
					return err
				}
				return a.print(page.Nodes, func(w *table) {
					if len(page.Nodes) == 0 {
						fmt.Fprintln(w, "No collections.")
						return
					}
					heading(w, "HANDLE", "TITLE…", "PRODUCTS", "[ID]")
					for _, c := range page.Nodes {
						row(w, c.Handle, c.Title, c.ProductCount, c.ID)
					}
				})
			})
		},
	}
}
