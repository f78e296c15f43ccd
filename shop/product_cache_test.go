package shop_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// checkKeptProducts compares the products that a shop shows with those of one that keeps none.
func checkKeptProducts(tb testing.TB, s *shop.Shop, store *db.Store, clock *shoptest.Clock) {
	tb.Helper()
	forgetful := shop.New(shop.Config{
		Store: store, ID: db.ID(s.UID()), Sealer: shoptest.Sealer(s.UID()), Hasher: shoptest.Hasher(), Now: clock.Now,
	})
	all := shop.ProductFilter{Request: page.Request{Limit: new(page.NoLimit)}}
	got, err := s.FindProducts(context.Background(), all)
	if err != nil {
		tb.Fatal(err)
	}
	want, err := forgetful.FindProducts(context.Background(), all)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("kept products are not as the file has them (-file +kept):\n%s", diff)
	}
	for _, p := range want.Nodes {
		one, err := s.FindProduct(context.Background(), p.ID)
		if err != nil {
			tb.Fatal(err)
		}
		if diff := cmp.Diff(&p, one); diff != "" {
			tb.Errorf("a kept product is not as the file has it (-file +kept):\n%s", diff)
		}
	}
}

// What orders do to kept products is checked by checkBooks, after each of their tests.
func TestShop_ProductsAreKeptWhileTheyAreTheSame(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	shirt := shop.ProductInput{
		Handle: "shirt", Title: "Shirt", Options: []string{"Size"}, Tags: []string{"men"},
		Images: []shop.ImageInput{{URL: "/red.svg"}, {URL: "/blue.svg"}},
		Variants: []shop.VariantInput{
			{Options: []string{"S"}, SKU: "S", Price: 100, Tracked: true, Stock: new(9), ImageURL: "/red.svg"},
			{Options: []string{"M"}, SKU: "M", Price: 120, Tracked: true, Stock: new(9)},
		},
	}
	mustSaveProduct(t, s, shirt)
	mustSaveProduct(t, s, plainProduct("mug", 300))
	if _, err := s.SaveCollection(t.Context(), access.Operator(), shop.CollectionInput{Title: "Sale"}); err != nil {
		t.Fatal(err)
	}
	save := func(change func(in *shop.ProductInput)) func() error {
		return func() error {
			change(&shirt)
			_, err := s.SaveProduct(t.Context(), access.Operator(), shirt)
			return err
		}
	}
	stock := func(change shop.StockChange) func() error {
		return func() error {
			_, err := s.ChangeStock(t.Context(), access.Operator(), "S", change)
			return err
		}
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"title", save(func(in *shop.ProductInput) { in.Title = "Fine shirt" })},
		{"tags", save(func(in *shop.ProductInput) { in.Tags = []string{"men", "new"} })},
		{"image", save(func(in *shop.ProductInput) { in.Images = in.Images[:1] })},
		{"variant", save(func(in *shop.ProductInput) { in.Variants = in.Variants[:1] })},
		{"into a collection", func() error {
			_, err := s.AddToCollection(t.Context(), access.Operator(), "sale", "shirt", "mug")
			return err
		}},
		{"out of it", func() error {
			_, err := s.RemoveFromCollection(t.Context(), access.Operator(), "sale", "mug")
			return err
		}},
		{"stock set", stock(shop.StockChange{Set: new(int64(1))})},
		{"low stock", stock(shop.StockChange{LowStock: new(int64(7))})},
		{"not counted", stock(shop.StockChange{Tracked: new(false)})},
		{"import", func() error {
			_, err := s.ImportProducts(t.Context(), access.Operator(), strings.NewReader("Handle,Title,Variant Price\nmug,Big mug,4\n"), shop.ImportOptions{})
			return err
		}},
		{"clock set back", func() error {
			s.clock.Advance(-time.Hour)
			return stock(shop.StockChange{LowStock: new(int64(3)), Tracked: new(true)})()
		}},
	} {
		checkKeptProducts(t, s.Shop, s.store, s.clock) // now everything is kept
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if t.Failed() {
			t.Fatalf("before %s", step.name)
		}
	}
	checkKeptProducts(t, s.Shop, s.store, s.clock)
}
