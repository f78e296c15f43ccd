package catalogue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"storefront/shop/fault"
	"storefront/shop/money"
)

// Limits of quantity prices.
const (
	maxQuantityPrices = 10
	maxPriceQuantity  = 1000
	// maxCombined limits the units of the combinations compared. More units only occur in orders
	// beyond the usual limits: the lowest price per unit covers the excess.
	maxCombined = 20_000
)

// QuantityPriceInput is the price of some units of a product together: 2 for ৳1,100. Units of all
// its variants count together. A buyer pays the cheapest combination of quantity prices and units
// at their own price, so that a quantity price never makes an order dearer.
type QuantityPriceInput struct {
	Quantity int   `json:"quantity" doc:"2 to 1000, in ascending order"`
	Price    int64 `json:"price" doc:"Minor units, for all these units together. Less than they cost without it"`
}

// QuantityPrice is a quantity price as buyers see it.
type QuantityPrice struct {
	Quantity int         `json:"quantity"`
	Price    money.Money `json:"price" doc:"Price of these units together, of any variants of the product"`
}

// QuantityPrices are the quantity prices of a product, in ascending order of their quantities.
type QuantityPrices []QuantityPriceInput

// ParseQuantityPrices reads quantity prices as [QuantityPrices.Text] writes them.
func ParseQuantityPrices(text string) (prices QuantityPrices, err error) {
	if text == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &prices); err != nil {
		return nil, fmt.Errorf("parse quantity prices: %w", err)
	}
	return prices, nil
}

// Text returns the quantity prices in the form in which they are stored, "" if there are none.
func (q QuantityPrices) Text() string {
	if len(q) == 0 {
		return ""
	}
	text, err := json.Marshal(q)
	if err != nil {
		panic(err) // numbers only
	}
	return string(text)
}

// Merge returns the quantity prices of both lists, of equal quantities the lower price.
func (q QuantityPrices) Merge(other QuantityPrices) QuantityPrices {
	if len(q) == 0 || slices.Equal(q, other) {
		return other
	}
	all := slices.Concat(q, other)
	slices.SortFunc(all, func(a, b QuantityPriceInput) int {
		return cmp.Or(cmp.Compare(a.Quantity, b.Quantity), cmp.Compare(a.Price, b.Price))
	})
	return slices.CompactFunc(all, func(a, b QuantityPriceInput) bool { return a.Quantity == b.Quantity })
}

// Units are units of a product at one price.
type Units struct {
	Price    int64
	Quantity int
}

// Discount returns the difference between the prices of the units and the cheapest combination of
// quantity prices and single units, 0 if there is no cheaper one. The largest quantity is not
// always part of it. The dearest units are paid by quantity prices first. Together, the units must
// cost at most [money.MaxAmount].
func (q QuantityPrices) Discount(units []Units) int64 {
	total := 0
	for _, u := range units {
		total += u.Quantity
	}
	if len(q) == 0 || total < q[0].Quantity {
		return 0
	}
	rest := dearestUnits{slices.Clone(units)}
	slices.SortFunc(rest.units, func(a, b Units) int { return cmp.Compare(b.Price, a.Price) })
	discount := int64(0)
	if total > maxCombined {
		discount = q.discountExcess(&rest, total-maxCombined)
	}
	return discount + q.discountCombined(&rest)
}

// discountExcess returns the discount on at least so many units, which it takes from rest, by the
// lowest price per unit.
func (q QuantityPrices) discountExcess(rest *dearestUnits, units int) int64 {
	lowest := slices.MinFunc(q, func(a, b QuantityPriceInput) int {
		return cmp.Compare(a.Price*int64(b.Quantity), b.Price*int64(a.Quantity))
	})
	times := (units + lowest.Quantity - 1) / lowest.Quantity
	after := dearestUnits{slices.Clone(rest.units)}
	before := int64(0)
	for range times * lowest.Quantity {
		before += after.take()
	}
	price, ok := money.Multiply(lowest.Price, times)
	if !ok || price >= before {
		return 0
	}
	*rest = after
	return before - price
}

// discountCombined returns the discount on the units, at most maxCombined of them.
func (q QuantityPrices) discountCombined(rest *dearestUnits) (discount int64) {
	price := make([]int64, 1, maxCombined+1) // lowest price of so many units by quantity prices alone
	before := int64(0)
	for n := 1; n <= maxCombined && len(rest.units) > 0; n++ {
		before += rest.take()
		lowest := int64(money.MaxAmount + 1) // no combination has n units
		for _, p := range q {
			if p.Quantity <= n {
				lowest = min(lowest, price[n-p.Quantity]+p.Price)
			}
		}
		price = append(price, lowest)
		discount = max(discount, before-lowest)
	}
	return discount
}

// dearestUnits are units in descending order of their prices.
type dearestUnits struct{ units []Units }

// take removes a unit and returns its price.
func (d *dearestUnits) take() int64 {
	price := d.units[0].Price
	if d.units[0].Quantity--; d.units[0].Quantity == 0 {
		d.units = d.units[1:]
	}
	return price
}

// QuantityDiscount returns the discount on units of the product by its quantity prices; see
// [QuantityPrices.Discount].
func (p *Product) QuantityDiscount(units []Units) int64 {
	prices := make(QuantityPrices, len(p.QuantityPrices))
	for i, q := range p.QuantityPrices {
		prices[i] = QuantityPriceInput{q.Quantity, q.Price.Amount}
	}
	return prices.Discount(units)
}

// views returns the quantity prices as responses show them.
func (q QuantityPrices) views(currency money.Currency) []QuantityPrice {
	views := make([]QuantityPrice, len(q))
	for i, p := range q {
		views[i] = QuantityPrice{p.Quantity, currency.Money(p.Price)}
	}
	return views
}

// effective returns the quantity prices by which units at a price, the highest of the variants,
// become cheaper. Others remain after the prices have fallen: they make nothing cheaper, and buyers
// do not see them.
func (q QuantityPrices) effective(price int64) (some QuantityPrices) {
	for _, p := range q {
		if some.isCheaper(p, price) {
			some = append(some, p)
		}
	}
	return some
}

// isCheaper reports whether p is less than its units at a price cost by q.
func (q QuantityPrices) isCheaper(p QuantityPriceInput, price int64) bool {
	whole, ok := money.Multiply(price, p.Quantity)
	if !ok || whole > money.MaxAmount {
		return true // an order cannot contain so many
	}
	return p.Price < whole-q.Discount([]Units{{price, p.Quantity}})
}

// setQuantityPrices sets the quantity prices. It is called after the prices are set. Unchanged ones
// need not be cheaper: they may be older than the prices.
func (p *productRow) setQuantityPrices(in *ProductInput, before *productRow, bad *fault.Invalid) {
	if in.QuantityPrices == nil || slices.Equal(in.QuantityPrices, before.quantityPrices) {
		p.quantityPrices = before.quantityPrices
		return
	}
	p.quantityPrices = in.QuantityPrices
	if len(p.quantityPrices) > maxQuantityPrices {
		bad.Add("quantityPrices", fault.CodeInvalidValue, "A product must have at most %d quantity prices.", maxQuantityPrices)
		return
	}
	for i, q := range p.quantityPrices {
		at := fmt.Sprintf("quantityPrices[%d]", i)
		switch {
		case q.Quantity < 2 || q.Quantity > maxPriceQuantity:
			bad.Add(at+".quantity", fault.CodeInvalidValue, "Must be a whole number from 2 to %d.", maxPriceQuantity)
			return
		case i > 0 && q.Quantity <= p.quantityPrices[i-1].Quantity:
			bad.Add(at+".quantity", fault.CodeInvalidValue, "Must be more than the quantity before it.")
			return
		case q.Price < 1 || !money.IsAmount(q.Price):
			bad.Add(at+".price", fault.CodeInvalidValue, "Must be an amount above zero.")
			return
		case len(p.variants) > 0 && !p.quantityPrices[:i].isCheaper(q, p.price):
			bad.Add(at+".price", fault.CodeInvalidValue, "Must be less than %d units cost without it.", q.Quantity)
			return
		}
	}
}
