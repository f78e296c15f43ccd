package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
)

// defaultOrders is how many orders order list shows: a shop can have more than anyone reads.
const defaultOrders = 50

func newOrderCommand(a *app) *cobra.Command {
	return newGroupCommand("order", "Look at a shop's orders",
		newOrderListCommand(a),
		newOrderShowCommand(a),
		newOrderShipCommand(a),
		newOrderTrackCommand(a),
	)
}

func newOrderListCommand(a *app) *cobra.Command {
	var status string
	var page, limit int
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's orders, newest first",
		Example: `  storefront order list acme --status pending
  storefront order list acme --limit -1 --json > orders.json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter := shop.OrderListFilter{
				PageInput: shop.PageInput{Page: &page, Limit: &limit}, Status: shop.OrderStatus(status),
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.listOrders(cmd.Context(), s, filter)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&status, "status", "", "only those in this state, such as pending (default any)")
	flags.IntVar(&page, "page", 1, "which page of them")
	flags.IntVar(&limit, "limit", defaultOrders, "orders a page, at most 100; -1: all")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(orderStates(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func orderStates() []string {
	return []string{
		string(shop.OrderPending), string(shop.OrderPendingPayment), string(shop.OrderConfirmed), string(shop.OrderProcessing),
		string(shop.OrderCompleted), string(shop.OrderCancelled), string(shop.OrderExpired), string(shop.OrderReturned),
	}
}

func (a *app) listOrders(ctx context.Context, s *shop.Shop, filter shop.OrderListFilter) error {
	orders, err := s.ListOrders(ctx, filter)
	if err != nil {
		return err
	}
	return a.print(orders, func(w io.Writer) {
		if len(orders.Nodes) == 0 {
			fmt.Fprintln(w, "There are no such orders.")
			return
		}
		row(w, "NUMBER", "INVOICE", "PLACED", "STATUS", "PAYMENT", "DELIVERY", "TOTAL", "CUSTOMER")
		for _, o := range orders.Nodes {
			row(w, o.OrderNumber, o.InvoiceUID, localTime(o.PlacedAt), o.Status, o.PaymentStatus, o.FulfillmentStatus, o.Total.Formatted, o.Customer.Name)
		}
		if m := orders.Meta; m.HasNextPage {
			fmt.Fprintf(w, "\nPage %d of %d, %d orders in all; more with --page %d.\n", m.CurrentPage, m.TotalPages, m.TotalCount, m.CurrentPage+1)
		}
	})
}

func localTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func newOrderShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID INVOICE",
		Short:             "Show one order whole",
		Example:           "  storefront order show acme 0123456789ABCDEF",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				order, err := s.ShowOrder(cmd.Context(), args[1])
				if shop.HasCode(err, shop.CodeNotFound) {
					return withHint(err, "%s", a.command("order list "+args[0]))
				}
				if err != nil {
					return err
				}
				return a.print(order, func(w io.Writer) { printOrder(w, order) })
			})
		},
	}
}

func printOrder(w io.Writer, o *shop.Order) {
	row(w, "Order", fmt.Sprintf("%d, invoice %s", o.OrderNumber, o.InvoiceUID))
	row(w, "Placed", localTime(o.PlacedAt))
	row(w, "State", fmt.Sprintf("%s, payment %s, delivery %s", o.Status, o.PaymentStatus, o.FulfillmentStatus))
	row(w, "Paid by", o.Payment.Method)
	if o.Test {
		row(w, "Test", "placed in sandbox mode")
	}
	row(w, "Customer", joined(&o.Customer.Name, &o.Customer.PhoneNumber, o.Customer.Email))
	at := o.ShippingAddress
	row(w, "Address", joined(at.Line1, at.Line2, at.Area, &at.City, at.Postcode, at.Country))
	if o.Note != nil {
		row(w, "Note", *o.Note)
	}
	fmt.Fprintln(w)
	row(w, "QUANTITY", "PRODUCT", "VARIANT", "SKU", "PRICE", "TOTAL")
	for _, i := range o.Items {
		row(w, i.Quantity, i.Title, optional(i.VariantTitle), optional(i.SKU), i.UnitPrice.Formatted, i.Total.Formatted)
	}
	fmt.Fprintln(w)
	row(w, "Subtotal", o.Subtotal.Formatted)
	if o.Coupon != nil {
		row(w, "Coupon", o.Coupon.Code)
	}
	row(w, "Discount", o.Discount.Formatted)
	row(w, "Delivery", o.DeliveryCharge.Formatted)
	row(w, "Rounding", o.Rounding.Formatted)
	row(w, "Total", o.Total.Formatted)
	fmt.Fprintln(w)
	row(w, "WHEN", "WHAT", "MESSAGE")
	for _, e := range o.Timeline {
		row(w, localTime(e.At), e.Type, e.Message)
	}
}

// joined gives the parts that are there.
func joined(parts ...*string) string {
	var there []string
	for _, p := range parts {
		if p != nil && *p != "" && !slices.Contains(there, *p) {
			there = append(there, *p)
		}
	}
	return strings.Join(there, ", ")
}
