package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
)

func newProductCommand(a *app) *cobra.Command {
	return newGroupCommand("product", "Import, export and list products",
		newProductImportCommand(a),
		newProductExportCommand(a),
		newProductListCommand(a),
	)
}

func newProductListCommand(a *app) *cobra.Command {
	var filter catalogue.ProductListFilter
	var status string
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's products, including drafts and archived ones",
		Example: `  storefront product list acme --search panjabi
  storefront product list acme --status draft --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter.Request, filter.Status = noLimit(), catalogue.ProductStatus(status)
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.listProducts(cmd.Context(), s, filter)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&status, "status", "", "active, draft or archived (default any)")
	flags.StringVar(&filter.Search, "search", "", "words to search for")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(
		[]string{string(catalogue.ProductActive), string(catalogue.ProductDraft), string(catalogue.ProductArchived)},
		cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (a *app) listProducts(ctx context.Context, s *shop.Shop, filter catalogue.ProductListFilter) error {
	page, err := s.Catalogue.ListProducts(ctx, access.Operator(), filter)
	if err != nil {
		return err
	}
	return a.print(page.Nodes, func(w io.Writer) {
		if len(page.Nodes) == 0 {
			fmt.Fprintln(w, "No products found.")
			return
		}
		row(w, "HANDLE", "TITLE", "STATUS", "PRICE", "VARIANTS", "STOCK")
		for _, p := range page.Nodes {
			status := string(p.Status)
			if p.Status == catalogue.ProductActive && p.PublishedAt == nil {
				status += ", not published"
			}
			row(w, p.Handle, p.Title, status, p.Price.Formatted, len(p.Variants), p.Stock)
		}
	})
}
