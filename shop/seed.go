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
	"storefront/shop/order"
)

// SeedData is the initial content of a shop. A nil part is skipped.
type SeedData struct {
	Settings    []byte // a JSON object as for [Shop.SetSettings]
	Collections []byte // a JSON array of [catalogue.CollectionInput]
	ProductsCSV []byte // a file as for [catalogue.Catalogue.ImportProducts]
	Coupons     []byte // a JSON array of [order.CouponSpec]
	Buyers      []byte // a JSON array of [order.SeedBuyer]; orders of the last month are placed in their names
}

// Seed adds the initial content of a shop, one part after the other, each completely or not at all.
// The same product or collection has the same ID in every seeded shop. Seeding does not change
// existing content, so that it can be repeated after a failure. A shop with an order gets no
// others. Codes: validation_failed.
func (s *Shop) Seed(ctx context.Context, caller access.Caller, data SeedData) (*catalogue.ImportReport, error) {
	if _, err := s.requireStaff(ctx, caller, access.ToSeed); err != nil {
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
	var coupons []order.CouponSpec
	if err := decodeSeed("coupons", data.Coupons, &coupons); err != nil {
		return nil, err
	}
	for _, spec := range coupons {
		if err := s.Orders.SeedCoupon(ctx, caller, spec); err != nil {
			return nil, fmt.Errorf("seed coupon %s: %w", spec.Code, err)
		}
	}
	var buyers []order.SeedBuyer
	if err := decodeSeed("buyers", data.Buyers, &buyers); err != nil {
		return nil, err
	}
	if len(buyers) > 0 {
		if err := s.Orders.SeedOrders(ctx, caller, buyers); err != nil {
			return nil, fmt.Errorf("seed orders: %w", err)
		}
	}
	return report, nil
}

// seedSettings sets the settings that have their defaults. It avoids a commit without a change.
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
	for name, value := range toRows(Settings{}) {
		if string(now[name]) != string(value) {
			delete(changes, name)
		}
	}
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

// decodeSeed decodes a part and rejects unknown fields. It leaves into unchanged if data is nil.
func decodeSeed(name string, data []byte, into any) error {
	if data == nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return &fault.Error{Code: fault.CodeValidationFailed, Message: "The " + name + " are invalid: " + err.Error()}
	}
	return nil
}
