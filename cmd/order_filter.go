package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/timezone"
)

// orderFilter holds the flags that select orders.
type orderFilter struct {
	status, payment, delivery, method, courier, shipment []string
	tags                                                 []string
	calls                                                string
	source                                               []string
	city, product, from, before, minTotal, maxTotal      string
	returnedFrom                                         string
	view, search                                         string
	live, test                                           bool
}

func (f *orderFilter) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	list := func(into *[]string, name, usage string, values []string) {
		flags.StringSliceVar(into, name, nil, usage+"; repeatable (default any)")
		if values != nil {
			cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
		}
	}
	list(&f.status, "status", "only orders with this status, such as pending", orderStatuses())
	list(&f.payment, "payment-status", "only orders with this payment status, such as refund_due", nil)
	list(&f.delivery, "delivery-status", "only orders with this delivery status, such as returning", nil)
	list(&f.method, "method", "only orders paid by cod, gateway_a or gateway_b", nil)
	list(&f.courier, "courier", "only orders whose newest open shipment, or else newest, is with courier_a or courier_b", nil)
	list(&f.shipment, "shipment-status", "only orders whose newest open shipment, or else newest, has this status, such as on_hold", nil)
	list(&f.tags, "tag", "only orders with this tag", nil)
	flags.StringVar(&f.calls, "calls", "", "only orders whose buyer was called (some), was not (none), or is to be called now (due)")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("calls", cobra.FixedCompletions(texts(shop.CallFilters()), cobra.ShellCompDirectiveNoFileComp)))
	list(&f.source, "source", "only orders from this source, such as phone", texts(shop.OrderSources()))
	flags.StringVar(&f.city, "city", "", "only orders to this city")
	flags.StringVar(&f.product, "product", "", "only orders of the product with this ID")
	flags.StringVar(&f.from, "from", "", "only orders placed on or after this day, such as 2026-03-01 "+dayUsage)
	flags.StringVar(&f.before, "before", "", "only orders placed before this day "+dayUsage)
	flags.StringVar(&f.returnedFrom, "returned-from", "", "only returned orders that came back on or after this day "+dayUsage)
	flags.StringVar(&f.minTotal, "min-total", "", "only orders of at least this total, such as 1500")
	flags.StringVar(&f.maxTotal, "max-total", "", "only orders of at most this total")
	flags.BoolVar(&f.live, "live", false, "only orders placed in live mode")
	flags.BoolVar(&f.test, "test", false, "only orders placed in sandbox mode")
	cmd.MarkFlagsMutuallyExclusive("live", "test")
	flags.StringVar(&f.search, "search", "",
		"only orders with these words of the buyer, the address, items or shipments, or these last digits of the phone number")
	flags.StringVar(&f.view, "view", "", "only orders by the work they need, such as toConfirm; see \"order counts\"")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("view", cobra.FixedCompletions(texts(shop.WorkViews()), cobra.ShellCompDirectiveNoFileComp)))
}

func (f *orderFilter) parse(a *app, cmd *cobra.Command, s *shop.Shop) (filter shop.OrderListFilter, err error) {
	filter = shop.OrderListFilter{
		View: shop.WorkView(f.view), Status: typed[shop.OrderStatus](f.status), PaymentStatus: typed[shop.PaymentStatus](f.payment),
		FulfillmentStatus: typed[shop.FulfillmentStatus](f.delivery), PaymentMethod: typed[shop.PaymentMethod](f.method),
		Courier: typed[shop.Provider](f.courier), ShipmentStatus: typed[shop.ShipmentStatus](f.shipment), City: f.city, ProductID: f.product,
		Search: f.search, Calls: shop.CallFilter(f.calls), Tags: f.tags,
		Source: typed[shop.OrderSource](f.source),
	}
	if f.live || f.test {
		filter.Test = &f.test
	}
	if filter.PlacedFrom, err = a.parseTime(cmd, "from", f.from); err != nil {
		return filter, err
	}
	if filter.PlacedBefore, err = a.parseTime(cmd, "before", f.before); err != nil {
		return filter, err
	}
	if filter.ReturnedFrom, err = a.parseTime(cmd, "returned-from", f.returnedFrom); err != nil {
		return filter, err
	}
	if filter.MinTotal, err = parseAmountFlag(cmd, s, "min-total", f.minTotal, 0); err != nil {
		return filter, err
	}
	filter.MaxTotal, err = parseAmountFlag(cmd, s, "max-total", f.maxTotal, 0)
	return filter, err
}

// texts returns values of a named type as text.
func texts[S ~string](values []S) (list []string) {
	for _, value := range values {
		list = append(list, string(value))
	}
	return list
}

// typed is the inverse of texts.
func typed[S ~string](values []string) (list []S) {
	for _, value := range values {
		list = append(list, S(value))
	}
	return list
}

// dayUsage documents the time zone of days.
const dayUsage = "(in the shop's time zone)"

// parseTime parses a day in the shop's time zone, or a time in RFC 3339. It returns nil for "". It
// must be called in [app.withShop].
func (a *app) parseTime(cmd *cobra.Command, flag, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	at, err := timezone.ParseDay(text, a.zone)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return nil, &usageError{
			err:     fmt.Errorf("--%s must be a day such as 2026-03-01, or a time such as 2026-03-01T18:00:00+06:00", flag),
			command: cmd.CommandPath(),
		}
	}
	return &at, nil
}

func orderStatuses() []string {
	return []string{
		string(shop.OrderPending), string(shop.OrderPendingPayment), string(shop.OrderConfirmed), string(shop.OrderProcessing),
		string(shop.OrderCompleted), string(shop.OrderCancelled), string(shop.OrderExpired), string(shop.OrderReturned),
	}
}
