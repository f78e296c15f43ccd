package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// defaultLimit is the default page size of lists.
const defaultLimit = 50

func newOrderCommand(a *app) *cobra.Command {
	return newGroupCommand("order", "List and process orders",
		newOrderListCommand(a),
		newOrderCountsCommand(a),
		newOrderShowCommand(a),
		newOrderStatusCommand(a, "confirm", "Confirm a cash-on-delivery order", (*shop.Shop).ConfirmOrder),
		newOrderPlaceCommand(a),
		newOrderEditCommand(a),
		newOrderAdvanceCommand(a),
		newOrderCancelCommand(a),
		newOrderCallCommand(a),
		newOrderNoteCommand(a),
		newOrderTagCommand(a),
		newOrderMarkPrintedCommand(a),
		newOrderCheckShipmentCommand(a),
		newOrderShipCommand(a),
		newOrderShipmentsCommand(a),
		a.deprecatedName("parcels", newOrderShipmentsCommand(a)),
		newOrderTrackCommand(a),
		newOrderCancelShipmentCommand(a),
		newOrderFlagsCommand(a),
		newOrderCheckedCommand(a),
		newOrderPriceCommand(a),
		newOrderDeliverCommand(a),
		newOrderReturnCommand(a),
		newOrderRefundCommand(a),
		newOrderRevokeTokenCommand(a),
		newOrderExportCommand(a),
	)
}

func newOrderListCommand(a *app) *cobra.Command {
	var selected orderFilter
	var sort string
	var ascending bool
	var number, limit int
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's orders, newest first",
		Example: `  storefront order list acme --view toPack
  storefront order list acme --search "rahima 3344"
  storefront order list acme --status pending,confirmed --city Dhaka --min-total 1500
  storefront order list acme --payment-status refund_due --sort total
  storefront order list acme --from 2026-03-01 --before 2026-04-01
  storefront order list acme --limit -1 --json > orders.json
  storefront order list acme --limit 1 --format uid`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				filter, err := selected.parse(a, cmd, s)
				if err != nil {
					return err
				}
				filter.Request, filter.SortBy, filter.Ascending = page.Request{Page: &number, Limit: &limit}, shop.OrderSort(sort), ascending
				if filter.SortBy == shop.SortCallDue && !cmd.Flags().Changed("ascending") {
					filter.Ascending = true
				}
				return a.listOrders(cmd.Context(), s, filter, format)
			})
		},
	}
	selected.flags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&sort, "sort", string(shop.SortPlaced), "sort by placedAt, updatedAt, total or callDue")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(texts(shop.OrderSorts()), cobra.ShellCompDirectiveNoFileComp)))
	flags.BoolVar(&ascending, "ascending", false, "the oldest, or the smallest, first (default with --sort callDue)")
	flags.IntVar(&number, "page", 1, "page number")
	flags.IntVar(&limit, "limit", defaultLimit, "orders per page, at most 100, or -1 for all")
	a.addFormat(cmd, &format, "invoice UIDs")
	return cmd
}

func newOrderCountsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "counts UID",
		Short: "Count the orders to confirm, to pack and so on",
		Long: `Count the orders by the work they need, in the order of the day. Orders placed in sandbox mode are not
counted, and an order can be in several views. "problems" are orders that staff must check: a payment to
check, a booking without a response, a shipment of a closed order under way, a shipment on hold or whose
delivery failed, or a flag. Only while the daily sums of a large shop are being counted, as after an
upgrade, are completed, closed and all orders counted to 10,000, shown as "10000+".`,
		Example:           "  storefront order counts acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				counts, err := s.CountOrders(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return a.print(counts, func(w *table) {
					heading(w, "VIEW", "ORDERS")
					for _, c := range counts {
						count := strconv.Itoa(c.Count)
						if c.Bounded {
							count += "+"
						}
						row(w, c.View, count)
					}
				})
			})
		},
	}
}

func (a *app) listOrders(ctx context.Context, s *shop.Shop, filter shop.OrderListFilter, format listFormat) error {
	orders, err := s.ListOrders(ctx, a.caller(), filter)
	if err != nil {
		return err
	}
	list, err := s.ListFlags(ctx, a.caller(), shop.FlagFilter{Request: noLimit()})
	if err != nil {
		return err
	}
	flags := map[string][]string{}
	for _, f := range list.Nodes {
		flags[f.OrderID] = append(flags[f.OrderID], string(f.Code))
	}
	return printList(a, format, orders, orders.Nodes, func(o *shop.Order) string { return o.InvoiceUID }, func(w *table) {
		if len(orders.Nodes) == 0 {
			fmt.Fprintln(w, "No orders found.")
			return
		}
		heading(w, "NUMBER", "[INVOICE]", "PLACED", "STATUS", "PAYMENT", "[DELIVERY]", "TOTAL", "CUSTOMER…", "[FLAGS…]")
		for _, o := range orders.Nodes {
			row(w, o.OrderNumber, o.InvoiceUID, w.time(o.PlacedAt), colour(o.Status), colour(o.PaymentStatus), colour(o.FulfillmentStatus), o.Total.Formatted,
				o.Customer.Name, strings.Join(flags[o.ID], ", "))
		}
		if m := orders.Meta; m.HasNextPage {
			more := ""
			if m.Bounded {
				more = "more than "
			}
			fmt.Fprintf(w, "\nPage %d of %s%d, %s%d orders in total; next: --page %d.\n",
				m.CurrentPage, more, m.TotalPages, more, m.TotalCount, m.CurrentPage+1)
		}
	})
}

func newOrderShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID ORDER…",
		Short:             "Show orders with their items, shipments and timeline",
		Example:           "  storefront order show acme 1064\n  storefront order show acme 1064 1065",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOrder(cmd.Context(), a, args, separated(printOrder), func(s *shop.Shop, invoice string) (*shop.StaffOrder, error) {
				return s.FindOrderAsStaff(cmd.Context(), a.caller(), invoice)
			})
		},
	}
}

// withOrder runs fn with the shop and the invoice UID of the order that args name. Codes:
// not_found.
func (a *app) withOrder(ctx context.Context, args []string, fn func(s *shop.Shop, invoice string) error) error {
	return a.withShop(ctx, args[0], func(s *shop.Shop) error {
		invoice, err := s.FindInvoiceUID(ctx, a.caller(), args[1])
		if err == nil {
			err = fn(s, invoice)
		}
		return a.withOrderHint(err, args[0])
	})
}

// findOrder returns the order with a number or invoice UID.
func (a *app) findOrder(ctx context.Context, s *shop.Shop, order string) (*shop.StaffOrder, error) {
	invoice, err := s.FindInvoiceUID(ctx, a.caller(), order)
	if err != nil {
		return nil, a.withOrderHint(err, s.UID())
	}
	return s.FindOrderAsStaff(ctx, a.caller(), invoice)
}

// eachOrder runs do on the orders of the shop args[0] that the other args name, and prints each
// result with write. Unless all orders exist, it does nothing; a failure of one does not affect the
// others. The JSON of several orders is a list.
func eachOrder[T any](ctx context.Context, a *app, args []string, write func(w *table, result T),
	do func(s *shop.Shop, invoice string) (T, error)) error {
	return a.withShop(ctx, args[0], func(s *shop.Shop) error {
		invoices := make([]string, 0, len(args)-1)
		for _, text := range args[1:] {
			invoice, err := s.FindInvoiceUID(ctx, a.caller(), text)
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

// withOrderHint adds to a not_found error how to list the orders.
func (a *app) withOrderHint(err error, uid string) error {
	if fault.HasCode(err, fault.CodeNotFound) {
		return withHint(err, "list the orders with %s", a.command("order list "+uid))
	}
	return err
}

func printOrder(w *table, o *shop.StaffOrder) {
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
	if len(o.Advances) > 0 {
		row(w, "To collect", o.CashToCollect.Formatted)
	}
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

// recordText returns a buyer's record in words.
func recordText(r shop.Record) string {
	return fmt.Sprintf("%s: %d orders, %d delivered, %d returned, %d cancelled", r.Level, r.Orders, r.Delivered, r.Returned, r.Cancelled)
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
