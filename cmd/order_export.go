package cmd

import (
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
)

// exportPage is how many orders an export holds in memory at once.
const exportPage = 100

func newOrderExportCommand(a *app) *cobra.Command {
	var selected orderFilter
	cmd := &cobra.Command{
		Use:   "export UID",
		Short: "Export orders as CSV, one line per item",
		Long: `Export orders as CSV to the standard output, one line per item, newest order first.
Amounts are decimals in the shop's currency. Order totals are on the first line of each order only, so
that a column can be summed. Where a spreadsheet would evaluate text as a formula, ' is inserted.`,
		Example:           "  storefront order export acme --from 2026-03-01 --before 2026-04-01 > march.csv",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := selected.parse(cmd)
			if err != nil {
				return err
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.exportOrders(cmd.Context(), s, filter)
			})
		},
	}
	selected.flags(cmd)
	return cmd
}

var orderColumns = []string{
	"Order", "Invoice", "Placed at", "Status", "Payment status", "Fulfillment status", "Payment method", "Test",
	"Name", "Phone", "Email", "Address 1", "Address 2", "Area", "City", "Postcode", "Country", "Note", "Coupon",
	"Subtotal", "Discount", "Delivery", "Rounding", "Total", "Currency",
	"Item SKU", "Item", "Item variant", "Item quantity", "Item price", "Item discount", "Item total", "Consignments",
}

// exportOrders reads page by page. It excludes orders placed after its start, which would shift the
// pages.
func (a *app) exportOrders(ctx context.Context, s *shop.Shop, filter shop.OrderListFilter) error {
	if now := time.Now(); filter.PlacedBefore == nil {
		filter.PlacedBefore = &now
	}
	w := csv.NewWriter(a.Stdout)
	if err := w.Write(orderColumns); err != nil {
		return fmt.Errorf("export orders: %w", err)
	}
	for number := 1; ; number++ {
		limit := exportPage
		filter.Request = page.Request{Page: &number, Limit: &limit}
		orders, err := s.ListOrders(ctx, access.Operator(), filter)
		if err != nil {
			return err
		}
		for i := range orders.Nodes {
			if err := writeOrder(w, &orders.Nodes[i]); err != nil {
				return fmt.Errorf("export orders: %w", err)
			}
		}
		if !orders.Meta.HasNextPage {
			w.Flush()
			return w.Error()
		}
	}
}

func writeOrder(w *csv.Writer, o *shop.Order) error {
	currency, _ := money.ParseCurrency(o.Total.Currency)
	decimal := func(m money.Money) string { return currency.Decimal(m.Amount) }
	at := o.ShippingAddress
	coupon := ""
	if o.Coupon != nil {
		coupon = o.Coupon.Code
	}
	head := []string{
		strconv.FormatInt(o.OrderNumber, 10), o.InvoiceUID, o.PlacedAt.Format(time.RFC3339), string(o.Status), string(o.PaymentStatus),
		string(o.FulfillmentStatus), string(o.Payment.Method), strconv.FormatBool(o.Test),
		o.Customer.Name, o.Customer.PhoneNumber, optional(o.Customer.Email), optional(at.Line1), optional(at.Line2), optional(at.Area),
		at.City, optional(at.Postcode), optional(at.Country), optional(o.Note), coupon,
	}
	sums := []string{decimal(o.Subtotal), decimal(o.Discount), decimal(o.DeliveryCharge), decimal(o.Rounding), decimal(o.Total)}
	var consignments []string
	for _, p := range o.Shipments {
		if p.ConsignmentID != nil {
			consignments = append(consignments, string(p.Provider)+" "+*p.ConsignmentID)
		}
	}
	for i, item := range o.Items {
		if i > 0 {
			sums = make([]string, len(sums))
		}
		line := append(append(append([]string{}, head...), sums...), o.Total.Currency,
			optional(item.SKU), item.Title, optional(item.VariantTitle), strconv.Itoa(item.Quantity),
			decimal(item.UnitPrice), decimal(item.Discount), decimal(item.Total), strings.Join(consignments, "; "))
		for c, cell := range line {
			line[c] = input.GuardFormulas(cell)
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}
