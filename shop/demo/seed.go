package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/order"
)

// Seed adds the demo's settings, collections, products, coupons and landing page to a shop, their
// Bangla texts if that is its second language, and the orders of a month if withOrders is true. The
// same product or collection has the same ID in every seeded shop. Existing content stays as it is,
// and a shop that has had an order gets no others, so Seed can be repeated after a failure. Each
// part is added completely or not at all.
func Seed(
	ctx context.Context, s *shop.Shop, caller access.Caller, withOrders bool,
) (*catalogue.ImportReport, error) {
	if err := seedSettings(ctx, s, caller); err != nil {
		return nil, fmt.Errorf("seed settings: %w", err)
	}
	for _, in := range decode[[]catalogue.CollectionInput](collections) {
		if _, err := s.Catalogue.SeedCollection(ctx, caller, in); err != nil {
			return nil, fmt.Errorf("seed collection %s: %w", in.Handle, err)
		}
	}
	bangla, err := s.Catalogue.IsSecond(ctx, locale.Bangla)
	if err != nil {
		return nil, err
	}
	report, err := seedProducts(ctx, s, caller, bangla)
	if err != nil {
		return nil, fmt.Errorf("seed products: %w", err)
	}
	if bangla {
		if err := seedTranslations(ctx, s, caller); err != nil {
			return nil, fmt.Errorf("seed translations: %w", err)
		}
	}
	for _, spec := range decode[[]order.CouponSpec](coupons) {
		_, err := s.Orders.FindCoupon(ctx, caller, spec.Code)
		if fault.HasCode(err, fault.CodeNotFound) {
			_, err = s.Orders.SaveCoupon(ctx, caller, spec)
		}
		if err != nil {
			return nil, fmt.Errorf("seed coupon %s: %w", spec.Code, err)
		}
	}
	if err := seedLandingPage(ctx, s, caller); err != nil {
		return nil, fmt.Errorf("seed landing page: %w", err)
	}
	if withOrders {
		if err := seedOrders(ctx, s, caller, false); err != nil {
			return nil, fmt.Errorf("seed orders: %w", err)
		}
	}
	return report, nil
}

// seedProducts imports the products that the shop lacks, with their Bangla texts if it has the
// language.
func seedProducts(
	ctx context.Context, s *shop.Shop, caller access.Caller, bangla bool,
) (*catalogue.ImportReport, error) {
	file, err := uploadPhotos(ctx, s, caller, ProductsCSV())
	if err != nil {
		return nil, err
	}
	if !bangla {
		if file, err = withoutTranslations(file); err != nil {
			return nil, err
		}
	}
	how := catalogue.ImportOptions{Seed: true}
	return s.Catalogue.ImportProducts(ctx, caller, bytes.NewReader(file), how)
}

// seedSettings sets the settings that have their defaults.
func seedSettings(ctx context.Context, s *shop.Shop, caller access.Caller) error {
	set, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	type fields = map[string]json.RawMessage
	changes, now := decode[fields](settings), decode[fields](encode(set))
	unset := decode[fields](encode(shop.Settings{}))
	maps.DeleteFunc(changes, func(name string, _ json.RawMessage) bool {
		return !bytes.Equal(now[name], unset[name])
	})
	if len(changes) == 0 {
		return nil
	}
	return s.SetSettings(ctx, caller, changes)
}

// encode and decode convert values of plain fields and the embedded files, which cannot fail.
func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func decode[T any](text string) (value T) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	return value
}
