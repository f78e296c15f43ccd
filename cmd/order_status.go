package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
)

// newOrderStatusCommand returns a command that changes the status of one order by change.
func newOrderStatusCommand(a *app, name, short string,
	change func(s *shop.Shop, ctx context.Context, caller access.Caller, invoice string) (*shop.Order, error)) *cobra.Command {
	return &cobra.Command{
		Use:               name + " UID INVOICE",
		Short:             short,
		Example:           "  storefront order " + name + " acme 0123456789ABCDEF",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				order, err := change(s, cmd.Context(), access.Operator(), args[1])
				if err != nil {
					return a.withOrderHint(err, args[0])
				}
				return a.printOrderStatus(order)
			})
		},
	}
}

func newOrderReturnCommand(a *app) *cobra.Command {
	cmd := newOrderStatusCommand(a, "return", "Mark an order as returned and restock its items", (*shop.Shop).MarkReturned)
	cmd.Long = `Mark an order as returned. All its items are restocked, and a payment received becomes due for refund.
Couriers do not report which items the buyer retained after a partial delivery: subtract those from
the stock, as in the second example.`
	cmd.Example += "\n" + `  storefront stock adjust acme MUG-L --by -1 --note "retained by the buyer"`
	return cmd
}

func newOrderRefundCommand(a *app) *cobra.Command {
	cmd := newOrderStatusCommand(a, "refund", "Mark a cash order as refunded", (*shop.Shop).MarkCashRefunded)
	cmd.Long = `Record that the buyer of a cash order was refunded. To refund an online payment, use payment refund.`
	return cmd
}

func newOrderCancelCommand(a *app) *cobra.Command {
	var reason, phone, client, from, before string
	var yes bool
	cmd := &cobra.Command{
		Use:   "cancel UID [INVOICE]",
		Short: "Cancel an order, or all unconfirmed orders of a phone, client or time",
		Long: `Cancel an order. Its stock and coupon use are released, and a payment received becomes due for refund.
Cancel its shipments in the courier's panel: couriers offer no API for it.

Without an INVOICE, the flags select orders that nobody has confirmed, paid or shipped, such as those of an
attack on the stock: by the buyer's phone, by the client address as the log has it (an IPv6 address as its
/64), or by time. Orders are listed first, and cancelled with --yes.`,
		Example: `  storefront order cancel acme 0123456789ABCDEF --reason "Requested by phone"
  storefront order cancel acme --phone 01711000000 --yes
  storefront order cancel acme --client 203.0.113.7 --from 2026-03-01T18:00:00+06:00 --reason "Attack" --yes`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter := shop.CancelFilter{Phone: phone, Client: client}
			var err error
			if filter.PlacedFrom, err = parseTime(cmd, "from", from); err != nil {
				return err
			}
			if filter.PlacedBefore, err = parseTime(cmd, "before", before); err != nil {
				return err
			}
			selects := filter != shop.CancelFilter{}
			if selects == (len(args) == 2) {
				return &usageError{err: errors.New("pass either an INVOICE or flags that select orders"), command: cmd.CommandPath()}
			}
			if selects {
				return a.cancelOrders(cmd.Context(), args[0], filter, reason, yes)
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				order, err := s.CancelOrder(cmd.Context(), access.Caller{Operator: true}, args[1], reason)
				if err != nil {
					return a.withOrderHint(err, args[0])
				}
				return a.printCancelled(order)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&reason, "reason", "", "reason for the cancellation, visible to staff only")
	flags.StringVar(&phone, "phone", "", "select unconfirmed orders with this phone number")
	flags.StringVar(&client, "client", "", "select unconfirmed cash orders from this client address")
	flags.StringVar(&from, "from", "", "select unconfirmed orders placed on or after this day or time")
	flags.StringVar(&before, "before", "", "select unconfirmed orders placed before this day or time")
	flags.BoolVar(&yes, "yes", false, "cancel the selected orders instead of listing them")
	return cmd
}

// cancelOrders cancels the selected orders, or lists them unless yes is set.
func (a *app) cancelOrders(ctx context.Context, uid string, filter shop.CancelFilter, reason string, yes bool) error {
	return a.withShop(ctx, uid, func(s *shop.Shop) error {
		orders, err := s.CancelOrders(ctx, access.Operator(), filter, reason, !yes)
		if err != nil {
			return err
		}
		return a.print(orders, func(w io.Writer) {
			for _, o := range orders {
				fmt.Fprintf(w, "Order %d, invoice %s: %s\n", o.OrderNumber, o.InvoiceUID, o.Status)
			}
			if yes {
				fmt.Fprintf(w, "Cancelled: %d.\n", len(orders))
			} else {
				fmt.Fprintf(w, "Selected: %d. To cancel them, add --yes.\n", len(orders))
			}
		})
	})
}

func (a *app) printOrderStatus(o *shop.Order) error {
	return a.print(o, func(w io.Writer) { writeOrderStatus(w, o) })
}

// printCancelled prints the order's status and the shipments that couriers would still collect: their
// APIs cannot cancel a booking.
func (a *app) printCancelled(o *shop.Order) error {
	return a.print(o, func(w io.Writer) {
		writeOrderStatus(w, o)
		for _, p := range o.Shipments {
			if p.Status != shop.ShipmentCancelled {
				fmt.Fprintf(w, "%s still has shipment %s: cancel it in the courier's panel.\n",
					p.Provider, printable(cmp.Or(optional(p.ConsignmentID), o.ID)))
			}
		}
	})
}

func writeOrderStatus(w io.Writer, o *shop.Order) {
	fmt.Fprintf(w, "Order %d is %s, payment %s, delivery %s.\n", o.OrderNumber, o.Status, o.PaymentStatus, o.FulfillmentStatus)
}
