package site

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
)

// Incomplete returns the notice about what is stored while the buyer types; nil means that nothing
// is.
func (p *checkoutPage) Incomplete() *order.IncompleteNotice { return p.front.IncompleteOrders }

// Agreed reports whether the box beside the notice is ticked.
func (p *checkoutPage) Agreed() bool {
	return p.Form.Agreed || !p.Form.sent && p.front.IncompleteOrders.OptOut
}

// saveIncomplete stores what the buyer has typed at the checkout, for the script.
func (s *Site) saveIncomplete(ctx context.Context, r *request) (*Response, error) {
	in, form, err := r.readCheckout()
	if err != nil {
		return nil, err
	}
	return r.saveIncomplete(ctx, form, order.IncompleteInput{City: &in.City, Items: parseItems(form["item"])}, in)
}

// saveIncompleteLanding stores what the buyer has typed on a landing page, for the script.
func (s *Site) saveIncompleteLanding(ctx context.Context, r *request) (*Response, error) {
	if err := r.findLanding(ctx); err != nil {
		return nil, err
	}
	in, form, err := r.readCheckout()
	if err != nil {
		return nil, err
	}
	return r.saveIncomplete(ctx, form, order.IncompleteInput{
		City: new(cityOf(in.Address)), Items: r.landing.items(form), LandingPage: r.page.name,
	}, in)
}

// items returns the chosen variants of the landing page's products. A form without a quantity, as
// of one product, has one unit.
func (l *landing) items(form url.Values) (items []order.ItemInput) {
	for i, variant := range form["variant"] {
		quantity, err := strconv.Atoi(valueAt(form["quantity"], i))
		if err != nil {
			quantity = 1
		}
		at := slices.IndexFunc(l.products, func(p *catalogue.Product) bool {
			return slices.ContainsFunc(p.Variants, func(v catalogue.Variant) bool { return v.ID == variant })
		})
		if at >= 0 && quantity > 0 {
			items = append(items, order.ItemInput{ProductID: l.products[at].ID, VariantID: &variant, Quantity: quantity})
		}
	}
	return items
}

// saveIncomplete stores what was typed. The response is the same for every input.
func (r *request) saveIncomplete(ctx context.Context, form url.Values, what order.IncompleteInput, in checkoutForm) (*Response, error) {
	what.Session, what.Consent, what.Submitted = form.Get("session"), in.Agreed, new(form.Has("submitted"))
	what.PhoneNumber, what.Name, what.Address = &in.Phone, &in.Name, &in.Address
	what.DeliveryChargeID, what.CouponCode = &in.Delivery, &in.Coupon
	caller := r.Caller
	caller.Language = r.page.language
	_, err := r.Shop.Orders.SaveIncomplete(ctx, caller, what)
	if err != nil && !fault.HasCode(err, fault.CodeValidationFailed) {
		return nil, err
	}
	return &Response{Status: http.StatusNoContent}, nil
}
