package shop

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"storefront/shop/fault"
	"storefront/shop/money"
)

// cart is all that a price depends on besides the shop's settings. Amounts are in minor units.
type cart struct {
	lines  []cartLine
	method PaymentMethod
	// goodsOnly leaves delivery and rounding out: what a coupon check shows.
	goodsOnly        bool
	deliveryChargeID string   // "": by address
	address          *Address // nil: not known yet
	coupon           *couponRow
	use              couponUse
	now              time.Time
}

// cartLine is one line of a cart.
type cartLine struct {
	unitPrice int64
	quantity  int
	inScope   bool // the cart's coupon is for this product
}

// figures are what a cart costs. Amounts are in minor units.
type figures struct {
	lines           []lineFigures
	subtotal        int64
	discount        int64
	deliveryCharge  int64
	rounding        int64
	total           int64
	freeDelivery    bool             // by coupon
	delivery        *DeliveryOption  // the chosen one; nil where the shop has none
	deliveryOptions []DeliveryOption // those that can be chosen
	refused         *fault.Error     // why the coupon does not apply; the figures are without it
}

type lineFigures struct {
	gross    int64 // unit price × quantity
	discount int64 // share of the order's discount
}

// priceCart is the one place where amounts are worked out: checking a coupon, quoting and placing
// go through it, so that they agree. It depends on its arguments only.
// Codes: validation_failed (amounts too large), delivery_charge_required.
func (set *cachedSettings) priceCart(c cart) (figures, error) {
	f, err := sumLines(c.lines)
	if err != nil {
		return figures{}, err
	}
	if c.coupon != nil {
		f.applyCoupon(c, set.money)
	}
	f.total = f.subtotal - f.discount
	if c.goodsOnly {
		return f, nil
	}
	if err := f.addDelivery(set, c); err != nil {
		return figures{}, err
	}
	if c.method == PayCOD {
		f.rounding = f.total % int64(set.money.Scale())
		f.total -= f.rounding
	}
	return f, nil
}

func sumLines(lines []cartLine) (figures, error) {
	f := figures{lines: make([]lineFigures, len(lines))}
	for i, line := range lines {
		gross, ok := money.Multiply(line.unitPrice, line.quantity)
		if ok {
			f.subtotal, ok = money.Add(f.subtotal, gross)
		}
		if !ok || f.subtotal > money.MaxAmount {
			return figures{}, errTooMuch()
		}
		f.lines[i].gross = gross
	}
	return f, nil
}

func errTooMuch() error {
	var bad fault.Invalid
	bad.Add("items", fault.CodeInvalidValue, "This is more than one order can be worth.")
	return bad.Err()
}

// applyCoupon takes the discount off, or says why there is none.
func (f *figures) applyCoupon(c cart, money money.Currency) {
	inScope := make([]int64, len(c.lines))
	var scope int64
	applicable := false
	for i, line := range c.lines {
		if line.inScope {
			inScope[i] = f.lines[i].gross
			scope += inScope[i]
			applicable = true
		}
	}
	if f.refused = c.coupon.refusal(c.use, c.now, f.subtotal, applicable, money); f.refused != nil {
		return
	}
	f.freeDelivery = c.coupon.kind == CouponFreeDelivery
	f.discount = c.coupon.discountOn(scope)
	for i, part := range splitAmount(f.discount, inScope) {
		f.lines[i].discount = part
	}
}

// splitAmount shares amount out in proportion to weights, whose sum it must not exceed: each part
// rounded down, then one unit more for those that lost most, the first of equals before the
// others. The parts add up to amount, and none exceeds its weight.
func splitAmount(amount int64, weights []int64) []int64 {
	parts := make([]int64, len(weights))
	var whole int64
	for _, w := range weights {
		whole += w
	}
	if amount == 0 || whole == 0 {
		return parts
	}
	lost := make([]uint64, len(weights)) // in units of 1/whole
	order := make([]int, len(weights))
	rest := amount
	for i, w := range weights {
		hi, lo := bits.Mul64(uint64(amount), uint64(w))
		part, remainder := bits.Div64(hi, lo, uint64(whole))
		parts[i], lost[i], order[i] = int64(part), remainder, i
		rest -= parts[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lost[b], lost[a]) })
	for _, i := range order[:rest] {
		parts[i]++
	}
	return parts
}
