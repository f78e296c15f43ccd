package site

import (
	"context"
	"html/template"
	"slices"

	"storefront/shop/status"
)

// sectionsPage is the data of a page that consists of sections.
type sectionsPage struct {
	*frame
	Sections []template.HTML
	Untitled bool // no section has the page's heading
}

// home is the home page: the sections of the design.
func (s *Site) home(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "home")
	if err != nil {
		return nil, err
	}
	f.listed(nil)
	f.setPreviewURL(f.Logo.URL)
	p := sectionsPage{frame: f}
	if p.Sections, p.Untitled, err = s.buildSections(ctx, r, f, f.Design.Templates.Home, false); err != nil {
		return nil, err
	}
	for i, c := range f.lists {
		if i > 0 {
			f.Description += ", "
		}
		f.Description += f.in(c.Title)
	}
	if f.Description = plainText(f.Description, 160); f.Description == "" {
		f.Description = f.Name
	}
	f.Structured = append(f.Structured, f.organization())
	return s.respond("home", p)
}

// minHero is the minimum width of the large picture of the home page, in pixels.
const minHero = 700

// heroOf returns the large picture of the home page: the products' first that is large enough, nil
// if there is none.
func heroOf(products []card) *picture {
	for _, c := range products {
		if c.Picture != nil && c.Picture.widest >= minHero {
			return c.Picture
		}
	}
	return nil
}

// facts are the first questions of a buyer, answered: payment and delivery.
func (f *frame) facts() []string {
	facts := append([]string{}, f.Payments...)
	if fact := f.deliveryFact(); fact != "" {
		facts = append(facts, fact)
	}
	return facts
}

// promises are what the shop's settings promise: payment, delivery and returns.
func (f *frame) promises() []promiseView {
	var all []promiseView
	if slices.Contains(f.front.PaymentMethods, status.PayCOD) {
		all = append(all, promiseView{"cash", f.W.PayOnDelivery, f.W.PayOnDeliveryText})
	}
	all = append(all, promiseView{"truck", f.W.Delivery, f.deliveryFact()})
	for _, contact := range f.Contacts {
		if contact.Kind == "phone" {
			all = append(all, promiseView{"phone", f.W.CallUs, contact.Text})
		}
	}
	return all
}

// deliveryFact returns the cheapest delivery charge in words, "" if the shop has none.
func (f *frame) deliveryFact() string {
	charges := f.front.DeliveryCharges
	if len(charges) == 0 {
		return f.W.DeliveryFree
	}
	lowest := charges[0].Charge
	for _, c := range charges[1:] {
		if c.Charge.Amount < lowest.Amount {
			lowest = c.Charge
		}
	}
	if lowest.Amount == 0 {
		return f.W.DeliveryFree
	}
	return f.W.DeliveryFrom + " " + f.Money(lowest)
}
