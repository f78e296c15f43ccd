package cmd

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newCourierCommand(a *app) *cobra.Command {
	return newGroupCommand("courier", "List the places and balances of couriers",
		newCourierListCommand(a, shop.PlaceStore, "stores UID PROVIDER", "List the stores where a courier picks up",
			"The setting store_id of courier_a is one of them.", "storefront courier stores acme courier_a"),
		newCourierListCommand(a, shop.PlaceCity, "cities UID PROVIDER", "List a courier's cities", "",
			"storefront courier cities acme courier_a --search dha"),
		newCourierListCommand(a, shop.PlaceZone, "zones UID PROVIDER CITY", "List a courier's zones of a city",
			"CITY is the number of one of its cities.", "storefront courier zones acme courier_a 1 --search mirpur"),
		newCourierListCommand(a, shop.PlaceArea, "areas UID PROVIDER ZONE", "List a courier's areas of a zone",
			"ZONE is the number of one of its zones.", "storefront courier areas acme courier_a 298"),
		newCourierListCommand(a, shop.PlaceStation, "stations UID PROVIDER", "List a courier's police stations", "",
			"storefront courier stations acme courier_b --search kotwali"),
		newCourierPlaceCommand(a),
		newCourierBalanceCommand(a),
	)
}

// newCourierListCommand returns the command that lists one kind of places. Zones and areas are
// those of a third argument.
func newCourierListCommand(a *app, kind shop.PlaceKind, use, short, more, example string) *cobra.Command {
	var search string
	long := short + `, by its own numbers and names. The shop's account with the courier is used, in the
shop's mode.`
	if more != "" {
		long += " " + more
	}
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: "  " + example, ValidArgsFunction: a.completeProvider,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter := shop.PlaceFilter{Provider: shop.Provider(args[1]), Kind: kind, Search: search}
			if len(args) > 2 {
				of, err := strconv.ParseInt(args[2], 10, 64)
				if err != nil || of <= 0 {
					return &usageError{err: fmt.Errorf("%s must be a number of the courier", printable(args[2])), command: cmd.CommandPath()}
				}
				filter.Of = of
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.ListCourierPlaces(cmd.Context(), a.caller(), filter)
				if err != nil {
					return err
				}
				return a.print(list.Nodes, func(w *table) { printPlaces(w, list) })
			})
		},
	}
	cmd.Flags().StringVar(&search, "search", "", "only places with these words, or beginnings of words, in the name")
	return cmd
}

func printPlaces(w *table, list *shop.CourierPlaces) {
	if len(list.Nodes) == 0 {
		fmt.Fprintln(w, "None found.")
		return
	}
	switch list.Kind {
	case shop.PlaceStore:
		heading(w, "[ID]", "NAME…", "ACTIVE", "ADDRESS…")
	case shop.PlaceStation:
		heading(w, "[ID]", "NAME…", "DISTRICT…")
	case shop.PlaceArea:
		heading(w, "[ID]", "NAME…", "DELIVERS")
	default:
		heading(w, "[ID]", "NAME…")
	}
	for _, place := range list.Nodes {
		active := "yes"
		if !place.Active {
			active = "no"
		}
		switch list.Kind {
		case shop.PlaceStore:
			row(w, place.ID, place.Name, active, place.In)
		case shop.PlaceStation:
			row(w, place.ID, place.Name, place.In)
		case shop.PlaceArea:
			row(w, place.ID, place.Name, active)
		default:
			row(w, place.ID, place.Name)
		}
	}
}

func newCourierPlaceCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "place UID ORDER PROVIDER",
		Short: "Show where an order's shipment goes by a courier's lists",
		Long: `Find the places of an order's address in a courier's lists: the city, zone and area of courier_a, the
police station of courier_b. Places that are not certain are left out. The command order ship sends
those that its flags name.`,
		Example: "  storefront courier place acme 1064 courier_a",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 2 {
				return providers, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeUID(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOrder(cmd.Context(), args[:2], func(s *shop.Shop, invoice string) error {
				found, err := s.SuggestCourierPlace(cmd.Context(), a.caller(), invoice, shop.Provider(args[2]))
				if err != nil {
					return err
				}
				return a.print(found, func(w *table) {
					heading(w, "PLACE", "[ID]", "NAME…")
					any := false
					for _, place := range []struct {
						kind  string
						found *shop.NamedPlace
					}{{"city", found.City}, {"zone", found.Zone}, {"area", found.Area}, {"station", found.Station}} {
						if place.found != nil {
							any = true
							row(w, place.kind, place.found.ID, place.found.Name)
						}
					}
					if !any {
						fmt.Fprintln(w, "The address names no place of the courier for certain.")
					}
				})
			})
		},
	}
}

func newCourierBalanceCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "balance UID",
		Short: "Show what couriers owe by their own account, and their payouts",
		Long: `Show the balance that couriers report for the shop's account, and their newest payouts. courier_b
reports them. The command cod report shows what the shop's own ledger says.`,
		Example:           "  storefront courier balance acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.ListCourierBalances(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return a.print(list.Nodes, func(w *table) { printBalances(w, list.Nodes) })
			})
		},
	}
}

func printBalances(w *table, balances []shop.CourierBalance) {
	if len(balances) == 0 {
		fmt.Fprintln(w, "No courier that reports a balance is configured.")
		return
	}
	for i, b := range balances {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if b.Balance != nil {
			row(w, b.Provider, "owes "+b.Balance.Formatted)
		}
		if b.Problem != nil {
			row(w, b.Provider, colour("failed"), *b.Problem)
		}
		if len(b.Payouts) > 0 {
			heading(w, "PAYOUT", "AMOUNT", "CHARGES", "METHOD", "STATUS", "TIME")
		}
		for _, p := range b.Payouts {
			charges, at := "", ""
			if p.Charges != nil {
				charges = p.Charges.Formatted
			}
			if p.At != nil {
				at = w.time(*p.At)
			}
			row(w, p.ID, p.Amount.Formatted, charges, p.Method, p.Status, at)
		}
	}
}
