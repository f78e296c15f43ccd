package catalogue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// newFilterShop returns a shop whose products differ in every field that a filter checks.
func newFilterShop(t *testing.T) catalogueShop {
	t.Helper()
	s := newCatalogueShop(t)
	mustSaveCollection(t, s, catalogue.CollectionInput{Handle: "men", Title: "Men"})
	mustSaveCollection(t, s, catalogue.CollectionInput{Handle: "eid", Title: "Eid"})
	save := func(in catalogue.ProductInput) {
		s.clock.Advance(time.Minute)
		mustSaveProduct(t, s, in)
	}
	save(catalogue.ProductInput{
		Handle: "panjabi", Title: "Panjabi", Tags: []string{"Cotton", "Été"}, Collections: []string{"men", "eid"},
		Options: []string{"Size"},
		Variants: []catalogue.VariantInput{
			{Options: []string{"M"}, Price: 150000, CompareAtPrice: new(int64(180000)), Tracked: true, Stock: new(0)},
			{Options: []string{"L"}, Price: 160000, Tracked: true, Stock: new(3)},
		},
	})
	save(catalogue.ProductInput{
		Handle: "shirt", Title: "shirt", Tags: []string{"cotton"}, Collections: []string{"men"},
		Variants: []catalogue.VariantInput{{Price: 80000, Tracked: true, Stock: new(0)}},
	})
	save(catalogue.ProductInput{
		Handle: "lamp", Title: "Ámbar lamp", Collections: []string{"Eid"},
		Variants: []catalogue.VariantInput{{Price: 150000, Tracked: true, Backorder: true, Stock: new(-2)}},
	})
	save(catalogue.ProductInput{
		Handle: "gift-card", Title: "Gift card", Variants: []catalogue.VariantInput{{Price: 50000, CompareAtPrice: new(int64(50000))}},
	})
	cheap := []catalogue.VariantInput{{Price: 1}}
	save(catalogue.ProductInput{Handle: "draft", Title: "Draft", Status: catalogue.ProductDraft, Variants: cheap})
	save(catalogue.ProductInput{Handle: "archived", Title: "Archived", Status: catalogue.ProductArchived, Variants: cheap})
	save(catalogue.ProductInput{Handle: "hidden", Title: "Hidden", Hidden: true, Variants: cheap})
	save(catalogue.ProductInput{Handle: "later", Title: "Later", PublishedAt: new(s.clock.Now().Add(time.Hour)), Variants: cheap})
	return s
}

func TestCatalogue_FindProducts_Filters(t *testing.T) {
	t.Parallel()
	s := newFilterShop(t)
	ids := map[string]string{}
	collections, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range collections.Nodes {
		ids[c.Handle] = c.ID
	}
	for _, test := range []struct {
		name   string
		filter catalogue.ProductFilter
		want   []string // in the order of the list
	}{
		{"Newest", catalogue.ProductFilter{}, []string{"gift-card", "lamp", "shirt", "panjabi"}},
		{"Oldest", catalogue.ProductFilter{Sort: "asc"}, []string{"panjabi", "shirt", "lamp", "gift-card"}},
		{"Title", catalogue.ProductFilter{SortBy: "title"}, []string{"lamp", "gift-card", "panjabi", "shirt"}},
		{"TitleDesc", catalogue.ProductFilter{SortBy: "title", Sort: "desc"}, []string{"shirt", "panjabi", "gift-card", "lamp"}},
		{"Price", catalogue.ProductFilter{SortBy: "price"}, []string{"gift-card", "shirt", "panjabi", "lamp"}},
		{"PriceDesc", catalogue.ProductFilter{SortBy: "price", Sort: "desc"}, []string{"lamp", "panjabi", "shirt", "gift-card"}},
		{"Updated", catalogue.ProductFilter{SortBy: "updatedAt"}, []string{"gift-card", "lamp", "shirt", "panjabi"}},
		{"RelevanceOfAnEmptySearch", catalogue.ProductFilter{SortBy: "relevance", Search: " "}, []string{"gift-card", "lamp", "shirt", "panjabi"}},
		{"Collection", catalogue.ProductFilter{CollectionIDs: []string{ids["men"]}}, []string{"shirt", "panjabi"}},
		{"Collections", catalogue.ProductFilter{CollectionIDs: []string{ids["men"], ids["eid"]}}, []string{"lamp", "shirt", "panjabi"}},
		{"Manual", catalogue.ProductFilter{CollectionIDs: []string{ids["eid"]}, SortBy: "manual"}, []string{"panjabi", "lamp"}},
		{"ManualDesc", catalogue.ProductFilter{
			CollectionIDs: []string{ids["eid"], ids["eid"], ""}, SortBy: "manual", Sort: "desc",
		}, []string{"lamp", "panjabi"}},
		{"NoSuchCollection", catalogue.ProductFilter{CollectionIDs: []string{"nobody"}}, []string{}},
		{"BlankCollection", catalogue.ProductFilter{CollectionIDs: []string{""}}, []string{"gift-card", "lamp", "shirt", "panjabi"}},
		{"Tag", catalogue.ProductFilter{Tags: []string{"COTTON"}}, []string{"shirt", "panjabi"}},
		{"TagAccents", catalogue.ProductFilter{Tags: []string{"ete"}}, []string{"panjabi"}},
		{"Tags", catalogue.ProductFilter{Tags: []string{"ete", "nothing"}}, []string{"panjabi"}},
		{"MinPrice", catalogue.ProductFilter{MinPrice: new(int64(80001))}, []string{"lamp", "panjabi"}},
		{"MaxPrice", catalogue.ProductFilter{MaxPrice: new(int64(80000))}, []string{"gift-card", "shirt"}},
		{"PriceRange", catalogue.ProductFilter{MinPrice: new(int64(80000)), MaxPrice: new(int64(80000))}, []string{"shirt"}},
		{"InStock", catalogue.ProductFilter{InStock: new(true)}, []string{"gift-card", "lamp", "panjabi"}},
		{"OutOfStock", catalogue.ProductFilter{InStock: new(false)}, []string{"shirt"}},
		{"OnSale", catalogue.ProductFilter{OnSale: new(true)}, []string{"panjabi"}},
		{"NotOnSale", catalogue.ProductFilter{OnSale: new(false)}, []string{"gift-card", "lamp", "shirt"}},
		{"Search", catalogue.ProductFilter{Search: "panj"}, []string{"panjabi"}},
		{"SearchAndSort", catalogue.ProductFilter{Search: "cotton", SortBy: "price", Sort: "desc"}, []string{"panjabi", "shirt"}},
		{"All", catalogue.ProductFilter{
			Search: "cot", CollectionIDs: []string{ids["men"]}, SortBy: "manual", Tags: []string{"cotton"},
			MinPrice: new(int64(1)), MaxPrice: new(int64(200000)), InStock: new(true), OnSale: new(true),
		}, []string{"panjabi"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, mustFindHandles(t, s, test.filter)); diff != "" {
				t.Error(diff)
			}
			first := test.filter
			first.Limit = new(1)
			if got := mustFindProducts(t, s, first).Meta.TotalCount; got != len(test.want) {
				t.Errorf("totalCount = %d, want %d", got, len(test.want))
			}
		})
	}
}

func TestCatalogue_FindProducts_InvalidFilter(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	many := slices.Repeat([]string{"x"}, 101)
	for _, test := range []struct {
		name, field, text string
		filter            catalogue.ProductFilter
	}{
		{"SortBy", "sortBy", "createdAt, updatedAt, title, price, bestSelling, manual, relevance", catalogue.ProductFilter{SortBy: "colour"}},
		{"SortByCase", "sortBy", "createdAt", catalogue.ProductFilter{SortBy: "PRICE"}},
		{"Sort", "sort", "asc, desc", catalogue.ProductFilter{Sort: "down"}},
		{"ManualWithoutCollection", "sortBy", "exactly one", catalogue.ProductFilter{SortBy: "manual"}},
		{"ManualWithTwo", "sortBy", "exactly one", catalogue.ProductFilter{SortBy: "manual", CollectionIDs: []string{"a", "b"}}},
		{"PageZero", "page", "at least 1", catalogue.ProductFilter{Request: page.Request{Page: new(0)}}},
		{"PageNegative", "page", "at least 1", catalogue.ProductFilter{Request: page.Request{Page: new(-1)}}},
		{"LimitZero", "limit", "1 to 100", catalogue.ProductFilter{Request: page.Request{Limit: new(0)}}},
		{"LimitTooHigh", "limit", "1 to 100", catalogue.ProductFilter{Request: page.Request{Limit: new(101)}}},
		{"MinPrice", "minPrice", "0 or more", catalogue.ProductFilter{MinPrice: new(int64(-1))}},
		{"MaxPrice", "maxPrice", "0 or more", catalogue.ProductFilter{MaxPrice: new(int64(-1))}},
		{"PricesCrossed", "minPrice", "at most maxPrice", catalogue.ProductFilter{MinPrice: new(int64(2)), MaxPrice: new(int64(1))}},
		{"TooManyCollections", "collectionIds", "100", catalogue.ProductFilter{CollectionIDs: many}},
		{"TooManyTags", "tags", "100", catalogue.ProductFilter{Tags: many}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Catalogue.FindProducts(t.Context(), test.filter)
			invalid := shop.AsError(err)
			if invalid.Code != fault.CodeValidationFailed || len(invalid.Fields) != 1 {
				t.Fatalf("got error %v with fields %v, want one validation error", err, invalid.Fields)
			}
			if f := invalid.Fields[0]; f.Field != test.field || !strings.Contains(f.Message, test.text) {
				t.Errorf("field = %+v, want %s with %q", f, test.field, test.text)
			}
		})
	}
}

func TestCatalogue_FindProducts_Pages(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	collection := mustSaveCollection(t, s, catalogue.CollectionInput{Title: "All"})
	const products = 47
	for i := range products {
		in := plainProduct(fmt.Sprintf("same-%02d", i), int64(100*(i/20))) // many equal keys
		in.Title, in.Collections = "Same", []string{"all"}
		mustSaveProduct(t, s, in)
	}
	for _, by := range catalogue.ProductSorts() {
		for _, direction := range catalogue.SortDirections() {
			t.Run(by+"/"+direction, func(t *testing.T) {
				t.Parallel()
				filter := catalogue.ProductFilter{SortBy: by, Sort: direction, CollectionIDs: []string{collection.ID}}
				if by == "relevance" {
					filter.Search = "same"
				}
				var walked []string
				filter.Limit = new(7)
				for number := 1; ; number++ {
					filter.Page = new(number)
					got := mustFindProducts(t, s, filter)
					want := page.Meta{TotalCount: products, CurrentPage: number, HasNextPage: number < 7, TotalPages: 7}
					if got.Meta != want {
						t.Fatalf("meta = %+v, want %+v", got.Meta, want)
					}
					walked = append(walked, handlesOf(got.Nodes)...)
					if !got.Meta.HasNextPage {
						break
					}
				}
				if distinct := slices.Compact(slices.Sorted(slices.Values(walked))); len(distinct) != products || len(walked) != products {
					t.Errorf("got %d products, %d distinct, want %d", len(walked), len(distinct), products)
				}
				if diff := cmp.Diff(mustFindHandles(t, s, filter), walked); diff != "" {
					t.Errorf("products (-complete list +pages):\n%s", diff)
				}
			})
		}
	}
	t.Run("PastTheEnd", func(t *testing.T) {
		t.Parallel()
		for _, number := range []int{4, 1e9, 1 << 62} {
			got := mustFindProducts(t, s, catalogue.ProductFilter{Request: page.Request{Page: new(number)}})
			want := &page.Page[catalogue.Product]{Nodes: []catalogue.Product{}, Meta: page.Meta{TotalCount: products, CurrentPage: number, TotalPages: 3}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("NoLimit", func(t *testing.T) {
		t.Parallel()
		got := mustFindProducts(t, s, catalogue.ProductFilter{Request: page.Request{Limit: new(page.NoLimit), Page: new(9)}})
		if want := (page.Meta{TotalCount: products, CurrentPage: 1, TotalPages: 1}); got.Meta != want || len(got.Nodes) != products {
			t.Errorf("%d nodes with %+v, want %+v", len(got.Nodes), got.Meta, want)
		}
	})
}

func TestCatalogue_FindProducts_TotalsAfterChanges(t *testing.T) {
	t.Parallel()
	s := newFilterShop(t)
	total := func() int {
		return mustFindProducts(t, s, catalogue.ProductFilter{Request: page.Request{Limit: new(1)}}).Meta.TotalCount
	}
	if got := total(); got != 4 {
		t.Fatalf("total = %d, want 4", got)
	}
	mustSaveProduct(t, s, plainProduct("dear", 2_000_000))
	mustSaveProduct(t, s, plainProduct("dearest", 3_000_000))
	for _, list := range []struct {
		least int64
		want  int
	}{{2_000_000, 2}, {2_000_001, 1}, {150_000, 4}, {2_000_000, 2}} { // the last is cached
		filter := catalogue.ProductFilter{MinPrice: &list.least, Request: page.Request{Limit: new(1)}}
		if got := mustFindProducts(t, s, filter).Meta.TotalCount; got != list.want {
			t.Errorf("from %d: total = %d, want %d", list.least, got, list.want)
		}
	}
	mustSaveProduct(t, s, plainProduct("fifth", 100))
	if got := total(); got != 7 {
		t.Errorf("after more products: total = %d, want 7", got)
	}
	s.clock.Advance(2 * time.Hour) // the scheduled publication of "later" is due
	if got := total(); got != 8 {
		t.Errorf("after a scheduled publication: total = %d, want 8", got)
	}
}

func TestCatalogue_FindProduct(t *testing.T) {
	t.Parallel()
	s := newFilterShop(t)
	saved := mustSaveProduct(t, s, catalogue.ProductInput{
		Handle: "watch", Title: "Watch", DescriptionHTML: `<p onclick="x()">Fine<script>alert(1)</script></p>`,
		Vendor: "Dhaka Time", Type: "Gadget", Tags: []string{"b", "a"}, Collections: []string{"eid"},
		Options: []string{"Colour", "Strap"},
		Images:  []catalogue.ImageInput{{URL: "/a.svg", Alt: "A", Width: new(800), Height: new(600)}},
		Variants: []catalogue.VariantInput{
			{
				Options: []string{"Black", "Steel"}, Price: 300000, SKU: "W-1", Barcode: "123", WeightGrams: 90,
				Tracked: true, Stock: new(6), ImageURL: "/b.svg",
			},
			{Options: []string{"Black", "Leather"}, Price: 250000, CompareAtPrice: new(int64(260000)), Tracked: true, Stock: new(5), ImageURL: "/a.svg"},
			{Options: []string{"Gold", "Steel"}, Price: 400000, Tracked: true, Stock: new(0)},
		},
		SEOTitle: "A watch", Metadata: map[string]any{"warranty": map[string]any{"months": 12}, "big": int64(9007199254740993), "ratio": 1.5},
	})
	price := func(amount int64, formatted string) money.Money {
		return money.Money{Amount: amount, Currency: "BDT", Formatted: formatted}
	}
	now := s.clock.Now()
	a := catalogue.Image{URL: "/a.svg", Alt: "A", Width: new(800), Height: new(600), Renditions: []catalogue.Rendition{}}
	b := catalogue.Image{URL: "/b.svg", Renditions: []catalogue.Rendition{}}
	values := func(colour, strap string) []catalogue.OptionValue {
		return []catalogue.OptionValue{{Name: "Colour", Value: colour}, {Name: "Strap", Value: strap}}
	}
	want := &catalogue.Product{
		Handle: "watch", Title: "Watch", DescriptionHTML: "<p>Fine</p>", Vendor: "Dhaka Time", Type: "Gadget", Tags: []string{"b", "a"},
		Images:  []catalogue.Image{a, b},
		Options: []catalogue.Option{{Name: "Colour", Values: []string{"Black", "Gold"}}, {Name: "Strap", Values: []string{"Steel", "Leather"}}},
		Variants: []catalogue.Variant{
			{
				SKU: new("W-1"), Barcode: new("123"), Title: "Black / Steel", OptionValues: values("Black", "Steel"), Price: price(300000, "৳3,000.00"),
				Available: true, StockStatus: catalogue.StockIn, AvailableQuantity: new(6), WeightGrams: 90, Image: &b,
			},
			{
				Title: "Black / Leather", OptionValues: values("Black", "Leather"), Price: price(250000, "৳2,500.00"),
				CompareAtPrice: new(price(260000, "৳2,600.00")),
				Available:      true, StockStatus: catalogue.StockLow, AvailableQuantity: new(5), Image: &a,
			},
			{
				Title: "Gold / Steel", OptionValues: values("Gold", "Steel"), Price: price(400000, "৳4,000.00"),
				StockStatus: catalogue.StockOut, AvailableQuantity: new(0),
			},
		},
		Price: price(250000, "৳2,500.00"), CompareAtPrice: new(price(260000, "৳2,600.00")),
		PriceRange:     catalogue.PriceRange{Min: price(250000, "৳2,500.00"), Max: price(400000, "৳4,000.00")},
		QuantityPrices: []catalogue.QuantityPrice{},
		Available:      true, StockStatus: catalogue.StockIn, SEO: catalogue.SEO{Title: new("A watch")}, CollectionIDs: saved.CollectionIDs,
		Metadata:    map[string]any{"warranty": map[string]any{"months": int64(12)}, "big": int64(9007199254740993), "ratio": 1.5},
		PublishedAt: &now, CreatedAt: now, UpdatedAt: now,
	}
	noIDs := cmp.Options{
		cmpopts.IgnoreFields(catalogue.Product{}, "ID"), cmpopts.IgnoreFields(catalogue.Variant{}, "ID"),
		cmpopts.IgnoreFields(catalogue.Image{}, "ID"),
	}
	if diff := cmp.Diff(want, saved, noIDs); diff != "" {
		t.Errorf("saved product (-want +got):\n%s", diff)
	}
	byID, err := s.Catalogue.FindProduct(t.Context(), saved.ID)
	if diff := cmp.Diff(saved, byID); err != nil || diff != "" {
		t.Errorf("by ID: got error %v, product (-saved +found):\n%s", err, diff)
	}
	for _, handle := range []string{"watch", "WATCH", " watch\x00"} {
		byHandle, err := s.Catalogue.FindProductByHandle(t.Context(), handle)
		if diff := cmp.Diff(saved, byHandle); err != nil || diff != "" {
			t.Errorf("by handle %q: got error %v, product (-saved +found):\n%s", handle, err, diff)
		}
	}
	listed := mustFindProducts(t, s, catalogue.ProductFilter{Search: "watch"})
	if diff := cmp.Diff([]catalogue.Product{*saved}, listed.Nodes); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestCatalogue_FindProduct_NotFound(t *testing.T) {
	t.Parallel()
	s := newFilterShop(t)
	records, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{})
	if err != nil {
		t.Fatal(err)
	}
	hidden := 0
	for _, record := range records.Nodes {
		if slices.Contains([]string{"draft", "archived", "hidden", "later"}, record.Handle) {
			hidden++
			if _, err := s.Catalogue.FindProduct(t.Context(), record.ID); !fault.HasCode(err, fault.CodeNotFound) {
				t.Errorf("%s by id: got error %v", record.Handle, err)
			}
			if _, err := s.Catalogue.FindProductByHandle(t.Context(), record.Handle); !fault.HasCode(err, fault.CodeNotFound) {
				t.Errorf("%s by handle: got error %v", record.Handle, err)
			}
		}
	}
	if hidden != 4 {
		t.Errorf("got %d unpublished products, want 4", hidden)
	}
	for _, value := range []string{"", "nobody", "' OR 1=1 --", "\x00", "\xff\xfe", strings.Repeat("x", 10_000)} {
		if _, err := s.Catalogue.FindProduct(t.Context(), value); !fault.HasCode(err, fault.CodeNotFound) {
			t.Errorf("id %.20q: got error %v, want not_found", value, err)
		}
		if _, err := s.Catalogue.FindProductByHandle(t.Context(), value); !fault.HasCode(err, fault.CodeNotFound) {
			t.Errorf("handle %.20q: got error %v, want not_found", value, err)
		}
	}
	s.clock.Advance(2 * time.Hour)
	if _, err := s.Catalogue.FindProductByHandle(t.Context(), "later"); err != nil {
		t.Errorf("after its publication: %v", err)
	}
}

func TestCatalogue_StockStatus(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for _, test := range []struct {
		name     string
		variant  catalogue.VariantInput
		want     catalogue.StockStatus
		quantity *int
	}{
		{"untracked", catalogue.VariantInput{}, catalogue.StockIn, nil},
		{"plenty", catalogue.VariantInput{Tracked: true, Stock: new(6)}, catalogue.StockIn, new(6)},
		{"low", catalogue.VariantInput{Tracked: true, Stock: new(5)}, catalogue.StockLow, new(5)},
		{"own-level", catalogue.VariantInput{Tracked: true, Stock: new(5), LowStock: new(0)}, catalogue.StockIn, new(5)},
		{"low-backorder", catalogue.VariantInput{Tracked: true, Stock: new(1), Backorder: true}, catalogue.StockLow, new(1)},
		{"none", catalogue.VariantInput{Tracked: true}, catalogue.StockOut, new(0)},
		{"backorder", catalogue.VariantInput{Tracked: true, Backorder: true}, catalogue.StockBackorder, new(0)},
		{"owed", catalogue.VariantInput{Tracked: true, Backorder: true, Stock: new(-4)}, catalogue.StockBackorder, new(0)},
	} {
		p := mustSaveProduct(t, s, catalogue.ProductInput{Title: test.name, Variants: []catalogue.VariantInput{test.variant}})
		v := p.Variants[0]
		if v.StockStatus != test.want || p.StockStatus != test.want || !cmp.Equal(v.AvailableQuantity, test.quantity) {
			t.Errorf("%s: %s, product %s, quantity %v; want %s, %v", test.name, v.StockStatus, p.StockStatus, v.AvailableQuantity, test.want, test.quantity)
		}
		if buy := test.want != catalogue.StockOut; v.Available != buy || p.Available != buy {
			t.Errorf("%s: available %t, product %t; want %t", test.name, v.Available, p.Available, buy)
		}
	}
	shoptest.CheckStock(t, s.Shop, s.store)
}

func TestCatalogue_FindProducts_OtherTenant(t *testing.T) {
	t.Parallel()
	s := newFilterShop(t)
	other := catalogueShop{shoptest.New(t, &shoptest.Options{UID: "other", Store: s.store, Clock: s.clock}), s.store, s.clock}
	mine := mustFindProducts(t, s, catalogue.ProductFilter{})
	if got := mustFindProducts(t, other, catalogue.ProductFilter{}); got.Meta.TotalCount != 0 || len(got.Nodes) != 0 {
		t.Errorf("got %d products in another shop, want 0", len(got.Nodes))
	}
	if _, err := other.Catalogue.FindProduct(t.Context(), mine.Nodes[0].ID); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("product of another shop: got %v, want not_found", err)
	}
}
