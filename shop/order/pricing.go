package order

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/status"
)

// cart is the input of pricing, without the shop's settings. Amounts are in minor units.
type cart struct {
	lines  []cartLine
	method status.PaymentMethod
	// goodsOnly omits delivery and rounding, for checking a coupon.
	goodsOnly        bool
	deliveryChargeID string // "" means chosen by the address
	// option of an order that staff edit; nil means chosen by deliveryChargeID
	delivery       *DeliveryOption
	deliveryCharge *int64              // charge set by staff; nil means the delivery option's
	staffDiscount  int64               // granted by staff, beside the coupon's
	address        *account.Address    // nil means unknown
	discounts      []automaticDiscount // in the order in which they were created
	coupon         *couponRow
	use            earlierUses
	now            time.Time
	language       locale.Language // of the texts in errors
}

// cartLine is one line of a cart.
type cartLine struct {
	productID      string
	unitPrice      int64
	quantityPrices string // of the product, as stored; "" means none
	quantity       int
	inScope        bool // the cart's coupon applies to this product
}

// figures are the amounts of a priced cart, in minor units.
type figures struct {
	lines            []lineFigures
	subtotal         int64
	discount         int64 // by quantity prices, by automatic discounts, by coupon and by staff
	quantityDiscount int64 // the part of discount by quantity prices
	// the part of discount by automatic discounts
	automaticDiscount int64
	staffDiscount     int64 // the part of discount that staff granted
	deliveryCharge    int64
	rounding          int64
	total             int64
	discounts         []appliedDiscount // automatic ones, in the order in which they were applied
	freeDelivery      bool              // by coupon
	delivery          *DeliveryOption   // the chosen option; nil if the shop has none
	deliveryOptions   []DeliveryOption  // the options available for the address
	// reason why the coupon does not apply; the amounts are without it
	refused *fault.Error
}

type lineFigures struct {
	gross            int64 // unit price × quantity
	discount         int64 // share of the order's discount
	quantityDiscount int64 // the part of discount by quantity prices
	// the part of discount by automatic discounts
	automaticDiscount int64
}

// priceCart computes all amounts. Checking a coupon, quoting and placing an order all use it, so
// that they agree. It depends on its arguments only. Each step reduces what the steps before have
// left: quantity prices, automatic discounts, the coupon and staff's discount, of the items; then
// the delivery charge is added unless a discount or the coupon waives it, and a cash total is
// rounded. Minimum subtotals compare the items at their quantity prices. Codes: validation_failed
// (amounts too large), delivery_charge_required.
func (set *Settings) priceCart(c cart) (figures, error) {
	f, err := sumLines(c.lines)
	if err != nil {
		return figures{}, err
	}
	if err := f.applyQuantityPrices(c.lines); err != nil {
		return figures{}, err
	}
	f.applyDiscounts(c, set.Currency)
	if c.coupon != nil {
		f.applyCoupon(c, set.Currency)
	}
	if err := f.addStaffDiscount(c.staffDiscount, set.Currency); err != nil {
		return figures{}, err
	}
	f.total = f.subtotal - f.discount
	if c.goodsOnly {
		return f, nil
	}
	if err := f.addDelivery(set, c); err != nil {
		return figures{}, err
	}
	if c.method == status.PayCOD {
		f.rounding = set.cashRoundingOf(f.total)
		f.total -= f.rounding
	}
	return f, nil
}

// cashRoundingOf returns the amount by which a total is rounded down if it is paid in cash. A
// positive total never becomes zero, because zero would count as paid.
func (set *Settings) cashRoundingOf(total int64) int64 {
	unit := set.cashUnit()
	if total < unit {
		return 0
	}
	return total % unit
}

// cashUnit returns the smallest unit of cash totals, in minor units.
func (set *Settings) cashUnit() int64 {
	if set.CashRounding != 0 {
		return set.CashRounding
	}
	return set.Currency.CashUnit()
}

func sumLines(lines []cartLine) (figures, error) {
	f := figures{lines: make([]lineFigures, len(lines))}
	for i, line := range lines {
		gross, ok := money.Multiply(line.unitPrice, line.quantity)
		if ok {
			f.subtotal, ok = money.Add(f.subtotal, gross)
		}
		if !ok || f.subtotal > money.MaxAmount {
			return figures{}, errTotalTooLarge()
		}
		f.lines[i].gross = gross
	}
	return f, nil
}

func errTotalTooLarge() error {
	var bad fault.Invalid
	bad.Add("items", fault.CodeInvalidValue, "The total exceeds the maximum of an order: reduce the quantities.")
	return bad.Err()
}

// applyQuantityPrices adds the discount by the quantity prices of each product. Its lines share it
// in proportion to their prices.
func (f *figures) applyQuantityPrices(lines []cartLine) error {
	byProduct := map[string][]int{}
	for i, line := range lines {
		if line.quantityPrices != "" {
			byProduct[line.productID] = append(byProduct[line.productID], i)
		}
	}
	for _, indexes := range byProduct {
		var prices catalogue.QuantityPrices
		units, weights := make([]catalogue.Units, len(indexes)), make([]int64, len(indexes))
		for n, i := range indexes {
			some, err := catalogue.ParseQuantityPrices(lines[i].quantityPrices)
			if err != nil {
				return err
			}
			prices = prices.Merge(some) // lines of one order may be of different times
			units[n] = catalogue.Units{Price: lines[i].unitPrice, Quantity: lines[i].quantity}
			weights[n] = f.lines[i].gross
		}
		discount := prices.Discount(units)
		for n, part := range splitAmount(discount, weights) {
			line := &f.lines[indexes[n]]
			line.discount, line.quantityDiscount = part, part
		}
		f.quantityDiscount += discount
	}
	f.discount = f.quantityDiscount
	return nil
}

// couponDiscount returns the part of the discount by the coupon.
func (f *figures) couponDiscount() int64 {
	return f.discount - f.staffDiscount - f.automaticDiscount - f.quantityDiscount
}

// applyCoupon adds the discount, or sets the reason why the coupon does not apply in f.refused.
func (f *figures) applyCoupon(c cart, currency money.Currency) {
	inScope := make([]int64, len(c.lines))
	var scope int64
	applicable := false
	for i, line := range c.lines {
		if line.inScope {
			inScope[i] = f.lines[i].gross - f.lines[i].discount
			scope += inScope[i]
			applicable = true
		}
	}
	if f.refused = c.coupon.refusal(c.use, c.now, f.subtotal-f.quantityDiscount, applicable, currency); f.refused != nil {
		return
	}
	f.freeDelivery = c.coupon.kind == CouponFreeDelivery
	discount := c.coupon.discountOn(scope)
	for i, part := range splitAmount(discount, inScope) {
		f.lines[i].discount += part
	}
	f.discount += discount
}

// addStaffDiscount adds staff's discount, in proportion to the costs of the lines after all other
// discounts. Codes: validation_failed (more than the lines cost).
func (f *figures) addStaffDiscount(amount int64, currency money.Currency) error {
	if amount == 0 {
		return nil
	}
	if rest := f.subtotal - f.discount; amount > rest {
		var bad fault.Invalid
		bad.Add("staffDiscount.amount", fault.CodeInvalidValue, "The discount must not exceed the price of the items: %s.", currency.Text(rest))
		return bad.Err()
	}
	weights := make([]int64, len(f.lines))
	for i, line := range f.lines {
		weights[i] = line.gross - line.discount
	}
	for i, part := range splitAmount(amount, weights) {
		f.lines[i].discount += part
	}
	f.staffDiscount, f.discount = amount, f.discount+amount
	return nil
}

// splitAmount divides amount in proportion to weights; it must not exceed their sum. Each part is
// rounded down; the remaining units go to the parts with the largest remainders, the first of
// equals first. The parts add up to amount, and none exceeds its weight.
func splitAmount(amount int64, weights []int64) []int64 {
	parts := make([]int64, len(weights))
	var whole int64
	for _, w := range weights {
		whole += w
	}
	if amount == 0 || whole == 0 {
		return parts
	}
	remainders := make([]uint64, len(weights)) // in units of 1/whole
	order := make([]int, len(weights))
	rest := amount
	for i, w := range weights {
		hi, lo := bits.Mul64(uint64(amount), uint64(w))
		part, remainder := bits.Div64(hi, lo, uint64(whole))
		parts[i], remainders[i], order[i] = int64(part), remainder, i
		rest -= parts[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainders[b], remainders[a]) })
	for _, i := range order[:rest] {
		parts[i]++
	}
	return parts
}
