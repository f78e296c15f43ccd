package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
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
	var parse func() error
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's products, including drafts and archived ones",
		Example: `  storefront product list acme --search panjabi
  storefront product list acme --stock out --sort title
  storefront product list acme --status draft --json`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter.Request = noLimit()
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := parse(); err != nil {
					return err
				}
				return a.listProducts(cmd.Context(), s, filter)
			})
		},
	}
	parse = a.addFilter(cmd, &filter, "status", "search", "stock", "noImage", "sortBy:sort")
	addDirection(cmd, &filter.Sort, "descending", "the newest, or the largest, first")
	return cmd
}

func (a *app) listProducts(ctx context.Context, s *shop.Shop, filter catalogue.ProductListFilter) error {
	page, err := s.Catalogue.ListProducts(ctx, a.caller(), filter)
	if err != nil {
		return err
	}
	return a.print(page.Nodes, func(w *table) {
		if len(page.Nodes) == 0 {
			fmt.Fprintln(w, "No products found.")
			return
		}
		heading(w, "HANDLE", "TITLE…", "STATUS", "PRICE", "[VARIANTS]", "STOCK")
		for _, p := range page.Nodes {
			row(w, p.Handle, p.Title, colour(productStatus(&p)), p.Price.Text(), len(p.Variants), p.Stock)
		}
	})
}

// productStatus returns a product's status, and whether it is published.
func productStatus(p *catalogue.ProductRecord) string {
	if p.Status == catalogue.ProductActive && p.PublishedAt == nil {
		return string(p.Status) + ", not published"
	}
	return string(p.Status)
}
