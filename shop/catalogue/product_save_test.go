package catalogue_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

func TestUpdateProduct_RetainsIDsAndStock(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	in := catalogue.ProductInput{
		Handle: "shirt", Title: "Shirt", Options: []string{"Colour"},
		Images: []catalogue.ImageInput{{URL: "/red.svg"}, {URL: "/blue.svg"}},
		Variants: []catalogue.VariantInput{
			{Options: []string{"Red"}, SKU: "R", Price: 100, Tracked: true, Stock: new(4), ImageURL: "/red.svg"},
			{Options: []string{"Blue"}, SKU: "B", Price: 100, Tracked: true, Stock: new(7), ImageURL: "/blue.svg"},
			{Options: []string{"Green"}, Price: 100, Tracked: true, Stock: new(9)},
		},
	}
	before := mustSaveProduct(t, s, in)
	s.clock.Advance(time.Minute)

	// Red and Blue swap positions and values, Green is matched by its value, Black is new; stock is
	// omitted except for Green.
	in.Images = []catalogue.ImageInput{{URL: "/blue.svg", Alt: "Blue"}}
	in.Variants = []catalogue.VariantInput{
		{Options: []string{"Red"}, SKU: "B", Price: 200, Tracked: true, ImageURL: "/blue.svg"},
		{Options: []string{"Blue"}, SKU: "R", Price: 100, Tracked: true},
		{Options: []string{"Black"}, Price: 100, Tracked: true},
		{Options: []string{"Green"}, SKU: "G", Price: 100, Tracked: true, Stock: new(1)},
	}
	after := mustSaveProduct(t, s, in)

	if after.ID != before.ID || after.CreatedAt != before.CreatedAt || !after.UpdatedAt.After(before.UpdatedAt) ||
		*after.PublishedAt != *before.PublishedAt {
		t.Errorf("got %+v, want the identity of %+v", after, before)
	}
	type identity struct {
		id    string
		stock int
	}
	var got []identity
	for _, v := range after.Variants {
		got = append(got, identity{v.ID, *v.AvailableQuantity})
	}
	want := []identity{{before.Variants[1].ID, 7}, {before.Variants[0].ID, 4}, {after.Variants[2].ID, 0}, {before.Variants[2].ID, 1}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(identity{})); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	if len(after.Images) != 1 || after.Images[0].ID != before.Images[1].ID || after.Images[0].Alt != "Blue" {
		t.Errorf("images: got %+v, want those of %+v", after.Images, before.Images)
	}
	if after.Variants[1].Image != nil {
		t.Errorf("variant without an image: got image %+v", after.Variants[1].Image)
	}
	found, err := s.Catalogue.FindProduct(t.Context(), after.ID)
	if diff := cmp.Diff(after, found); err != nil || diff != "" {
		t.Errorf("got error %v, product (-saved +found):\n%s", err, diff)
	}

	in.Variants = in.Variants[:1]
	if left := mustSaveProduct(t, s, in); len(left.Variants) != 1 || left.Variants[0].ID != before.Variants[1].ID {
		t.Errorf("after removing variants: got %+v, want only %s", left.Variants, before.Variants[1].ID)
	}
	shoptest.CheckStock(t, s.Shop, s.store)
	shoptest.CheckIndex(t, s.Shop, s.store, "shirt", "b", "r", "g")
}

// TestUpdateProduct_AmbiguousSKU checks that options distinguish variants with one SKU.
func TestUpdateProduct_AmbiguousSKU(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	in := catalogue.ProductInput{
		Handle: "shirt", Title: "Shirt", Options: []string{"Colour"},
		Variants: []catalogue.VariantInput{
			{Options: []string{"Red"}, SKU: "R", Price: 100},
			{Options: []string{"Blue"}, SKU: "B", Price: 100},
		},
	}
	before := mustSaveProduct(t, s, in)
	in.Variants = []catalogue.VariantInput{
		{Options: []string{"Blue"}, SKU: "R", Price: 100},
		{Options: []string{"Red"}, SKU: "R", Price: 100},
	}
	after := mustSaveProduct(t, s, in)
	got := []string{after.Variants[0].ID, after.Variants[1].ID}
	if want := []string{before.Variants[1].ID, before.Variants[0].ID}; !slices.Equal(got, want) {
		t.Errorf("got variants %v, want %v", got, want)
	}
}

func TestUpdateProduct_Unchanged(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	in := plainProduct("same", 100)
	in.DescriptionHTML = "<p>a\r\nb &amp; <a href=\"https://x.example\">c</a></p>"
	in.Metadata = map[string]any{"b": 1, "a": []any{"x", nil, true}}
	first := mustSaveProduct(t, s, in)
	version, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Hour)
	if diff := cmp.Diff(first, mustSaveProduct(t, s, in)); diff != "" {
		t.Error(diff)
	}
	if after, err := s.Version(t.Context()); err != nil || after != version {
		t.Errorf("save unchanged: got content version %[2]d, %[3]v, want %[1]d", version, after, err)
	}
}

func TestCreateProduct_InvalidField(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for field, change := range map[string]func(*catalogue.ProductInput){
		"title":           func(in *catalogue.ProductInput) { in.Title = " " },
		"handle":          func(in *catalogue.ProductInput) { in.Handle = "a b/c" },
		"status":          func(in *catalogue.ProductInput) { in.Status = "gone" },
		"vendor":          func(in *catalogue.ProductInput) { in.Vendor = strings.Repeat("x", 256) },
		"descriptionHtml": func(in *catalogue.ProductInput) { in.DescriptionHTML = strings.Repeat("x", 1<<19+1) },
		"metadata":        func(in *catalogue.ProductInput) { in.Metadata = map[string]any{"x": strings.Repeat("x", 1<<14)} },
		"tags[0]":         func(in *catalogue.ProductInput) { in.Tags = []string{"a,b"} },
		"collections[0]":  func(in *catalogue.ProductInput) { in.Collections = []string{"nobody"} },
		"options":         func(in *catalogue.ProductInput) { in.Options = []string{"a", "b", "c", "d"} },
		"options[1]": func(in *catalogue.ProductInput) {
			in.Options = []string{"a", "a"}
			in.Variants[0].Options = []string{"x", "y"}
		},
		"images[0]":                   func(in *catalogue.ProductInput) { in.Images = []catalogue.ImageInput{{URL: "javascript:alert(1)"}} },
		"variants[0].image":           func(in *catalogue.ProductInput) { in.Variants[0].ImageURL = "//evil.example/x.png" },
		"variants":                    func(in *catalogue.ProductInput) { in.Variants = nil },
		"variants[0].options[0]":      func(in *catalogue.ProductInput) { in.Options = []string{"Size"} },
		"variants[0].options[1]":      func(in *catalogue.ProductInput) { in.Variants[0].Options = []string{"", "x"} },
		"variants[1].options":         func(in *catalogue.ProductInput) { in.Variants = slices.Repeat(in.Variants, 2) },
		"variants[0].price":           func(in *catalogue.ProductInput) { in.Variants[0].Price = -1 },
		"variants[0].compareAtPrice":  func(in *catalogue.ProductInput) { in.Variants[0].CompareAtPrice = new(int64(-1)) },
		"variants[0].weightGrams":     func(in *catalogue.ProductInput) { in.Variants[0].WeightGrams = -1 },
		"variants[0].stock":           func(in *catalogue.ProductInput) { in.Variants[0].Stock = new(-1) },
		"variants[0].sku":             func(in *catalogue.ProductInput) { in.Variants[0].SKU = strings.Repeat("x", 256) },
		"variants[1].options (twice)": func(in *catalogue.ProductInput) { duplicateVariant(in) },
	} {
		in := plainProduct("bad", 100)
		change(&in)
		_, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), in)
		invalid := shop.AsError(err)
		want, _, _ := strings.Cut(field, " ")
		if invalid.Kind() != fault.KindInvalid || len(invalid.Fields) != 1 || invalid.Fields[0].Field != want {
			t.Errorf("%s: got error %v with %v", field, err, invalid.Fields)
		}
	}
	list, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{})
	if err != nil || list.Meta.TotalCount != 0 {
		t.Errorf("got %d products, %v, want 0", list.Meta.TotalCount, err)
	}
}

func duplicateVariant(in *catalogue.ProductInput) {
	in.Options = []string{"Size"}
	in.Variants[0].Options = []string{"M"}
	in.Variants = slices.Repeat(in.Variants, 2)
}

// A variant with negative stock must remain back-orderable unless its stock is set.
func TestUpdateProduct_NegativeStock(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	in := plainProduct("owed", 100)
	in.Variants[0].Backorder, in.Variants[0].Stock = true, new(-3)
	mustSaveProduct(t, s, in)
	in.Variants[0].Backorder, in.Variants[0].Stock = false, nil
	if _, err := saveProduct(s, in); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("got error %v", err)
	}
	in.Variants[0].Stock = new(2)
	mustSaveProduct(t, s, in)
	shoptest.CheckStock(t, s.Shop, s.store)
}

func TestCatalogue_ListProducts(t *testing.T) {
	t.Parallel()
	s := newFilterShop(t)
	for _, test := range []struct {
		name   string
		filter catalogue.ProductListFilter
		want   []string
	}{
		{"All", catalogue.ProductListFilter{}, []string{"panjabi", "shirt", "lamp", "gift-card", "draft", "archived", "hidden", "later"}},
		{"Status", catalogue.ProductListFilter{Status: []catalogue.ProductStatus{catalogue.ProductDraft}}, []string{"draft"}},
		{"Search", catalogue.ProductListFilter{Search: "arch"}, []string{"archived"}},
		{"SearchNothing", catalogue.ProductListFilter{Search: "!"}, nil},
		{"Page", catalogue.ProductListFilter{Request: page.Request{Page: new(2), Limit: new(3)}}, []string{"gift-card", "draft", "archived"}},
		{"PastTheEnd", catalogue.ProductListFilter{Request: page.Request{Page: new(9), Limit: new(3)}}, nil},
	} {
		list, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), test.filter)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		var handles []string
		for _, p := range list.Nodes {
			handles = append(handles, p.Handle)
		}
		if diff := cmp.Diff(test.want, handles); diff != "" {
			t.Errorf("%s: handles (-want +got):\n%s", test.name, diff)
		}
	}
	for _, filter := range []catalogue.ProductListFilter{
		{Stock: catalogue.FilterInStock}, {Stock: catalogue.FilterLowStock}, {Stock: catalogue.FilterOutOfStock}, {NoImage: true},
		{SortBy: catalogue.ListByTitle}, {SortBy: catalogue.ListByStock, Sort: page.Descending}, {SortBy: catalogue.ListByCreated},
		{SortBy: catalogue.ListByUpdated}, {SortBy: catalogue.ListByPrice}, {SortBy: catalogue.ListBySold}, {CollectionID: "none"},
	} {
		filter.Limit = new(page.NoLimit)
		whole, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), filter)
		if err != nil {
			t.Fatalf("%+v: %v", filter, err)
		}
		for i, p := range whole.Nodes {
			if !isListed(p, filter) || i > 0 && !isSorted(whole.Nodes[i-1], p, filter) {
				t.Errorf("%+v: got %s at %d", filter, p.Handle, i)
			}
			filter.Page, filter.Limit = new(i+1), new(1)
			one, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), filter)
			if err != nil || len(one.Nodes) != 1 || one.Nodes[0].ID != p.ID || one.Meta.TotalCount != len(whole.Nodes) {
				t.Errorf("%+v: got page %+v (%v), want %s of %d", filter, one, err, p.Handle, len(whole.Nodes))
			}
		}
	}
	list, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{Search: "panjabi"})
	if err != nil || list.Nodes[0].Stock != 3 || list.Nodes[0].Status != catalogue.ProductActive {
		t.Errorf("record = %+v, %v", list.Nodes[0], err)
	}
	_, err = s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{Status: []catalogue.ProductStatus{"gone"}})
	if !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("got error %v", err)
	}
}

// isListed reports whether a product may be in the list of a filter by stock, image or collection.
func isListed(p catalogue.ProductRecord, filter catalogue.ProductListFilter) bool {
	has := func(status ...catalogue.StockStatus) bool {
		return slices.ContainsFunc(p.Variants, func(v catalogue.VariantRecord) bool { return slices.Contains(status, v.StockStatus) })
	}
	switch {
	case filter.CollectionID != "":
		return false
	case filter.NoImage:
		return len(p.Images) == 0
	case filter.Stock == catalogue.FilterOutOfStock:
		return has(catalogue.StockOut)
	case filter.Stock == catalogue.FilterLowStock:
		return has(catalogue.StockLow)
	case filter.Stock == catalogue.FilterInStock:
		return has(catalogue.StockIn, catalogue.StockLow, catalogue.StockBackorder)
	}
	return true
}

// isSorted reports whether a product may follow another in the list of a filter.
func isSorted(before, p catalogue.ProductRecord, filter catalogue.ProductListFilter) bool {
	switch filter.SortBy {
	case catalogue.ListByTitle:
		return input.FoldKey(before.Title) <= input.FoldKey(p.Title)
	case catalogue.ListByStock:
		return before.Stock >= p.Stock
	case catalogue.ListByCreated:
		return !p.CreatedAt.Before(before.CreatedAt)
	case catalogue.ListByPrice:
		return before.Price.Amount <= p.Price.Amount
	}
	return true
}

// Stock is changed only with the permission for it, by whichever use case.
func TestUpdateProduct_StockPermission(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	in := catalogue.ProductInput{Handle: "tea", Title: "Tea", Variants: []catalogue.VariantInput{{Price: 100, Tracked: true, Stock: new(5)}}}
	if _, err := a.Catalogue.CreateProduct(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	key, both := a.KeyCaller(t, "products.write"), a.KeyCaller(t, "products.write", "stock.write")
	update := func(caller access.Caller, stock int64) error {
		_, err := a.Catalogue.UpdateProduct(t.Context(), caller, "tea",
			catalogue.ProductChange{Title: new("Green tea"), Variants: []catalogue.VariantChange{{Stock: &stock}}})
		return err
	}
	e := shoptest.WantCode(t, update(key, 0), fault.CodeForbidden)
	if e.Details["permission"] != access.StockWrite {
		t.Errorf("got details %v, want the permission", e.Details)
	}
	if err := update(key, 5); err != nil {
		t.Errorf("with the stock that there is: got %v", err)
	}
	const file = "Handle,Title,Variant Price,Variant Inventory Tracker,Variant Inventory Qty\ntea,Tea,1.00,shopify,7\n"
	_, err := a.Catalogue.ImportProducts(t.Context(), key, strings.NewReader(file), catalogue.ImportOptions{})
	shoptest.WantCode(t, err, fault.CodeForbidden)
	if n := a.Number(t, `SELECT stock FROM variants`); n != 5 {
		t.Errorf("got a stock of %d, want 5", n)
	}
	if err := update(both, 4); err != nil {
		t.Errorf("with both permissions: got %v", err)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE changes LIKE '%variants[0].stock%'`); n == 0 {
		t.Error("got no audit entry that names the variant")
	}
}
