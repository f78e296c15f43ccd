package site

import (
	"context"
	"strconv"
	"strings"

	"storefront/shop/catalogue"
	"storefront/shop/page"
)

// card is a product in a list.
type card struct {
	Path, Title string
	Picture     *picture // nil means none
	Letters     string   // in place of a picture
	From        bool     // the variants have different prices
	Price, Was  string   // Was is "" if the product is not on sale
	Badge       string   // such as −15 % or 2 for ৳1,100; "" means none
	Sold        bool
	Eager       bool // the picture is loaded first
}

// picture is an image in the sizes that exist.
type picture struct {
	URL, SrcSet, Alt string
	Width, Height    int    // of URL; 0 means unknown
	Colour           string // shown until it has arrived; "" means unknown
	Focus            string // classes of the part that stays visible; "" means the middle
	Largest          string // URL of the largest size
	widest           int    // its width; 0 means unknown
	source           *catalogue.Image
}

// newPicture returns an image for a place of about this width, in CSS pixels. title is its text
// alternative unless the merchant has written one.
func (f *frame) newPicture(image *catalogue.Image, width int, title string) *picture {
	if image == nil {
		return nil
	}
	p := &picture{URL: f.own(image.URL), Largest: f.own(image.URL), Alt: f.in(image.Alt), Colour: image.Colour, source: image}
	if p.Alt == "" {
		p.Alt = title
	}
	if image.Width != nil && image.Height != nil {
		p.Width, p.Height, p.widest = *image.Width, *image.Height, *image.Width
	}
	var set []string
	if len(image.Renditions) > 0 {
		p.Largest = f.own(image.Renditions[0].URL)
	}
	for _, size := range image.Renditions { // the largest first
		p.widest = max(p.widest, size.Width)
		set = append(set, f.own(size.URL)+" "+strconv.Itoa(size.Width)+"w")
		if size.Width >= width {
			p.URL, p.Width, p.Height = f.own(size.URL), size.Width, size.Height
		}
	}
	p.SrcSet = strings.Join(set, ", ")
	return p
}

// maxEager is the number of pictures of a list that are loaded first.
const maxEager = 2

// card returns a product as a card. The pictures of the first cards are loaded first.
func (f *frame) card(p *catalogue.Product, at int) card {
	title := f.in(p.Title)
	c := card{
		Path: f.path("/products/" + p.Handle), Title: title, Letters: firstLetters(title, 2),
		Price: f.Money(p.Price), From: p.PriceRange.Min.Amount != p.PriceRange.Max.Amount,
		Sold: !p.Available, Eager: at < maxEager,
	}
	if len(p.Images) > 0 {
		c.Picture = f.newPicture(&p.Images[0], 400, title)
	}
	if p.CompareAtPrice != nil {
		c.Was = f.Money(*p.CompareAtPrice)
		if percent := 100 * (p.CompareAtPrice.Amount - p.Price.Amount) / p.CompareAtPrice.Amount; percent > 0 {
			c.Badge = f.Digits("−" + strconv.FormatInt(percent, 10) + "%")
		}
	}
	switch {
	case c.Sold:
		c.Badge = f.W.SoldOut
	case c.Badge == "" && len(p.QuantityPrices) > 0:
		c.Badge = f.quantityPrice(p.QuantityPrices[0])
	}
	return c
}

// quantityPrice returns a quantity price as buyers read it: 2 for ৳1,100.
func (f *frame) quantityPrice(p catalogue.QuantityPrice) string {
	if f.Lang == "bn" {
		return f.Digits(strconv.Itoa(p.Quantity)) + "টি " + f.Money(p.Price)
	}
	return strconv.Itoa(p.Quantity) + " for " + f.Money(p.Price)
}

func (f *frame) cards(products []catalogue.Product) []card {
	list := make([]card, len(products))
	for i := range products {
		list[i] = f.card(&products[i], i)
	}
	return list
}

// findCards returns the first products of a filter.
func (s *Site) findCards(ctx context.Context, r *request, f *frame, filter catalogue.ProductFilter, limit int) ([]card, error) {
	filter.Request = page.Request{Limit: &limit}
	found, err := r.catalogue().FindProducts(ctx, filter)
	if err != nil {
		return nil, err
	}
	return f.cards(found.Nodes), nil
}
