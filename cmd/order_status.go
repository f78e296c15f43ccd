package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
)

// newOrderMoveCommand makes a command that moves one order on.
func newOrderMoveCommand(a *app, name, short string, move func(s *shop.Shop, ctx context.Context, invoice string) (*shop.Order, error)) *cobra.Command {
	return &cobra.Command{
		Use:               name + " UID INVOICE",
		Short:             short,
		Example:           "  storefront order " + name + " acme 0123456789ABCDEF",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				order, err := move(s, cmd.Context(), args[1])
				if err != nil {
					return a.orderFailure(err, args[0])
				}
				return a.printMoved(order)
			})
		},
	}
}

func newOrderReturnCommand(a *app) *cobra.Command {
	cmd := newOrderMoveCommand(a, "return", "Say that the goods are back; stock goes up, and what was paid is due to be refunded", (*shop.Shop).MarkReturned)
	cmd.Long = `Say that the goods are back: all items of the order go back into stock, and what was paid is due to be
refunded. Couriers do not say what a partial delivery left with the buyer: take that out of the stock
again, as in the second example.`
	cmd.Example += "\n" + `  storefront stock adjust acme MUG-L --by -1 --note "kept by the buyer"`
	return cmd
}

func newOrderCancelCommand(a *app) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:               "cancel UID INVOICE",
		Short:             "Cancel an order: stock and coupon go back, and what was paid is due to be refunded",
		Example:           `  storefront order cancel acme 0123456789ABCDEF --reason "Asked by phone"`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				order, err := s.CancelOrder(cmd.Context(), shop.Caller{Operator: true}, args[1], reason)
				if err != nil {
					return a.orderFailure(err, args[0])
				}
				return a.printCancelled(order)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "for the shop's own eyes")
	return cmd
}

func (a *app) printMoved(o *shop.Order) error {
	return a.print(o, func(w io.Writer) { writeMoved(w, o) })
}

// printCancelled names the parcels that couriers would still fetch: their interfaces take none back.
func (a *app) printCancelled(o *shop.Order) error {
	return a.print(o, func(w io.Writer) {
		writeMoved(w, o)
		for _, p := range o.Shipments {
			if p.Status != shop.ShipmentCancelled {
				fmt.Fprintf(w, "%s still has the parcel %s: cancel it in the courier's panel.\n", p.Provider, printable(cmp.Or(optional(p.ConsignmentID), o.ID)))
			}
		}
	})
}

func writeMoved(w io.Writer, o *shop.Order) {
	fmt.Fprintf(w, "Order %d is %s, payment %s, delivery %s.\n", o.OrderNumber, o.Status, o.PaymentStatus, o.FulfillmentStatus)
}
