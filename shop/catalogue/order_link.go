package catalogue

import (
	"context"
	"fmt"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// LinkItem is an item of a link that fills a cart.
type LinkItem struct {
	VariantID string
	Quantity  int
}

// LinkedItem is an item of a link as buyers read it.
type LinkedItem struct {
	Title, Variant string // Variant is "" if the product has no options
	Quantity       int
	Total          money.Money // by quantity prices
}

// MaxCartLines and MaxCartUnits limit a cart of the site, and a link that fills it.
const (
	MaxCartLines = 50
	MaxCartUnits = 99 // of a line
)

// DescribeLink returns the items of a link that fills a cart, in the order of the link. Codes:
// validation_failed (buyers do not see a variant, among others).
func (c *Catalogue) DescribeLink(ctx context.Context, caller access.Caller, items []LinkItem) ([]LinkedItem, error) {
	if _, err := c.data.Authorize(ctx, caller, access.ToDescribeLink); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	if len(items) == 0 || len(items) > MaxCartLines {
		bad.Add("item", fault.CodeInvalidValue, "A link must have 1 to %d items.", MaxCartLines)
		return nil, bad.Err()
	}
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.VariantID
	}
	products, err := c.FindByVariants(ctx, ids)
	if err != nil {
		return nil, err
	}
	currency, err := c.currency(ctx)
	if err != nil {
		return nil, err
	}
	linked := make([]LinkedItem, 0, len(items))
	for i, item := range items {
		at := fmt.Sprintf("item[%d]", i)
		if item.Quantity < 1 || item.Quantity > MaxCartUnits {
			bad.Add(at, fault.CodeInvalidValue, "The quantity must be 1 to %d.", MaxCartUnits)
		}
		one, ok := linkedItem(products, currency, item)
		if !ok {
			bad.Add(at, fault.CodeInvalidValue, "Buyers see no variant %s.", input.Cut(input.CleanLine(item.VariantID), maxLine))
		}
		linked = append(linked, one)
	}
	return linked, bad.Err()
}

func linkedItem(products []Product, currency money.Currency, item LinkItem) (linked LinkedItem, ok bool) {
	for i := range products {
		p := &products[i]
		for _, v := range p.Variants {
			if v.ID != item.VariantID {
				continue
			}
			linked = LinkedItem{Title: p.Title, Quantity: item.Quantity}
			if len(v.OptionValues) > 0 {
				linked.Variant = v.Title
			}
			discount := p.QuantityDiscount([]Units{{Price: v.Price.Amount, Quantity: item.Quantity}})
			linked.Total = currency.Money(v.Price.Amount*int64(item.Quantity) - discount)
			return linked, true
		}
	}
	return linked, false
}
