package site

import (
	"cmp"
	"slices"

	"storefront/shop/catalogue"
	"storefront/shop/design"
)

// cardsSection is a row of products.
type cardsSection struct {
	section
	Cards []card
	All   string // path of the list; "" means none
	Empty bool   // the shop has no products yet
}

const (
	defaultCards = 8
	maxTiles     = 6
)

var _ = show("products", func(b *sectionBuilder, s design.Products) (any, error) {
	yes := true
	p := cardsSection{All: b.path("/collections/all")}
	count := cmp.Or(s.Count, defaultCards)
	filter, heading := catalogue.ProductFilter{}, b.W.New
	switch s.From {
	case "bestSelling":
		filter, heading, p.All = catalogue.ProductFilter{InStock: &yes, SortBy: "bestSelling"}, b.W.BestSelling, p.All+"?sort=best"
	case "sale":
		filter, heading = catalogue.ProductFilter{InStock: &yes, OnSale: &yes, SortBy: "bestSelling"}, b.W.OnSale
		p.All += "?sale=1"
	case "chosen":
		return b.chosen(s)
	default:
		newest, err := b.findNewest()
		p.Cards, p.Empty = slices.Clone(newest[:min(len(newest), count)]), len(newest) == 0
		b.late(p.Cards)
		p.section = b.newSection(cmp.Or(s.Title.In(b.Lang), heading))
		return p, err
	}
	var err error
	p.Cards, err = b.site.findCards(b.ctx, b.request, b.frame, filter, count)
	if err != nil {
		return nil, err
	}
	if len(p.Cards) == 0 {
		return nil, nil
	}
	b.late(p.Cards)
	p.section = b.newSection(cmp.Or(s.Title.In(b.Lang), heading))
	return p, nil
})

// late makes the pictures of products load when a buyer comes near them, unless they are first on
// the page.
func (b *sectionBuilder) late(cards []card) {
	for i := range cards {
		cards[i].Eager = cards[i].Eager && b.at < 2
	}
}

// chosen is a row of products that the merchant has chosen, in this order.
func (b *sectionBuilder) chosen(s design.Products) (any, error) {
	p := cardsSection{}
	for _, name := range s.Products {
		found, err := b.findProduct(name)
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		p.Cards = append(p.Cards, b.card(found, len(p.Cards)))
	}
	if len(p.Cards) == 0 {
		return nil, nil
	}
	b.late(p.Cards)
	p.section = b.newSection(cmp.Or(s.Title.In(b.Lang), b.W.Products))
	return p, nil
}

var _ = show("collection", func(b *sectionBuilder, s design.Collection) (any, error) {
	found := b.findCollection(s.Collection)
	if found == nil {
		return nil, nil
	}
	filter := catalogue.ProductFilter{CollectionIDs: []string{found.ID}, SortBy: "manual"}
	cards, err := b.site.findCards(b.ctx, b.request, b.frame, filter, cmp.Or(s.Count, defaultCards))
	if err != nil {
		return nil, err
	}
	if len(cards) == 0 {
		return nil, nil
	}
	b.late(cards)
	heading := cmp.Or(s.Title.In(b.Lang), b.in(found.Title))
	return cardsSection{section: b.newSection(heading), Cards: cards, All: b.path("/collections/" + found.Handle)}, nil
})

// tile is a collection.
type tile struct {
	Path, Title, Letters string
	Picture              *picture
}

var _ = show("collections", func(b *sectionBuilder, s design.Collections) (any, error) {
	p := struct {
		section
		Tiles []tile
	}{}
	lists := b.lists[:min(len(b.lists), maxTiles)]
	if len(s.Collections) > 0 {
		lists = nil
		for _, name := range s.Collections {
			if found := b.findCollection(name); found != nil {
				lists = append(lists, *found)
			}
		}
	}
	for i := range lists {
		c := &lists[i]
		title := b.in(c.Title)
		p.Tiles = append(p.Tiles, tile{
			Path: b.path("/collections/" + c.Handle), Title: title, Letters: firstLetters(title, 2), Picture: b.newPicture(c.Image, 400, title),
		})
	}
	if len(p.Tiles) == 0 {
		return nil, nil
	}
	p.section = b.newSection(cmp.Or(s.Title.In(b.Lang), b.W.Collections))
	return p, nil
})
