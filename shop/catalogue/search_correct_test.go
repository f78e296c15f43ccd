package catalogue_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// newSpellingShop returns a shop whose products have these titles, by handle. Those with a handle
// that begins with "draft" are not published.
func newSpellingShop(t testing.TB, titles map[string]string) catalogueShop {
	t.Helper()
	s := newCatalogueShop(t)
	handles := make([]string, 0, len(titles))
	for handle := range titles {
		handles = append(handles, handle)
	}
	slices.Sort(handles)
	for _, handle := range handles {
		in := plainProduct(handle, 100)
		in.Title, in.DescriptionHTML, _ = strings.Cut(titles[handle], " / ")
		if strings.HasPrefix(handle, "draft") {
			in.Status = catalogue.ProductDraft
		}
		mustSaveProduct(t, s, in)
	}
	return s
}

func TestCatalogue_Search_Spellings(t *testing.T) {
	t.Parallel()
	s := newSpellingShop(t, map[string]string{
		"saree": "Jamdani Saree", "shari": "ঢাকাই শাড়ি", "shari-long": "তাঁতের শাড়ী", "panjabi": "Silk Panjabi",
		"panjabi-bn": "সুতি পাঞ্জাবি", "tee": "Round-Neck T-Shirt", "tee-joined": "Plain Tshirt", "headphone": "Wireless Headphone",
		"powerbank": "Power bank", "skirt": "Skirt", "shirt": "Oxford shirt", "honey": "Mustard Honey", "lipstick": "Matte Lipstick",
		"tea": "চা", "rice": "চাল", "iphone": "Case for Galaxys20", "mug": "Café mug", "draft-sceptre": "Golden Sceptre",
	})
	sarees, panjabis, tees := []string{"saree", "shari", "shari-long"}, []string{"panjabi", "panjabi-bn"}, []string{"tee", "tee-joined"}
	for _, test := range []struct {
		name   string
		search []string
		want   []string // in any order
	}{
		{"Transliteration", []string{"sari", "saree", "sharee", "SAREE", "শাড়ি", "শাড়ী", "sarees"}, sarees},
		{"Composed", []string{"শা\u09dcি", "শা\u09a1\u09bcি", "শা\u09dcী", "শা\u09a1\u09bcী"}, sarees},
		{"Vowels", []string{"পাঞ্জাবি", "পাঞ্জাবী", "punjabi", "panjabi"}, panjabis},
		{"Hyphen", []string{"tshirt", "t-shirt", "t shirt", "T-Shirt", "টিশার্ট", "টি-শার্ট"}, tees},
		{"TwoWordsAsOne", []string{"head phone", "headphone", "head-phone", "wireless head phone"}, []string{"headphone"}},
		{"OneWordAsTwo", []string{"powerbank", "power bank", "power-bank"}, []string{"powerbank"}},
		{"LetterMissing", []string{"lipstik", "lpstick", "ipstick", "lipstic"}, []string{"lipstick"}},
		{"LetterMissingOfFive", []string{"hony", "oney"}, []string{"honey"}},
		{"LetterInserted", []string{"lippstick", "liipstick", "lipstickk", "xlipstick"}, []string{"lipstick"}},
		{"LetterReplaced", []string{"libstick", "kipstick", "lipstock"}, []string{"lipstick"}},
		{"LettersSwapped", []string{"ilpstick", "lisptick", "lipstikc"}, []string{"lipstick"}},
		{"MisspeltSynonym", []string{"punjabe", "ponjabi"}, panjabis},
		{"MisspeltWithAnotherWord", []string{"silk panjbi", "silk panjbai"}, []string{"panjabi"}},
		{"TwoWordsMisspelt", []string{"mustrad honye"}, []string{"honey"}},
		{"Bangla", []string{"পাঞ্জবি", "পান্জাবি"}, panjabis},
		{"TwoLettersWrong", []string{"lpstik", "lipxxick"}, []string{}},
		{"ShortWords", []string{"muh", "mux", "cha5"}, []string{}},
		{"Digits", []string{"galaxys21", "galaxy20"}, []string{}},
		{"AWordThatAProductHasIsNotCorrected", []string{"skirt"}, []string{"skirt"}},
		{"EachWordHasProducts", []string{"skirt honey"}, []string{}},
		{"DraftsAreNoCorrections", []string{"sceptra", "septre"}, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, search := range test.search {
				for _, by := range []string{"", "price"} {
					got := mustFindHandles(t, s, catalogue.ProductFilter{Search: search, SortBy: by})
					slices.Sort(got)
					if diff := cmp.Diff(test.want, got); diff != "" {
						t.Errorf("search %q by %q: handles (-want +got):\n%s", search, by, diff)
					}
				}
			}
		})
	}
}

// A whole word outranks the beginning of one, a title a description, and what was typed another
// spelling.
func TestCatalogue_Search_Order(t *testing.T) {
	t.Parallel()
	s := newSpellingShop(t, map[string]string{
		"1-tea": "চা", "2-rice": "চাল", "3-biscuit": "Biscuit / চা দিয়ে খান", "4-sheet": "চাদর",
		"5-saree": "Saree", "6-shari": "শাড়ি", "7-sarees": "Sarees", "8-blouse": "Blouse / for a saree",
		"a-red": "Red mug", "b-blue": "Blue mug / on a red plate", "c-tray": "Tray / for a red mug",
	})
	for _, test := range []struct {
		search string
		want   []string
	}{
		{"চা", []string{"1-tea", "4-sheet", "2-rice", "3-biscuit"}},
		{"saree", []string{"5-saree", "7-sarees", "8-blouse", "6-shari"}},
		{"শাড়ি", []string{"6-shari", "7-sarees", "5-saree", "8-blouse"}},
		{"red mug", []string{"a-red", "b-blue", "c-tray"}},
	} {
		got := mustFindHandles(t, s, catalogue.ProductFilter{Search: test.search})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("search %q: handles (-want +got):\n%s", test.search, diff)
		}
		reversed := mustFindHandles(t, s, catalogue.ProductFilter{Search: test.search, Sort: "asc"})
		slices.Reverse(reversed)
		if diff := cmp.Diff(test.want, reversed); diff != "" {
			t.Errorf("search %q, ascending: handles in reverse (-want +got):\n%s", test.search, diff)
		}
	}
}

// What other filters exclude is not misspelt.
func TestCatalogue_Search_CorrectionsAndFilters(t *testing.T) {
	t.Parallel()
	s := newSpellingShop(t, map[string]string{"lamps": "Lamps", "lampo": "Lampo"})
	for _, test := range []struct {
		filter catalogue.ProductFilter
		want   int
	}{
		{catalogue.ProductFilter{Search: "lampo"}, 1},
		{catalogue.ProductFilter{Search: "lampo", MinPrice: new(int64(5000))}, 0},
		{catalogue.ProductFilter{Search: "lampx"}, 2},
		{catalogue.ProductFilter{Search: "lampx", MinPrice: new(int64(5000))}, 0},
		{catalogue.ProductFilter{Search: "lampx", MinPrice: new(int64(50))}, 2},
	} {
		if got := mustFindHandles(t, s, test.filter); len(got) != test.want {
			t.Errorf("search %q: got %v, want %d products", test.filter.Search, got, test.want)
		}
	}
}

func TestCatalogue_ListProducts_Spellings(t *testing.T) {
	t.Parallel()
	s := newSpellingShop(t, map[string]string{"saree": "Saree", "draft-lipstick": "Lipstick"})
	for search, want := range map[string]int{"sharee": 1, "শাড়ী": 1, "lipstik": 1, "lipxxik": 0} {
		list, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{Search: search})
		if err != nil {
			t.Fatal(err)
		}
		if list.Meta.TotalCount != want {
			t.Errorf("search %q: got %d products, want %d", search, list.Meta.TotalCount, want)
		}
	}
}

// The words to which a search is corrected are those that the products have after any change.
func TestCatalogue_Search_WordsOfChangedProducts(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	check := func(when string, found map[string]int) {
		t.Helper()
		for search, want := range found {
			if got := mustFindHandles(t, s, catalogue.ProductFilter{Search: search, Request: page.Request{}}); len(got) != want {
				t.Errorf("%s: search %q: got %d products, want %d", when, search, len(got), want)
			}
		}
	}
	mustImport(t, s, stagedFile(staged, "10"), catalogue.ImportOptions{}) // in slices
	check("large import", map[string]int{"wvn": 0, "wowen": staged})
	in := plainProduct("thing", 100)
	in.Title = "Teapot"
	mustSaveProduct(t, s, in)
	check("new product", map[string]int{"teepot": 1})
	in.Title, in.Tags = "Kettle", []string{"Copper"}
	mustSaveProduct(t, s, in)
	check("changed product", map[string]int{"teepot": 0, "ketle": 1, "coper": 1})
	mustImport(t, s, "Handle,Title,Variant Price\nthing,Samovar,1\n", catalogue.ImportOptions{})
	check("import of changes", map[string]int{"ketle": 0, "samovr": 1})
	before := s.words(t)
	if err := s.store.Update(t.Context(), db.ID(s.UID()), catalogue.RebuildSearch); err != nil {
		t.Fatal(err)
	}
	check("rebuilt", map[string]int{"wowen": staged, "samovr": 1, "teepot": 0})
	want := slices.DeleteFunc(slices.Clone(before), func(word string) bool { return slices.Contains([]string{"kettle", "teapot"}, word) })
	if diff := cmp.Diff(want, s.words(t)); diff != "" {
		t.Errorf("words after a rebuild (-want +got):\n%s", diff)
	}
}

// words returns the words to which searches are corrected.
func (s catalogueShop) words(t *testing.T) (words []string) {
	t.Helper()
	err := s.store.View(t.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) (err error) {
		words, err = db.Query(tx, db.ScanText, `SELECT word FROM search_words ORDER BY word`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// Similar words are found by their beginning and their end, never by reading all words.
func TestCatalogue_Search_SimilarWordsUseIndexes(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for _, query := range catalogue.SimilarWordQueries() {
		plan := strings.Join(shoptest.QueryPlan(t, s.store, s.UID(), query.SQL, query.Args), "\n")
		if !strings.Contains(plan, query.Index) || strings.Contains(plan, "SCAN") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s: plan %q, want %s without sorting", query.Name, plan, query.Index)
		}
	}
}
