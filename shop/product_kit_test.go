package shop_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// catalogueShop is a shop with the store below it, for looking into its file.
type catalogueShop struct {
	*shop.Shop
	store *db.Store
	clock *shoptest.Clock
}

func newCatalogueShop(tb testing.TB) catalogueShop {
	tb.Helper()
	clock := shoptest.NewClock()
	store := shoptest.NewStore(tb, clock)
	return catalogueShop{shoptest.New(tb, &shoptest.Options{Store: store, Clock: clock}), store, clock}
}

// plainProduct is a product with one variant of which 10 are in stock.
func plainProduct(handle string, price int64) shop.ProductInput {
	return shop.ProductInput{
		Handle: handle, Title: handle,
		Variants: []shop.VariantInput{{Price: price, Tracked: true, Stock: new(10)}},
	}
}

func mustSaveProduct(tb testing.TB, s catalogueShop, in shop.ProductInput) *shop.Product {
	tb.Helper()
	product, err := s.SaveProduct(context.Background(), access.Operator(), in)
	if err != nil {
		tb.Fatalf("save %s: %v", in.Handle, err)
	}
	return product
}

func mustSaveCollection(tb testing.TB, s catalogueShop, in shop.CollectionInput) *shop.Collection {
	tb.Helper()
	collection, err := s.SaveCollection(context.Background(), access.Operator(), in)
	if err != nil {
		tb.Fatalf("save collection %s: %v", in.Handle, err)
	}
	return collection
}

func mustFindProducts(tb testing.TB, s catalogueShop, filter shop.ProductFilter) *page.Page[shop.Product] {
	tb.Helper()
	list, err := s.FindProducts(context.Background(), filter)
	if err != nil {
		tb.Fatalf("find products %+v: %v", filter, err)
	}
	return list
}

func handlesOf(products []shop.Product) []string {
	handles := make([]string, len(products))
	for i, p := range products {
		handles[i] = p.Handle
	}
	return handles
}

// mustFindHandles gives the handles of all that the filter finds, in order.
func mustFindHandles(tb testing.TB, s catalogueShop, filter shop.ProductFilter) []string {
	tb.Helper()
	filter.Limit = new(page.NoLimit)
	return handlesOf(mustFindProducts(tb, s, filter).Nodes)
}

func sorted(values []string) []string { return slices.Sorted(slices.Values(values)) }

// checkStock fails unless each variant's stock is the sum of its movements.
func checkStock(tb testing.TB, s catalogueShop) {
	tb.Helper()
	err := s.store.View(context.Background(), db.ID(s.UID()), func(ctx context.Context, tx *db.Tx) error {
		return tx.Each(`
			SELECT v.id, v.stock, COALESCE((SELECT SUM(m.delta) FROM stock_movements m WHERE m.variant_id = v.id), 0)
			FROM variants v`, nil, func(r db.Row) error {
			var id string
			var stock, moved int64
			if err := r.Scan(&id, &stock, &moved); err != nil {
				return err
			}
			if stock != moved {
				return fmt.Errorf("variant %s has %d, its movements give %d", id, stock, moved)
			}
			return nil
		})
	})
	if err != nil {
		tb.Error(err)
	}
}

// checkIndex fails unless the search index is what the products give.
func checkIndex(tb testing.TB, s catalogueShop, words ...string) {
	tb.Helper()
	find := func() (found []string) {
		for _, word := range words {
			found = append(found, word+":")
			found = append(found, mustFindHandles(tb, s, shop.ProductFilter{Search: word})...)
		}
		return found
	}
	before := find()
	if err := s.store.Update(context.Background(), db.ID(s.UID()), shop.RebuildSearch); err != nil {
		tb.Fatalf("rebuild search: %v", err)
	}
	if after := find(); !slices.Equal(before, after) {
		tb.Errorf("search finds %v, and %v once rebuilt", before, after)
	}
}
