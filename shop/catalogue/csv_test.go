package catalogue_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/demo"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// newBilingualShop returns a shop in English and Bangla.
func newBilingualShop(t *testing.T) catalogueShop {
	t.Helper()
	s := newCatalogueShop(t)
	changes := shoptest.Raw(t, map[string]any{"secondLocale": "bn"})
	if err := s.SetSettings(t.Context(), access.Operator(), changes); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCatalogue_ExportProducts_RoundTrip(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"Testdata": readTestdata(t, "products.csv"), "Demo": string(demo.ProductsCSV())} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newBilingualShop(t)
			report := mustImport(t, s, file, catalogue.ImportOptions{})
			exported := mustExport(t, s)

			version, err := s.Version(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s.clock.Advance(time.Hour)
			for source, again := range map[string]string{"export": exported, "file": file} {
				same := mustImport(t, s, again, catalogue.ImportOptions{})
				if same.Unchanged != report.Products || same.Changed+same.Created+same.VariantsRemoved != 0 {
					t.Errorf("import the %s again: got %+v, want all unchanged", source, same)
				}
			}
			if after, err := s.Version(t.Context()); err != nil || after != version {
				t.Errorf("import unchanged: got content version %[2]d, %[3]v, want %[1]d", version, after, err)
			}
			if diff := cmp.Diff(exported, mustExport(t, s)); diff != "" {
				t.Errorf("export (-first +second):\n%s", diff)
			}

			other := newBilingualShop(t)
			mustImport(t, other, exported, catalogue.ImportOptions{})
			// Missing collections are created from the file, so their handles are equal as well.
			if diff := cmp.Diff(exported, mustExport(t, other)); diff != "" {
				t.Errorf("export of another shop (-want +got):\n%s", diff)
			}
			shoptest.CheckStock(t, other.Shop, other.store)
		})
	}
}

func TestCatalogue_ExportProducts(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustImport(t, s, readTestdata(t, "products.csv"), catalogue.ImportOptions{})
	rows, err := csv.NewReader(strings.NewReader(mustExport(t, s))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	var got []string
	for _, row := range rows[1:] {
		got = append(got, strings.Join([]string{
			row[column["Handle"]], row[column["Status"]], row[column["Published"]], row[column["Option1 Value"]],
			row[column["Variant Price"]], row[column["Variant Inventory Tracker"]], row[column["Variant Inventory Qty"]],
			row[column["Image Src"]], row[column["Collections"]], row[column["Metadata"]],
		}, "|"))
	}
	want := []string{
		`eid-panjabi|active|TRUE|লাল|1450.00|shopify|12|/images/red.svg|eid;men|{"care":{"wash":"cold"},"gsm":120,"sizes":[40,42]}`,
		`eid-panjabi|||লাল|1450.00|shopify|0|/images/blue.svg||`,
		`eid-panjabi|||নীল|1550.50|shopify|4|https://img.example/detail.png?w=800||`,
		`honey|active|TRUE|Default Title|650.00|||||`,
		`draft-lamp|draft|TRUE|Default Title|99.99|shopify|3||home|`,
		`hidden-mug|active|FALSE|Default Title|0.00|shopify|3||home|`,
		`old-tray|archived|TRUE|Default Title|10.00|shopify|0|||`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	panjabi := mustFindHandle(t, s, "eid-panjabi")
	body := "<p>প্রথম লাইন\nsecond line, with a comma; and a semicolon</p>\n<ul><li>100% cotton &amp; <b>soft</b></li></ul>"
	if rows[1][column["Body (HTML)"]] != body || panjabi.DescriptionHTML != body {
		t.Errorf("got body %q, imported %q; want %q", rows[1][column["Body (HTML)"]], panjabi.DescriptionHTML, body)
	}
}

// The cost of a variant is in the product file, and nowhere else.
func TestCatalogue_Cost(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	file := "Handle,Title,Option1 Name,Option1 Value,Variant Price,Cost per item\nmug,Mug,Size,S,10,1234.56\nmug,,,L,12,\n"
	mustImport(t, s, file, catalogue.ImportOptions{})
	costs := func() []string {
		t.Helper()
		rows, err := csv.NewReader(strings.NewReader(mustExport(t, s))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(rows[0], "Cost per item")
		return []string{rows[1][at], rows[2][at]}
	}
	if got, want := costs(), []string{"1234.56", ""}; !slices.Equal(got, want) {
		t.Errorf("costs: got %q, want %q", got, want)
	}
	if same := mustImport(t, s, mustExport(t, s), catalogue.ImportOptions{}); same.Unchanged != 1 {
		t.Errorf("import the export: got %+v, want unchanged", same)
	}
	mustImport(t, s, "Handle,Option1 Value,Variant Price\nmug,S,11\nmug,L,13\n", catalogue.ImportOptions{})
	if got, want := costs(), []string{"1234.56", ""}; !slices.Equal(got, want) {
		t.Errorf("costs after an import without the column: got %q, want %q", got, want)
	}
	mustImport(t, s, "Handle,Option1 Value,Variant Price,Variant Cost\nmug,S,11,\nmug,L,13,7.5\n", catalogue.ImportOptions{})
	if got, want := costs(), []string{"", "7.50"}; !slices.Equal(got, want) {
		t.Errorf("costs after an import with Matrixify's column: got %q, want %q", got, want)
	}
	_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(),
		strings.NewReader("Handle,Title,Variant Price,Cost per item\nx,X,1,-2\n"), catalogue.ImportOptions{})
	if problems := shoptest.ImportProblems(err); !strings.Contains(problems.Error(), "2 Cost per item: ") {
		t.Errorf("negative cost: got %v, want a problem in the column Cost per item", problems)
	}
}

var errDiskFull = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errDiskFull }

func TestCatalogue_ExportProducts_FullDisk(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	if err := s.Catalogue.ExportProducts(t.Context(), access.Operator(), fullDisk{}); !errors.Is(err, errDiskFull) {
		t.Errorf("got error %v", err)
	}
}

// Every import must return, and importing its export must change nothing.
func FuzzCatalogue_ImportProducts(f *testing.F) {
	f.Add(smallFile)
	f.Add(readTestdata(f, "products.csv"))
	f.Add("Handle;Title;Variant Price;Metadata\nx;X;1;{\"a\":1e400}\n")
	f.Add("Title\tPrice\tTags\nA\t1\ta,b,,A\n")
	clock := shoptest.NewClock()
	store := shoptest.NewStore(f, clock) // with each shop, its schema would be built again
	var shops atomic.Int64
	f.Fuzz(func(t *testing.T, file string) {
		uid := fmt.Sprint("test-", shops.Add(1))
		s := catalogueShop{shoptest.New(t, &shoptest.Options{Store: store, Clock: clock, UID: uid}), store, clock}
		report, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(file), catalogue.ImportOptions{})
		if err != nil {
			if !fault.HasCode(err, fault.CodeValidationFailed) {
				t.Fatalf("got error %v", err)
			}
			return
		}
		again, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(mustExport(t, s)), catalogue.ImportOptions{})
		if err != nil {
			t.Fatalf("import of the export: %v", shoptest.ImportProblems(err))
		}
		if again.Unchanged != report.Products {
			t.Errorf("import of the export: got %+v, want all unchanged", again)
		}
		shoptest.CheckStock(t, s.Shop, s.store)
	})
}
