package catalogue_test

import (
	"context"
	"testing"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// catalogueShop is a shop with its store and clock.
type catalogueShop struct {
	*shop.Shop
	store *db.Store
	clock *shoptest.Clock
}

func newCatalogueShop(tb testing.TB) catalogueShop {
	tb.Helper()
	clock := shoptest.NewClock()
	return newCatalogueShopIn(tb, shoptest.NewStore(tb, clock), clock)
}

func newCatalogueShopIn(tb testing.TB, store *db.Store, clock *shoptest.Clock) catalogueShop {
	tb.Helper()
	return catalogueShop{shoptest.New(tb, &shoptest.Options{Store: store, Clock: clock}), store, clock}
}

// plainProduct returns a product with one variant and a stock of 10.
func plainProduct(handle string, price int64) catalogue.ProductInput {
	return catalogue.ProductInput{
		Handle: handle, Title: handle,
		Variants: []catalogue.VariantInput{{Price: price, Tracked: true, Stock: new(10)}},
	}
}

func mustSaveProduct(tb testing.TB, s catalogueShop, in catalogue.ProductInput) *catalogue.Product {
	tb.Helper()
	product, err := saveProduct(s, in)
	if err != nil {
		tb.Fatalf("save %s: %v", in.Handle, err)
	}
	return product
}

// saveProduct creates the product with the handle of in, or changes its content to in.
func saveProduct(s catalogueShop, in catalogue.ProductInput) (*catalogue.Product, error) {
	ctx := context.Background()
	saved, err := s.Catalogue.FindProductRecord(ctx, access.Operator(), in.Handle)
	switch {
	case fault.HasCode(err, fault.CodeNotFound):
		saved, err = s.Catalogue.CreateProduct(ctx, access.Operator(), in)
	case err == nil:
		saved, err = s.Catalogue.UpdateProduct(ctx, access.Operator(), in.Handle, changeTo(in))
	}
	if err != nil {
		return nil, err
	}
	return &saved.Product, nil
}

// changeTo returns the change of a product's content to in. Stock that in omits is unchanged.
func changeTo(in catalogue.ProductInput) catalogue.ProductChange {
	change := catalogue.ProductChange{
		Title: &in.Title, DescriptionHTML: &in.DescriptionHTML, Vendor: &in.Vendor, Metadata: in.Metadata,
		Tags: db.OrEmpty(in.Tags), Options: db.OrEmpty(in.Options), Images: db.OrEmpty(in.Images),
		Collections: in.Collections, ReplaceVariants: true,
	}
	for _, v := range in.Variants {
		variant := catalogue.VariantChange{
			Options: v.Options, SKU: &v.SKU, Price: &v.Price, Tracked: &v.Tracked, Backorder: &v.Backorder,
			Image: &catalogue.ImageInput{URL: v.ImageURL},
		}
		if v.Stock != nil {
			variant.Stock = new(int64(*v.Stock))
		}
		change.Variants = append(change.Variants, variant)
	}
	return change
}

func mustSaveCollection(tb testing.TB, s catalogueShop, in catalogue.CollectionInput) *catalogue.Collection {
	tb.Helper()
	collection, err := s.Catalogue.SaveCollection(context.Background(), access.Operator(), in, nil)
	if err != nil {
		tb.Fatalf("save collection %s: %v", in.Handle, err)
	}
	return &collection.Collection
}

func mustFindProducts(tb testing.TB, s catalogueShop, filter catalogue.ProductFilter) *page.Page[catalogue.Product] {
	tb.Helper()
	list, err := s.Catalogue.FindProducts(context.Background(), filter)
	if err != nil {
		tb.Fatalf("find products %+v: %v", filter, err)
	}
	return list
}

func handlesOf(products []catalogue.Product) []string {
	handles := make([]string, len(products))
	for i, p := range products {
		handles[i] = p.Handle
	}
	return handles
}

// mustFindHandles returns the handles of all products that the filter selects, in order.
func mustFindHandles(tb testing.TB, s catalogueShop, filter catalogue.ProductFilter) []string {
	tb.Helper()
	filter.Limit = new(page.NoLimit)
	return handlesOf(mustFindProducts(tb, s, filter).Nodes)
}
