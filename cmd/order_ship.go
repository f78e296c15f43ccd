package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
)

// shipFlags are the flags of order ship.
type shipFlags struct {
	courier, consignment, tracking, note string
	weight                               int64
	another, again                       bool
}

func newOrderShipCommand(a *app) *cobra.Command {
	var f shipFlags
	cmd := &cobra.Command{
		Use:   "ship UID INVOICE",
		Short: "Hand a parcel of an order to a courier",
		Long: `Hand a parcel of an order to a courier, by the courier's interface, with the cash that it is to
collect. With --consignment the parcel is with the courier already, and is only written down.

When the courier's answer is lost, the same command again looks the parcel up; nothing is booked twice.`,
		Example: `  storefront order ship acme 0123456789ABCDEF --courier courier_a
  storefront order ship acme 0123456789ABCDEF --courier courier_b --consignment 1424107`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				order, err := f.ship(cmd.Context(), s, args[1])
				if err != nil {
					return err
				}
				return a.print(order, func(w io.Writer) { printShipments(w, order) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.courier, "courier", "", "courier_a or courier_b")
	flags.StringVar(&f.consignment, "consignment", "", "the courier's number of a parcel that it has already")
	flags.StringVar(&f.tracking, "tracking", "", "with --consignment: the courier's tracking code")
	flags.StringVar(&f.note, "note", "", "for the courier's people")
	flags.Int64Var(&f.weight, "weight", 0, "of the parcel in grams (default as the catalogue has it)")
	flags.BoolVar(&f.another, "another", false, "one more parcel, beside those under way")
	flags.BoolVar(&f.again, "again", false, "book a parcel whose booking got no answer, and that is not in the courier's panel")
	cobra.CheckErr(cmd.MarkFlagRequired("courier"))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("courier", cobra.FixedCompletions([]string{string(shop.CourierA), string(shop.CourierB)}, cobra.ShellCompDirectiveNoFileComp)))
	cmd.MarkFlagsMutuallyExclusive("consignment", "again")
	cmd.MarkFlagsMutuallyExclusive("consignment", "weight")
	return cmd
}

func (f shipFlags) ship(ctx context.Context, s *shop.Shop, invoice string) (*shop.Order, error) {
	if f.consignment != "" {
		return s.RecordShipment(ctx, invoice, shop.ShipmentInput{
			Provider: shop.Provider(f.courier), ConsignmentID: f.consignment, TrackingCode: f.tracking,
		})
	}
	return s.BookShipment(ctx, invoice, shop.BookingInput{
		Provider: shop.Provider(f.courier), Note: f.note, WeightGrams: f.weight, Another: f.another, Again: f.again,
	})
}

func newOrderShipmentsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "shipments UID INVOICE",
		Short:             "Show all that couriers told of an order's parcels, such as why one comes back",
		Example:           "  storefront order shipments acme 0123456789ABCDEF",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				news, err := s.FindShipmentHistory(cmd.Context(), args[1])
				if err != nil {
					return a.orderFailure(err, args[0])
				}
				return a.print(news, func(w io.Writer) { printShipmentHistory(w, news) })
			})
		},
	}
}

func printShipmentHistory(w io.Writer, news []shop.ShipmentHistory) {
	if len(news) == 0 {
		fmt.Fprintln(w, "Nothing was told of this order's parcels.")
		return
	}
	row(w, "WHEN", "COURIER", "CONSIGNMENT", "EVENT", "STATUS", "NOTE")
	for _, n := range news {
		status := "-"
		if n.Status != nil {
			status = string(*n.Status)
		}
		row(w, localTime(n.At), n.Provider, optional(n.ConsignmentID), n.Event, status, optional(n.Note))
	}
}

func newOrderTrackCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "track UID INVOICE",
		Short:             "Ask the couriers where an order's parcels are",
		Example:           "  storefront order track acme 0123456789ABCDEF",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				order, err := s.TrackShipments(cmd.Context(), args[1])
				if err != nil {
					return err
				}
				return a.print(order, func(w io.Writer) { printShipments(w, order) })
			})
		},
	}
}

func newOrderPriceCommand(a *app) *cobra.Command {
	var courier string
	var weight, city, zone int64
	cmd := &cobra.Command{
		Use:   "price UID INVOICE",
		Short: "Ask a courier what a parcel of an order would cost",
		Long: `Ask a courier what a parcel of an order would cost. Nothing is booked. Places are in the courier's own
numbering, as its panel shows it.`,
		Example:           "  storefront order price acme 0123456789ABCDEF --courier courier_a --city 1 --zone 298",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				in := shop.BookingInput{Provider: shop.Provider(courier), WeightGrams: weight}
				price, err := s.PriceShipment(cmd.Context(), args[1], in, shop.CourierPlace{City: city, Zone: zone})
				if err != nil {
					return err
				}
				return a.print(price, func(w io.Writer) { fmt.Fprintln(w, price.Formatted) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&courier, "courier", "", "courier_a; courier_b names no prices")
	flags.Int64Var(&city, "city", 0, "the courier's number of the city")
	flags.Int64Var(&zone, "zone", 0, "the courier's number of the zone")
	flags.Int64Var(&weight, "weight", 0, "of the parcel in grams (default as the catalogue has it)")
	for _, name := range []string{"courier", "city", "zone"} {
		cobra.CheckErr(cmd.MarkFlagRequired(name))
	}
	return cmd
}

func printShipments(w io.Writer, o *shop.Order) {
	if len(o.Shipments) == 0 {
		fmt.Fprintln(w, "The order has no parcels.")
		return
	}
	row(w, "COURIER", "CONSIGNMENT", "TRACKING", "STATUS", "SINCE")
	for _, p := range o.Shipments {
		row(w, p.Provider, optional(p.ConsignmentID), optional(p.TrackingCode), p.Status, localTime(p.UpdatedAt))
	}
}
