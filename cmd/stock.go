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
	"storefront/shop/page"
)

func newStockCommand(a *app) *cobra.Command {
	return newGroupCommand("stock", "Show and change stock levels",
		newStockSetCommand(a),
		newStockAdjustCommand(a),
		newStockCountCommand(a),
		newStockHistoryCommand(a),
		newStockListCommand(a),
		newStockLowCommand(a),
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

func newStockAdjustCommand(a *app) *cobra.Command {
	var note string
	var by int64
	cmd := &cobra.Command{
		Use:   "adjust UID VARIANT --by N",
		Short: "Increase or decrease a variant's stock quantity",
		Long:  "Increase or decrease a variant's stock quantity. VARIANT is a SKU or an ID.",
		Example: `  storefront stock adjust acme MUG-L --by 12 --note "new delivery"
  storefront stock adjust acme MUG-L --by -2 --note broken`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeStock(cmd, args, catalogue.StockChange{Adjust: &by, Note: note})
		},
	}
	cmd.Flags().Int64Var(&by, "by", 0, "change in quantity, negative to decrease")
	cmd.Flags().StringVar(&note, "note", "", "reason, for the stock history")
	cobra.CheckErr(cmd.MarkFlagRequired("by"))
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

// withVariantHint adds to a not_found error how to list SKUs and IDs, and to that about stock which
// is not tracked how to track it.
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
		var stock *int
		if l.Tracked {
			stock = new(int(l.Stock))
		}
		row(w, optional(l.SKU), l.Title, stockText(stock), l.LowStock, l.Backorder, colour(l.Status), l.VariantID)
	}
}

func newStockHistoryCommand(a *app) *cobra.Command {
	var number, limit int
	cmd := &cobra.Command{
		Use:               "history UID VARIANT",
		Short:             "Show a variant's stock movements, newest first",
		Example:           "  storefront stock history acme MUG-L",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				history, err := s.Catalogue.FindStockHistory(cmd.Context(), a.caller(), args[1], page.Request{Page: &number, Limit: &limit})
				if err != nil {
					return a.withVariantHint(err, args[0])
				}
				return a.print(history, func(w *table) {
					printStock(w, []catalogue.StockLevel{history.StockLevel})
					fmt.Fprintln(w)
					heading(w, "TIME", "CHANGE", "STOCK", "REASON", "[INVOICE]", "NOTE…")
					for _, m := range history.Movements.Nodes {
						row(w, w.time(m.At), fmt.Sprintf("%+d", m.Delta), m.Balance, m.Reason, optional(m.InvoiceUID), optional(m.Note))
					}
					printMore(w, history.Movements.Meta)
				})
			})
		},
	}
	pageFlags(cmd, &number, &limit)
	return cmd
}

func newStockLowCommand(a *app) *cobra.Command {
	var filter catalogue.StockListFilter
	return a.stockListCommand(&filter, &cobra.Command{
		Use:     "low UID",
		Short:   "List variants that are low or out of stock, lowest first",
		Example: "  storefront stock low acme",
	}, "No variants are low on stock.")
}

func newStockListCommand(a *app) *cobra.Command {
	var filter catalogue.StockListFilter
	cmd := a.stockListCommand(&filter, &cobra.Command{
		Use:   "list UID",
		Short: "List variants' stock levels",
		Long:  "List variants' stock levels: of all variants in the order of creation, or of those that are low or out of stock, lowest first.",
		Example: `  storefront stock list acme --search mug
  storefront stock list acme --status out`,
	}, "No variants found.")
	flags := cmd.Flags()
	flags.StringVar((*string)(&filter.Status), "status", string(catalogue.StockSelectAll), "low, out or all")
	flags.StringVar(&filter.Search, "search", "", "a SKU or barcode, or words of the product")
	return cmd
}

// stockListCommand completes a command that lists the stock that a filter selects.
func (a *app) stockListCommand(filter *catalogue.StockListFilter, cmd *cobra.Command, none string) *cobra.Command {
	var number, limit int
	filter.Request = page.Request{Page: &number, Limit: &limit}
	cmd.ValidArgsFunction = a.completeUID
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
			list, err := s.Catalogue.ListStock(cmd.Context(), a.caller(), *filter)
			if err != nil {
				return err
			}
			return a.print(list, func(w *table) {
				if list.Meta.TotalCount == 0 {
					fmt.Fprintln(w, none)
					return
				}
				printStock(w, list.Nodes)
				printMore(w, list.Meta.Meta)
			})
		})
	}
	pageFlags(cmd, &number, &limit)
	return cmd
}

func newStockCountCommand(a *app) *cobra.Command {
	var note string
	cmd := &cobra.Command{
		Use:   "count UID SKU=QUANTITY…",
		Short: "Set the stock quantities of many variants at once",
		Long: "Set the stock quantities of many variants at once, all or none. Where the shop has sold since the units were\n" +
			"counted, add the stock of that time: SKU=QUANTITY/STOCK subtracts what was sold since.",
		Example: `  storefront stock count acme MUG-L=25 MUG-S=12 --note "counted"
  storefront stock count acme MUG-L=25/24`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			items := make([]catalogue.StockItem, len(args)-1)
			for i, arg := range args[1:] {
				var err error
				if items[i], err = parseStockItem(cmd, arg); err != nil {
					return err
				}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				levels, err := s.Catalogue.ChangeStocks(cmd.Context(), a.caller(), items, note)
				if err != nil {
					return err
				}
				return a.print(levels, func(w *table) { printStock(w, levels) })
			})
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "reason, for the stock history")
	return cmd
}

// parseStockItem parses SKU=QUANTITY or SKU=QUANTITY/STOCK.
func parseStockItem(cmd *cobra.Command, text string) (item catalogue.StockItem, err error) {
	end := strings.LastIndexByte(text, '=')
	if end < 1 {
		return item, &usageError{err: fmt.Errorf("want SKU=QUANTITY, not %q", text), command: cmd.CommandPath()}
	}
	quantity, stock, hasStock := strings.Cut(text[end+1:], "/")
	item.SKU = text[:end]
	set, err := parseQuantity(cmd, quantity)
	if err != nil {
		return item, err
	}
	item.Set = &set
	if hasStock {
		from, err := parseQuantity(cmd, stock)
		if err != nil {
			return item, err
		}
		item.From = &from
	}
	return item, nil
}

func pageFlags(cmd *cobra.Command, number, limit *int) {
	cmd.Flags().IntVar(number, "page", 1, "page number")
	cmd.Flags().IntVar(limit, "limit", defaultLimit, "lines per page, at most 100, or -1 for all")
}

func printMore(w *table, m page.Meta) {
	if m.HasNextPage {
		fmt.Fprintf(w, "\nPage %d of %d, %d in total; next: --page %d.\n", m.CurrentPage, m.TotalPages, m.TotalCount, m.CurrentPage+1)
	}
}
