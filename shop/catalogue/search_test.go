package catalogue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/catalogue"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

func newSearchShop(t testing.TB) catalogueShop {
	t.Helper()
	s := newCatalogueShop(t)
	save := func(handle, title, description string, change ...func(*catalogue.ProductInput)) {
		in := plainProduct(handle, 100)
		in.Title, in.DescriptionHTML = title, description
		for _, c := range change {
			c(&in)
		}
		mustSaveProduct(t, s, in)
	}
	save("panjabi", "ক্লাসিক সুতি পাঞ্জাবি", "<p>ঈদের জন্য</p><p>আরামদায়ক</p>")
	save("kantha", "নকশি কাঁথা", "হাতে সেলাই, ৫০০ সুতার কাজ")
	save("joba", "জবা শাড়ি", "") // the last letter but one is ড়, which has no composed form in NFC
	save("mug", "Café mug", "Holds tea &amp; coffee", func(in *catalogue.ProductInput) { in.Tags = []string{"Kitchen"} })
	save("tray", "Tray", "Goes with the mug", func(in *catalogue.ProductInput) { in.Vendor, in.Type = "Müller", "Home ware" })
	save("bulb", "LED bulb", "", func(in *catalogue.ProductInput) {
		in.Variants[0].SKU, in.Variants[0].Barcode = "BLB-12W/E27", "2000000010014"
	})
	return s
}

func TestCatalogue_Search(t *testing.T) {
	t.Parallel()
	s := newSearchShop(t)
	for _, test := range []struct {
		name, search string
		want         []string // best first
	}{
		{"Word", "পাঞ্জাবি", []string{"panjabi"}},
		{"Prefix", "পাঞ্জা", []string{"panjabi"}},
		{"PrefixEndsInAVowelSign", "সুতা", []string{"kantha"}},
		{"TwoLettersAreNoPrefixInTheDescription", "সু", []string{"panjabi"}},
		{"VowelSignIsNotAWordEnd", "ঞ্জাবি", nil},
		{"OtherVowelSign", "পাঞ্জাবী", []string{"panjabi"}},
		{"Joiner", "পাঞ্\u200dজাবি", []string{"panjabi"}},
		{"NonJoiner", "পাঞ্\u200cজা", []string{"panjabi"}},
		{"Decomposed", "জবা শা\u09a1\u09bcি", []string{"joba"}},
		{"Composed", "জবা শা\u09dcি", []string{"joba"}},
		{"CandrabinduMissing", "কাথা", []string{"kantha"}},
		{"BanglaDigits", "৫০০", []string{"kantha"}},
		{"ASCIIDigitsForBangla", "500", []string{"kantha"}},
		{"BanglaDigitsForASCII", "১২w", []string{"bulb"}},
		{"InTheDescription", "আরাম", []string{"panjabi"}},
		{"ParagraphsAreWordEnds", "জন্যআরাম", nil},
		{"Accents", "cafe", []string{"mug"}},
		{"AccentsInTheQuery", "CAFÉ", []string{"mug"}},
		{"AccentsDecomposed", "cafe\u0301", []string{"mug"}},
		{"TitleBeforeDescription", "mug", []string{"mug", "tray"}},
		{"AllWords", "mug tea", []string{"mug"}},
		{"OneWordMissing", "mug sugar", nil},
		{"Tag", "kitch", []string{"mug"}},
		{"Vendor", "muller", []string{"tray"}},
		{"Type", "home", []string{"tray"}},
		{"SKU", "BLB-12W/E27", []string{"bulb"}},
		{"PartOfSKU", "blb-12", []string{"bulb"}},
		{"Barcode", "20000000100", []string{"bulb"}},
		{"EntityIsText", "amp", nil},
		{"TagNameIsNot", "p", []string{"panjabi"}[:0]},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := mustFindHandles(t, s, catalogue.ProductFilter{Search: test.search})
			if diff := cmp.Diff(append([]string{}, test.want...), got); diff != "" {
				t.Errorf("search %q: handles (-want +got):\n%s", test.search, diff)
			}
		})
	}
}

// hostileSearches must be parsed as text, never as syntax. Those without a word match nothing.
var hostileSearches = []struct {
	search string
	want   []string
}{
	{`"`, nil},
	{`""`, nil},
	{`mug"`, []string{"mug", "tray"}},
	{`"mug`, []string{"mug", "tray"}},
	{`mug AND tea`, nil}, // "and" is a word
	{`mug OR nothing`, nil},
	{`NOT mug`, nil},
	{`mug NEAR tea`, nil},
	{`NEAR(mug tea)`, nil},
	{`title:mug`, nil},
	{`{title}:mug`, nil},
	{`^mug`, []string{"mug", "tray"}},
	{`mug*`, []string{"mug", "tray"}},
	{`*`, nil},
	{`-mug`, []string{"mug", "tray"}},
	{`(mug`, []string{"mug", "tray"}},
	{`mug + tea`, []string{"mug"}},
	{`'; DROP TABLE products; --`, nil},
	{"mug\x00", []string{"mug", "tray"}},
	{"\x00", nil},
	{"mug\xff tea", []string{"mug"}},
	{"\xff\xfe", nil},
	{"🔥", nil},
	{"mug 🔥", []string{"mug", "tray"}},
	{"mug🔥", []string{"mug", "tray"}},
	{"\u200d\u200c", nil},
	{"\u0301", nil},
	{"্", nil},
	{strings.Repeat("mug ", 2500), []string{"mug", "tray"}},
	{strings.Repeat("m", 10_000), nil},
	{strings.Repeat("a-", 5_000), nil},
	{strings.Repeat(`"`, 10_000), nil},
	{"mug " + strings.Repeat("tea ", 15) + "nothing", nil}, // repeated words are not counted
}

func TestCatalogue_Search_HostileText(t *testing.T) {
	t.Parallel()
	s := newSearchShop(t)
	for _, test := range hostileSearches {
		for _, by := range []string{"", "price"} {
			got := mustFindHandles(t, s, catalogue.ProductFilter{Search: test.search, SortBy: by})
			if diff := cmp.Diff(len(test.want), len(got)); diff != "" {
				t.Errorf("search %.40q by %q: got %v, want %v", test.search, by, got, test.want)
			}
		}
		if _, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{Search: test.search}); err != nil {
			t.Errorf("collections, search %.40q: %v", test.search, err)
		}
	}
}

func TestCatalogue_Search_AfterTitleChange(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	in := plainProduct("thing", 100)
	in.Title = "Teapot"
	mustSaveProduct(t, s, in)
	in.Title = "Kettle"
	mustSaveProduct(t, s, in)
	if got := mustFindHandles(t, s, catalogue.ProductFilter{Search: "teapot"}); len(got) != 0 {
		t.Errorf("search for the old title: got %v, want none", got)
	}
	if got := mustFindHandles(t, s, catalogue.ProductFilter{Search: "kettle"}); len(got) != 1 {
		t.Errorf("search for the new title: got %v, want one", got)
	}
	shoptest.CheckIndex(t, s.Shop, s.store, "kettle", "teapot", "thing")
}

// A search that matches more products than are ranked lists the newest first, on every page, after
// those with the whole words in the title, unless these are too many too.
func TestCatalogue_Search_ManyMatches(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	var file strings.Builder
	file.WriteString("Handle,Title,Variant Price\n")
	for i := range 1001 {
		title := "Bright lamps"
		switch i {
		case 0:
			title = "Lamps"
		case 500:
			title = "Bright lamp"
		}
		fmt.Fprintf(&file, "p-%d,%s,100\n", i, title)
	}
	mustImport(t, s, file.String(), catalogue.ImportOptions{})
	for _, test := range []struct {
		search, sort string
		want         []string
	}{
		{"lamp", "", []string{"p-500", "p-1000"}},
		{"lamp", "asc", []string{"p-0", "p-1"}},
		{"lam", "", []string{"p-1000", "p-999"}},
		{"bright", "", []string{"p-1000", "p-999"}}, // 1000 matches
	} {
		filter := catalogue.ProductFilter{Search: test.search, Sort: test.sort, Request: page.Request{Limit: new(2)}}
		if diff := cmp.Diff(test.want, handlesOf(mustFindProducts(t, s, filter).Nodes)); diff != "" {
			t.Errorf("search %q, sort %q: handles (-want +got):\n%s", test.search, test.sort, diff)
		}
	}
	last := mustFindProducts(t, s, catalogue.ProductFilter{Search: "lamp", Request: page.Request{Limit: new(100), Page: new(11)}})
	if len(last.Nodes) != 1 || last.Nodes[0].Handle != "p-0" || last.Meta.TotalCount != 1001 {
		t.Errorf("got %d products on the last page of %d, want p-0 alone of 1001", len(last.Nodes), last.Meta.TotalCount)
	}
	paged := map[string]bool{}
	for n := 1; n <= 11; n++ {
		filter := catalogue.ProductFilter{Search: "lamp", Request: page.Request{Limit: new(100), Page: new(n)}}
		for _, p := range mustFindProducts(t, s, filter).Nodes {
			paged[p.Handle] = true
		}
	}
	if len(paged) != 1001 {
		t.Errorf("got %d products on all pages, want 1001", len(paged))
	}
	if all := mustFindHandles(t, s, catalogue.ProductFilter{Search: "lamp"}); len(all) != 1001 || all[0] != "p-500" {
		t.Errorf("got %d products, %s first, in one page, want 1001 with p-500 first", len(all), all[0])
	}
}

func FuzzCatalogue_Search(f *testing.F) {
	for _, test := range hostileSearches {
		if len(test.search) < 200 {
			f.Add(test.search)
		}
	}
	s := newSearchShop(f)
	f.Fuzz(func(t *testing.T, search string) {
		if _, err := s.Catalogue.FindProducts(t.Context(), catalogue.ProductFilter{Search: search}); err != nil {
			t.Errorf("search %q: %v", search, err)
		}
		if _, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{Search: search}); err != nil {
			t.Errorf("collections, search %q: %v", search, err)
		}
	})
}

// The total of a search counts what buyers may see, on a page that is not the last too.
func TestCatalogue_Search_Total(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for handle, change := range map[string]func(*catalogue.ProductInput){
		"one":       func(*catalogue.ProductInput) {},
		"two":       func(*catalogue.ProductInput) {},
		"draft":     func(in *catalogue.ProductInput) { in.Status = catalogue.ProductDraft },
		"archived":  func(in *catalogue.ProductInput) { in.Status = catalogue.ProductArchived },
		"hidden":    func(in *catalogue.ProductInput) { in.Hidden = true },
		"scheduled": func(in *catalogue.ProductInput) { in.PublishedAt = new(s.clock.Now().Add(time.Hour)) },
	} {
		in := plainProduct(handle, 100)
		in.Title = "Teapot"
		change(&in)
		mustSaveProduct(t, s, in)
	}
	want := func(when string, total int) {
		t.Helper()
		got := mustFindProducts(t, s, catalogue.ProductFilter{Search: "teapot", SortBy: "price", Request: page.Request{Limit: new(1)}})
		if got.Meta.TotalCount != total || len(got.Nodes) != 1 {
			t.Errorf("%s: got %d products in all and %d on the page, want %d and 1", when, got.Meta.TotalCount, len(got.Nodes), total)
		}
	}
	want("now", 2)
	s.clock.Advance(time.Hour)
	want("after the publication", 3)
	shoptest.Exec(t, s.store, s.UID(), `INSERT INTO imports (id, first_id, last_id, started_at) VALUES (1, '0', 'Z', 1)`)
	if got := mustFindHandles(t, s, catalogue.ProductFilter{Search: "teapot", SortBy: "price"}); len(got) != 0 {
		t.Errorf("while an import hides them: got %v", got)
	}
}
