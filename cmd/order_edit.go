package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/account"
	"storefront/shop/page"
)

// orderContentFlags holds the flags with which staff place and edit orders.
type orderContentFlags struct {
	name, phone, email, note                    string
	line1, line2, area, city, postcode, country string
	items                                       []string
	delivery, charge, coupon, discount, reason  string
	dryRun                                      bool
}

func (f *orderContentFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "the buyer's name")
	flags.StringVar(&f.phone, "phone", "", "the buyer's phone number")
	flags.StringVar(&f.email, "email", "", "the buyer's e-mail address")
	flags.StringVar(&f.note, "note", "", "the buyer's note")
	flags.StringVar(&f.line1, "line1", "", "house and street of the shipping address")
	flags.StringVar(&f.line2, "line2", "", "second line of the shipping address")
	flags.StringVar(&f.area, "area", "", "area of the shipping address")
	flags.StringVar(&f.city, "city", "", "city or district of the shipping address")
	flags.StringVar(&f.postcode, "postcode", "", "postcode of the shipping address")
	flags.StringVar(&f.country, "country", "", "country of the shipping address, such as BD (default the shop's)")
	flags.StringArrayVar(&f.items, "item", nil, "SKU or variant ID and quantity, such as MUG-L=2 or MUG-L=2@450 at a price of its own; repeatable")
	flags.StringVar(&f.delivery, "delivery", "", "ID of one of the shop's delivery charges")
	flags.StringVar(&f.charge, "delivery-charge", "", "delivery charge, instead of one of the shop's")
	flags.StringVar(&f.coupon, "coupon", "", "coupon code")
	flags.StringVar(&f.discount, "discount", "", "discount beside the coupon, as a decimal in the shop's currency")
	flags.StringVar(&f.reason, "reason", "", "reason of the discount, for staff")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the result and change nothing")
	cmd.MarkFlagsMutuallyExclusive("delivery", "delivery-charge")
}

// address returns the shipping address of the flags; nil if none of them is set.
func (f *orderContentFlags) address() *account.Address {
	if f.line1+f.line2+f.area+f.city+f.postcode+f.country == "" {
		return nil
	}
	return &account.Address{
		Line1: f.line1, City: f.city, Line2: flagText(f.line2), Area: flagText(f.area), Postcode: flagText(f.postcode), Country: flagText(f.country),
	}
}

// flagText returns a flag's text; nil for "".
func flagText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// parseItems parses the items, whose variants are named by SKU or ID.
func (f *orderContentFlags) parseItems(ctx context.Context, a *app, cmd *cobra.Command, s *shop.Shop) ([]shop.StaffItemInput, error) {
	items := make([]shop.StaffItemInput, len(f.items))
	for i, text := range f.items {
		name, units, _ := strings.Cut(text, "=")
		units, price, priced := strings.Cut(units, "@")
		quantity, err := strconv.Atoi(units)
		if err != nil {
			return nil, &usageError{err: errors.New("--item must be a SKU or variant ID and a quantity, such as MUG-L=2"), command: cmd.CommandPath()}
		}
		if items[i].VariantID, err = a.findVariant(ctx, s, name); err != nil {
			return nil, err
		}
		if items[i].Quantity = quantity; priced {
			if items[i].UnitPrice, err = parseAmountFlag(cmd, s, "item", price, 0); err != nil {
				return nil, err
			}
		}
	}
	return items, nil
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

// parseDiscount returns the discount of the flags; nil if none was passed.
func (f *orderContentFlags) parseDiscount(cmd *cobra.Command, s *shop.Shop) (*shop.StaffDiscount, error) {
	amount, err := parseAmountFlag(cmd, s, "discount", f.discount, 0)
	if err != nil || amount == nil {
		return nil, err
	}
	return &shop.StaffDiscount{Amount: *amount, Reason: f.reason}, nil
}

func newOrderEditCommand(a *app) *cobra.Command {
	var f orderContentFlags
	cmd := &cobra.Command{
		Use:   "edit UID ORDER",
		Short: "Change an order's buyer, address, items, delivery charge, coupon or discount",
		Long: `Change an order. Buyer, address and note can be changed until the courier picks the shipment up; a
courier that already has the shipment is not notified. All else can be changed while a cash order is
pending or confirmed, without a shipment and without money but advances. Flags that are not passed leave
their part unchanged; --email "", --note "" and --coupon "" remove it, and --discount 0 removes the
discount. --item replaces all lines; lines that were in the order before retain their prices.`,
		Example: `  storefront order edit acme 1064 --phone 01711000000
  storefront order edit acme 1064 --item MUG-L=2 --item TEE-M=1 --dry-run
  storefront order edit acme 1064 --discount 50 --reason "Regular customer"`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOrder(cmd.Context(), args, func(s *shop.Shop, invoice string) error {
				edit, err := f.edit(a, cmd, s)
				if err != nil {
					return err
				}
				edited, err := s.EditOrder(cmd.Context(), a.caller(), invoice, edit)
				if err != nil {
					return err
				}
				return a.print(edited, func(w *table) {
					printOrder(w, &edited.StaffOrder)
					printWarnings(w, edited.Warnings)
				})
			})
		},
	}
	f.flags(cmd)
	return cmd
}

func (f *orderContentFlags) edit(a *app, cmd *cobra.Command, s *shop.Shop) (edit shop.OrderEdit, err error) {
	edit = shop.OrderEdit{Address: f.address(), DryRun: f.dryRun}
	for name, into := range map[string]struct {
		field **string
		value *string
	}{
		"name": {&edit.Name, &f.name}, "phone": {&edit.PhoneNumber, &f.phone}, "email": {&edit.Email, &f.email}, "note": {&edit.Note, &f.note},
		"coupon": {&edit.CouponCode, &f.coupon}, "delivery": {&edit.DeliveryChargeID, &f.delivery},
	} {
		if cmd.Flags().Changed(name) {
			*into.field = into.value
		}
	}
	if len(f.items) > 0 {
		items, err := f.parseItems(cmd.Context(), a, cmd, s)
		if err != nil {
			return edit, err
		}
		edit.Items = &items
	}
	if edit.DeliveryCharge, err = parseAmountFlag(cmd, s, "delivery-charge", f.charge, 0); err != nil {
		return edit, err
	}
	edit.StaffDiscount, err = f.parseDiscount(cmd, s)
	return edit, err
}

func newOrderPlaceCommand(a *app) *cobra.Command {
	var f orderContentFlags
	var source, method string
	var pending, sendLink bool
	cmd := &cobra.Command{
		Use:   "place UID",
		Short: "Place an order for a buyer who has ordered by phone or chat",
		Long: `Place an order for a buyer, at the prices and with the stock of the storefront. A cash order is confirmed
at once, unless --pending is passed. With --dry-run, only the price is printed.`,
		Example: `  storefront order place acme --source phone --item MUG-L=2 --name "Rahima Khatun" --phone 01711000000 \
    --line1 "House 12, Road 5" --area Mirpur --city Dhaka
  storefront order place acme --source whatsapp --item MUG-L=2 --city Dhaka --line1 "House 12" --dry-run`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				confirm := !pending
				in := shop.StaffOrderInput{
					Customer:        &shop.OrderCustomerInput{Name: flagText(f.name), PhoneNumber: flagText(f.phone), Email: flagText(f.email)},
					ShippingAddress: f.address(), DeliveryChargeID: flagText(f.delivery), CouponCode: flagText(f.coupon), Note: flagText(f.note),
					Source: shop.OrderSource(source), Confirm: &confirm, SendLink: sendLink, PaymentMethod: new(shop.PaymentMethod(method)),
				}
				var err error
				if in.Items, err = f.parseItems(cmd.Context(), a, cmd, s); err != nil {
					return err
				}
				if in.DeliveryCharge, err = parseAmountFlag(cmd, s, "delivery-charge", f.charge, 0); err != nil {
					return err
				}
				if in.StaffDiscount, err = f.parseDiscount(cmd, s); err != nil {
					return err
				}
				placed, err := s.PlaceOrderAsStaff(cmd.Context(), a.caller(), in, f.dryRun)
				if err != nil {
					return err
				}
				return a.print(placed, func(w *table) { printPlacement(w, placed) })
			})
		},
	}
	f.flags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&source, "source", "", "where the buyer ordered: phone, facebook, instagram, whatsapp, shop or other")
	flags.StringVar(&method, "method", string(shop.PayCOD), "cod, gateway_a or gateway_b")
	flags.BoolVar(&pending, "pending", false, "do not confirm a cash order yet")
	flags.BoolVar(&sendLink, "send-link", false, "send the buyer a text message with the link to pay an online order")
	cobra.CheckErr(cmd.MarkFlagRequired("source"))
	cobra.CheckErr(cmd.MarkFlagRequired("item"))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("source",
		cobra.FixedCompletions(texts(shop.OrderSources()[1:]), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func printPlacement(w *table, placed *shop.StaffPlacement) {
	if q := placed.Quote; q != nil {
		row(w, "Subtotal", q.Subtotal.Formatted)
		row(w, "Discount", q.Discount.Formatted)
		row(w, "Delivery", q.DeliveryCharge.Formatted)
		row(w, "Rounding", q.Rounding.Formatted)
		row(w, "Total", q.Total.Formatted)
		return
	}
	printOrder(w, placed.Order)
	printWarnings(w, placed.Warnings)
}

// printWarnings explains what staff should know about a change.
func printWarnings(w *table, warnings []shop.OrderWarning) {
	for _, warning := range warnings {
		switch warning {
		case shop.WarnOldAddress:
			fmt.Fprintln(w, "The courier has the earlier name, phone number or address: correct it in the courier's panel.")
		case shop.WarnLinkNotSent:
			fmt.Fprintln(w, "The payment link was not sent.")
		case shop.WarnBlocked:
			fmt.Fprintln(w, "The buyer's contact is blocked: they could not have placed this order themselves.")
		}
	}
}

func newOrderAdvanceCommand(a *app) *cobra.Command {
	var amount, method, reference, remove string
	cmd := &cobra.Command{
		Use:   "advance UID ORDER",
		Short: "Record a part of a cash order that was paid in advance",
		Long: `Record an advance of a cash order, such as one by bKash. The courier collects the rest; an order whose
advances are its total is paid. With --remove, remove one that was recorded by mistake. Neither is
possible while a shipment is booked.`,
		Example: `  storefront order advance acme 1064 --amount 200 --method bkash --reference 8N7A6D5E4F
  storefront order advance acme 1064 --remove 01KAMZ3V7T9S0E8GQ2W4B6N1XY`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOrder(cmd.Context(), args, func(s *shop.Shop, invoice string) error {
				order, err := (*shop.StaffOrder)(nil), error(nil)
				if remove != "" {
					order, err = s.RemoveAdvance(cmd.Context(), a.caller(), invoice, remove)
				} else {
					in := shop.AdvanceInput{Method: shop.AdvanceMethod(method), Reference: flagText(reference)}
					minor, parseErr := parseAmountFlag(cmd, s, "amount", amount, 1)
					if parseErr != nil {
						return parseErr
					}
					in.Amount = *minor
					order, err = s.RecordAdvance(cmd.Context(), a.caller(), invoice, in)
				}
				if err != nil {
					return err
				}
				return a.print(order, func(w *table) { printAdvances(w, order) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&amount, "amount", "", "amount received, as a decimal in the shop's currency")
	flags.StringVar(&method, "method", "", "bkash, nagad, rocket, bank, cash or other")
	flags.StringVar(&reference, "reference", "", "such as a transaction number")
	flags.StringVar(&remove, "remove", "", "ID of an advance to remove")
	cmd.MarkFlagsRequiredTogether("amount", "method")
	cmd.MarkFlagsOneRequired("amount", "remove")
	cmd.MarkFlagsMutuallyExclusive("amount", "remove")
	return cmd
}

func printAdvances(w *table, o *shop.StaffOrder) {
	if len(o.Advances) > 0 {
		heading(w, "ID", "RECEIVED", "AMOUNT", "METHOD", "[REFERENCE]", "[BY…]")
		for _, advance := range o.Advances {
			row(w, advance.ID, w.time(advance.At), advance.Amount.Formatted, advance.Method, optional(advance.Reference), advance.By.Name)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "Total %s, to collect %s.\n", o.Total.Formatted, o.CashToCollect.Formatted)
}

func newOrderCheckShipmentCommand(a *app) *cobra.Command {
	var courier string
	var weight int64
	var another bool
	cmd := &cobra.Command{
		Use:               "check-shipment UID ORDER",
		Short:             "Check what a courier would refuse about a shipment, without booking it",
		Example:           "  storefront order check-shipment acme 1064 --courier courier_a",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOrder(cmd.Context(), args, func(s *shop.Shop, invoice string) error {
				check, err := s.CheckShipment(cmd.Context(), a.caller(), invoice, shop.ShipmentCheckInput{
					BookingInput: shop.BookingInput{Provider: shop.Provider(courier), WeightGrams: weight, Another: another},
				})
				if err != nil {
					return err
				}
				return a.print(check, func(w *table) {
					fmt.Fprintf(w, "Cash to collect %s, weight %d g.\n", check.Cash.Formatted, check.WeightGrams)
					for _, p := range check.Problems {
						fmt.Fprintf(w, "%s: %s\n", p.Field, p.Message)
					}
					if len(check.Problems) == 0 {
						fmt.Fprintln(w, "The shipment can be booked.")
					}
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&courier, "courier", "", "courier_a or courier_b")
	flags.Int64Var(&weight, "weight", 0, "weight in grams (default from the catalogue)")
	flags.BoolVar(&another, "another", false, "check even if the order has an open shipment")
	cobra.CheckErr(cmd.MarkFlagRequired("courier"))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("courier",
		cobra.FixedCompletions([]string{string(shop.CourierA), string(shop.CourierB)}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}
