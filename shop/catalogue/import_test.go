package catalogue_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/shoptest"
)

func mustImport(tb testing.TB, s catalogueShop, file string, opts catalogue.ImportOptions) *catalogue.ImportReport {
	tb.Helper()
	report, err := s.Catalogue.ImportProducts(tb.Context(), access.Operator(), strings.NewReader(file), opts)
	if err != nil {
		tb.Fatalf("import: %v", shoptest.ImportProblems(err))
	}
	return report
}

func mustExport(tb testing.TB, s catalogueShop) string {
	tb.Helper()
	var file bytes.Buffer
	if err := s.Catalogue.ExportProducts(tb.Context(), access.Operator(), &file); err != nil {
		tb.Fatalf("export: %v", err)
	}
	return file.String()
}

func mustFindHandle(tb testing.TB, s catalogueShop, handle string) *catalogue.Product {
	tb.Helper()
	product, err := s.Catalogue.FindProductByHandle(tb.Context(), handle)
	if err != nil {
		tb.Fatalf("find %s: %v", handle, err)
	}
	return product
}

func readTestdata(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

const smallFile = "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty," +
	"Variant Inventory Policy,Variant Price,Variant Compare At Price,Image Src,Image Position,Variant Image,Collections" + `
shirt,Shirt,Size,M,S-M,shopify,5,deny,"1,250.50",1500,/b.svg,2,/a.svg,men; Eid Sale
shirt,,,L,S-L,shopify,0,continue,1300,,/a.svg,1,,
shirt,,,,,,,,,,/c.svg,,,
lamp,Lamp,Title,Default Title,,,12,,300,,,,,
`

func TestCatalogue_ImportProducts(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustSaveCollection(t, s, catalogue.CollectionInput{Handle: "men", Title: "For men"})
	report := mustImport(t, s, smallFile, catalogue.ImportOptions{})
	want := &catalogue.ImportReport{
		Format: productfile.Shopify, Rows: 4, Products: 2, Created: 2, CollectionsCreated: []string{"Eid Sale"}, IgnoredColumns: []string{},
		Notes: []productfile.Note{}, NoteCounts: map[productfile.NoteKind]int{}, RemovedHTML: map[string]int{},
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	shirt := mustFindHandle(t, s, "shirt")
	var urls []string
	for _, image := range shirt.Images {
		urls = append(urls, image.URL)
	}
	if diff := cmp.Diff([]string{"/a.svg", "/b.svg", "/c.svg"}, urls); diff != "" {
		t.Errorf("image URLs (-want +got):\n%s", diff)
	}
	if len(shirt.Variants) != 2 || shirt.PriceRange.Min.Amount != 125050 || shirt.PriceRange.Max.Amount != 130000 ||
		shirt.CompareAtPrice.Amount != 150000 || shirt.Variants[0].Image.URL != "/a.svg" ||
		shirt.Variants[1].StockStatus != catalogue.StockBackorder || len(shirt.CollectionIDs) != 2 {
		t.Errorf("got shirt %+v", shirt)
	}
	lamp := mustFindHandle(t, s, "lamp")
	if len(lamp.Options) != 0 || lamp.Variants[0].AvailableQuantity != nil || lamp.Variants[0].Title != "Lamp" {
		t.Errorf("got lamp %+v", lamp)
	}
	shoptest.CheckStock(t, s.Shop, s.store)
	shoptest.CheckIndex(t, s.Shop, s.store, "shirt", "s-l", "lamp")
}

func TestCatalogue_ImportProducts_FormatVariants(t *testing.T) {
	t.Parallel()
	semicolons := strings.NewReplacer(",", ";", ";", "|").Replace(strings.ReplaceAll(smallFile, `"1,250.50"`, "1250.50"))
	semicolons = strings.ReplaceAll(semicolons, "men| Eid Sale", `"men; Eid Sale"`)
	for name, file := range map[string]string{
		"BOM":         "\ufeff" + smallFile,
		"CRLF":        strings.ReplaceAll(smallFile, "\n", "\r\n"),
		"Semicolons":  semicolons,
		"Tabs":        strings.ReplaceAll(semicolons, ";", "\t"),
		"LowerCase":   strings.ToLower(smallFile[:strings.Index(smallFile, "\n")]) + smallFile[strings.Index(smallFile, "\n"):],
		"BlankRows":   strings.ReplaceAll(smallFile, "\n", "\n\n,,,,\n"),
		"NoNewline":   strings.TrimSuffix(smallFile, "\n"),
		"MoreColumns": strings.ReplaceAll(smallFile, "\n", ",\n"),
		"NewTemplate": strings.NewReplacer(
			"Handle,", "URL handle,", "Variant SKU", "SKU", "Variant Inventory Tracker", "Inventory tracker", "Variant Inventory Qty", "Inventory quantity",
			"Variant Inventory Policy", "Continue selling when out of stock", "Variant Price", "Price", "Variant Compare At Price", "Compare-at price",
			"Image Src", "Product image URL", "Variant Image", "Variant image URL").Replace(smallFile),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCatalogueShop(t)
			if name == "Tabs" {
				file = strings.ReplaceAll(file, "\"men\t Eid Sale\"", "men; Eid Sale")
			}
			if report := mustImport(t, s, file, catalogue.ImportOptions{}); report.Created != 2 {
				t.Errorf("got report %+v", report)
			}
			plain := newCatalogueShop(t)
			mustImport(t, plain, smallFile, catalogue.ImportOptions{})
			if diff := cmp.Diff(mustExport(t, plain), mustExport(t, s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCatalogue_ImportProducts_InvalidCells(t *testing.T) {
	t.Parallel()
	const header = "Handle,Title,Option1 Name,Option1 Value,Option2 Value,Variant Price,Variant Compare At Price," +
		"Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Grams," +
		"Image Src,Image Position,Published,Status,Metadata,Published At,Tags,Variant Image\n"
	good := "good,Good,,,,1,,,,,,,,,,,,,\n"
	type problem struct {
		line         int
		column, text string
	}
	for _, test := range []struct {
		name, file string
		want       []problem
	}{
		{"Empty", "", []problem{{1, "", "empty"}}},
		{"UTF16", "\xff\xfeH\x00a\x00", []problem{{1, "", "UTF-16"}}},
		{"NoHandle", "Name,Price\nx,1\n", []problem{{1, "Handle", "missing"}}},
		{"ColumnTwice", "Handle,handle\nx,x\n", []problem{{1, "handle", "occurs twice"}}},
		{"NotUTF8", header + good + "x,\xe9t\xe9,,,,1,,,,,,,,,,,,,\n", []problem{{3, "", "Cell 2 is not valid UTF-8"}}},
		{"BareQuote", header + good + `x,"a"b,,,,1` + "\n", []problem{{3, "", "column"}}},
		{"OpenQuote", header + `x,"never closed` + "\n\n\n", []problem{{2, "", "column"}}},
		{"TooManyCells", header + good + "x,X,,,,1,,,,,,,,,,,,,,oops\n", []problem{{3, "", "more cells"}}},
		{"RowWithoutHandle", header + ",,,,,1,,,,,,,,,,,,,\n", []problem{{2, "Handle", "handle is required"}}},
		{"BanglaTitleWithoutHandle", header + ",শাড়ি,,,,1,,,,,,,,,,,,,\n", []problem{{2, "Handle", "handle is required"}}},
		{"BadHandle", header + "//,X,,,,1,,,,,,,,,,,,,\n", []problem{{2, "Handle", "letters"}}},
		{"NoTitle", header + "x,,,,,1,,,,,,,,,,,,,\n", []problem{{2, "Title", "title is required"}}},
		{"HandleComesBack", header + good + "x,X,,,,1,,,,,,,,,,,,,\ngood,,,,,,,,,,,/a.svg,,,,,,,\n", []problem{{4, "Handle", "begin on line 2"}}},
		{"OtherTitle", header + "x,X,Size,M,,1,,,,,,,,,,,,,\nx,Y,,L,,1,,,,,,,,,,,,,\n", []problem{{3, "Title", "title differs"}}},
		{"NoPrice", header + "x,X,Size,M,,1,,,,,,,,,,,,,\nx,,,L,,,,,,,,,,,,,,,\n", []problem{{3, "Variant Price", "price is required"}}},
		{"Price", header + "x,X,,,,12.345,,,,,,,,,,,,,\n", []problem{{2, "Variant Price", "amount"}}},
		{"DecimalComma", header + `x,X,,,,"12,50",,,,,,,,,,,,,` + "\n", []problem{{2, "Variant Price", "after a point"}}},
		{"NegativePrice", header + "x,X,,,,-1,,,,,,,,,,,,,\n", []problem{{2, "Variant Price", "amount"}}},
		{"HugePrice", header + "x,X,,,,99999999999999999999,,,,,,,,,,,,,\n", []problem{{2, "Variant Price", "amount"}}},
		{"ComparePrice", header + "x,X,,,,1,many,,,,,,,,,,,,\n", []problem{{2, "Variant Compare At Price", "amount"}}},
		{"Stock", header + "x,X,,,,1,,shopify,some,,,,,,,,,,\n", []problem{{2, "Variant Inventory Qty", "whole number"}}},
		{"Policy", header + "x,X,,,,1,,,,maybe,,,,,,,,,\n", []problem{{2, "Variant Inventory Policy", "deny or continue"}}},
		{"Grams", header + "x,X,,,,1,,,,,heavy,,,,,,,,\n", []problem{{2, "Variant Grams", "number from 0"}}},
		{"ImageURL", header + "x,X,,,,1,,,,,,ftp://x/y,,,,,,,\n", []problem{{2, "Image Src", "http"}}},
		{"ImageOnlyRow", header + "x,X,,,,1,,,,,,,,,,,,,\nx,,,,,,,,,,,nonsense,,,,,,,\n", []problem{{3, "Image Src", "http"}}},
		{"VariantImage", header + "x,X,,,,1,,,,,,,,,,,,,nonsense\n", []problem{{2, "Variant Image", "http"}}},
		{"ImagePosition", header + "x,X,,,,1,,,,,,/a.svg,0,,,,,,\n", []problem{{2, "Image Position", "at least 1"}}},
		{"Published", header + "x,X,,,,1,,,,,,,,perhaps,,,,,\n", []problem{{2, "Published", "TRUE or FALSE"}}},
		{"Status", header + "x,X,,,,1,,,,,,,,,gone,,,,\n", []problem{{2, "Status", "active, draft or archived"}}},
		{"Metadata", header + "x,X,,,,1,,,,,,,,,,[1],,,\n", []problem{{2, "Metadata", "JSON object"}}},
		{"PublishedAt", header + "x,X,,,,1,,,,,,,,,,,tomorrow,,\n", []problem{{2, "Published At", "time"}}},
		{"TwoVariantsWithoutOption", header + "x,X,,,,1,,,,,,,,,,,,,\nx,,,,,2,,,,,,,,,,,,,\n", []problem{{3, "Option1 Value", "option"}}},
		{"SameVariantTwice", header + "x,X,Size,M,,1,,,,,,,,,,,,,\nx,,,M,,2,,,,,,,,,,,,,\n", []problem{{3, "Option1 Value", "must differ"}}},
		{"ValueWithoutOption", header + "x,X,Size,M,Red,1,,,,,,,,,,,,,\n", []problem{{2, "Option2 Value", "no option"}}},
		{"OptionWithoutValue", header + "x,X,Size,,,1,,,,,,,,,,,,,\n", []problem{{2, "Option1 Value", "is required"}}},
		{
			"LineOfACell", header + "x,\"X\nY\",,,,\"no\nprice\",,,,,,,,maybe,,,,,\n" + good + "y,,,,,bad,,,,,,,,,,,,,\n",
			[]problem{{3, "Variant Price", "amount"}, {4, "Published", "TRUE"}, {6, "Variant Price", "amount"}, {6, "Title", "title is required"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newCatalogueShop(t)
			report, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(test.file), catalogue.ImportOptions{})
			invalid, ok := errors.AsType[*catalogue.ImportError](err)
			if !ok {
				t.Fatalf("got report %+v, error %v", report, err)
			}
			same := len(invalid.Problems) == len(test.want) && invalid.Total == len(test.want)
			for i := 0; same && i < len(test.want); i++ {
				got, want := invalid.Problems[i], test.want[i]
				same = got.Line == want.line && got.Column == want.column && strings.Contains(got.Message, want.text)
			}
			if !same {
				t.Errorf("problems: %v\nwant %v", shoptest.ImportProblems(err), test.want)
			}
			if !fault.HasCode(err, fault.CodeValidationFailed) {
				t.Errorf("got %v, want validation_failed", err)
			}
			if list, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{}); err != nil || list.Meta.TotalCount != 0 {
				t.Errorf("got %d products, %v, want 0", list.Meta.TotalCount, err)
			}
		})
	}
}

func TestCatalogue_ImportProducts_ManyProblems(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	var file strings.Builder
	file.WriteString("Handle,Title,Variant Price\n")
	for i := range 250 {
		fmt.Fprintf(&file, "p%d,P,x\n", i)
	}
	_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(file.String()), catalogue.ImportOptions{})
	invalid, ok := errors.AsType[*catalogue.ImportError](err)
	if !ok || len(invalid.Problems) != 100 || invalid.Total != 250 {
		t.Errorf("got error %v", err)
	}
}

// Fields whose columns the file lacks are unchanged.
func TestCatalogue_ImportProducts_SomeColumns(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustImport(t, s, readTestdata(t, "products.csv"), catalogue.ImportOptions{})
	before := mustFindHandle(t, s, "eid-panjabi")
	s.clock.Advance(time.Minute)
	prices := "Handle,Variant SKU,Variant Price\neid-panjabi,PNJ-RED-40,1699\neid-panjabi,PNJ-RED-42,1799\neid-panjabi,PNJ-BLU-40,1599\n"
	report := mustImport(t, s, prices, catalogue.ImportOptions{})
	if report.Changed != 1 || report.VariantsRemoved != 0 {
		t.Errorf("got report %+v", report)
	}
	want := *before
	want.Variants = append([]catalogue.Variant{}, before.Variants...)
	for i, taka := range []int64{1699, 1799, 1599} {
		want.Variants[i].Price = money.Money{Amount: taka * 100, Currency: "BDT", Formatted: fmt.Sprintf("৳1,%03d.00", taka-1000)}
	}
	want.Price, want.PriceRange.Min, want.PriceRange.Max = want.Variants[2].Price, want.Variants[2].Price, want.Variants[1].Price
	after := mustFindHandle(t, s, "eid-panjabi")
	want.UpdatedAt, want.CompareAtPrice = after.UpdatedAt, nil
	if diff := cmp.Diff(&want, after); diff != "" {
		t.Error(diff)
	}
	if !after.UpdatedAt.After(before.UpdatedAt) {
		t.Errorf("got updatedAt %v, want a later one", after.UpdatedAt)
	}
	removed := mustImport(t, s, "Handle,Variant SKU\neid-panjabi,PNJ-RED-42\n", catalogue.ImportOptions{})
	if removed.VariantsRemoved != 2 || len(mustFindHandle(t, s, "eid-panjabi").Variants) != 1 {
		t.Errorf("got report %+v", removed)
	}
	file := strings.NewReader("Handle,Variant SKU\nhoney,HNY\nnew-one,X\n")
	_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), file, catalogue.ImportOptions{})
	missing := []productfile.Problem{
		{Line: 3, Column: "Variant Price", Code: "required", Message: "A new variant must have a price: add the column to the file."},
		{Line: 3, Column: "Title", Code: "required", Message: "The title is required."},
	}
	invalid, ok := errors.AsType[*catalogue.ImportError](err)
	if !ok || !cmp.Equal(invalid.Problems, missing) {
		t.Errorf("new product without title and price: %v", shoptest.ImportProblems(err))
	}
	shoptest.CheckStock(t, s.Shop, s.store)
}

func TestCatalogue_ImportProducts_Collection(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustSaveCollection(t, s, catalogue.CollectionInput{Handle: "men", Title: "Men"})
	mustImport(t, s, "Handle,Title,Variant Price,Collections\nshirt,Shirt,1,men\n", catalogue.ImportOptions{})
	// Shopify's column adds the product to one more collection.
	report := mustImport(t, s, "Handle,Collection\nshirt,নতুন\n", catalogue.ImportOptions{})
	if diff := cmp.Diff([]string{"নতুন"}, report.CollectionsCreated); diff != "" {
		t.Error(diff)
	}
	list, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{})
	if err != nil || len(list.Nodes) != 2 || list.Nodes[0].ProductCount != 1 || list.Nodes[1].ProductCount != 1 || list.Nodes[1].Handle != "নতুন" {
		t.Errorf("collections: %+v, %v", list.Nodes, err)
	}
	if again := mustImport(t, s, "Handle,Collection\nshirt,নতুন\n", catalogue.ImportOptions{}); again.Unchanged != 1 {
		t.Errorf("the same file again: got %+v, want 1 unchanged", again)
	}
	out := mustImport(t, s, "Handle,Collections\nshirt,\n", catalogue.ImportOptions{})
	if out.Changed != 1 || len(mustFindHandle(t, s, "shirt").CollectionIDs) != 0 {
		t.Errorf("remove from all collections: got %+v", out)
	}
}

func TestCatalogue_ImportProducts_DryRun(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	version, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dry := mustImport(t, s, smallFile, catalogue.ImportOptions{DryRun: true})
	if after, err := s.Version(t.Context()); err != nil || after != version {
		t.Errorf("dry run: got content version %[2]d, %[3]v, want %[1]d", version, after, err)
	}
	var steps [][2]int
	report := mustImport(t, s, smallFile, catalogue.ImportOptions{Progress: func(done, total int) { steps = append(steps, [2]int{done, total}) }})
	dry.DryRun = false
	if diff := cmp.Diff(dry, report); diff != "" {
		t.Errorf("report (-dry run +import):\n%s", diff)
	}
	if diff := cmp.Diff([][2]int{{1, 0}, {2, 0}, {2, 4}, {3, 4}, {4, 4}}, steps); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

// Imports and concurrent edits must not lose each other's changes.
func TestCatalogue_ImportProducts_ConcurrentEdits(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustImport(t, s, readTestdata(t, "products.csv"), catalogue.ImportOptions{})
	mustSaveProduct(t, s, plainProduct("fresh", 100))
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for round := range 5 {
				var err error
				if i%2 == 0 {
					file := fmt.Sprintf("Handle,Title,Variant Inventory Tracker,Variant Inventory Qty,Variant Price\n"+
						"fresh,Fresh,shopify,%d,10\nhoney,Honey,shopify,%d,10\n", 10*round+i, round)
					_, err = s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(file), catalogue.ImportOptions{})
				} else {
					in := plainProduct("fresh", 100)
					in.Variants[0].Stock = new(i * round)
					_, err = saveProduct(s, in)
				}
				if err != nil {
					t.Errorf("round %d of %d: %v", round, i, shoptest.ImportProblems(err))
				}
			}
		})
	}
	wait.Wait()
	shoptest.CheckStock(t, s.Shop, s.store)
	shoptest.CheckIndex(t, s.Shop, s.store, "fresh", "honey", "panjabi")
	list, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{Search: "fresh"})
	if err != nil || list.Meta.TotalCount != 1 {
		t.Errorf("got %+v, %v, want one product", list, err)
	}
}

// A product may be changed between the plan without a lock and the write.
func TestCatalogue_ImportProducts_EditBeforeWrite(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	file := "Handle,Title,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Collections\nmug,Mug,shopify,7,10,new\ntray,Tray,shopify,3,10,\n"
	var once sync.Once
	edit := func() {
		in := plainProduct("mug", 500)
		in.DescriptionHTML, in.Tags = "<p>Edited</p>", []string{"retained"}
		mustSaveProduct(t, s, in)
		mustSaveCollection(t, s, catalogue.CollectionInput{Handle: "new", Title: "New"})
	}
	report := mustImport(t, s, file, catalogue.ImportOptions{Progress: func(done, total int) {
		if done == total/2 {
			once.Do(edit)
		}
	}})
	if report.Created != 2 {
		t.Errorf("got report %+v", report)
	}
	mug := mustFindHandle(t, s, "mug")
	if mug.Title != "Mug" || mug.Price.Amount != 1000 || *mug.Variants[0].AvailableQuantity != 7 || len(mug.CollectionIDs) != 1 ||
		mug.DescriptionHTML != "<p>Edited</p>" || !cmp.Equal(mug.Tags, []string{"retained"}) {
		t.Errorf("got %+v, want what the file lacks unchanged", mug)
	}
	if list, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{}); err != nil || list.Meta.TotalCount != 1 {
		t.Errorf("collections: %+v, %v", list, err)
	}
	shoptest.CheckStock(t, s.Shop, s.store)
	shoptest.CheckIndex(t, s.Shop, s.store, "mug", "retained", "editn", "tray")
}

// An import that an edit before the write makes invalid is rejected completely.
func TestCatalogue_ImportProducts_InvalidAfterEdit(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	shirt := catalogue.ProductInput{Handle: "shirt", Title: "Shirt", Options: []string{"Size"}, Variants: []catalogue.VariantInput{
		{Options: []string{"S"}, SKU: "SH-S", Price: 500_00}, {Options: []string{"M"}, SKU: "SH-M", Price: 500_00},
	}}
	mustSaveProduct(t, s, shirt)
	mustSaveProduct(t, s, plainProduct("mug", 500))
	var once sync.Once
	edit := func() {
		shirt.Variants = shirt.Variants[:1]
		mustSaveProduct(t, s, shirt)
	}
	file := "Handle,Variant SKU,Vendor\nmug,,Edited\nshirt,SH-S,Edited\nshirt,SH-M,Edited\n" // without prices
	opts := catalogue.ImportOptions{Progress: func(done, total int) {
		if done == total/2 {
			once.Do(edit)
		}
	}}
	_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(file), opts)
	if code := shoptest.ErrorCode(err); code != fault.CodeValidationFailed {
		t.Errorf("a variant without a price: %v", err)
	}
	for _, handle := range []string{"mug", "shirt"} {
		if p := mustFindHandle(t, s, handle); p.Vendor != "" || p.Price.Amount == 0 || len(p.Variants) != 1 {
			t.Errorf("%s: got %+v, want nothing of the rejected file", handle, p)
		}
	}
}

// A file that is too large is rejected, also one whose size is not known before.
func TestCatalogue_ImportProducts_TooLarge(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	row := []byte("mug,Mug,1," + strings.Repeat("x", 1<<20) + "\n")
	parts := []io.Reader{strings.NewReader("Handle,Title,Variant Price,Else\n")}
	for range productfile.MaxSize >> 20 {
		parts = append(parts, bytes.NewReader(row))
	}
	_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), io.MultiReader(parts...), catalogue.ImportOptions{})
	if want := "validation_failed: The file must not be larger than 200 MiB. Split it and import the parts."; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if n := s.count(t, "products"); n != 0 {
		t.Errorf("got %d products, want 0", n)
	}
}
