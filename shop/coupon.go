package shop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// CouponInput asks whether a coupon applies to a cart.
type CouponInput struct {
	Code  string           `json:"code"`
	Items []OrderItemInput `json:"items" minItems:"1" maxItems:"100" nullable:"false"`
}

// CouponResult says whether a coupon applies, and if not, why and what would make it apply.
type CouponResult struct {
	Valid    bool        `json:"valid"`
	Code     string      `json:"code"`
	Reason   *fault.Code `json:"reason" doc:"Why it does not apply"`
	Message  string      `json:"message"`
	Subtotal money.Money `json:"subtotal"`
	Discount money.Money `json:"discount"`
	Total    money.Money `json:"total" doc:"subtotal - discount, before delivery"`
}

// VerifyCoupon checks a coupon against a cart; one that does not apply is a verdict, not an error.
// How often a phone has used it is told to the phone's proven owner only.
// Codes: validation_failed, token errors, rate_limited (too many unknown codes).
func (s *Shop) VerifyCoupon(ctx context.Context, caller access.Caller, in CouponInput) (*CouponResult, error) {
	code, err := in.check()
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	who, err := s.optionalIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	guesses, err := s.couponThrottle(ctx, caller)
	if err != nil {
		return nil, err
	}
	var verdict *CouponResult
	err = s.limitCouponGuesses(ctx, guesses, func() error {
		err := s.view(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			if err := guesses.check(tx); err != nil {
				return err
			}
			verdict, err = set.verifyCoupon(tx, who, code, in.Items)
			return err
		})
		if err == nil && verdict.Reason != nil && *verdict.Reason == fault.CodeCouponNotFound {
			return errNoCoupon()
		}
		return err
	})
	if err != nil && !fault.HasCode(err, fault.CodeCouponNotFound) {
		return nil, err
	}
	return verdict, nil
}

func (set *cachedSettings) verifyCoupon(tx *db.Tx, who identity, code string, items []OrderItemInput) (*CouponResult, error) {
	account, err := who.customer(tx)
	if err != nil {
		return nil, err
	}
	lines, err := findOrderLines(tx, items)
	if err != nil {
		return nil, err
	}
	c := cart{goodsOnly: true, now: tx.Now()}
	refused, err := c.useCoupon(tx, code, couponHolder{account: account}, lines)
	if err != nil {
		return nil, err
	}
	c.lines = cartLines(lines)
	f, err := set.priceCart(c)
	if err != nil {
		return nil, err
	}
	if refused == nil {
		refused = f.refused
	}
	verdict := couponVerdict(set.money, code, f, refused)
	if c.coupon != nil {
		verdict.Code = c.coupon.code
	}
	return verdict, nil
}

// couponThrottle counts codes that no coupon has: whoever tries many is looking for one.
func (s *Shop) couponThrottle(ctx context.Context, caller access.Caller) (throttle, error) {
	t, err := s.throttles(ctx)
	return t.byClient("coupon", caller.Client, t.WrongCodesPerClient), err
}

// limitCouponGuesses runs a try at a coupon code, and counts it where its error is that no coupon has the code:
// in a transaction of its own, because the try has come to nothing. Tries of one client come one
// after the other, so that many at once are no more than those that the limit allows.
func (s *Shop) limitCouponGuesses(ctx context.Context, guesses throttle, try func() error) error {
	if guesses.key == nil {
		return try()
	}
	turn := &s.couponLocks[int(guesses.key[0])%len(s.couponLocks)]
	turn.Lock()
	defer turn.Unlock()
	err := try()
	if !fault.HasCode(err, fault.CodeCouponNotFound) {
		return err
	}
	countErr := s.update(ctx, func(ctx context.Context, tx *db.Tx) error { return guesses.count(tx) })
	return cmp.Or(countErr, err)
}

func (in CouponInput) check() (code string, err error) {
	var bad fault.Invalid
	code = input.CheckLine(&bad, "code", in.Code, MaxCouponCode)
	if code == "" {
		bad.Add("code", fault.CodeRequired, "Give the coupon's code.")
	}
	checkItems(&bad, in.Items)
	return code, bad.Err()
}

func couponVerdict(money money.Currency, code string, f figures, refused *fault.Error) *CouponResult {
	v := &CouponResult{
		Valid: refused == nil, Code: code,
		Subtotal: money.Money(f.subtotal), Discount: money.Money(f.discount), Total: money.Money(f.total),
	}
	switch {
	case refused != nil:
		v.Reason, v.Message = &refused.Code, refused.Message
	case f.freeDelivery:
		v.Message = "Delivery is free with this coupon."
	default:
		v.Message = "You save " + v.Discount.Formatted + "."
	}
	return v
}

// couponHolder is who a coupon's limits are counted for.
type couponHolder struct {
	account customerRow // the zero row: a guest
	phone   string      // of the order being placed; "" while only asking
}

// couponUse is what a coupon's rules ask about its buyer.
type couponUse struct {
	signedIn bool
	times    int // live orders of this buyer that use it
}

// useCoupon puts the coupon with this code into the cart and marks the lines that it is for.
// refused says that there is none.
func (c *cart) useCoupon(tx *db.Tx, code string, who couponHolder, lines []orderLine) (refused *fault.Error, err error) {
	coupon, err := findCoupon(tx, couponKey(code))
	if errors.Is(err, db.ErrNotFound) {
		return errNoCoupon(), nil
	}
	if err != nil {
		return nil, err
	}
	c.coupon, c.use = &coupon, couponUse{signedIn: !who.account.isGuest()}
	if c.use.times, err = countCouponUses(tx, coupon, who); err != nil {
		return nil, err
	}
	return nil, markScope(tx, coupon, lines)
}

func errNoCoupon() *fault.Error {
	return fault.Errorf(fault.CodeCouponNotFound, "There is no coupon with this code.")
}

// markScope marks the lines whose product the coupon is for.
func markScope(tx *db.Tx, coupon couponRow, lines []orderLine) error {
	inScope := map[string]bool{}
	if coupon.scoped {
		ids := make([]string, len(lines))
		for i, line := range lines {
			ids[i] = line.productID
		}
		found, err := findProductsInScope(tx, coupon.id, ids)
		if err != nil {
			return err
		}
		for _, id := range found {
			inScope[id] = true
		}
	}
	for i := range lines {
		lines[i].inScope = !coupon.scoped || inScope[lines[i].productID]
	}
	return nil
}

// couponKey is the form in which codes compare: they ignore case.
func couponKey(code string) string { return strings.ToUpper(code) }

// refusal says why the coupon does not apply; nil: it does. applicable: it is for some line.
func (c *couponRow) refusal(use couponUse, now time.Time, subtotal int64, applicable bool, money money.Currency) *fault.Error {
	switch {
	case !c.active:
		return fault.Errorf(fault.CodeCouponInactive, "This coupon is not in use.")
	case c.startsAt != nil && now.Before(*c.startsAt):
		return fault.Errorf(fault.CodeCouponNotStarted, "This coupon does not apply yet.")
	case c.endsAt != nil && !now.Before(*c.endsAt):
		return fault.Errorf(fault.CodeCouponExpired, "This coupon has run out.")
	case c.requiresLogin && !use.signedIn:
		return fault.Errorf(fault.CodeCouponRequiresLogin, "Sign in to use this coupon.")
	case c.usageLimit != nil && c.used >= *c.usageLimit:
		return fault.Errorf(fault.CodeCouponUsageLimit, "This coupon has been used up.")
	case c.customerLimit != nil && int64(use.times) >= *c.customerLimit:
		return fault.Errorf(fault.CodeCouponCustomerLimit, "You have used this coupon as often as it allows.")
	case !applicable:
		return fault.Errorf(fault.CodeCouponNotApplicable, "This coupon is for other products.")
	case subtotal < c.minSubtotal:
		missing := money.Money(c.minSubtotal - subtotal)
		e := fault.Errorf(fault.CodeCouponMinSubtotal, "Add %s to use this coupon.", missing.Formatted)
		e.Details = map[string]any{"missing": missing}
		return e
	}
	return nil
}

// discountOn gives the discount on goods worth scope.
func (c *couponRow) discountOn(scope int64) int64 {
	switch c.kind {
	case CouponPercentage:
		discount := money.Share(scope, *c.basisPoints, wholeBasisPoints)
		if c.maxDiscount != nil {
			discount = min(discount, *c.maxDiscount)
		}
		return discount
	case CouponFixed:
		return min(*c.amount, scope)
	case CouponFreeDelivery:
		return 0
	}
	panic(fmt.Sprintf("unknown kind of coupon %q", c.kind))
}
