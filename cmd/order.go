package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/order"
)

func newOrderCommand(a *app) *cobra.Command {
	return newGroupCommand("order", "List and process orders",
		newOrderListCommand(a),
		newOrderShowCommand(a),
		newOrderStatusCommand(a, "confirm", "Confirm a cash-on-delivery order", byOrders((*order.Orders).ConfirmOrder)),
		newOrderCancelCommand(a),
		newOrderShipCommand(a),
		newOrderTrackCommand(a),
		newOrderDeliverCommand(a),
		newOrderReturnCommand(a),
		newOrderRefundCommand(a),
	)
}

func newOrderListCommand(a *app) *cobra.Command {
	var filter order.ListFilter
	var parse func() error
	var pages listPage
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's orders, newest first",
		Long: `List a shop's orders, newest first. The operation listOrders has more filters, and exportOrders writes a
CSV file: see storefront api.`,
		Example: `  storefront order list acme --view toPack
  storefront order list acme --search "rahima 3344"
  storefront order list acme --status pending,confirmed --city Dhaka
  storefront order list acme --payment-status refund_due --sort total
  storefront order list acme --from 2026-03-01 --before 2026-04-01
  storefront order list acme --json > orders.json
  storefront order list acme --limit 1 --format uid`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := parse(); err != nil {
					return err
				}
				filter.Request = pages.request(a, cmd)
				return a.listOrders(cmd.Context(), s, filter, format)
			})
		},
	}
	parse = a.addFilter(cmd, &filter, "view", "status", "paymentStatus", "fulfillmentStatus:delivery-status", "city",
		"placedFrom:from", "placedBefore:before", "search", "sortBy:sort")
	addDirection(cmd, &filter.Sort, "ascending", "the oldest, or the smallest, first (default with --sort callDue)")
	pages.flags(cmd, "orders")
	a.addFormat(cmd, &format, "invoice UIDs")
	return cmd
}

func (a *app) listOrders(ctx context.Context, s *shop.Shop, filter order.ListFilter, format listFormat) error {
	orders, err := s.Orders.ListOrders(ctx, a.caller(), filter)
	if err != nil {
		return err
	}
	list, err := s.Orders.ListFlags(ctx, a.caller(), order.FlagFilter{Request: noLimit()})
	if err != nil {
		return err
	}
	flags := map[string][]string{}
	for _, f := range list.Nodes {
		flags[f.OrderID] = append(flags[f.OrderID], string(f.Code))
	}
	if left := orders.Meta.Indexing; left != nil {
		fmt.Fprintf(a.Stderr, "The search index is still being built. Orders that may be missing: %d. "+
			"A running server completes it.\n", left.Remaining)
	}
	return printList(a, format, orders, orders.Nodes, func(o *order.Order) string { return o.InvoiceUID }, func(w *table) {
		if len(orders.Nodes) == 0 {
			fmt.Fprintln(w, "No orders found.")
			return
		}
		heading(w, "NUMBER", "[INVOICE]", "PLACED", "STATUS", "PAYMENT", "[DELIVERY]", "TOTAL", "CUSTOMER…", "[FLAGS…]")
		for _, o := range orders.Nodes {
			row(w, o.OrderNumber, o.InvoiceUID, w.time(o.PlacedAt), colour(o.Status), colour(o.PaymentStatus), colour(o.FulfillmentStatus), o.Total.Text(),
				o.Customer.Name, strings.Join(flags[o.ID], ", "))
		}
		printMore(w, orders.Meta)
	})
}

func newOrderShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID ORDER…",
		Short:             "Show orders with their items, shipments and timeline",
		Example:           "  storefront order show acme 1064\n  storefront order show acme 1064 1065",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOrder(cmd.Context(), a, args, separated(printOrder), func(s *shop.Shop, invoice string) (*order.StaffOrder, error) {
				return s.Orders.FindOrderAsStaff(cmd.Context(), a.caller(), invoice)
			})
		},
	}
}

// findOrder returns the order with a number or invoice UID.
func (a *app) findOrder(ctx context.Context, s *shop.Shop, order string) (*order.StaffOrder, error) {
	invoice, err := s.Orders.FindInvoiceUID(ctx, a.caller(), order)
	if err != nil {
		return nil, a.withOrderHint(err, s.UID())
	}
	return s.Orders.FindOrderAsStaff(ctx, a.caller(), invoice)
}

// eachOrder runs do on the orders of the shop args[0] that the other args name, and prints each
// result with write. Unless all orders exist, it does nothing; a failure of one does not affect the
// others. The JSON of several orders is a list.
func eachOrder[T any](ctx context.Context, a *app, args []string, write func(w *table, result T),
	do func(s *shop.Shop, invoice string) (T, error)) error {
	return a.withShop(ctx, args[0], func(s *shop.Shop) error {
		invoices := make([]string, 0, len(args)-1)
		for _, text := range args[1:] {
			invoice, err := s.Orders.FindInvoiceUID(ctx, a.caller(), text)
			if fault.HasCode(err, fault.CodeNotFound) && len(args) > 2 {
				err = fault.Errorf(fault.CodeNotFound, "No such order: %s. No order was changed.", printable(text))
			}
			if err != nil {
				return a.withOrderHint(err, args[0])
			}
			invoices = append(invoices, invoice)
		}
		results := []T{}
		var failed error
		for i, invoice := range invoices {
			result, err := do(s, invoice)
			switch {
			case err == nil:
				results = append(results, result)
			case len(invoices) == 1:
				return a.withOrderHint(err, args[0])
			default:
				failed = errors.Join(failed, fmt.Errorf("order %s: %s", printable(args[i+1]), message(err)))
			}
		}
		if len(results) == 0 {
			return failed
		}
		var printed any = results
		if len(invoices) == 1 {
			printed = results[0]
		}
		err := a.print(printed, func(w *table) {
			for _, result := range results {
				write(w, result)
			}
		})
		return errors.Join(failed, err)
	})
}

// separated returns a function that prints an empty line between results.
func separated[T any](write func(w *table, result T)) func(w *table, result T) {
	first := true
	return func(w *table, result T) {
		if !first {
			fmt.Fprintln(w)
		}
		first = false
		write(w, result)
	}
}

// withOrderHint adds to a not_found error a hint to list the orders.
func (a *app) withOrderHint(err error, uid string) error {
	if fault.HasCode(err, fault.CodeNotFound) {
		return withHint(err, "list the orders with %s", a.command("order list "+uid))
	}
	return err
}

func printOrder(w *table, o *order.StaffOrder) {
	row(w, "Order", fmt.Sprintf("%d, invoice %s", o.OrderNumber, o.InvoiceUID))
	row(w, "Placed", w.time(o.PlacedAt))
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
	if o.CancelReason != nil {
		row(w, "Reason", "cancelled: "+*o.CancelReason)
	}
	row(w, "Record", recordText(o.Record))
	if len(o.Tags) > 0 {
		row(w, "Tags", strings.Join(o.Tags, ", "))
	}
	for _, p := range o.Printed {
		row(w, "Printed", fmt.Sprintf("%s %s", w.time(p.At), p.Kind))
	}
	if o.ClaimedBy != nil {
		row(w, "Claimed", fmt.Sprintf("by %s until %s", o.ClaimedBy.Name, w.time(*o.ClaimedUntil)))
	}
	fmt.Fprintln(w)
	heading(w, "QUANTITY", "PRODUCT…", "VARIANT", "[SKU]", "PRICE", "TOTAL")
	for _, i := range o.Items {
		row(w, i.Quantity, i.Title, optional(i.VariantTitle), optional(i.SKU), i.UnitPrice.Text(), i.Total.Text())
	}
	fmt.Fprintln(w)
	printSums(w, o)
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
	if len(o.Notes) > 0 {
		printNotes(w, o.Notes)
		fmt.Fprintln(w)
	}
	heading(w, "TIME", "EVENT", "MESSAGE", "CAUSE")
	for _, e := range o.Timeline {
		row(w, w.time(e.At), e.Type, e.Message, e.Cause)
	}
}

// printSums prints the amounts of an order, what has reduced it, and the payments.
func printSums(w *table, o *order.StaffOrder) {
	row(w, "Subtotal", o.Subtotal.Text())
	if o.Coupon != nil {
		row(w, "Coupon", o.Coupon.Code)
	}
	row(w, "Discount", o.Discount.Text())
	row(w, "Delivery", o.DeliveryCharge.Text())
	row(w, "Rounding", o.Rounding.Text())
	row(w, "Total", o.Total.Text())
	for _, credit := range o.Credits {
		row(w, creditText(credit), "−"+credit.Amount.Text())
	}
	row(w, "Paid", o.Paid.Text())
	if o.Refunded.Amount > 0 {
		row(w, "Refunded", o.Refunded.Text())
	}
	row(w, "Due", o.Due.Text())
	if o.CashToCollect.Amount > 0 {
		row(w, "To collect", o.CashToCollect.Text())
	}
}

// creditText returns the subject of a credit.
func creditText(c order.Credit) string {
	reason := strings.ReplaceAll(string(c.Reason), "_", " ")
	if c.Title == nil {
		return reason
	}
	return fmt.Sprintf("%d × %s, %s", c.Quantity, *c.Title, reason)
}

// recordText returns a buyer's record in words.
func recordText(r order.Record) string {
	return fmt.Sprintf("%s; orders: %d, delivered: %d, in part: %d, returned: %d, cancelled: %d",
		r.Level, r.Orders, r.Delivered, r.InPart, r.Returned, r.Cancelled)
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

// printNotes prints the notes and calls of an order.
func printNotes(w *table, notes []order.Note) {
	if len(notes) == 0 {
		fmt.Fprintln(w, "No notes.")
		return
	}
	heading(w, "TIME", "BY", "CALL", "NOTE…", "[ID]")
	for _, n := range notes {
		outcome := ""
		if n.Outcome != nil {
			outcome = string(*n.Outcome)
		}
		if n.CallAt != nil {
			outcome += ", again " + w.time(*n.CallAt)
		}
		row(w, w.time(n.At), strings.TrimSpace(string(n.By.Kind)+" "+n.By.Name), outcome, optional(n.Text), n.ID)
	}
}
