package shop_test

import (
	"testing"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/demo"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

func TestShop_Seed(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	data := shop.SeedData{
		Settings: demo.Settings(), Collections: demo.Collections(), ProductsCSV: demo.ProductsCSV(), Coupons: demo.Coupons(),
	}
	report, err := s.Seed(t.Context(), access.Operator(), data)
	if err != nil {
		t.Fatal(shoptest.ImportProblems(err))
	}
	if report.Created < 60 || len(report.CollectionsCreated) != 0 {
		t.Errorf("got report %+v", report)
	}
	shoptest.CheckStock(t, s.Shop, s.store)
	shoptest.CheckIndex(t, s.Shop, s.store, "পাঞ্জা", "cotton", "rice")
	collections, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{})
	if err != nil || collections.Meta.TotalCount != 8 {
		t.Errorf("%d collections, %v", collections.Meta.TotalCount, err)
	}
	for _, c := range collections.Nodes {
		if c.ProductCount == 0 {
			t.Errorf("collection %s has no published product", c.Handle)
		}
	}
	// Examples in the documentation use these IDs.
	if p, err := s.Catalogue.FindProduct(t.Context(), "0ZRJS5B790K7P6HF38ZGHBY4KD"); err != nil || p.Handle != "mango-pickle" {
		t.Errorf("product: %+v, %v", p, err)
	}
	if c, err := s.Catalogue.FindCollection(t.Context(), "6EDGHJNPG773AW373DVP6D1AQ8"); err != nil || c.Handle != "eid-collection" {
		t.Errorf("collection: %+v, %v", c, err)
	}
	version, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Seed(t.Context(), access.Operator(), data)
	if err != nil || again.Unchanged != report.Products {
		t.Errorf("seed again: got %+v, %v", again, err)
	}
	if after, err := s.Version(t.Context()); err != nil || after != version {
		t.Errorf("seed again: got content version %[2]d, %[3]v, want %[1]d", version, after, err)
	}
}

func TestShop_Seed_InvalidData(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for name, data := range map[string]shop.SeedData{
		"Settings":        {Settings: []byte(`{"colour":"red"}`)},
		"Collections":     {Collections: []byte(`[{"handle":"x"}]`)},
		"CollectionField": {Collections: []byte(`[{"handle":"x","title":"X","colour":"red"}]`)},
		"Products":        {ProductsCSV: []byte("Handle\nx\n")},
		"Coupons":         {Coupons: []byte(`{}`)},
	} {
		if _, err := s.Seed(t.Context(), access.Operator(), data); shop.AsError(err).Kind() != fault.KindInvalid {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}
