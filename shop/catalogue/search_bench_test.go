package catalogue_test

import (
	"testing"

	"storefront/shop/catalogue"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// BenchmarkSearch measures searches among 10,000 products, without a cache. Every product has the
// word made in its description.
func BenchmarkSearch(b *testing.B) {
	s := newCatalogueShop(b)
	mustImport(b, s, benchFile(10_000), catalogue.ImportOptions{})
	for _, bench := range []struct{ name, search string }{
		{"Exact", "SKU-4711-L"},
		{"Word", "honey"},
		{"Prefix", "hon"},
		{"TwoWords", "cotton honey"},
		{"Misspelt", "hnoey"},
		{"MisspeltCommon", "mdea"},
		{"Synonym", "sharee"},
		{"CommonWord", "made"},
		{"CommonPrefix", "mad"},
		{"Nothing", "qqqqqqq"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer() // a change, since the number of matches is stored by content version
				shoptest.Exec(b, s.store, s.UID(), `UPDATE products SET sold = sold WHERE number = 1`)
				b.StartTimer()
				mustFindProducts(b, s, catalogue.ProductFilter{Search: bench.search})
			}
		})
	}
}

// BenchmarkFacets measures facets of 10,000 products with three variants each: with the table of
// another content version, without one, and with the current one.
func BenchmarkFacets(b *testing.B) {
	s := newCatalogueShop(b)
	mustImport(b, s, benchFile(10_000), catalogue.ImportOptions{})
	for _, bench := range []struct {
		name   string
		filter catalogue.ProductFilter
	}{
		{"All", catalogue.ProductFilter{}},
		{"Filtered", catalogue.ProductFilter{Vendors: []string{"Vendor 1"}, Options: []string{"Size:M"}, InStock: new(true)}},
		{"Search", catalogue.ProductFilter{Search: "honey"}},
		{"CommonWord", catalogue.ProductFilter{Search: "made"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				mustFindFacets(b, s, bench.filter)
			}
		})
	}
	b.Run("AfterChange", func(b *testing.B) {
		for b.Loop() {
			shoptest.Exec(b, s.store, s.UID(), `
				UPDATE product_revisions
				SET revision = revision + 1
				WHERE product_id = (SELECT id FROM products WHERE number = 1)`)
			mustFindFacets(b, s, catalogue.ProductFilter{})
		}
	})
	b.Run("AfterChangeOfAll", func(b *testing.B) {
		for b.Loop() {
			shoptest.Exec(b, s.store, s.UID(), `UPDATE product_revisions SET revision = revision + 1`)
			mustFindFacets(b, s, catalogue.ProductFilter{})
		}
	})
	for name, filter := range map[string]catalogue.ProductFilter{
		"ListByVendor": {Vendors: []string{"Vendor 1"}}, "ListByOption": {Options: []string{"Size:M"}},
		"ListByOptionByPrice": {Options: []string{"Size:M"}, SortBy: "price"},
		"ListByOptionSearch":  {Options: []string{"Size:M"}, Search: "honey"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				mustFindProducts(b, s, filter)
			}
		})
	}
}

// BenchmarkSuggest measures suggestions among 10,000 products.
func BenchmarkSuggest(b *testing.B) {
	s := newCatalogueShop(b)
	mustImport(b, s, benchFile(10_000), catalogue.ImportOptions{})
	for _, typed := range []string{"ho", "hon", "cotton hon", "পাঞ্জা", "hnoey", "made", "vendor", "qqqqq"} {
		b.Run(typed, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Catalogue.Suggest(b.Context(), typed); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("Related", func(b *testing.B) {
		id := mustFindHandle(b, s, "p-500").ID
		for b.Loop() {
			if _, err := s.Catalogue.FindRelated(b.Context(), id, page.Request{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
