package catalogue

import (
	"math/big"

	"storefront/shop/fault"
	"storefront/shop/money"
)

// CompareAtRule is what a change of prices does with the prices before a sale.
//
//api:enum CompareAtRule
type CompareAtRule string

// The rules of prices before a sale.
const (
	CompareAtKept CompareAtRule = "keep" // they stay
	// The price before the change becomes that before a sale, if it falls; a higher one stays.
	CompareAtSet   CompareAtRule = "set"
	CompareAtClear CompareAtRule = "clear" // they are removed
)

// PriceChange changes the price of each variant of a product.
type PriceChange struct {
	BasisPoints int64         `json:"basisPoints,omitempty"` // to add, or to subtract if negative: -1000 is a tenth less
	Amount      int64         `json:"amount,omitempty"`      // to add, in minor units, or to subtract if negative
	RoundTo     int64         `json:"roundTo,omitempty"`     // the price becomes the nearest multiple, in minor units; 0 means none
	CompareAt   CompareAtRule `json:"compareAt,omitempty"`   // empty means CompareAtKept
}

// Limits of a change of prices.
const (
	wholeBasisPoints = 10_000
	maxBasisPoints   = 10 * wholeBasisPoints
)

// Check adds invalid fields to bad.
func (c *PriceChange) Check(bad *fault.Invalid, at string) {
	switch {
	case (c.BasisPoints == 0) == (c.Amount == 0):
		bad.Add(at+".basisPoints", fault.CodeRequired, "Send either basisPoints or amount, other than 0.")
	case c.BasisPoints <= -wholeBasisPoints || c.BasisPoints > maxBasisPoints:
		bad.Add(at+".basisPoints", fault.CodeInvalidValue, "Must be above -%d and at most %d.", wholeBasisPoints, maxBasisPoints)
	case c.Amount < -money.MaxAmount || c.Amount > money.MaxAmount:
		bad.Add(at+".amount", fault.CodeInvalidValue, "Must be an amount.")
	}
	if !money.IsAmount(c.RoundTo) {
		bad.Add(at+".roundTo", fault.CodeInvalidValue, "Must be an amount that is not negative.")
	}
	switch c.CompareAt {
	case "", CompareAtKept, CompareAtSet, CompareAtClear:
	default:
		bad.Add(at+".compareAt", fault.CodeInvalidValue, "Must be keep, set or clear.")
	}
}

// price returns the changed price, rounded half up. ok is false if it is not above zero, or too
// high.
func (c *PriceChange) price(before int64) (after int64, ok bool) {
	price := new(big.Int).Mul(big.NewInt(before), big.NewInt(wholeBasisPoints+c.BasisPoints))
	price.Add(price, new(big.Int).Mul(big.NewInt(c.Amount), big.NewInt(wholeBasisPoints)))
	unit := max(c.RoundTo, 1)
	step := new(big.Int).Mul(big.NewInt(unit), big.NewInt(wholeBasisPoints))
	price.Mul(price, big.NewInt(2)).Add(price, step)
	price.Div(price, step.Mul(step, big.NewInt(2))).Mul(price, big.NewInt(unit))
	if !price.IsInt64() || price.Sign() <= 0 || !money.IsAmount(price.Int64()) {
		return 0, false
	}
	return price.Int64(), true
}

// apply changes the price of a variant.
func (c *PriceChange) apply(v *VariantInput, at string, bad *fault.Invalid) {
	before := v.Price
	after, ok := c.price(before)
	if !ok {
		bad.Add(at+".price", fault.CodeInvalidValue, "The price would not be above zero, or it would be too high.")
		return
	}
	v.Price = after
	switch {
	case c.CompareAt == CompareAtClear:
		v.CompareAtPrice = nil
	case c.CompareAt == CompareAtSet && after < before && (v.CompareAtPrice == nil || *v.CompareAtPrice < before):
		v.CompareAtPrice = &before
	}
}
