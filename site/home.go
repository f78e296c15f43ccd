package site

import (
	"context"

	"storefront/shop/catalogue"
)

// homePage is the data of the home page.
type homePage struct {
	*frame
	Hero        *picture
	HeroLetters string
	Facts       []string
	Tiles       []tile
	New, Sale   []card
}

// tile is a collection on the home page.
type tile struct {
	Path, Title, Letters string
	Picture              *picture
}

const (
	maxNew   = 8
	maxSale  = 4
	maxTiles = 6
)

// home is the home page: the shop's newest products, its collections, and its offers.
func (s *Site) home(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "home")
	if err != nil {
		return nil, err
	}
	f.listed(nil)
	p := homePage{frame: f}
	available, onSale := true, true
	newest, err := s.findCards(ctx, r, f, catalogue.ProductFilter{}, listSize)
	if err != nil {
		return nil, err
	}
	p.New, p.Hero = newest[:min(len(newest), maxNew)], heroOf(newest)
	p.Sale, err = s.findCards(ctx, r, f, catalogue.ProductFilter{InStock: &available, OnSale: &onSale, SortBy: "bestSelling"}, maxSale)
	if err != nil {
		return nil, err
	}
	for i := range f.lists[:min(len(f.lists), maxTiles)] {
		c := &f.lists[i]
		title := f.in(c.Title)
		p.Tiles = append(p.Tiles, tile{
			Path: f.path("/collections/" + c.Handle), Title: title, Letters: firstLetters(title, 2), Picture: f.newPicture(c.Image, 400, title),
		})
	}
	p.HeroLetters, p.Facts = firstLetters(f.Name, 2), f.facts()
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
	switch {
	case p.Hero != nil:
		f.setPreview(p.Hero.source)
	default:
		f.setPreviewURL(f.Logo.URL)
	}
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
