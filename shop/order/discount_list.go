package order

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/translation"
)

// Discount is an automatic discount as buyers see it.
type Discount struct {
	ID          string       `json:"_id"`
	Title       string       `json:"title"`
	Kind        CouponKind   `json:"kind"`
	BasisPoints *int64       `json:"basisPoints" doc:"For percentage, and off the units to get for buy_get: 1000 is 10 %"`
	Amount      *money.Money `json:"amount" doc:"For fixed"`
	MaxDiscount *money.Money `json:"maxDiscount" doc:"For percentage; null means unlimited"`
	BuyQuantity *int64       `json:"buyQuantity" doc:"For buy_get: units at their price in each set"`
	GetQuantity *int64       `json:"getQuantity" doc:"For buy_get: units for less in each set, the cheapest of the order"`
	MinSubtotal *money.Money `json:"minSubtotal" doc:"Price of the whole order at quantity prices from which it applies; null means any"`
	EndsAt      *time.Time   `json:"endsAt" doc:"Exclusive; null means never"`
	// CollectionIDs and ProductIDs are what it applies to, or the units to buy.
	CollectionIDs    []string `json:"collectionIds" nullable:"false" doc:"What it applies to, with productIds; all products if both are empty"`
	ProductIDs       []string `json:"productIds" nullable:"false"`
	GetCollectionIDs []string `json:"getCollectionIds" nullable:"false" doc:"The units to get, with getProductIds; the units to buy if both are empty"`
	GetProductIDs    []string `json:"getProductIds" nullable:"false"`
	RequiresLogin    bool     `json:"requiresLogin" doc:"Only for signed-in customers"`
}

// Discounts is a list of automatic discounts.
type Discounts struct {
	Nodes []Discount `json:"nodes" nullable:"false"`
}

// ListDiscounts returns the automatic discounts that buyers can get now, the oldest first, with
// their titles in a language; "" means the shop's own.
func (s *Orders) ListDiscounts(ctx context.Context, language locale.Language) (*Discounts, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	list := &Discounts{Nodes: []Discount{}}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		now := db.Millis(tx.Now())
		rows, err := db.Query(tx, scanCoupon, selectCoupon+`
			WHERE `+activeDiscount+` AND (c.usage_limit IS NULL OR c.used < c.usage_limit)
			ORDER BY c.id`, now, now)
		if err != nil {
			return fmt.Errorf("list discounts: %w", err)
		}
		for _, row := range rows {
			row.used = 0 // buyers do not see the last use
			c, err := findCouponWhole(tx, row)
			if err != nil {
				return err
			}
			if c.Scoped && !c.isScoped() || c.GotScoped && !c.isGotScoped() {
				continue // its products were deleted
			}
			list.Nodes = append(list.Nodes, c.forBuyers(set, language))
		}
		return nil
	})
	return list, err
}

// ListProductDiscounts returns the titles of the automatic discounts of some products that buyers
// can get now without signing in, in a language; "" means the shop's own.
func (s *Orders) ListProductDiscounts(ctx context.Context, language locale.Language, productIDs ...string) (titles []string, err error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	lines := make([]orderLine, len(productIDs))
	for i, id := range productIDs {
		lines[i].productID = id
	}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		found, err := findDiscounts(tx, nil, lines)
		for _, d := range found {
			isOf := slices.Contains(d.buy, true) || slices.Contains(d.get, true)
			if isOf && !d.requiresLogin && (d.usageLimit == nil || d.used < *d.usageLimit) {
				titles = append(titles, cmp.Or(set.TranslateDiscount(language, d.id), d.title))
			}
		}
		return err
	})
	return titles, err
}

// ItemPrices are the prices of items without delivery.
type ItemPrices struct {
	Items     []int64 // each variant's price after discounts, in the order in which it first appears
	Subtotal  int64   // before discounts
	Quantity  int64   // discount by quantity prices
	Discounts []AppliedDiscount
	Total     int64
	// FreeDelivery reports that an automatic discount waives the delivery charge.
	FreeDelivery bool
}

// PriceItems returns the prices of items, in minor units, before delivery and a coupon. Codes:
// validation_failed, token errors.
func (s *Orders) PriceItems(ctx context.Context, caller access.Caller, items []ItemInput) (*ItemPrices, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	buyer, err := s.cfg.Accounts.OptionalIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	var f figures
	var isFree bool
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		lines, err := findOrderLines(tx, items)
		if err != nil {
			return err
		}
		holder := couponHolder{}
		if holder.account, err = buyer.Customer(tx); err != nil {
			return err
		}
		c := cart{goodsOnly: true, now: tx.Now(), lines: cartLines(lines)}
		if err := c.useDiscounts(tx, holder, nil, lines); err != nil {
			return err
		}
		f, err = set.priceCart(c)
		isFree = slices.ContainsFunc(c.discounts, func(d automaticDiscount) bool {
			return d.kind == CouponFreeDelivery && d.applies(&f, c.now, set.Currency)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	prices := &ItemPrices{
		Subtotal: f.subtotal, Quantity: f.quantityDiscount, Discounts: f.appliedViews(set.Currency), Total: f.total, FreeDelivery: isFree,
	}
	for _, line := range f.lines {
		prices.Items = append(prices.Items, line.gross-line.discount)
	}
	set.translateApplied(caller.Language, prices.Discounts)
	return prices, nil
}

// forBuyers returns an automatic discount as buyers see it.
func (c *Coupon) forBuyers(set *Settings, language locale.Language) Discount {
	amount := func(minor *int64) *money.Money {
		if minor == nil {
			return nil
		}
		return new(set.Money(*minor))
	}
	return Discount{
		ID: c.ID, Title: cmp.Or(set.TranslateDiscount(language, c.ID), c.Title), Kind: c.Kind, BasisPoints: c.BasisPoints,
		Amount: amount(c.Amount), MaxDiscount: amount(c.MaxDiscount), MinSubtotal: amount(c.MinSubtotal), BuyQuantity: c.BuyQuantity,
		GetQuantity: c.GetQuantity, EndsAt: c.EndsAt, CollectionIDs: c.CollectionIDs, ProductIDs: c.ProductIDs,
		GetCollectionIDs: c.GetCollectionIDs, GetProductIDs: c.GetProductIDs, RequiresLogin: c.RequiresLogin,
	}
}

// TranslatedTitle is the field of the translation of an automatic discount.
const TranslatedTitle = "title"

// FindTranslatedDiscounts returns the automatic discounts for the translation of their titles.
func FindTranslatedDiscounts(tx *db.Tx) ([]translation.Original, error) {
	rows, err := db.Query(tx, scanCoupon, selectCoupon+`
		WHERE c.code_key IS NULL
		ORDER BY c.id`)
	if err != nil {
		return nil, fmt.Errorf("find discounts: %w", err)
	}
	saved, err := translation.FindAll(tx, translation.Discount)
	if err != nil {
		return nil, err
	}
	all := make([]translation.Original, len(rows))
	for i, row := range rows {
		all[i] = translation.Original{
			Kind: translation.Discount, ID: row.id, Label: row.title, Saved: saved[row.id],
			Texts: []translation.Text{{Field: TranslatedTitle, Text: row.title}},
		}
	}
	return all, nil
}

// translateApplied replaces the titles that are translated into a language.
func (set *Settings) translateApplied(language locale.Language, discounts []AppliedDiscount) {
	for i := range discounts {
		discounts[i].Title = cmp.Or(set.TranslateDiscount(language, discounts[i].ID), discounts[i].Title)
	}
}
