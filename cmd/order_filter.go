package cmd

import (
	"github.com/spf13/cobra"

	"storefront/shop/order"
	"storefront/shop/status"
)

// orderFilter holds the flags that select orders. The operation listOrders has all filters.
type orderFilter struct {
	status, payment, delivery []string
	city, from, before        string
	view, search              string
}

func (f *orderFilter) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.status, "status", nil, "only orders with this status, such as pending; repeatable (default any)")
	flags.StringSliceVar(&f.payment, "payment-status", nil, "only orders with this payment status, such as refund_due; repeatable (default any)")
	flags.StringSliceVar(&f.delivery, "delivery-status", nil, "only orders with this delivery status, such as returning; repeatable (default any)")
	flags.StringVar(&f.city, "city", "", "only orders to this city")
	flags.StringVar(&f.from, "from", "", "only orders placed on or after this day, such as 2026-03-01 "+dayUsage)
	flags.StringVar(&f.before, "before", "", "only orders placed before this day "+dayUsage)
	flags.StringVar(&f.search, "search", "",
		"only orders with these words of the buyer, the address, items or shipments, or these last digits of the phone number")
	flags.StringVar(&f.view, "view", "", "only orders by the work they need, such as toConfirm")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(orderStatuses(), cobra.ShellCompDirectiveNoFileComp)))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("view", cobra.FixedCompletions(texts(order.WorkViews()), cobra.ShellCompDirectiveNoFileComp)))
}

func (f *orderFilter) parse(a *app, cmd *cobra.Command) (filter order.ListFilter, err error) {
	filter = order.ListFilter{
		View: order.WorkView(f.view), Status: typed[status.Order](f.status), PaymentStatus: typed[status.Payment](f.payment),
		FulfillmentStatus: typed[status.Fulfillment](f.delivery), City: f.city, Search: f.search,
	}
	if filter.PlacedFrom, err = a.parseTime(cmd, "from", f.from); err != nil {
		return filter, err
	}
	filter.PlacedBefore, err = a.parseTime(cmd, "before", f.before)
	return filter, err
}

func orderStatuses() []string {
	return []string{
		string(status.OrderPending), string(status.OrderPendingPayment), string(status.OrderConfirmed), string(status.OrderProcessing),
		string(status.OrderCompleted), string(status.OrderCancelled), string(status.OrderExpired), string(status.OrderReturned),
	}
}
