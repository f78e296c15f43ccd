package site

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"storefront/shop/design"
	"storefront/shop/order"
	"storefront/site/orderpage"
)

// offerSection is a coupon that buyers can use.
type offerSection struct {
	section
	Text  []string
	Worth string   // such as 10% off
	Terms []string // such as until 31 March 2026
	Code  string
}

var _ = show("offer", func(b *sectionBuilder, s design.Offer) (any, error) {
	if s.Coupon == "" {
		return nil, nil
	}
	found, err := b.request.Shop.Orders.FindOffer(b.ctx, s.Coupon)
	if found == nil {
		return nil, err
	}
	return offerSection{
		section: b.newSection(cmp.Or(s.Title.In(b.Lang), b.W.Offer)), Text: paragraphs(s.Text.In(b.Lang)),
		Worth: b.worth(found), Terms: b.terms(found), Code: found.Code,
	}, nil
})

// worth is what an offer takes off, in words.
func (f *frame) worth(o *order.Offer) string {
	switch {
	case o.BasisPoints != nil:
		percent := strconv.FormatFloat(float64(*o.BasisPoints)/100, 'f', -1, 64)
		return strings.Replace(f.W.Off, "{}", f.Digits(percent)+"%", 1)
	case o.Amount != nil:
		return strings.Replace(f.W.Off, "{}", f.Amount(*o.Amount), 1)
	}
	return f.W.DeliveryFree
}

// terms are the limits of an offer, in words.
func (f *frame) terms(o *order.Offer) (terms []string) {
	add := func(pattern, value string) { terms = append(terms, strings.Replace(pattern, "{}", value, 1)) }
	if o.MaxDiscount != nil {
		add(f.W.AtMost, f.Amount(*o.MaxDiscount))
	}
	if o.MinSubtotal > 0 {
		add(f.W.OrdersFrom, f.Amount(o.MinSubtotal))
	}
	if o.EndsAt != nil {
		// The end is exclusive: a coupon that ends at midnight is valid until the day before.
		add(f.W.Until, orderpage.Day(f.Lang, o.EndsAt.Add(-time.Millisecond), f.front.TimeZone))
	}
	return terms
}
