package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/page"
)

func newCouponCommand(a *app) *cobra.Command {
	return newGroupCommand("coupon", "Create and list coupons",
		newCouponCreateCommand(a),
		newCouponListCommand(a),
	)
}

// couponFlags holds the flags of coupon create and coupon set. Amounts are decimals in the shop's
// currency.
type couponFlags struct {
	code                     string
	percent, amount          string
	freeDelivery             bool
	maxDiscount, minSubtotal string
	starts, ends             string
	limit, perCustomer       int64
	collections, products    []string
	requiresLogin            bool
}

func newCouponCreateCommand(a *app) *cobra.Command {
	var f couponFlags
	cmd := &cobra.Command{
		Use:   "create UID --code CODE",
		Short: "Create a coupon, or replace the one with the same code",
		Long: `Create a coupon, or replace the one with the same code; its number of uses stays. Codes are not
case-sensitive. Amounts are decimals in the shop's currency.`,
		Example: `  storefront coupon create acme --code EID10 --percent 10 --max-discount 500
  storefront coupon create acme --code TAKA100 --amount 100 --min-subtotal 1000 --limit 50 --per-customer 1
  storefront coupon create acme --code FREESHIP --free-delivery --ends 2026-04-01`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				spec, err := f.spec(a, cmd, s)
				if err != nil {
					return err
				}
				coupon, err := s.Orders.SaveCoupon(cmd.Context(), a.caller(), spec)
				if err != nil {
					return err
				}
				return a.print(coupon, func(w *table) { fmt.Fprintf(w, "Saved coupon %s%s.\n", coupon.Code, period(w, coupon)) })
			})
		},
	}
	cmd.Flags().StringVar(&f.code, "code", "", "code that buyers enter")
	f.addRules(cmd)
	cobra.CheckErr(cmd.MarkFlagRequired("code"))
	cmd.MarkFlagsOneRequired("percent", "amount", "free-delivery")
	return cmd
}

// addRules adds the flags of a coupon's rules to a command.
func (f *couponFlags) addRules(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.percent, "percent", "", "discount in percent, such as 12.5")
	flags.StringVar(&f.amount, "amount", "", "fixed discount")
	flags.BoolVar(&f.freeDelivery, "free-delivery", false, "waive the delivery charge")
	flags.StringVar(&f.maxDiscount, "max-discount", "", "upper limit of the discount, with --percent")
	flags.StringVar(&f.minSubtotal, "min-subtotal", "", "minimum order subtotal, before discount")
	flags.StringVar(&f.starts, "starts", "", "first day of validity, such as 2026-03-01 "+dayUsage)
	flags.StringVar(&f.ends, "ends", "", "first day on which the coupon is no longer valid "+dayUsage)
	flags.Int64Var(&f.limit, "limit", 0, "maximum number of orders (default unlimited)")
	flags.Int64Var(&f.perCustomer, "per-customer", 0, "maximum number of orders per account or phone number (default unlimited)")
	flags.StringSliceVar(&f.collections, "collection", nil, "restrict to this collection, by handle; repeatable")
	flags.StringSliceVar(&f.products, "product", nil, "restrict to this product, by handle; repeatable")
	flags.BoolVar(&f.requiresLogin, "requires-login", false, "restrict to signed-in customers")
	cmd.MarkFlagsMutuallyExclusive("percent", "amount", "free-delivery")
}

// couponAmount is a flag with an amount.
type couponAmount struct{ flag, text string }

// amounts returns the flags of amounts.
func (f *couponFlags) amounts() []couponAmount {
	return []couponAmount{{"amount", f.amount}, {"max-discount", f.maxDiscount}, {"min-subtotal", f.minSubtotal}}
}

// parse returns the amount in minor units; nil if the flag is empty.
func (f couponAmount) parse(cmd *cobra.Command, currency money.Currency) (*int64, error) {
	if f.text == "" {
		return nil, nil
	}
	n, ok := currency.Parse(f.text)
	if !ok {
		return nil, couponUsage(cmd, "--%s must be an amount such as %s", f.flag, currency.Decimal(100_00))
	}
	return &n, nil
}

// basisPoints returns the percentage in basis points.
func (f *couponFlags) basisPoints(cmd *cobra.Command) (*int64, error) {
	points, err := basisPoints(f.percent)
	if err != nil {
		return nil, couponUsage(cmd, "--percent must be more than 0 and at most 100, with at most two decimals")
	}
	return &points, nil
}

func couponUsage(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...), command: cmd.CommandPath()}
}

// period returns a coupon's limits of validity as text, "" if it has none.
func period(w *table, c *order.Coupon) (text string) {
	if c.StartsAt != nil {
		text += ", from " + w.time(*c.StartsAt)
	}
	if c.EndsAt != nil {
		text += ", until " + w.time(*c.EndsAt)
	}
	return text
}

// spec parses the flags, with the decimals of the shop's currency.
func (f *couponFlags) spec(a *app, cmd *cobra.Command, s *shop.Shop) (spec order.CouponSpec, err error) {
	money, err := currencyOf(cmd.Context(), s)
	if err != nil {
		return spec, err
	}
	spec = order.CouponSpec{
		Code: f.code, Kind: order.CouponFreeDelivery, CollectionIDs: f.collections, ProductIDs: f.products,
		RequiresLogin: f.requiresLogin, Active: true,
	}
	into := map[string]**int64{"amount": &spec.Amount, "max-discount": &spec.MaxDiscount, "min-subtotal": &spec.MinSubtotal}
	for _, amount := range f.amounts() {
		if *into[amount.flag], err = amount.parse(cmd, money); err != nil {
			return spec, err
		}
	}
	switch {
	case f.percent != "":
		spec.Kind = order.CouponPercentage
		if spec.BasisPoints, err = f.basisPoints(cmd); err != nil {
			return spec, err
		}
	case f.amount != "":
		spec.Kind = order.CouponFixed
	}
	if cmd.Flags().Changed("limit") {
		spec.UsageLimit = &f.limit
	}
	if cmd.Flags().Changed("per-customer") {
		spec.CustomerLimit = &f.perCustomer
	}
	if spec.StartsAt, err = a.parseTime(cmd, "starts", f.starts); err != nil {
		return spec, err
	}
	spec.EndsAt, err = a.parseTime(cmd, "ends", f.ends)
	return spec, err
}

// basisPoints parses a percentage: 12.5 is 1250 basis points.
func basisPoints(percent string) (int64, error) {
	whole, fraction, _ := strings.Cut(strings.TrimSuffix(percent, "%"), ".")
	if len(fraction) > 2 {
		return 0, errors.New("too many decimals")
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", 2-len(fraction)), 10, 31)
	if err != nil || n == 0 || n > 100_00 {
		return 0, errors.New("out of range")
	}
	return int64(n), nil
}

func currencyOf(ctx context.Context, s *shop.Shop) (money.Currency, error) {
	settings, err := s.Settings(ctx)
	if err != nil {
		return money.Currency{}, err
	}
	money, _ := money.ParseCurrency(settings.Currency) // validated when it was set
	return money, nil
}

func newCouponListCommand(a *app) *cobra.Command {
	filter := order.CouponFilter{Request: noLimit()}
	var active, disabled bool
	cmd := &cobra.Command{
		Use:               "list UID",
		Short:             "List a shop's coupons and automatic discounts",
		Example:           "  storefront coupon list acme --active",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if active || disabled {
					filter.Active = page.Some(active)
				}
				list, err := s.Orders.ListCoupons(cmd.Context(), a.caller(), filter)
				if err != nil {
					return err
				}
				coupons := list.Nodes
				money, err := currencyOf(cmd.Context(), s)
				if err != nil {
					return err
				}
				return a.print(coupons, func(w *table) { printCoupons(w, coupons, money) })
			})
		},
	}
	cmd.Flags().StringVar(&filter.Search, "search", "", "only coupons with a code that begins with this text")
	cmd.Flags().BoolVar(&active, "active", false, "only coupons that are not disabled")
	cmd.Flags().BoolVar(&disabled, "disabled", false, "only disabled coupons")
	cmd.MarkFlagsMutuallyExclusive("active", "disabled")
	return cmd
}

func printCoupons(w *table, coupons []order.Coupon, money money.Currency) {
	if len(coupons) == 0 {
		fmt.Fprintln(w, "No coupons.")
		return
	}
	heading(w, "CODE", "DISCOUNT", "[MINIMUM]", "ENDS", "USED", "[LIMIT]", "[GIVEN]", "[LAST USED]", "SCOPE…", "STATE")
	for _, c := range coupons {
		discount := "free delivery"
		switch {
		case c.Kind == order.CouponBuyGet:
			discount = fmt.Sprintf("buy %d, get %d: %s %%", *c.BuyQuantity, *c.GetQuantity, strconv.FormatFloat(float64(*c.BasisPoints)/100, 'f', -1, 64))
		case c.BasisPoints != nil:
			discount = strconv.FormatFloat(float64(*c.BasisPoints)/100, 'f', -1, 64) + " %"
		case c.Amount != nil:
			discount = money.Text(*c.Amount)
		}
		minimum, ends, limit, given, last := "", "", "", "", ""
		if c.MinSubtotal != nil {
			minimum = money.Text(*c.MinSubtotal)
		}
		if c.EndsAt != nil {
			ends = w.time(*c.EndsAt)
		}
		if c.UsageLimit != nil {
			limit = strconv.FormatInt(*c.UsageLimit, 10)
		}
		if c.DiscountGiven > 0 {
			given = money.Text(c.DiscountGiven)
		}
		if c.LastUsedAt != nil {
			last = w.time(*c.LastUsedAt)
		}
		scope := "everything"
		if c.Scoped {
			scope = strings.Join(append(append([]string{}, c.Collections...), c.Products...), ", ")
		}
		row(w, cmp.Or(c.Code, c.Title), discount, minimum, ends, c.Used, limit, given, last, scope, colour(couponState(c, time.Now())))
	}
}

func couponState(c order.Coupon, now time.Time) string {
	switch {
	case !c.Active:
		return "disabled"
	case c.EndsAt != nil && !now.Before(*c.EndsAt):
		return "ended"
	case c.UsageLimit != nil && int64(c.Used) >= *c.UsageLimit:
		return "used up"
	case c.StartsAt != nil && now.Before(*c.StartsAt):
		return "not started"
	}
	return "active"
}
