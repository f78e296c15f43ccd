package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/message"
)

// Translate replaces the texts of orders that are translated into a language: the titles of items
// and of automatic discounts, and the name of the delivery charge.
func (s *Orders) Translate(ctx context.Context, language locale.Language, orders ...*Order) error {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	for _, o := range orders {
		if o.Delivery != nil {
			o.Delivery = &Delivery{ID: o.Delivery.ID, Name: set.chargeNameIn(language, o.Delivery.ID, o.Delivery.Name)}
		}
		set.translateApplied(language, o.Discounts)
	}
	var items []*Item
	for _, o := range orders {
		for i := range o.Items {
			items = append(items, &o.Items[i])
		}
	}
	return s.translateItems(ctx, language, items)
}

func (s *Orders) translateItems(ctx context.Context, language locale.Language, items []*Item) error {
	translated, err := s.cfg.Catalogue.IsSecond(ctx, language)
	if err != nil {
		return err
	}
	if !translated {
		return nil
	}
	sold := make([]catalogue.SoldItem, len(items))
	for i, item := range items {
		if item.VariantTitle != nil {
			item.VariantTitle = new(*item.VariantTitle) // others may have it too
		}
		sold[i] = catalogue.SoldItem{ProductID: item.ProductID, VariantID: item.VariantID, Title: &item.Title, Variant: item.VariantTitle}
	}
	return s.data.ViewMany(ctx, func(ctx context.Context, tx *db.Tx) error {
		return s.cfg.Catalogue.TranslateSold(ctx, tx, language, sold)
	})
}

// viewFor returns the order as a caller with this view of it may see it, in the caller's language.
func (s *Orders) viewFor(ctx context.Context, caller access.Caller, o *orderRow, as orderView) (*Order, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	shown := o.view(set.Display, as)
	return &shown, s.Translate(ctx, caller.Language, &shown)
}

// translateMessage translates the titles of the lines in a message about an order.
func (s *Orders) translateMessage(ctx context.Context, tx *db.Tx, o *orderRow, about *message.Order) error {
	sold := make([]catalogue.SoldItem, len(about.Lines))
	for i, item := range o.items {
		line := &about.Lines[i]
		sold[i] = catalogue.SoldItem{ProductID: item.productID, VariantID: item.variantID, Title: &line.Title, Variant: &line.Variant}
	}
	return s.cfg.Catalogue.TranslateSold(ctx, tx, about.Language, sold)
}
