package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/status"
)

// orderChange changes an order of a shop.
type orderChange func(s *shop.Shop, ctx context.Context, caller access.Caller, invoice string) (*order.Order, error)

// byOrders returns a use case of orders as an orderChange.
func byOrders(
	change func(orders *order.Orders, ctx context.Context, caller access.Caller, invoice string) (*order.Order, error),
) orderChange {
	return func(s *shop.Shop, ctx context.Context, caller access.Caller, invoice string) (*order.Order, error) {
		return change(s.Orders, ctx, caller, invoice)
	}
}

// newOrderStatusCommand returns a command that changes the status of orders by change.
func newOrderStatusCommand(a *app, name, short string, change orderChange) *cobra.Command {
	return &cobra.Command{
		Use:               name + " UID ORDER…",
		Short:             short,
		Example:           "  storefront order " + name + " acme 1064 1065",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOrder(cmd.Context(), a, args, writeOrderStatus, func(s *shop.Shop, invoice string) (*order.Order, error) {
				return change(s, cmd.Context(), a.caller(), invoice)
			})
		},
	}
}

func newOrderDeliverCommand(a *app) *cobra.Command {
	cmd := newRestockCommand(a, "deliver", "Mark an order as delivered, and a cash order as paid", "none", (*order.Orders).MarkDelivered)
	cmd.Long = `Mark an order as delivered. A cash order is then paid. With --restock and --damaged, the units that the
buyer did not accept reduce the order, and those fit for sale are added to the stock: couriers do not
report the returned items of a partial delivery. For an order that is delivered already, they correct
the earlier figures.`
	return cmd
}

func newOrderReturnCommand(a *app) *cobra.Command {
	cmd := newRestockCommand(a, "return", "Mark an order as returned and restock its items", "all", (*order.Orders).MarkReturned)
	cmd.Long = `Mark an order as returned. All its items are restocked, and a payment received becomes due for refund.
With --restock, only those units are restocked, and the others are subtracted from the stock as damaged;
for an order that is returned already, it corrects the earlier figures.`
	return cmd
}

// newRestockCommand returns a command that ends orders by change, with the units that came back.
// unnamed describes the default of --restock.
func newRestockCommand(a *app, name, short, unnamed string,
	change func(s *order.Orders, ctx context.Context, caller access.Caller, invoice string, restock []order.RestockInput) (*order.Order, error),
) *cobra.Command {
	var restock, damaged []string
	cmd := newOrderStatusCommand(a, name, short,
		func(s *shop.Shop, ctx context.Context, caller access.Caller, invoice string) (*order.Order, error) {
			units, err := a.parseRestock(ctx, "storefront order "+name, s, restock)
			if err == nil {
				units, err = a.addDamaged(ctx, "storefront order "+name, s, units, damaged)
			}
			if err != nil {
				return nil, err
			}
			return change(s.Orders, ctx, caller, invoice, units)
		})
	cmd.Example += "\n  storefront order " + name + " acme 1064 --restock MUG-L=1\n  storefront order " + name + " acme 1064 --restock none"
	cmd.Flags().StringArrayVar(&restock, "restock", nil,
		"SKU or variant ID and units fit for sale, such as MUG-L=1, or none; repeatable (default "+unnamed+")")
	if name == "deliver" {
		cmd.Flags().StringArrayVar(&damaged, "damaged", nil, "SKU or variant ID and units that came back and are not fit for sale; repeatable")
	}
	return cmd
}

// parseRestock parses the units of an order that came back and are fit for sale; nil means the
// default.
func (a *app) parseRestock(ctx context.Context, command string, s *shop.Shop, texts []string) ([]order.RestockInput, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	units := []order.RestockInput{}
	if len(texts) == 1 && texts[0] == "none" {
		return units, nil
	}
	for _, text := range texts {
		variant, quantity, err := a.parseUnits(ctx, command, s, "--restock", text)
		if err != nil {
			return nil, err
		}
		units = append(units, order.RestockInput{VariantID: variant, Quantity: quantity})
	}
	return units, nil
}

// addDamaged adds the units that came back and are not fit for sale.
func (a *app) addDamaged(
	ctx context.Context, command string, s *shop.Shop, units []order.RestockInput, texts []string,
) ([]order.RestockInput, error) {
	for _, text := range texts {
		variant, quantity, err := a.parseUnits(ctx, command, s, "--damaged", text)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(units, func(u order.RestockInput) bool { return u.VariantID == variant })
		if i < 0 {
			i, units = len(units), append(units, order.RestockInput{VariantID: variant})
		}
		units[i].Damaged += quantity
	}
	return units, nil
}

// parseUnits parses a variant and a number of its units, such as MUG-L=1.
func (a *app) parseUnits(ctx context.Context, command string, s *shop.Shop, flag, text string) (variant string, quantity int, err error) {
	name, digits, _ := strings.Cut(text, "=")
	if quantity, err = strconv.Atoi(digits); err != nil {
		return "", 0, &usageError{
			err: fmt.Errorf("%s must be a SKU or variant ID and a quantity, such as MUG-L=1", flag), command: command,
		}
	}
	variant, err = a.findVariant(ctx, s, name)
	return variant, quantity, err
}

func newOrderRefundCommand(a *app) *cobra.Command {
	var refund refundFlags
	var cmd *cobra.Command
	cmd = newOrderStatusCommand(a, "refund", "Mark a cash order as refunded, in full or in part",
		func(s *shop.Shop, ctx context.Context, caller access.Caller, invoice string) (*order.Order, error) {
			in, err := refund.input(cmd, a, s)
			if err != nil {
				return nil, err
			}
			return s.Orders.MarkCashRefunded(ctx, caller, invoice, in)
		})
	cmd.Long = `Record that the buyer of a cash order was refunded: what is due for refund, or with --amount or --item
a part of what the shop received. To refund an online payment, use payment refund.`
	cmd.Example += "\n  storefront order refund acme 1064 --amount 200 --reason goodwill" +
		"\n  storefront order refund acme 1064 --item MUG-L=1 --restock MUG-L=1"
	refund.add(cmd, "the share of --item, or else what is due")
	return cmd
}

func newOrderCancelCommand(a *app) *cobra.Command {
	var reason, phone, client, from, before string
	var yes bool
	cmd := &cobra.Command{
		Use:   "cancel UID [ORDER…]",
		Short: "Cancel orders, or all unconfirmed orders of a phone, client or time",
		Long: `Cancel an order. Its stock and coupon use are released, and a payment received becomes due for refund.
Cancel its shipments in the courier's panel: couriers offer no API for it.

Without an ORDER, the flags select orders that nobody has confirmed, paid or shipped, such as the orders
of an attack on the stock: by the buyer's phone, by the client address (an IPv6 address counts as its
/64), or by time. Orders are listed first, and cancelled with --yes.`,
		Example: `  storefront order cancel acme 1064 --reason "Requested by phone"
  storefront order cancel acme --phone 01711000000 --yes
  storefront order cancel acme --client 203.0.113.7 --from 2026-03-01T18:00:00+06:00 --reason "Attack" --yes`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			selects := phone+client+from+before != ""
			if selects == (len(args) > 1) {
				return &usageError{err: errors.New("pass either an ORDER or flags that select orders"), command: cmd.CommandPath()}
			}
			if !selects {
				return eachOrder(cmd.Context(), a, args, writeCancelled, func(s *shop.Shop, invoice string) (*order.Order, error) {
					return s.Orders.CancelOrder(cmd.Context(), a.caller(), invoice, reason)
				})
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				filter := order.CancelFilter{Phone: phone, Client: client}
				var err error
				if filter.PlacedFrom, err = a.parseTime(cmd, "from", from); err != nil {
					return err
				}
				if filter.PlacedBefore, err = a.parseTime(cmd, "before", before); err != nil {
					return err
				}
				return a.cancelOrders(cmd.Context(), s, filter, reason, yes)
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
func (a *app) cancelOrders(ctx context.Context, s *shop.Shop, filter order.CancelFilter, reason string, yes bool) error {
	orders, err := s.Orders.CancelOrders(ctx, a.caller(), filter, reason, !yes)
	if err != nil {
		return err
	}
	return a.print(orders, func(w *table) {
		for _, o := range orders {
			fmt.Fprintf(w, "Order %d, invoice %s: %s\n", o.OrderNumber, o.InvoiceUID, o.Status)
		}
		if yes {
			fmt.Fprintf(w, "Cancelled: %d.\n", len(orders))
		} else {
			fmt.Fprintf(w, "Selected: %d. To cancel them, add --yes.\n", len(orders))
		}
	})
}

// writeCancelled prints the order's status and the shipments that couriers would still collect:
// their APIs cannot cancel a booking.
func writeCancelled(w *table, o *order.Order) {
	writeOrderStatus(w, o)
	for _, p := range o.Shipments {
		if p.Status != status.ShipmentCancelled {
			fmt.Fprintf(w, "%s still has shipment %s: cancel it in the courier's panel.\n",
				p.Provider, printable(cmp.Or(optional(p.ConsignmentID), o.ID)))
		}
	}
}

func writeOrderStatus(w *table, o *order.Order) {
	fmt.Fprintf(w, "Order %d is %s, payment %s, delivery %s.\n", o.OrderNumber, o.Status, o.PaymentStatus, o.FulfillmentStatus)
}

// findVariant returns the ID of the variant with this ID or SKU.
func (a *app) findVariant(ctx context.Context, s *shop.Shop, name string) (string, error) {
	one := 1
	history, err := s.Catalogue.FindStockHistory(ctx, a.caller(), name, page.Request{Limit: &one})
	if err != nil {
		return "", err
	}
	return history.VariantID, nil
}
