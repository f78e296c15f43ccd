package productfile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/catalogue/productfile"
	"storefront/shop/money"
)

var taka = money.Currency{Code: "BDT", Digits: 2}

// read returns all products of a file and what was found.
func read(
	t testing.TB, text string,
) (*productfile.File, []*productfile.Product, *productfile.Findings) {
	t.Helper()
	found := &productfile.Findings{}
	cfg := productfile.Config{
		Currency: taka, Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Findings: found,
	}
	file, source, err := productfile.Open(strings.NewReader(text), cfg)
	if err != nil {
		t.Fatalf("got error %v, want nil", err)
	}
	if source == nil {
		return file, nil, found
	}
	defer source.Close()
	var products []*productfile.Product
	for {
		product, err := source.Next()
		if err != nil {
			t.Fatalf("got error %v, want nil", err)
		}
		if product == nil {
			return file, products, found
		}
		products = append(products, product)
	}
}

func TestWriter_RoundTrip(t *testing.T) {
	t.Parallel()
	want := []*productfile.Product{
		{
			Line: 2, Handle: "mug", Title: "Mug", DescriptionHTML: "<p>a;\nb</p>", Status: "active",
			Vendor: "Kumar", Type: "Cup",
			PublishedAt: new(time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)),
			Tags:        []string{"new"}, Options: []string{"Size"}, SEOTitle: "=Mug", SEODescription: "+1",
			Metadata: `{"a":1e400}`, Collections: []string{"home", "cups"},
			QuantityPrices: []productfile.QuantityPrice{{Quantity: 2, Price: 200_00}, {Quantity: 3, Price: 250_50}},
			Variants: []productfile.Variant{
				{
					Line: 2, Options: []string{"S", "", ""}, SKU: "'0012", Barcode: "0123", Price: 123456,
					CompareAtPrice: new(int64(200000)),
					Cost: new(
						int64(1),
					), WeightGrams: 250, ImageURL: "https://a/1.png", Tracked: true, Stock: new(-3), LowStock: new(0),
					Backorder: true,
				},
				{Line: 4, Options: []string{"L", "", ""}, LowStock: new(5)},
			},
			Images: []productfile.Image{
				{
					Line:     2,
					Position: 1,
					URL:      "https://a/1.png",
					Alt:      "a mug",
					Width:    new(3),
					Height:   new(4),
				},
			},
		},
		{
			Line: 5, Handle: "honey", Title: "Honey", Status: "draft", Hidden: true, Tags: []string{""},
			Collections: []string{},
			Variants:    []productfile.Variant{{Line: 5, Options: []string{"", "", ""}, LowStock: new(1)}},
			Images: []productfile.Image{
				{Line: 5, Position: 1, URL: "/a.png"}, {Line: 6, Position: 2, URL: "/b.png"},
			},
		},
	}
	var b strings.Builder
	out, err := productfile.NewWriter(&b, taka, true, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range want {
		if err := out.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	file, got, found := read(t, b.String())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("products (-written +read):\n%s", diff)
	}
	if found.Total != 0 || len(found.NoteCounts) != 0 || file.Format != productfile.Shopify ||
		len(file.Ignored) != 0 {
		t.Errorf("got %+v of %+v, want nothing found", found, file)
	}
	again, err := productfile.DecodeColumns(file.Has.Encode())
	if err != nil || again != file.Has {
		t.Errorf("columns: got %v, %v, want %v", again, err, file.Has)
	}
}

func TestOpen_Problems(t *testing.T) {
	t.Parallel()
	type problems = []productfile.Problem
	for name, one := range map[string]struct {
		file string
		want problems
	}{
		"Empty":  {"", problems{{1, "", productfile.ProblemFileEmpty, "The file is empty: export it again."}}},
		"UTF-16": {"\xff\xfea\x00", problems{{1, "", productfile.ProblemFileUTF16, "The file is encoded in UTF-16: save it as CSV UTF-8."}}},
		"Twice":  {"Title,title\nA,B\n", problems{{1, "title", productfile.ProblemColumnTwice, "The column occurs twice: remove one of the two."}}},
		"Invalid": {
			"Handle,Title,Variant Price,Published\na,A,1,ja\n\nb,,x,\n", problems{
				{2, "Published", productfile.ProblemNotBoolean, "Must be TRUE or FALSE."},
				{4, "Variant Price", productfile.ProblemNotAmount, "Must be an amount in BDT such as 1250.00, with at most 2 decimals after a point."},
			},
		},
		"WooCommerce": {
			"Name,Type,Regular price,Parent\nA,variation,5,9\nB,simple,x,\n", problems{

				{2, "Parent", productfile.ProblemNoParent, "The file has no product 9: export the products with all their types."},
				{3, "Regular price", productfile.ProblemNotAmount, "Must be an amount in BDT such as 1250.00, with at most 2 decimals after a point."},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, found := read(t, one.file)
			if diff := cmp.Diff(one.want, found.SortedProblems()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzOpen(f *testing.F) {
	f.Add("Handle,Title,Variant Price,Image Src,Image Position\na,A,1,/a.svg,2\na,,,/b.svg,1\n")
	f.Add("\ufeffHandle;Title;Option1 Name;Option1 Value\r\n\"x\ny\";\"a\"\"b\";Size;M\r\n")
	f.Add("handle\tMetadata\tPublished At\nx\t{\"a\":[1e400]}\t2026-01-01T00:00:00Z\n")
	f.Add("\xff\xfe")
	f.Add(
		"ID,Type,SKU,Name,Published,Stock,Regular price,Sale price,Date sale price ends,Categories,Parent,Attribute 1 name,Attribute 1 value(s)\n" +
			"1,variable,A,A,1,3,,,,\"A > B, C\\, D\",,Size,\"S, M\"\n2,variation,,A,1,parent,5,4,2030-01-01,,A,Size,\n3,grouped,,,-1,,,,,,,,\n",
	)
	f.Add("Name,Regular price,Weight (lbs),Images\n,x,1e9,\"//a b, ftp:\"\n™,5,-1,\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, products, found := read(t, text)
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
		for _, p := range found.SortedProblems() {
			if p.Line < 1 || p.Line > lines || p.Message == "" {
				t.Errorf("got problem %+v, want a message and a line from 1 to %d", p, lines)
			}
		}
		seen := map[string]bool{}
		for _, product := range products {
			if product.Handle == "" || seen[product.Handle] || len(product.Variants) == 0 {
				t.Errorf("got product %+v, want variants and a handle that is not repeated", product)
			}
			seen[product.Handle] = true
		}
	})
}
