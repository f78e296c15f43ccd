package cmd

import (
	"cmp"
	"context"
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
	var reason string
	cmd := &cobra.Command{
		Use:   "cancel UID INVOICE",
		Short: "Cancel an order and release its stock and coupon use",
		Long: `Cancel an order. Its stock and coupon use are released, and a payment received becomes due for refund.
Cancel its shipments in the courier's panel: couriers offer no API for it.`,
		Example:           `  storefront order cancel acme 0123456789ABCDEF --reason "Requested by phone"`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				order, err := s.CancelOrder(cmd.Context(), access.Caller{Operator: true}, args[1], reason)
				if err != nil {
					return a.withOrderHint(err, args[0])
				}
				return a.printCancelled(order)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "reason for the cancellation, visible to staff only")
	return cmd
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
