package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
)

// shipFlags holds the flags of order ship.
type shipFlags struct {
	courier, consignment, tracking, note string
	weight                               int64
	place                                shop.CourierPlace
	another, again                       bool
}

func newOrderShipCommand(a *app) *cobra.Command {
	var f shipFlags
	cmd := &cobra.Command{
		Use:   "ship UID ORDER…",
		Short: "Book shipments of orders with a courier",
		Long: `Book a shipment of each order through the courier's API, with the cash that the courier must collect.
With --consignment, record a shipment of one order that the courier already has.

If the courier's response is lost, repeat the command: it finds the shipment that was booked instead
of booking another one.`,
		Example: `  storefront order ship acme 1064 1065 --courier courier_a
  storefront order ship acme 1064 --courier courier_b --consignment 1424107`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.consignment != "" && len(args) > 2 {
				return &usageError{err: errors.New("--consignment is the shipment of one order: pass one ORDER"), command: cmd.CommandPath()}
			}
			if f.place != (shop.CourierPlace{}) && len(args) > 2 {
				return &usageError{err: errors.New("a place is of one order: pass one ORDER"), command: cmd.CommandPath()}
			}
			return eachOrder(cmd.Context(), a, args, shipmentsOf(args), func(s *shop.Shop, invoice string) (*shop.StaffOrder, error) {
				return f.ship(cmd.Context(), a.caller(), s, invoice)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.courier, "courier", "", "courier_a or courier_b")
	flags.StringVar(&f.consignment, "consignment", "", "consignment ID of a shipment that the courier already has")
	flags.StringVar(&f.tracking, "tracking", "", "tracking code of the shipment, with --consignment")
	flags.StringVar(&f.note, "note", "", "note for the courier")
	flags.Int64Var(&f.weight, "weight", 0, "weight in grams (default from the catalogue)")
	flags.Int64Var(&f.place.City, "city", 0, "the courier's city, if it is not to be derived from the address; see the command courier place")
	flags.Int64Var(&f.place.Zone, "zone", 0, "the courier's zone of the city")
	flags.Int64Var(&f.place.Area, "area", 0, "the courier's area of the zone")
	flags.Int64Var(&f.place.Station, "station", 0, "the courier's police station")
	flags.BoolVar(&f.another, "another", false, "book one more shipment while others are under way")
	flags.BoolVar(&f.again, "again", false, "book again after a booking without response, if the courier's panel does not list it")
	cobra.CheckErr(cmd.MarkFlagRequired("courier"))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("courier",
		cobra.FixedCompletions([]string{string(shop.CourierA), string(shop.CourierB)}, cobra.ShellCompDirectiveNoFileComp)))
	cmd.MarkFlagsMutuallyExclusive("consignment", "again")
	cmd.MarkFlagsMutuallyExclusive("consignment", "weight")
	for _, name := range []string{"city", "zone", "area", "station"} {
		cmd.MarkFlagsMutuallyExclusive("consignment", name)
	}
	return cmd
}

func (f shipFlags) ship(ctx context.Context, caller access.Caller, s *shop.Shop, invoice string) (*shop.StaffOrder, error) {
	if f.consignment != "" {
		return s.RecordShipment(ctx, caller, invoice, shop.ShipmentInput{
			Provider: shop.Provider(f.courier), ConsignmentID: f.consignment, TrackingCode: f.tracking,
		})
	}
	return s.BookShipment(ctx, caller, invoice, shop.BookingInput{
		Provider: shop.Provider(f.courier), Note: f.note, WeightGrams: f.weight, Another: f.another, Again: f.again,
		Place: f.place,
	})
}

func newOrderShipmentsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "shipments UID ORDER",
		Short:             "Show the shipment history of an order, such as why it was returned",
		Example:           "  storefront order shipments acme 1064",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOrder(cmd.Context(), args, func(s *shop.Shop, invoice string) error {
				order, err := s.FindOrderAsStaff(cmd.Context(), a.caller(), invoice)
				if err != nil {
					return err
				}
				return a.print(order.ShipmentHistory, func(w *table) { printShipmentHistory(w, order.ShipmentHistory) })
			})
		},
	}
}

func printShipmentHistory(w *table, history []shop.ShipmentHistoryEntry) {
	if len(history) == 0 {
		fmt.Fprintln(w, "No shipment events yet.")
		return
	}
	heading(w, "TIME", "COURIER", "[CONSIGNMENT]", "EVENT", "STATUS", "NOTE…")
	for _, n := range history {
		status := "-"
		if n.Status != nil {
			status = string(*n.Status)
		}
		row(w, w.time(n.At), n.Provider, optional(n.ConsignmentID), n.Event, status, optional(n.Note))
	}
}

func newOrderTrackCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "track UID ORDER…",
		Short:             "Fetch the status of orders' shipments from the couriers",
		Example:           "  storefront order track acme 1064 1065",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOrder(cmd.Context(), a, args, shipmentsOf(args), func(s *shop.Shop, invoice string) (*shop.StaffOrder, error) {
				return s.TrackShipments(cmd.Context(), a.caller(), invoice)
			})
		},
	}
}

func newOrderCancelShipmentCommand(a *app) *cobra.Command {
	var courier, consignment string
	cmd := &cobra.Command{
		Use:   "cancel-shipment UID ORDER…",
		Short: "Mark a shipment as cancelled that was deleted in the courier's panel",
		Long: `Mark a shipment of each order as cancelled, because it was deleted in the courier's panel. Nothing is sent
to the courier. No cash is due with the shipment any more: the next one that you book collects it. The
order itself stays open. With --consignment, pass one order.`,
		Example: `  storefront order cancel-shipment acme 1064 1065
  storefront order cancel-shipment acme 1064 --courier courier_a --consignment DL121224VS8TTJ`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if consignment != "" && len(args) > 2 {
				return &usageError{err: errors.New("--consignment is the shipment of one order: pass one ORDER"), command: cmd.CommandPath()}
			}
			return eachOrder(cmd.Context(), a, args, shipmentsOf(args), func(s *shop.Shop, invoice string) (*shop.StaffOrder, error) {
				selected := shop.ShipmentSelection{Provider: shop.Provider(courier), ConsignmentID: consignment}
				return s.CancelShipment(cmd.Context(), a.caller(), invoice, selected)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&courier, "courier", "", "courier_a or courier_b (default the courier of the only open shipment)")
	flags.StringVar(&consignment, "consignment", "", "consignment ID of the shipment (default the only open shipment)")
	return cmd
}

func newOrderFlagsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "flags UID [ORDER…]",
		Short: "List what staff must check, such as cash that differs from the amount due",
		Long: `List the flags that staff must check: cash that differs from the amount due, lost shipments, orders that
were delivered after they were cancelled. Flags about cash disappear when the cause does.`,
		Example:           "  storefront order flags acme\n  storefront order flags acme 1064 1065",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := a.listFlags(cmd.Context(), s, args[1:])
				if err != nil {
					return err
				}
				return a.print(list, func(w *table) {
					if len(list) == 0 {
						fmt.Fprintln(w, "Nothing to check.")
						return
					}
					heading(w, "ORDER", "[INVOICE]", "[CONSIGNMENT]", "FLAG", "RAISED", "MESSAGE…")
					for _, f := range list {
						row(w, f.OrderNumber, f.OrderID, optional(f.ConsignmentID), f.Code, w.time(f.RaisedAt), f.Message)
					}
				})
			})
		},
	}
}

// listFlags returns the flags of the named orders, or those of all orders if none is named.
func (a *app) listFlags(ctx context.Context, s *shop.Shop, names []string) ([]shop.OrderFlag, error) {
	if len(names) == 0 {
		list, err := s.ListFlags(ctx, a.caller(), shop.FlagFilter{Request: noLimit()})
		if err != nil {
			return nil, err
		}
		return list.Nodes, nil
	}
	all := []shop.OrderFlag{}
	for _, name := range names {
		invoice, err := s.FindInvoiceUID(ctx, a.caller(), name)
		if err != nil {
			return nil, a.withOrderHint(err, s.UID())
		}
		flags, err := s.ListFlags(ctx, a.caller(), shop.FlagFilter{Request: noLimit(), Order: invoice})
		if err != nil {
			return nil, err
		}
		all = append(all, flags.Nodes...)
	}
	return all, nil
}

func newOrderCheckedCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "checked UID ORDER…",
		Short:             "Mark the flags of orders as checked",
		Example:           "  storefront order checked acme 1064 1065",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOrder(cmd.Context(), a, args, writeOrderStatus, func(s *shop.Shop, invoice string) (*shop.Order, error) {
				order, err := s.ResolveFlags(cmd.Context(), a.caller(), invoice)
				if err != nil {
					return nil, err
				}
				return &order.Order, nil
			})
		},
	}
}

func newOrderPriceCommand(a *app) *cobra.Command {
	var courier string
	var weight, city, zone int64
	cmd := &cobra.Command{
		Use:   "price UID ORDER",
		Short: "Show a courier's price for shipping an order",
		Long: `Request a courier's price for a shipment of an order. Nothing is booked. City and zone are the
courier's numbers; the commands courier cities and courier zones list them.`,
		Example:           "  storefront order price acme 1064 --courier courier_a --city 1 --zone 298",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOrder(cmd.Context(), args, func(s *shop.Shop, invoice string) error {
				in := shop.BookingInput{Provider: shop.Provider(courier), WeightGrams: weight}
				price, err := s.PriceShipment(cmd.Context(), a.caller(), invoice, in, shop.CourierPlace{City: city, Zone: zone})
				if err != nil {
					return err
				}
				return a.print(price, func(w *table) {
					fmt.Fprintln(w, price.Formatted)
					if price.CashBasisPoints != nil {
						fmt.Fprintf(w, "and %.2f %% of the collected cash\n", float64(*price.CashBasisPoints)/100)
					}
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&courier, "courier", "", "courier_a (courier_b offers no prices)")
	flags.Int64Var(&city, "city", 0, "the courier's city ID")
	flags.Int64Var(&zone, "zone", 0, "the courier's zone ID")
	flags.Int64Var(&weight, "weight", 0, "weight in grams (default from the catalogue)")
	for _, name := range []string{"courier", "city", "zone"} {
		cobra.CheckErr(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// shipmentsOf returns a function that prints the shipments of an order, under its number if args
// name several orders.
func shipmentsOf(args []string) func(w *table, o *shop.StaffOrder) {
	if len(args) == 2 {
		return printShipments
	}
	return separated(func(w *table, o *shop.StaffOrder) {
		fmt.Fprintf(w, "Order %d\n", o.OrderNumber)
		printShipments(w, o)
	})
}

func printShipments(w *table, o *shop.StaffOrder) {
	if len(o.Shipments) == 0 {
		fmt.Fprintln(w, "The order has no shipments.")
		return
	}
	heading(w, "COURIER", "CONSIGNMENT", "[TRACKING]", "STATUS", "[UPDATED]", "COLLECTS", "COLLECTED", "NOTE…")
	for _, p := range o.Shipments {
		row(w, p.Provider, optional(p.ConsignmentID), optional(p.TrackingCode), colour(p.Status), w.time(p.UpdatedAt),
			p.AmountToCollect.Formatted, formatted(p.Collected), optional(p.Note))
	}
	printFlags(w, o.Flags)
}

// printFlags prints what staff must check about an order.
func printFlags(w *table, flags []shop.OrderFlag) {
	if len(flags) == 0 {
		return
	}
	fmt.Fprintln(w, "\nTo check:")
	for _, f := range flags {
		row(w, f.Code, optional(f.ConsignmentID), f.Message)
	}
}
