package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
		return a.withVariantHint(err, args[0])
	})
}

func printProduct(w *table, p *catalogue.ProductRecord) {
	row(w, "ID", p.ID)
	row(w, "Handle", p.Handle)
	row(w, "Title", p.Title)
	row(w, "Status", productStatus(p))
	row(w, "Updated", w.time(p.UpdatedAt))
	fmt.Fprintln(w)
	heading(w, "SKU", "VARIANT…", "PRICE", "[COMPARE AT]", "[COST]", "STOCK", "AVAILABILITY", "[ID]")
	for _, v := range p.Variants {
		row(w, optional(v.SKU), cmp.Or(v.Title, "-"), v.Price.Formatted, formatted(v.CompareAtPrice), formatted(v.Cost), stockText(v.Stock),
			colour(v.StockStatus), v.ID)
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

// productFlags are the flags of the fields of a product and of one of its variants.
type productFlags struct {
	title, handle, status, vendor, kind, description, sku, barcode string
	price, compareAt, cost                                         string
	tags, collections, images                                      []string
	stock                                                          int64
	weight                                                         int
}

func (f *productFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.title, "title", "", "title that buyers see")
	flags.StringVar(&f.handle, "handle", "", "URL slug")
	flags.StringVar(&f.status, "status", "", "active, draft or archived")
	flags.StringVar(&f.vendor, "vendor", "", "who makes the product")
	flags.StringVar(&f.kind, "type", "", "kind of product, such as Panjabi")
	flags.StringVar(&f.description, "description", "", "description, as HTML")
	flags.StringSliceVar(&f.tags, "tag", nil, "tag; repeatable, replaces the earlier ones; empty removes them")
	flags.StringSliceVar(&f.collections, "collection", nil, "collection, by handle; repeatable, replaces the earlier ones; empty removes them")
	flags.StringSliceVar(&f.images, "image", nil, "ID of an uploaded image, or a URL; repeatable, replaces the earlier ones; empty removes them")
	flags.StringVar(&f.sku, "sku", "", "SKU of the variant")
	flags.StringVar(&f.barcode, "barcode", "", "barcode of the variant")
	flags.StringVar(&f.price, "price", "", "price of the variant")
	flags.StringVar(&f.compareAt, "compare-at", "", "price before a sale, shown struck through; 0 removes it")
	flags.StringVar(&f.cost, "cost", "", "what the shop pays for a unit of the variant; buyers do not see it")
	flags.IntVar(&f.weight, "weight", 0, "grams of a unit of the variant")
	flags.Int64Var(&f.stock, "stock", 0, "units of the variant in stock")
	registerProductStatuses(cmd)
}

// change returns the change of the flags that are set. name names the variant.
func (f *productFlags) change(cmd *cobra.Command, s *shop.Shop, name string) (change catalogue.ProductChange, err error) {
	isSet := cmd.Flags().Changed
	text := func(flag string, value *string) *string {
		if !isSet(flag) {
			return nil
		}
		return value
	}
	list := func(flag string, values []string) []string {
		if !isSet(flag) {
			return nil
		}
		return slices.DeleteFunc(append([]string{}, values...), func(value string) bool { return value == "" })
	}
	change = catalogue.ProductChange{
		Title: text("title", &f.title), Handle: text("handle", &f.handle), Vendor: text("vendor", &f.vendor), Type: text("type", &f.kind),
		DescriptionHTML: text("description", &f.description), Tags: list("tag", f.tags), Collections: list("collection", f.collections),
	}
	if isSet("status") {
		change.Status = new(catalogue.ProductStatus(f.status))
	}
	if isSet("image") {
		change.Images = []catalogue.ImageInput{}
		for _, image := range list("image", f.images) {
			change.Images = append(change.Images, imageInput(image))
		}
	}
	v := catalogue.VariantChange{Variant: name, SKU: text("sku", &f.sku), Barcode: text("barcode", &f.barcode)}
	for flag, amount := range map[string]struct {
		text string
		into **int64
	}{"price": {f.price, &v.Price}, "compare-at": {f.compareAt, &v.CompareAtPrice}, "cost": {f.cost, &v.Cost}} {
		if *amount.into, err = parseAmountFlag(cmd, s, flag, amount.text, 0); err != nil {
			return change, err
		}
	}
	if isSet("stock") {
		v.Stock = &f.stock
	}
	if isSet("weight") {
		v.WeightGrams = &f.weight
	}
	if slices.ContainsFunc(variantFlags, isSet) || name != "" {
		change.Variants = []catalogue.VariantChange{v}
	}
	return change, nil
}

// variantFlags are the productFlags of a variant.
var variantFlags = []string{"sku", "barcode", "price", "compare-at", "cost", "weight", "stock"}

// imageInput returns the image with an ID or at a URL.
func imageInput(name string) catalogue.ImageInput {
	if strings.Contains(name, "/") {
		return catalogue.ImageInput{URL: name}
	}
	return catalogue.ImageInput{Media: name}
}

func newProductCreateCommand(a *app) *cobra.Command {
	var f productFlags
	cmd := &cobra.Command{
		Use:   "create UID --title TITLE --price PRICE",
		Short: "Create a product with one variant",
		Long: `Create a product with one variant. Its handle is derived from the title unless --handle sets it. Prices are
decimals in the shop's currency. Stock is tracked if --stock is set. Use product import for products with
options, such as sizes.`,
		Example: `  storefront product create acme --title "Cotton Panjabi" --price 1250 --stock 20 --tag eid
  storefront product create acme --title "Clay mug" --price 450 --cost 210 --status draft`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				change, err := f.change(cmd, s, "")
				if err != nil {
					return err
				}
				product, err := s.Catalogue.CreateProduct(cmd.Context(), a.caller(), f.input(&change))
				if err != nil {
					return err
				}
				return a.print(product, func(w *table) { printProduct(w, product) })
			})
		},
	}
	f.register(cmd)
	cobra.CheckErr(cmd.MarkFlagRequired("title"))
	cobra.CheckErr(cmd.MarkFlagRequired("price"))
	return cmd
}

// input returns the content of a new product. change has the flags that are set.
func (f *productFlags) input(change *catalogue.ProductChange) catalogue.ProductInput {
	v := change.Variants[0]
	variant := catalogue.VariantInput{
		SKU: f.sku, Barcode: f.barcode, Price: *v.Price, CompareAtPrice: v.CompareAtPrice, Cost: v.Cost, WeightGrams: f.weight,
		Tracked: v.Stock != nil,
	}
	if v.Stock != nil {
		variant.Stock = new(int(*v.Stock))
	}
	return catalogue.ProductInput{
		Handle: f.handle, Title: f.title, DescriptionHTML: f.description, Status: catalogue.ProductStatus(f.status), Vendor: f.vendor, Type: f.kind,
		Tags: change.Tags, Collections: change.Collections, Images: change.Images, Variants: []catalogue.VariantInput{variant},
	}
}

func newProductDuplicateCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "duplicate UID PRODUCT",
		Short: "Create a draft with the content of a product",
		Long: `Create a draft with the content of a product. It has no stock, and no SKUs and barcodes, since each of
these names one variant. PRODUCT is a handle or an ID.`,
		Example:           "  storefront product duplicate acme cotton-panjabi",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withProduct(cmd.Context(), args, func(s *shop.Shop) error {
				product, err := s.Catalogue.DuplicateProduct(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return err
				}
				return a.print(product, func(w *table) { printProduct(w, product) })
			})
		},
	}
}

func newProductSetCommand(a *app) *cobra.Command {
	var f productFlags
	var variant string
	cmd := &cobra.Command{
		Use:   "set UID PRODUCT",
		Short: "Change fields of a product and of one of its variants",
		Long: `Change fields of a product; all others stay. PRODUCT is a handle or an ID. Prices, cost, stock, SKU, barcode
and weight are those of a variant: name it by its SKU or ID with --variant, unless it is the only one. Prices
are decimals in the shop's currency. The status active publishes a product. Buyers still find a product at
its earlier handles.`,
		Example: `  storefront product set acme cotton-panjabi --title "Cotton Panjabi, white" --status active
  storefront product set acme cotton-panjabi --variant PANJABI-L --price 1250 --compare-at 1500 --stock 20
  storefront product set acme cotton-panjabi --handle white-panjabi`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withProduct(cmd.Context(), args, func(s *shop.Shop) error {
				change, err := f.change(cmd, s, variant)
				if err != nil {
					return err
				}
				product, err := s.Catalogue.UpdateProduct(cmd.Context(), a.caller(), args[1], change)
				if err != nil {
					return err
				}
				return a.print(product, func(w *table) { printProduct(w, product) })
			})
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&variant, "variant", "", "SKU or ID of the variant that changes")
	cmd.MarkFlagsOneRequired(append([]string{"title", "status", "handle", "description", "vendor", "type", "tag", "collection", "image"},
		variantFlags...)...)
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
		Short: "Delete a draft or an archived product; orders of it are not affected",
		Long: `Delete a product with its variants and their stock history. PRODUCT is a handle or an ID. An active product
must be archived first, with product set --status archived. Orders have copies of what was bought and are not
affected.`,
		Example:           "  storefront product delete acme cotton-panjabi --yes",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withProduct(cmd.Context(), args, func(s *shop.Shop) error {
				if err := a.confirmDeletion(yes, "hide the product with %s", "product set "+args[0]+" "+args[1]+" --status archived"); err != nil {
					return err
				}
				err := s.Catalogue.DeleteProduct(cmd.Context(), a.caller(), args[1])
				if fault.HasCode(err, fault.CodeStateConflict) {
					return withHint(err, "archive it with %s", a.command("product set "+args[0]+" "+args[1]+" --status archived"))
				} else if err != nil {
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
