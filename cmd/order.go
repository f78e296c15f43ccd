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
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// defaultLimit is the default page size of lists.
const defaultLimit = 50

func newOrderCommand(a *app) *cobra.Command {
	return newGroupCommand("order", "List and process orders",
		newOrderListCommand(a),
		newOrderShowCommand(a),
		newOrderStatusCommand(a, "confirm", "Confirm a cash-on-delivery order", (*shop.Shop).ConfirmOrder),
		newOrderCancelCommand(a),
		newOrderShipCommand(a),
		newOrderShipmentsCommand(a),
		a.deprecatedName("parcels", newOrderShipmentsCommand(a)),
		newOrderTrackCommand(a),
		newOrderCancelShipmentCommand(a),
		newOrderFlagsCommand(a),
		newOrderCheckedCommand(a),
		newOrderPriceCommand(a),
		newOrderStatusCommand(a, "deliver", "Mark an order as delivered, and a cash order as paid", (*shop.Shop).MarkDelivered),
		newOrderReturnCommand(a),
		newOrderRefundCommand(a),
		newOrderExportCommand(a),
	)
}

func newOrderListCommand(a *app) *cobra.Command {
	var selected orderFilter
	var number, limit int
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's orders, newest first",
		Example: `  storefront order list acme --status pending
  storefront order list acme --from 2026-03-01 --before 2026-04-01
  storefront order list acme --limit -1 --json > orders.json
  storefront order list acme --limit 1 --format uid`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := selected.parse(cmd)
			if err != nil {
				return err
			}
			filter.Request = page.Request{Page: &number, Limit: &limit}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.listOrders(cmd.Context(), s, filter, format)
			})
		},
	}
	selected.flags(cmd)
	flags := cmd.Flags()
	flags.IntVar(&number, "page", 1, "page number")
	flags.IntVar(&limit, "limit", defaultLimit, "orders per page, at most 100, or -1 for all")
	a.addFormat(cmd, &format, "invoice UIDs")
	return cmd
}

// orderFilter holds the flags that select orders.
type orderFilter struct{ status, from, before string }

func (f *orderFilter) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.status, "status", "", "only orders with this status, such as pending (default any)")
	flags.StringVar(&f.from, "from", "", "only orders placed on or after this day, such as 2026-03-01 "+dayUsage)
	flags.StringVar(&f.before, "before", "", "only orders placed before this day "+dayUsage)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(orderStatuses(), cobra.ShellCompDirectiveNoFileComp)))
}

func (f *orderFilter) parse(cmd *cobra.Command) (filter shop.OrderListFilter, err error) {
	filter.Status = shop.OrderStatus(f.status)
	if filter.PlacedFrom, err = parseTime(cmd, "from", f.from); err != nil {
		return filter, err
	}
	filter.PlacedBefore, err = parseTime(cmd, "before", f.before)
	return filter, err
}

// dayUsage documents the time zone of days. It is this machine's, because a shop has only a country,
// and a country may have several time zones.
const dayUsage = "(in this machine's time zone; set TZ to change it)"

// parseTime parses a day in this machine's time zone, or a time in RFC 3339. It returns nil for "".
func parseTime(cmd *cobra.Command, flag, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	at, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return nil, &usageError{
			err:     fmt.Errorf("--%s must be a day such as 2026-03-01, or a time such as 2026-03-01T18:00:00+06:00", flag),
			command: cmd.CommandPath(),
		}
	}
	return &at, nil
}

func orderStatuses() []string {
	return []string{
		string(shop.OrderPending), string(shop.OrderPendingPayment), string(shop.OrderConfirmed), string(shop.OrderProcessing),
		string(shop.OrderCompleted), string(shop.OrderCancelled), string(shop.OrderExpired), string(shop.OrderReturned),
	}
}

func (a *app) listOrders(ctx context.Context, s *shop.Shop, filter shop.OrderListFilter, format listFormat) error {
	orders, err := s.ListOrders(ctx, access.Operator(), filter)
	if err != nil {
		return err
	}
	return printList(a, format, orders, orders.Nodes, func(o *shop.Order) string { return o.InvoiceUID }, func(w io.Writer) {
		if len(orders.Nodes) == 0 {
			fmt.Fprintln(w, "No orders found.")
			return
		}
		row(w, "NUMBER", "INVOICE", "PLACED", "STATUS", "PAYMENT", "DELIVERY", "TOTAL", "CUSTOMER")
		for _, o := range orders.Nodes {
			row(w, o.OrderNumber, o.InvoiceUID, localTime(o.PlacedAt), o.Status, o.PaymentStatus, o.FulfillmentStatus, o.Total.Formatted, o.Customer.Name)
		}
		if m := orders.Meta; m.HasNextPage {
			fmt.Fprintf(w, "\nPage %d of %d, %d orders in total; next: --page %d.\n", m.CurrentPage, m.TotalPages, m.TotalCount, m.CurrentPage+1)
		}
	})
}

// localTime formats t in this machine's time zone. It names the zone, because the shop and the reader
// may be in others.
func localTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04 MST") }

func newOrderShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID INVOICE",
		Short:             "Show an order with its items, shipments and timeline",
		Example:           "  storefront order show acme 0123456789ABCDEF",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				order, err := s.FindOrderAsStaff(cmd.Context(), access.Operator(), args[1])
				if err != nil {
					return a.withOrderHint(err, args[0])
				}
				return a.print(order, func(w io.Writer) { printOrder(w, order) })
			})
		},
	}
}

// withOrderHint adds to a not_found error how to list the orders.
func (a *app) withOrderHint(err error, uid string) error {
	if fault.HasCode(err, fault.CodeNotFound) {
		return withHint(err, "list the orders with %s", a.command("order list "+uid))
	}
	return err
}

func printOrder(w io.Writer, o *shop.StaffOrder) {
	row(w, "Order", fmt.Sprintf("%d, invoice %s", o.OrderNumber, o.InvoiceUID))
	row(w, "Placed", localTime(o.PlacedAt))
	row(w, "Status", fmt.Sprintf("%s, payment %s, delivery %s", o.Status, o.PaymentStatus, o.FulfillmentStatus))
	row(w, "Payment", o.Payment.Method)
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
	if len(o.Shipments) > 0 {
		printShipments(w, o)
		fmt.Fprintln(w)
	} else if len(o.Flags) > 0 {
		printFlags(w, o.Flags)
		fmt.Fprintln(w)
	}
	if len(o.Payments) > 0 {
		printPayments(w, o.Payments)
		fmt.Fprintln(w)
	}
	row(w, "TIME", "EVENT", "MESSAGE", "CAUSE")
	for _, e := range o.Timeline {
		row(w, localTime(e.At), e.Type, e.Message, e.Cause)
	}
}

// joined returns the distinct non-empty parts, separated by commas.
func joined(parts ...*string) string {
	var distinct []string
	for _, p := range parts {
		if p != nil && *p != "" && !slices.Contains(distinct, *p) {
			distinct = append(distinct, *p)
		}
	}
	return strings.Join(distinct, ", ")
}
