package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/money"
)

func newCouponSetCommand(a *app) *cobra.Command {
	var f couponFlags
	var code string
	cmd := &cobra.Command{
		Use:   "set UID CODE",
		Short: "Change some rules of a coupon",
		Long: `Change the given rules of a coupon; the others and its uses stay. Amounts are decimals in the shop's currency.
An empty value, or 0 for a number of orders, removes a rule: --max-discount "", --limit 0, --product "".`,
		Example: `  storefront coupon set acme EID10 --limit 100 --ends 2026-04-01
  storefront coupon set acme EID10 --percent 15 --max-discount ""
  storefront coupon set acme EID10 --code EID15`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				currency, err := currencyOf(cmd.Context(), s)
				if err != nil {
					return err
				}
				change, err := f.change(a, cmd, currency)
				if err != nil {
					return err
				}
				if cmd.Flags().Changed("code") {
					change.Code = &code
				}
				coupon, err := s.UpdateCoupon(cmd.Context(), a.caller(), args[1], change)
				if err != nil {
					return a.withCouponHint(err, args)
				}
				return a.print(coupon, func(w *table) { fmt.Fprintf(w, "Saved coupon %s%s.\n", coupon.Code, period(w, coupon)) })
			})
		},
	}
	cmd.Flags().StringVar(&code, "code", "", "another code that buyers enter")
	f.addRules(cmd)
	return cmd
}

// change parses the flags that were given, with the decimals of a currency.
func (f *couponFlags) change(a *app, cmd *cobra.Command, currency money.Currency) (change shop.CouponChange, err error) {
	flags := cmd.Flags()
	kind := func(name string, of shop.CouponKind) bool {
		if !flags.Changed(name) {
			return false
		}
		change.Kind, change.BasisPoints, change.Amount = &of, new((*int64)(nil)), new((*int64)(nil))
		if of != shop.CouponPercentage {
			change.MaxDiscount = new((*int64)(nil))
		}
		return true
	}
	switch {
	case kind("percent", shop.CouponPercentage):
		points, err := f.basisPoints(cmd)
		if err != nil {
			return change, err
		}
		change.BasisPoints = &points
	case kind("amount", shop.CouponFixed):
	case kind("free-delivery", shop.CouponFreeDelivery):
	}
	for _, amount := range f.amounts() {
		if !flags.Changed(amount.flag) {
			continue
		}
		value, err := amount.parse(cmd, currency)
		if err != nil {
			return change, err
		}
		switch amount.flag {
		case "amount":
			change.Amount = &value
		case "max-discount":
			change.MaxDiscount = &value
		case "min-subtotal":
			change.MinSubtotal = &value
		}
	}
	for _, limit := range []struct {
		flag  string
		value int64
		into  ***int64
	}{{"limit", f.limit, &change.UsageLimit}, {"per-customer", f.perCustomer, &change.CustomerLimit}} {
		switch {
		case flags.Changed(limit.flag) && limit.value == 0:
			*limit.into = new((*int64)(nil))
		case flags.Changed(limit.flag):
			*limit.into = new(new(limit.value))
		}
	}
	for _, bound := range []struct {
		flag, text string
		into       ***time.Time
	}{{"starts", f.starts, &change.StartsAt}, {"ends", f.ends, &change.EndsAt}} {
		if !flags.Changed(bound.flag) {
			continue
		}
		at, err := a.parseTime(cmd, bound.flag, bound.text)
		if err != nil {
			return change, err
		}
		*bound.into = &at
	}
	for _, scope := range []struct {
		flag    string
		handles []string
		into    *[]string
	}{{"collection", f.collections, &change.CollectionIDs}, {"product", f.products, &change.ProductIDs}} {
		if flags.Changed(scope.flag) {
			*scope.into = append([]string{}, scope.handles...)
		}
	}
	if flags.Changed("requires-login") {
		change.RequiresLogin = &f.requiresLogin
	}
	return change, nil
}
