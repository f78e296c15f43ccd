package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/throttle"
)

// CouponInput is a coupon code and the cart to check it against.
type CouponInput struct {
	Code  string      `json:"code"`
	Items []ItemInput `json:"items" minItems:"1" maxItems:"100" nullable:"false"`
	// ReplacesOrderID is as in [Input].
	ReplacesOrderID *string `json:"replacesOrderId,omitempty" doc:"Invoice UID of an unpaid order of the caller; its use of the coupon does not count"`
}

// CouponResult reports whether a coupon applies to a cart, and if not, the reason and the remedy.
type CouponResult struct {
	Valid    bool        `json:"valid"`
	Code     string      `json:"code"`
	Reason   *fault.Code `json:"reason" doc:"Reason why the coupon does not apply"`
	Message  string      `json:"message"`
	Subtotal money.Money `json:"subtotal" doc:"Price of the items at their quantity prices"`
	// Discounts are without free delivery.
	Discounts []AppliedDiscount `json:"discounts" nullable:"false" doc:"The automatic discounts on the items, before the coupon's"`
	Discount  money.Money       `json:"discount" doc:"The coupon's, on what the automatic discounts have left"`
	Total     money.Money       `json:"total" doc:"subtotal less discounts and discount, before delivery"`
}

// VerifyCoupon checks a coupon against a cart. A coupon that does not apply is a result, not an
// error. Uses by a phone number count only if the caller's account has verified the number. Codes:
// validation_failed, token errors, rate_limited (too many unknown codes), and for the order to
// replace not_found, not_cancellable, state_conflict.
func (s *Orders) VerifyCoupon(ctx context.Context, caller access.Caller, in CouponInput) (*CouponResult, error) {
	code, err := in.check()
	if err != nil {
		return nil, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	buyer, err := s.cfg.Accounts.OptionalIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	guesses, err := s.couponThrottle(ctx, caller)
	if err != nil {
		return nil, err
	}
	replaces, err := s.newReplacement(ctx, caller, in.ReplacesOrderID)
	if err != nil {
		return nil, err
	}
	defer s.lockCouponGuesses(guesses)()
	var result *CouponResult
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if err := guesses.Check(tx); err != nil {
			return err
		}
		holder := couponHolder{}
		if holder.account, err = buyer.Customer(tx); err != nil {
			return err
		}
		if holder.replaced, err = replaces.find(tx); err != nil {
			return err
		}
		if result, err = set.verifyCoupon(tx, holder, code, in.Items); err != nil {
			return err
		}
		if !result.isHeld() {
			return nil
		}
		holding, err := replaces.findHolding(tx, holder.account, "")
		if err != nil {
			return err
		}
		for _, o := range holding {
			holder.replaced = o
			again, err := set.verifyCoupon(tx, holder, code, in.Items)
			if err != nil {
				return err
			}
			if !again.isHeld() {
				result = again
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	set.translateApplied(caller.Language, result.Discounts)
	if result.Reason != nil && *result.Reason == fault.CodeCouponNotFound {
		if err := s.countCouponGuess(ctx, guesses); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// isHeld reports whether the coupon is refused because of a use that another order of the same
// buyer may hold.
func (r *CouponResult) isHeld() bool {
	return r.Reason != nil && (*r.Reason == fault.CodeCouponUsageLimit || *r.Reason == fault.CodeCouponCustomerLimit)
}

func (set *Settings) verifyCoupon(tx *db.Tx, holder couponHolder, code string, items []ItemInput) (*CouponResult, error) {
	lines, err := findOrderLines(tx, items)
	if err != nil {
		return nil, err
	}
	c := cart{goodsOnly: true, now: tx.Now()}
	refused, err := c.useOffers(tx, code, holder, lines)
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
	result := couponResult(set.Currency, code, f, refused)
	if c.coupon != nil {
		result.Code = c.coupon.code
	}
	return result, nil
}

// couponThrottle limits the unknown coupon codes from a client, so that codes cannot be guessed.
func (s *Orders) couponThrottle(ctx context.Context, caller access.Caller) (throttle.Throttle, error) {
	return s.cfg.Accounts.ClientThrottle(ctx, "coupon", caller.Client)
}

// lockCouponGuesses serialises the requests of one client with a coupon code, so that concurrent
// requests cannot exceed the limit between its check and its count. The caller must call unlock.
func (s *Orders) lockCouponGuesses(guesses throttle.Throttle) (unlock func()) {
	if guesses.Key() == nil {
		return func() {}
	}
	mu := &s.couponLocks[int(guesses.Key()[0])%len(s.couponLocks)]
	mu.Lock()
	return mu.Unlock
}

// limitCouponGuesses counts a wrong code if the request failed with coupon_not_found. It returns
// err, or the error of counting.
func (s *Orders) limitCouponGuesses(ctx context.Context, guesses throttle.Throttle, err error) error {
	if !fault.HasCode(err, fault.CodeCouponNotFound) {
		return err
	}
	return cmp.Or(s.countCouponGuess(ctx, guesses), err)
}

// countCouponGuess counts a wrong code in a transaction of its own, since a failed request's is
// rolled back.
func (s *Orders) countCouponGuess(ctx context.Context, guesses throttle.Throttle) error {
	if guesses.Key() == nil {
		return nil
	}
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return guesses.Count(tx) })
}

func (in CouponInput) check() (code string, err error) {
	var bad fault.Invalid
	code = input.CheckLine(&bad, "code", in.Code, MaxCouponCode)
	if code == "" {
		bad.Add("code", fault.CodeRequired, "A coupon code is required.")
	}
	checkItems(&bad, in.Items)
	return code, bad.Err()
}

func couponResult(currency money.Currency, code string, f figures, refused *fault.Error) *CouponResult {
	result := &CouponResult{
		Valid: refused == nil, Code: code,
		Subtotal: currency.Money(f.subtotal - f.quantityDiscount), Discount: currency.Money(f.couponDiscount()),
		Discounts: f.appliedViews(currency),
		Total:     currency.Money(f.total),
	}
	switch {
	case refused != nil:
		result.Reason, result.Message = &refused.Code, refused.Message
	case f.freeDelivery:
		result.Message = "Delivery is free with this coupon."
	default:
		result.Message = "You save " + result.Discount.Text() + "."
	}
	return result
}

// couponHolder is a buyer with uses that count against a coupon's limits.
type couponHolder struct {
	account account.Account // the zero row for a guest
	phone   string          // of the order being placed; "" for a quote or a check
	// replaced is the order that the cart replaces: its coupon use does not count. It is nil if there
	// is none.
	replaced *orderRow
}

// earlierUses are the facts that a coupon's rules depend on besides the cart.
type earlierUses struct {
	signedIn bool
	times    int // orders of this buyer that use the coupon, except cancelled and expired ones
}

// useOffers adds the automatic discounts to a buyer's cart, and the coupon with this code unless it
// is "". refused is as for useCoupon.
func (c *cart) useOffers(tx *db.Tx, code string, holder couponHolder, lines []orderLine) (refused *fault.Error, err error) {
	if err := c.useDiscounts(tx, holder, nil, lines); err != nil {
		return nil, err
	}
	if code == "" {
		return nil, nil
	}
	return c.useCoupon(tx, code, holder, lines)
}

// useCoupon adds the coupon with this code to the cart and marks the lines that it applies to.
// refused is coupon_not_found if no coupon has the code.
func (c *cart) useCoupon(tx *db.Tx, code string, holder couponHolder, lines []orderLine) (refused *fault.Error, err error) {
	coupon, err := findCoupon(tx, couponKey(code))
	if errors.Is(err, db.ErrNotFound) {
		return errNoCoupon(), nil
	}
	if err != nil {
		return nil, err
	}
	if holder.replaced != nil && db.TextOf(holder.replaced.couponID) == coupon.id {
		coupon.used--
	}
	c.coupon, c.use = &coupon, earlierUses{signedIn: !holder.account.IsGuest()}
	if c.use.times, err = countCouponUses(tx, coupon, holder); err != nil {
		return nil, err
	}
	return nil, markScope(tx, coupon, lines)
}

func errNoCoupon() *fault.Error {
	return fault.Errorf(fault.CodeCouponNotFound, "No coupon has this code.")
}

// markScope marks the lines with a product in the coupon's scope.
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

// couponKey returns the form of codes for comparison.
func couponKey(code string) string { return input.CodeKey(code) }

// refusal returns the reason why the coupon does not apply; nil if it does. applicable reports
// whether it applies to at least one line.
func (c *couponRow) refusal(use earlierUses, now time.Time, subtotal int64, applicable bool, currency money.Currency) *fault.Error {
	switch {
	case !c.active:
		return fault.Errorf(fault.CodeCouponInactive, "This coupon is not active.")
	case c.startsAt != nil && now.Before(*c.startsAt):
		return fault.Errorf(fault.CodeCouponNotStarted, "This coupon is not valid yet.")
	case c.endsAt != nil && !now.Before(*c.endsAt):
		return fault.Errorf(fault.CodeCouponExpired, "This coupon has expired.")
	case c.requiresLogin && !use.signedIn:
		return fault.Errorf(fault.CodeCouponRequiresLogin, "Sign in to use this coupon.")
	case c.usageLimit != nil && c.used >= *c.usageLimit:
		return fault.Errorf(fault.CodeCouponUsageLimit, "This coupon has been used up.")
	case c.customerLimit != nil && int64(use.times) >= *c.customerLimit:
		return fault.Errorf(fault.CodeCouponCustomerLimit, "You have already used this coupon as often as allowed.")
	case !applicable:
		return fault.Errorf(fault.CodeCouponNotApplicable, "This coupon does not apply to these products.")
	case subtotal < c.minSubtotal:
		missing := currency.Money(c.minSubtotal - subtotal)
		e := fault.Errorf(fault.CodeCouponMinSubtotal, "Add %s to use this coupon.", missing.Text())
		e.Details = map[string]any{"missing": missing}
		return e
	}
	return nil
}

// discountOn returns the discount on lines that sum to scope, in minor units.
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
	panic(fmt.Sprintf("unknown coupon kind %q", c.kind))
}
