package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// SeedData is what a shop starts with. A part that is nil is left out.
type SeedData struct {
	Settings    []byte // a JSON object as [Shop.SetSettings] takes
	Collections []byte // a JSON array of [CollectionInput]
	ProductsCSV []byte // a file as [Shop.ImportProducts] takes
	Coupons     []byte // a JSON array of [CouponSpec]
}

// Seed fills the shop, part by part; each part is there whole or not at all. The same product or
// collection has the same id in every shop that is seeded. What is there already
// stays as it is, so that seeding again, or after a failure, does what is left to do. Codes:
// validation_failed.
func (s *Shop) Seed(ctx context.Context, caller access.Caller, data SeedData) (*catalogue.ImportReport, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	report := &catalogue.ImportReport{CollectionsCreated: []string{}, IgnoredColumns: []string{}}
	if data.Settings != nil {
		if err := s.seedSettings(ctx, caller, data.Settings); err != nil {
			return nil, fmt.Errorf("seed settings: %w", err)
		}
	}
	var collections []catalogue.CollectionInput
	if err := decodeSeed("collections", data.Collections, &collections); err != nil {
		return nil, err
	}
	for _, in := range collections {
		if _, err := s.Catalogue.SeedCollection(ctx, caller, in); err != nil {
			return nil, fmt.Errorf("seed collection %s: %w", in.Handle, err)
		}
	}
	if data.ProductsCSV != nil {
		var err error
		if report, err = s.Catalogue.ImportProducts(ctx, caller, bytes.NewReader(data.ProductsCSV), catalogue.ImportOptions{Seed: true}); err != nil {
			return nil, fmt.Errorf("seed products: %w", err)
		}
	}
	var coupons []CouponSpec
	if err := decodeSeed("coupons", data.Coupons, &coupons); err != nil {
		return nil, err
	}
	for _, spec := range coupons {
		if _, err := s.SaveCoupon(ctx, caller, spec); err != nil {
			return nil, fmt.Errorf("seed coupon %s: %w", spec.Code, err)
		}
	}
	return report, nil
}

// seedSettings sets them unless they are so already: setting them would be a commit.
func (s *Shop) seedSettings(ctx context.Context, caller access.Caller, data []byte) error {
	var changes map[string]json.RawMessage
	if err := decodeSeed("settings", data, &changes); err != nil {
		return err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	now := toRows(*set)
	var then Settings
	if err := fromRows(now, &then); err != nil {
		return err
	}
	if err := then.apply(changes); err != nil {
		return err
	}
	if reflect.DeepEqual(now, toRows(then)) {
		return nil
	}
	return s.SetSettings(ctx, caller, changes)
}

// decodeSeed reads a part strictly; nil leaves into as it is.
func decodeSeed(name string, data []byte, into any) error {
	if data == nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return &fault.Error{Code: fault.CodeValidationFailed, Message: "The " + name + " are not as expected: " + err.Error()}
	}
	return nil
}
