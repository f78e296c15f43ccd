package catalogue_test

import (
	"fmt"
	"strings"
	"testing"

	"storefront/shop/catalogue"
	"storefront/shop/page"
)

// benchFile returns a product file of n products with three variants each.
func benchFile(n int) string {
	var b strings.Builder
	b.WriteString("Handle,Title,Body (HTML),Vendor,Type,Tags,Option1 Name,Option1 Value,Variant SKU," +
		"Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Image Src,Collections\n")
	words := []string{"cotton", "silk", "পাঞ্জাবি", "শাড়ি", "lamp", "honey", "watch", "mug"}
	for i := range n {
		a, c := words[i%len(words)], words[(i/len(words))%len(words)]
		body := strings.Repeat("<p>A fine "+a+" with "+c+", made with care in Dhaka.</p>", 6)
		fmt.Fprintf(&b, "p-%d,%s %s %d,\"%s\",Vendor %d,Type %d,\"%s, %s\",Size,S,SKU-%d-S,shopify,%d,%d,/images/%d.svg,c-%d\n",
			i, a, c, i, body, i%9, i%7, a, c, i, i%20, 100+i%900, i, i%8)
		fmt.Fprintf(&b, "p-%d,,,,,,,M,SKU-%d-M,shopify,%d,%d,/images/%d-2.svg,\n", i, i, i%20, 110+i%900, i)
		fmt.Fprintf(&b, "p-%d,,,,,,,L,SKU-%d-L,shopify,%d,%d,,\n", i, i, i%20, 120+i%900)
	}
	return b.String()
}

func BenchmarkFindProducts(b *testing.B) {
	s := newCatalogueShop(b)
	mustImport(b, s, benchFile(1000), catalogue.ImportOptions{})
	for _, bench := range []struct {
		name   string
		filter catalogue.ProductFilter
	}{
		{"Page", catalogue.ProductFilter{}},
		{"LastPage", catalogue.ProductFilter{Request: page.Request{Page: new(50)}}},
		{"InStockByPrice", catalogue.ProductFilter{InStock: new(true), SortBy: "price"}},
		{"Search", catalogue.ProductFilter{Search: "পাঞ্জা"}},
		{"SearchTwoWords", catalogue.ProductFilter{Search: "cotton honey"}},
		{"SearchInPrices", catalogue.ProductFilter{Search: "cotton", MinPrice: new(int64(30000)), MaxPrice: new(int64(60000))}},
		{"All", catalogue.ProductFilter{Request: page.Request{Limit: new(page.NoLimit)}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustFindProducts(b, s, bench.filter)
			}
		})
	}
}

func BenchmarkFindProductByHandle(b *testing.B) {
	s := newCatalogueShop(b)
	mustImport(b, s, benchFile(1000), catalogue.ImportOptions{})
	b.ReportAllocs()
	for b.Loop() {
		mustFindHandle(b, s, "p-500")
	}
}

func BenchmarkImportProducts(b *testing.B) {
	file := benchFile(1000)
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s := newCatalogueShop(b)
			b.StartTimer()
			mustImport(b, s, file, catalogue.ImportOptions{})
		}
	})
	// The duration must grow linearly with the number of products.
	for _, products := range []int{1000, 4000} {
		b.Run(fmt.Sprintf("Changed%d", products), func(b *testing.B) {
			s := newCatalogueShop(b)
			file := benchFile(products)
			mustImport(b, s, file, catalogue.ImportOptions{})
			for i := 1; b.Loop(); i++ {
				mustImport(b, s, strings.ReplaceAll(file, ",shopify,", fmt.Sprintf(",shopify,%d", i)), catalogue.ImportOptions{})
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*products), "µs/product")
		})
	}
	b.Run("Unchanged", func(b *testing.B) {
		s := newCatalogueShop(b)
		mustImport(b, s, file, catalogue.ImportOptions{})
		for b.Loop() {
			mustImport(b, s, file, catalogue.ImportOptions{})
		}
	})
}
