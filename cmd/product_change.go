package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

func newProductShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID PRODUCT",
		Short:             "Show a product with its variants and their stock",
		Long:              "Show a product of any status with its variants. PRODUCT is a handle or an ID.",
		Example:           "  storefront product show acme cotton-panjabi",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withProduct(cmd.Context(), args, func(s *shop.Shop) error {
				product, err := s.Catalogue.FindProductRecord(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return err
				}
				return a.print(product, func(w *table) { printProduct(w, product) })
			})
		},
	}
}

// withProduct runs fn with the shop args[0]. It adds to a not_found error how to list the products.
func (a *app) withProduct(ctx context.Context, args []string, fn func(s *shop.Shop) error) error {
	return a.withShop(ctx, args[0], func(s *shop.Shop) error {
		err := fn(s)
		if fault.HasCode(err, fault.CodeNotFound) {
			return withHint(err, "list the products with %s", a.command("product list "+args[0]))
		}
		return err
	})
}

func printProduct(w *table, p *catalogue.ProductRecord) {
	row(w, "ID", p.ID)
	row(w, "Handle", p.Handle)
	row(w, "Title", p.Title)
	row(w, "Status", productStatus(p))
	row(w, "Updated", w.time(p.UpdatedAt))
	fmt.Fprintln(w)
	heading(w, "SKU", "VARIANT…", "PRICE", "[COMPARE AT]", "STOCK", "AVAILABILITY", "[ID]")
	for _, v := range p.Variants {
		row(w, optional(v.SKU), cmp.Or(v.Title, "-"), v.Price.Formatted, formatted(v.CompareAtPrice), stockText(v.Stock), colour(v.StockStatus),
			v.ID)
	}
	fmt.Fprintln(w)
	row(w, "Stock", fmt.Sprintf("%d in total", p.Stock))
}

// stockText returns a variant's units in stock; nil means that they are not counted.
func stockText(stock *int) string {
	if stock == nil {
		return "not tracked"
	}
	return strconv.Itoa(*stock)
}

// productStatus returns a product's status, and whether it is published.
func productStatus(p *catalogue.ProductRecord) string {
	if p.Status == catalogue.ProductActive && p.PublishedAt == nil {
		return string(p.Status) + ", not published"
	}
	return string(p.Status)
}

func newProductSetCommand(a *app) *cobra.Command {
	var title, status, variant, price, compareAt string
	var stock int64
	cmd := &cobra.Command{
		Use:   "set UID PRODUCT",
		Short: "Change a product's title, status, price or stock",
		Long: `Change fields of a product; all others stay. PRODUCT is a handle or an ID. Prices and stock are those of
a variant: name it by its SKU or ID with --variant, unless it is the only one. Prices are decimals in the
shop's currency. The status active publishes a product.`,
		Example: `  storefront product set acme cotton-panjabi --title "Cotton Panjabi, white" --status active
  storefront product set acme cotton-panjabi --variant PANJABI-L --price 1250 --compare-at 1500 --stock 20`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withProduct(cmd.Context(), args, func(s *shop.Shop) error {
				var change catalogue.ProductChange
				flags := cmd.Flags()
				if flags.Changed("title") {
					change.Title = &title
				}
				if flags.Changed("status") {
					change.Status = new(catalogue.ProductStatus(status))
				}
				of := catalogue.VariantChange{Variant: variant}
				var err error
				if of.Price, err = parseAmountFlag(cmd, s, "price", price, 0); err != nil {
					return err
				}
				if of.CompareAtPrice, err = parseAmountFlag(cmd, s, "compare-at", compareAt, 0); err != nil {
					return err
				}
				if flags.Changed("stock") {
					of.Stock = &stock
				}
				if of != (catalogue.VariantChange{}) {
					change.Variants = []catalogue.VariantChange{of}
				}
				product, err := s.Catalogue.UpdateProduct(cmd.Context(), a.caller(), args[1], change)
				if err != nil {
					return err
				}
				return a.print(product, func(w *table) { printProduct(w, product) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&title, "title", "", "title that buyers see")
	flags.StringVar(&status, "status", "", "active, draft or archived")
	flags.StringVar(&variant, "variant", "", "SKU or ID of the variant whose price or stock changes")
	flags.StringVar(&price, "price", "", "price of the variant")
	flags.StringVar(&compareAt, "compare-at", "", "price before a sale, shown struck through; 0 removes it")
	flags.Int64Var(&stock, "stock", 0, "units of the variant in stock")
	cmd.MarkFlagsOneRequired("title", "status", "price", "compare-at", "stock")
	registerProductStatuses(cmd)
	return cmd
}

// registerProductStatuses completes the values of --status.
func registerProductStatuses(cmd *cobra.Command) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(
		[]string{string(catalogue.ProductActive), string(catalogue.ProductDraft), string(catalogue.ProductArchived)},
		cobra.ShellCompDirectiveNoFileComp)))
}

func newProductDeleteCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete UID PRODUCT --yes",
		Short: "Delete a product; orders of it are not affected",
		Long: `Delete a product with its variants and their stock history. PRODUCT is a handle or an ID. Orders have copies
of what was bought and are not affected. To hide a product, use product set --status archived.`,
		Example:           "  storefront product delete acme cotton-panjabi --yes",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withProduct(cmd.Context(), args, func(s *shop.Shop) error {
				if err := a.confirmDeletion(yes, "hide the product with %s", "product set "+args[0]+" "+args[1]+" --status archived"); err != nil {
					return err
				}
				if err := s.Catalogue.DeleteProduct(cmd.Context(), a.caller(), args[1]); err != nil {
					return err
				}
				return a.printDeleted("product", args[1])
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm the deletion")
	return cmd
}

// confirmDeletion returns an error unless yes is set. hint names an alternative, a command.
func (a *app) confirmDeletion(yes bool, hint, command string) error {
	if yes {
		return nil
	}
	return withHint(errors.New("confirm with --yes: the deletion cannot be undone"), hint+", or repeat with --yes", a.command(command))
}

// printDeleted prints that a record of a kind such as product was deleted.
func (a *app) printDeleted(kind, name string) error {
	return a.print(map[string]string{"deleted": name}, func(w *table) { fmt.Fprintf(w, "Deleted the %s %s.\n", kind, printable(name)) })
}
