package catalogue_test

import (
	"testing"

	"storefront/shop/catalogue"
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
