package order

import (
	"cmp"
	"slices"
	"time"

	"storefront/shop/money"
)

// automaticDiscount is an automatic discount that a cart may get.
type automaticDiscount struct {
	couponRow
	use earlierUses
	buy []bool // by line: whether it applies to the line; for buy_get, whether its units can be bought
	get []bool // by line, for buy_get: whether its units can be got
}

// appliedDiscount is an automatic discount that a cart gets.
type appliedDiscount struct {
	*automaticDiscount
	allocation
	amount int64 // minor units
}

// allocation is the part of a cart that a discount uses.
type allocation struct {
	units []int   // by line: the units that count for it, and for no other discount
	parts []int64 // by line: the discount
}

// openUnits are the units of a cart that count for no automatic discount yet.
type openUnits struct {
	units   []int   // by line
	amounts []int64 // by line: their price after quantity prices
}

// applyDiscounts adds the automatic discounts on the items. A unit counts for at most one of them,
// as a unit with a lower price or as one that is bought in a set. The discount with the largest
// amount goes first, the oldest of equals, and each of the next ones is chosen in the same way for
// the remaining units. Each is applied once, to as many units as possible, so that the work is
// limited by the numbers of discounts and lines.
func (f *figures) applyDiscounts(c cart, currency money.Currency) {
	rest := openUnits{make([]int, len(c.lines)), make([]int64, len(c.lines))}
	for i, line := range c.lines {
		rest.units[i], rest.amounts[i] = line.quantity, f.lines[i].gross-f.lines[i].discount
	}
	var open []*automaticDiscount
	for i := range c.discounts {
		if d := &c.discounts[i]; d.kind != CouponFreeDelivery && d.applies(f, c.now, currency) {
			open = append(open, d)
		}
	}
	for {
		best := -1
		var most appliedDiscount
		for i, d := range open {
			if a := d.on(rest); a.amount > most.amount {
				best, most = i, a
			}
		}
		if best < 0 {
			return
		}
		open = slices.Delete(open, best, best+1)
		rest.remove(most.units)
		for i, part := range most.parts {
			f.lines[i].discount += part
			f.lines[i].automaticDiscount += part
		}
		f.automaticDiscount += most.amount
		f.discount += most.amount
		f.discounts = append(f.discounts, most)
	}
}

// applies reports whether the discount's rules permit it for a cart with quantity prices.
func (d *automaticDiscount) applies(f *figures, now time.Time, currency money.Currency) bool {
	isInScope := slices.Contains(d.buy, true)
	return d.refusal(d.use, now, f.subtotal-f.quantityDiscount, isInScope, currency) == nil
}

// on returns the discount on the open units.
func (d *automaticDiscount) on(rest openUnits) appliedDiscount {
	a := appliedDiscount{automaticDiscount: d}
	if d.kind == CouponBuyGet {
		a.allocation = d.allocateSets(rest)
	} else {
		a.allocation = d.allocateAll(rest)
	}
	for _, part := range a.parts {
		a.amount += part
	}
	return a
}

// allocateAll returns the discount on all open units in the scope.
func (d *automaticDiscount) allocateAll(rest openUnits) allocation {
	a := allocation{units: make([]int, len(rest.units))}
	weights := make([]int64, len(rest.units))
	var scope int64
	for i, units := range rest.units {
		if d.buy[i] {
			a.units[i], weights[i] = units, rest.amounts[i]
			scope += rest.amounts[i]
		}
	}
	a.parts = splitAmount(d.discountOn(scope), weights)
	return a
}

// allocateSets returns the discount of as many sets as the open units contain. The cheapest units
// to get are discounted, and the cheapest of the other units are bought.
func (d *automaticDiscount) allocateSets(rest openUnits) allocation {
	a := allocation{make([]int, len(rest.units)), make([]int64, len(rest.units))}
	buy, get := int(*d.buyQuantity), int(*d.getQuantity)
	var bought, got, either int // open units that can be bought or got
	for i, units := range rest.units {
		if d.buy[i] {
			bought += units
		}
		if d.get[i] {
			got += units
		}
		if d.buy[i] || d.get[i] {
			either += units
		}
	}
	sets := min(bought/buy, got/get, either/(buy+get))
	byPrice := rest.byPrice()
	spare := bought - sets*buy // units that can be got although they can be bought
	left := sets * get
	for _, i := range byPrice {
		if !d.get[i] {
			continue
		}
		units := min(rest.units[i], left)
		if d.buy[i] {
			units = min(units, spare)
			spare -= units
		}
		left -= units
		a.units[i] = units
		if units > 0 {
			a.parts[i] = money.Share(rest.amountOf(i, units), *d.basisPoints, wholeBasisPoints)
		}
	}
	left = sets * buy
	for _, i := range byPrice {
		if d.buy[i] {
			units := min(rest.units[i]-a.units[i], left)
			left -= units
			a.units[i] += units
		}
	}
	return a
}

// byPrice returns the lines with open units, the cheapest units first, in the order of the cart if
// they cost the same.
func (r openUnits) byPrice() []int {
	var lines []int
	for i, units := range r.units {
		if units > 0 {
			lines = append(lines, i)
		}
	}
	slices.SortStableFunc(lines, func(a, b int) int {
		return cmp.Compare(r.amounts[a]/int64(r.units[a]), r.amounts[b]/int64(r.units[b]))
	})
	return lines
}

// amountOf returns the price of some open units of a line, rounded down.
func (r openUnits) amountOf(line, units int) int64 {
	return money.Share(r.amounts[line], int64(units), int64(r.units[line]))
}

// remove removes units that count for a discount.
func (r openUnits) remove(units []int) {
	for i, n := range units {
		if n > 0 {
			r.amounts[i] -= r.amountOf(i, n)
			r.units[i] -= n
		}
	}
}

// waiveDelivery returns whether the delivery charge is not due: by the oldest automatic discount
// that applies, or by the coupon. A charge that is zero needs neither.
func (f *figures) waiveDelivery(c cart, currency money.Currency) bool {
	for i := range c.discounts {
		d := &c.discounts[i]
		if f.deliveryCharge > 0 && d.kind == CouponFreeDelivery && d.applies(f, c.now, currency) {
			f.discounts = append(f.discounts, appliedDiscount{automaticDiscount: d, amount: f.deliveryCharge})
			return true
		}
	}
	return f.freeDelivery
}
