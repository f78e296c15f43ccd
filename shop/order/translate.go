package order

import (
	"context"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/message"
)

// TranslateItems replaces the titles of an order's items where they are translated into a language.
func (s *Orders) TranslateItems(ctx context.Context, language locale.Language, items []Item) error {
	translated, err := s.cfg.Catalogue.IsSecond(ctx, language)
	if err != nil {
		return err
	}
	if !translated {
		return nil
	}
	return s.data.ViewMany(ctx, func(ctx context.Context, tx *db.Tx) error {
		return s.translateItems(ctx, tx, language, items)
	})
}

func (s *Orders) translateItems(ctx context.Context, tx *db.Tx, language locale.Language, items []Item) error {
	sold := make([]catalogue.SoldItem, len(items))
	for i := range items {
		item := &items[i]
		if item.VariantTitle != nil {
			item.VariantTitle = new(*item.VariantTitle) // others may have it too
		}
		sold[i] = catalogue.SoldItem{ProductID: item.ProductID, VariantID: item.VariantID, Title: &item.Title, Variant: item.VariantTitle}
	}
	return s.cfg.Catalogue.TranslateSold(ctx, tx, language, sold)
}

// translateMessage is translateItems for the order of a message.
func (s *Orders) translateMessage(ctx context.Context, tx *db.Tx, language locale.Language, o *orderRow, about *message.Order) error {
	sold := make([]catalogue.SoldItem, len(about.Lines))
	for i, item := range o.items {
		line := &about.Lines[i]
		sold[i] = catalogue.SoldItem{ProductID: item.productID, VariantID: item.variantID, Title: &line.Title, Variant: &line.Variant}
	}
	return s.cfg.Catalogue.TranslateSold(ctx, tx, language, sold)
}
