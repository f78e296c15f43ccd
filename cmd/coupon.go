package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newCouponCommand(a *app) *cobra.Command {
	return newGroupCommand("coupon", "Make and switch off a shop's discount codes",
		newCouponCreateCommand(a),
		newCouponListCommand(a),
		newCouponDisableCommand(a),
	)
}

// couponFlags are the flags of coupon create; amounts are decimals of the shop's currency.
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
		Short: "Make a coupon, or change the one that has the code",
		Long: `Make a coupon, or make the one that has the code what the flags say; how often it was used stays.
Codes ignore case. Amounts are decimals of the shop's currency.`,
		Example: `  storefront coupon create acme --code EID10 --percent 10 --max-discount 500
  storefront coupon create acme --code TAKA100 --amount 100 --min-subtotal 1000 --limit 50 --per-customer 1
  storefront coupon create acme --code FREESHIP --free-delivery --ends 2026-04-01`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				spec, err := f.spec(cmd, s)
				if err != nil {
					return err
				}
				coupon, err := s.SaveCoupon(cmd.Context(), spec)
				if err != nil {
					return err
				}
				return a.print(coupon, func(w io.Writer) { fmt.Fprintf(w, "Saved the coupon %s%s.\n", coupon.Code, period(coupon)) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.code, "code", "", "what buyers type")
	flags.StringVar(&f.percent, "percent", "", "takes off so many percent, such as 12.5")
	flags.StringVar(&f.amount, "amount", "", "takes off a fixed amount")
	flags.BoolVar(&f.freeDelivery, "free-delivery", false, "takes off the delivery charge")
	flags.StringVar(&f.maxDiscount, "max-discount", "", "with --percent: no more than this")
	flags.StringVar(&f.minSubtotal, "min-subtotal", "", "only for orders worth this before discount")
	flags.StringVar(&f.starts, "starts", "", "first day, such as 2026-03-01; "+dayUsage)
	flags.StringVar(&f.ends, "ends", "", "first day on which it no longer applies; "+dayUsage)
	flags.Int64Var(&f.limit, "limit", 0, "orders in all (default any number)")
	flags.Int64Var(&f.perCustomer, "per-customer", 0, "orders of one account or phone (default any number)")
	flags.StringSliceVar(&f.collections, "collection", nil, "only for this collection, by handle; may be repeated")
	flags.StringSliceVar(&f.products, "product", nil, "only for this product, by handle; may be repeated")
	flags.BoolVar(&f.requiresLogin, "requires-login", false, "only for buyers who are signed in")
	cobra.CheckErr(cmd.MarkFlagRequired("code"))
	cmd.MarkFlagsOneRequired("percent", "amount", "free-delivery")
	cmd.MarkFlagsMutuallyExclusive("percent", "amount", "free-delivery")
	return cmd
}

// period says when a coupon applies; "": always.
func period(c *shop.Coupon) (said string) {
	if c.StartsAt != nil {
		said += ", from " + localTime(*c.StartsAt)
	}
	if c.EndsAt != nil {
		said += ", until " + localTime(*c.EndsAt)
	}
	return said
}

// spec reads the flags with the decimals of the shop's currency.
func (f *couponFlags) spec(cmd *cobra.Command, s *shop.Shop) (spec shop.CouponSpec, err error) {
	money, err := currencyOf(cmd.Context(), s)
	if err != nil {
		return spec, err
	}
	spec = shop.CouponSpec{
		Code: f.code, Kind: shop.CouponFreeDelivery, Collections: f.collections, Products: f.products,
		RequiresLogin: f.requiresLogin, Active: true,
	}
	usage := func(format string, args ...any) error {
		return &usageError{err: fmt.Errorf(format, args...), command: cmd.CommandPath()}
	}
	for _, amount := range []struct {
		flag, text string
		into       **int64
	}{{"amount", f.amount, &spec.Amount}, {"max-discount", f.maxDiscount, &spec.MaxDiscount}, {"min-subtotal", f.minSubtotal, &spec.MinSubtotal}} {
		if amount.text == "" {
			continue
		}
		n, ok := money.Parse(amount.text)
		if !ok {
			return spec, usage("--%s is an amount such as %s", amount.flag, money.Decimal(100_00))
		}
		*amount.into = &n
	}
	switch {
	case f.percent != "":
		spec.Kind = shop.CouponPercentage
		points, err := basisPoints(f.percent)
		if err != nil {
			return spec, usage("--percent is more than 0 and at most 100, with two decimals at most")
		}
		spec.BasisPoints = &points
	case f.amount != "":
		spec.Kind = shop.CouponFixed
	}
	if cmd.Flags().Changed("limit") {
		spec.UsageLimit = &f.limit
	}
	if cmd.Flags().Changed("per-customer") {
		spec.CustomerLimit = &f.perCustomer
	}
	if spec.StartsAt, err = readMoment(cmd, "starts", f.starts); err != nil {
		return spec, err
	}
	spec.EndsAt, err = readMoment(cmd, "ends", f.ends)
	return spec, err
}

// basisPoints reads a percentage: 12.5 is 1250.
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

func currencyOf(ctx context.Context, s *shop.Shop) (shop.Currency, error) {
	settings, err := s.Settings(ctx)
	if err != nil {
		return shop.Currency{}, err
	}
	money, _ := shop.ParseCurrency(settings.Currency) // which the shop has checked
	return money, nil
}

func newCouponListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "list UID",
		Short:             "List a shop's coupons",
		Example:           "  storefront coupon list acme",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				coupons, err := s.ListCoupons(cmd.Context())
				if err != nil {
					return err
				}
				money, err := currencyOf(cmd.Context(), s)
				if err != nil {
					return err
				}
				return a.print(coupons, func(w io.Writer) { printCoupons(w, coupons, money) })
			})
		},
	}
}

func printCoupons(w io.Writer, coupons []shop.Coupon, money shop.Currency) {
	if len(coupons) == 0 {
		fmt.Fprintln(w, "There are no coupons.")
		return
	}
	row(w, "CODE", "TAKES OFF", "FROM", "ENDS", "USED", "LIMIT", "FOR", "STATE")
	for _, c := range coupons {
		takes := "the delivery"
		switch {
		case c.BasisPoints != nil:
			takes = strconv.FormatFloat(float64(*c.BasisPoints)/100, 'f', -1, 64) + " %"
		case c.Amount != nil:
			takes = money.Format(*c.Amount)
		}
		from, ends, limit := "", "", ""
		if c.MinSubtotal != nil {
			from = money.Format(*c.MinSubtotal)
		}
		if c.EndsAt != nil {
			ends = localTime(*c.EndsAt)
		}
		if c.UsageLimit != nil {
			limit = strconv.FormatInt(*c.UsageLimit, 10)
		}
		scope := "everything"
		if c.Scoped {
			scope = strings.Join(append(append([]string{}, c.Collections...), c.Products...), ", ")
		}
		row(w, c.Code, takes, from, ends, c.Used, limit, scope, couponState(c, time.Now()))
	}
}

func couponState(c shop.Coupon, now time.Time) string {
	switch {
	case !c.Active:
		return "off"
	case c.EndsAt != nil && !now.Before(*c.EndsAt):
		return "ended"
	case c.UsageLimit != nil && int64(c.Used) >= *c.UsageLimit:
		return "used up"
	case c.StartsAt != nil && now.Before(*c.StartsAt):
		return "not begun"
	}
	return "active"
}

func newCouponDisableCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "disable UID CODE",
		Short:             "Switch a coupon off; orders that used it keep their discount",
		Example:           "  storefront coupon disable acme EID10",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				coupon, err := s.DisableCoupon(cmd.Context(), args[1])
				if shop.HasCode(err, shop.CodeCouponNotFound) {
					return withHint(err, "%s", a.command("coupon list "+args[0]))
				}
				if err != nil {
					return err
				}
				return a.print(coupon, func(w io.Writer) { fmt.Fprintf(w, "The coupon %s is off.\n", coupon.Code) })
			})
		},
	}
}
