package site

import (
	"strings"

	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/fault"
	"storefront/shop/order"
)

// bump is a product that a landing page offers beside its own for less, by a box to tick.
type bump struct {
	Variant   string
	Text      string
	Now, Was  string
	Chosen    bool
	productID string
}

func (o *bump) item() order.ItemInput {
	return order.ItemInput{ProductID: o.productID, VariantID: &o.Variant, Quantity: 1}
}

// findOrderForm returns the settings of the form among the sections of a landing page, or else of
// the design.
func (p *checkoutPage) findOrderForm(sections []design.Section) design.OrderForm {
	if len(sections) == 0 {
		sections = p.Design.Templates.Landing
	}
	for _, one := range sections {
		settings, _ := one.Decode()
		if form, ok := settings.(design.OrderForm); ok && !one.Hidden {
			return form
		}
	}
	return design.OrderForm{}
}

// newBump returns the bump of a form with lines: the first variant of the product that can be
// bought. It is nil if there is none, or if no discount makes it cheaper beside a unit of the first
// line. The price does not depend on the buyer's choices, so that it is the one that the form
// shows.
func (b *sectionBuilder) newBump(id string, lines []formLine, l *landing) (*bump, error) {
	if id == "" || len(lines) == 0 {
		return nil, nil
	}
	product, err := b.request.catalogue().FindProduct(b.ctx, id)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	variant, own := firstAvailable(product), lines[0].product
	if variant == nil || product.ID == own.ID {
		return nil, nil
	}
	o := &bump{Variant: variant.ID, productID: product.ID, Chosen: l.sent.Get("bump") == variant.ID}
	without, with, err := b.priceBump(order.ItemInput{ProductID: own.ID, VariantID: &firstAvailable(own).ID, Quantity: 1}, o)
	if err != nil {
		return nil, err
	}
	if with-without >= variant.Price.Amount {
		return nil, nil
	}
	o.Now, o.Was = b.Amount(with-without), b.Money(variant.Price)
	o.Text = strings.NewReplacer("{product}", b.in(product.Title), "{price}", o.Now).Replace(b.W.AddFor)
	return o, nil
}

// priceBump returns the price of an item, and with the bump too.
func (b *sectionBuilder) priceBump(item order.ItemInput, o *bump) (without, with int64, err error) {
	orders, caller := b.request.Shop.Orders, b.request.Caller
	caller.Bearer = "" // the page is the same for all
	alone, err := orders.PriceItems(b.ctx, caller, []order.ItemInput{item})
	if err != nil {
		return 0, 0, err
	}
	both, err := orders.PriceItems(b.ctx, caller, []order.ItemInput{item, o.item()})
	if err != nil {
		return 0, 0, err
	}
	return alone.Total, both.Total, nil
}

// firstAvailable returns the first variant of a product that can be bought; nil if there is none.
func firstAvailable(product *catalogue.Product) *catalogue.Variant {
	for i := range product.Variants {
		if v := &product.Variants[i]; v.Available {
			return v
		}
	}
	return nil
}
