package cmd

import (
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

func newStockCommand(a *app) *cobra.Command {
	return newGroupCommand("stock", "Set stock levels",
		newStockSetCommand(a),
	)
}

func newStockSetCommand(a *app) *cobra.Command {
	var note string
	var low int64
	var tracked, backorder bool
	cmd := &cobra.Command{
		Use:   "set UID VARIANT [QUANTITY]",
		Short: "Set a variant's stock quantity and tracking",
		Long: "Set a variant's stock quantity and tracking. VARIANT is a SKU or an ID. Without QUANTITY, the quantity\n" +
			"stays unchanged.",
		Example: `  storefront stock set acme MUG-L 25 --note "counted"
  storefront stock set acme MUG-L --low 5 --backorder=false
  storefront stock set acme GIFT-CARD --tracked=false`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			change := catalogue.StockChange{Note: note}
			if len(args) == 3 {
				n, err := parseQuantity(cmd, args[2])
				if err != nil {
					return err
				}
				change.Set = &n
			}
			flags := cmd.Flags()
			if flags.Changed("low") {
				change.LowStock = &low
			}
			if flags.Changed("tracked") {
				change.Tracked = &tracked
			}
			if flags.Changed("backorder") {
				change.Backorder = &backorder
			}
			return a.changeStock(cmd, args, change)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&note, "note", "", "reason, for the stock history")
	flags.Int64Var(&low, "low", 0, "quantity at or below which stock is low")
	flags.BoolVar(&tracked, "tracked", true, "track the quantity; false means always available")
	flags.BoolVar(&backorder, "backorder", true, "accept orders when out of stock")
	return cmd
}

func parseQuantity(cmd *cobra.Command, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, &usageError{err: fmt.Errorf("QUANTITY must be a whole number, not %q", text), command: cmd.CommandPath()}
	}
	return n, nil
}

func (a *app) changeStock(cmd *cobra.Command, args []string, change catalogue.StockChange) error {
	return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
		level, err := s.Catalogue.ChangeStock(cmd.Context(), a.caller(), args[1], change)
		if err != nil {
			return a.withVariantHint(err, args[0])
		}
		return a.print(level, func(w *table) { printStock(w, []catalogue.StockLevel{*level}) })
	})
}

// withVariantHint adds a remedy to two errors: to not_found, how to list SKUs, and to untracked
// stock, how to track it.
func (a *app) withVariantHint(err error, uid string) error {
	invalid, ok := errors.AsType[*fault.Error](err)
	if ok && slices.ContainsFunc(invalid.Fields, func(f fault.FieldError) bool { return strings.HasSuffix(f.Field, "tracked") }) {
		return withHint(err, "track it with %s", a.command("stock set "+uid+" VARIANT QUANTITY --tracked"))
	}
	if fault.HasCode(err, fault.CodeNotFound) {
		return withHint(err, "list SKUs and IDs with %s", a.command("product export "+uid))
	}
	return err
}

func printStock(w *table, levels []catalogue.StockLevel) {
	heading(w, "SKU", "PRODUCT…", "STOCK", "[LOW AT]", "[BACKORDER]", "STATE", "ID")
	for _, l := range levels {
		stock := "not tracked"
		if l.Tracked {
			stock = strconv.FormatInt(l.Stock, 10)
		}
		row(w, optional(l.SKU), l.Title, stock, l.LowStock, l.Backorder, colour(l.Status), l.VariantID)
	}
}
