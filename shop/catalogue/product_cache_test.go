package catalogue_test

import (
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
)

// checkBooks checks the effect of orders on cached products after each of their tests.
func TestProductCache_AfterChanges(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	shirt := catalogue.ProductInput{
		Handle: "shirt", Title: "Shirt", Options: []string{"Size"}, Tags: []string{"men"},
		Images: []catalogue.ImageInput{{URL: "/red.svg"}, {URL: "/blue.svg"}},
		Variants: []catalogue.VariantInput{
			{Options: []string{"S"}, SKU: "S", Price: 100, Tracked: true, Stock: new(9), ImageURL: "/red.svg"},
			{Options: []string{"M"}, SKU: "M", Price: 120, Tracked: true, Stock: new(9)},
		},
	}
	mustSaveProduct(t, s, shirt)
	mustSaveProduct(t, s, plainProduct("mug", 300))
	if _, err := s.Catalogue.SaveCollection(t.Context(), access.Operator(), catalogue.CollectionInput{Title: "Sale"}, nil); err != nil {
		t.Fatal(err)
	}
	save := func(change func(in *catalogue.ProductInput)) func() error {
		return func() error {
			change(&shirt)
			_, err := saveProduct(s, shirt)
			return err
		}
	}
	stock := func(change catalogue.StockChange) func() error {
		return func() error {
			_, err := s.Catalogue.ChangeStock(t.Context(), access.Operator(), "S", change)
			return err
		}
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"title", save(func(in *catalogue.ProductInput) { in.Title = "Fine shirt" })},
		{"tags", save(func(in *catalogue.ProductInput) { in.Tags = []string{"men", "new"} })},
		{"image", save(func(in *catalogue.ProductInput) { in.Images = in.Images[:1] })},
		{"variant", save(func(in *catalogue.ProductInput) { in.Variants = in.Variants[:1] })},
		{"add to collection", func() error {
			_, err := s.Catalogue.AddToCollection(t.Context(), access.Operator(), "sale", "shirt", "mug")
			return err
		}},
		{"remove from collection", func() error {
			_, err := s.Catalogue.RemoveFromCollection(t.Context(), access.Operator(), "sale", "mug")
			return err
		}},
		{"stock set", stock(catalogue.StockChange{Set: new(int64(1))})},
		{"low stock", stock(catalogue.StockChange{LowStock: new(int64(7))})},
		{"not counted", stock(catalogue.StockChange{Tracked: new(false)})},
		{"import", func() error {
			file := strings.NewReader("Handle,Title,Variant Price\nmug,Big mug,4\n")
			_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), file, catalogue.ImportOptions{})
			return err
		}},
		{"clock set back", func() error {
			s.clock.Advance(-time.Hour)
			return stock(catalogue.StockChange{LowStock: new(int64(3)), Tracked: new(true)})()
		}},
	} {
		shoptest.CheckCachedProducts(t, s.Shop, s.store, s.clock) // caches all products
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if t.Failed() {
			t.Fatalf("failed before %s", step.name)
		}
	}
	shoptest.CheckCachedProducts(t, s.Shop, s.store, s.clock)
}
