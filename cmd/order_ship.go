package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// shipFlags holds the flags of order ship.
type shipFlags struct {
	courier, consignment, tracking, note string
	weight                               int64
	place                                plugin.CourierPlace
	another, again                       bool
}

func newOrderShipCommand(a *app) *cobra.Command {
	var f shipFlags
	cmd := &cobra.Command{
		Use:   "ship UID ORDER…",
		Short: "Book shipments of orders with a courier",
		Long: `Book a shipment of each order through the courier's API, with the cash that the courier must collect.
With --consignment, record a shipment of one order that the courier already has.

If the courier's response is lost, repeat the command: it finds the booked shipment instead of booking
another one.`,
		Example: `  storefront order ship acme 1064 1065 --courier courier_a
  storefront order ship acme 1064 --courier courier_b --consignment 1424107`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.consignment != "" && len(args) > 2 {
				return &usageError{err: errors.New("--consignment belongs to one order: pass one ORDER"), command: cmd.CommandPath()}
			}
			if f.place != (plugin.CourierPlace{}) && len(args) > 2 {
				return &usageError{err: errors.New("a place belongs to one order: pass one ORDER"), command: cmd.CommandPath()}
			}
			return eachOrder(cmd.Context(), a, args, shipmentsOf(args), func(s *shop.Shop, invoice string) (*order.StaffOrder, error) {
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
	flags.Int64Var(&f.place.City, "city", 0, "the courier's city (default derived from the address); see api UID suggestCourierPlace")
	flags.Int64Var(&f.place.Zone, "zone", 0, "the courier's zone of the city")
	flags.Int64Var(&f.place.Area, "area", 0, "the courier's area of the zone")
	flags.Int64Var(&f.place.Station, "station", 0, "the courier's police station")
	flags.BoolVar(&f.another, "another", false, "book one more shipment while others are under way")
	flags.BoolVar(&f.again, "again", false, "book again after a booking without response, if the courier's panel does not list it")
	cobra.CheckErr(cmd.MarkFlagRequired("courier"))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("courier",
		cobra.FixedCompletions([]string{string(plugin.CourierA), string(plugin.CourierB)}, cobra.ShellCompDirectiveNoFileComp)))
	cmd.MarkFlagsMutuallyExclusive("consignment", "again")
	cmd.MarkFlagsMutuallyExclusive("consignment", "weight")
	for _, name := range []string{"city", "zone", "area", "station"} {
		cmd.MarkFlagsMutuallyExclusive("consignment", name)
	}
	return cmd
}

func (f shipFlags) ship(ctx context.Context, caller access.Caller, s *shop.Shop, invoice string) (*order.StaffOrder, error) {
	if f.consignment != "" {
		return s.Orders.RecordShipment(ctx, caller, invoice, order.ShipmentInput{
			Provider: plugin.Provider(f.courier), ConsignmentID: f.consignment, TrackingCode: f.tracking,
		})
	}
	return s.Orders.BookShipment(ctx, caller, invoice, order.BookingInput{
		Provider: plugin.Provider(f.courier), Note: f.note, WeightGrams: f.weight, Another: f.another, Again: f.again,
		Place: f.place,
	})
}

func newOrderTrackCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "track UID ORDER…",
		Short:             "Fetch the status of orders' shipments from the couriers",
		Example:           "  storefront order track acme 1064 1065",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOrder(cmd.Context(), a, args, shipmentsOf(args), func(s *shop.Shop, invoice string) (*order.StaffOrder, error) {
				return s.Orders.TrackShipments(cmd.Context(), a.caller(), invoice)
			})
		},
	}
}

// shipmentsOf returns a function that prints the shipments of an order, under its number if args
// contain several orders.
func shipmentsOf(args []string) func(w *table, o *order.StaffOrder) {
	if len(args) == 2 {
		return printShipments
	}
	return separated(func(w *table, o *order.StaffOrder) {
		fmt.Fprintf(w, "Order %d\n", o.OrderNumber)
		printShipments(w, o)
	})
}

func printShipments(w *table, o *order.StaffOrder) {
	if len(o.Shipments) == 0 {
		fmt.Fprintln(w, "The order has no shipments.")
		return
	}
	heading(w, "COURIER", "CONSIGNMENT", "[TRACKING]", "STATUS", "[UPDATED]", "COLLECTS", "COLLECTED", "NOTE…")
	for _, p := range o.Shipments {
		row(w, p.Provider, optional(p.ConsignmentID), optional(p.TrackingCode), colour(p.Status), w.time(p.UpdatedAt),
			p.AmountToCollect.Text(), formatted(p.Collected), optional(p.Note))
	}
	printFlags(w, o.Flags)
}

// printFlags prints the flags of an order.
func printFlags(w *table, flags []order.Flag) {
	if len(flags) == 0 {
		return
	}
	fmt.Fprintln(w, "\nTo check:")
	for _, f := range flags {
		row(w, f.Code, optional(f.ConsignmentID), f.Message)
	}
}
