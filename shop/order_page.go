package shop

import (
	"cmp"
	"context"

	"storefront/shop/access"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/order"
)

// OrderPage is the content of the server's page of an order.
type OrderPage struct {
	order.Page
	Shop     *StoreFront
	Language locale.Language // of the page
}

// Money returns an amount in the shop's currency.
func (p *OrderPage) Money(amount int64) money.Money {
	currency, _ := money.ParseCurrency(p.Shop.Currency) // checked when the settings were read
	return currency.Money(amount)
}

// FindOrderPage returns an order for the server's page, in the language of the caller, or else the
// one in which the buyer ordered, or else usual; "" means the language of messages. Codes:
// not_found.
func (s *Shop) FindOrderPage(
	ctx context.Context, caller access.Caller, invoiceUID string, usual locale.Language,
) (*OrderPage, error) {
	order, err := s.Orders.FindPage(ctx, caller, invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	language := cmp.Or(caller.Language, order.Order.Language, usual, set.messageLanguage())
	front, err := s.StoreFront(ctx, string(language))
	if err != nil {
		return nil, err
	}
	return &OrderPage{Page: *order, Shop: front, Language: language}, s.Orders.Translate(ctx, language, order.Order)
}
