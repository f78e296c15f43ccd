package catalogue_test

import (
	"fmt"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/page"
)

func TestCatalogue_Suggest(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for _, title := range []string{"Cotton panjabis", "শাড়ি", "Sale"} {
		mustSaveCollection(t, s, catalogue.CollectionInput{Title: title})
	}
	for i, title := range []string{"Cotton Panjabi", "Cotton Saree", "নকশি শাড়ি", "Coffee mug"} {
		in := plainProduct(fmt.Sprintf("p-%d", i), int64(100*(i+1)))
		in.Title, in.Type = title, "Wear"
		in.Images = []catalogue.ImageInput{{URL: fmt.Sprintf("/%d.svg", i)}}
		in.Tags = []string{"Cotton rich"}
		if i == 3 {
			in.Type, in.Tags, in.Images = "Kitchen", nil, nil
		}
		mustSaveProduct(t, s, in)
	}
	hidden := plainProduct("hidden", 100)
	hidden.Title, hidden.Hidden = "Cotton secret", true
	mustSaveProduct(t, s, hidden)
	for i := range 30 {
		in := plainProduct(fmt.Sprintf("lamp-%d", i), 100)
		in.Title = fmt.Sprintf("Lamp %d", i)
		mustSaveProduct(t, s, in)
	}
	for _, test := range []struct{ typed, want string }{
		{"cott", "[Cotton Saree, Cotton Panjabi, নকশি শাড়ি] [Cotton panjabis] [cotton rich, cotton]"},
		{"COTTON pan", "[Cotton Panjabi] [Cotton panjabis] [cotton panjabi]"},
		{"coton", "[Cotton Saree, Cotton Panjabi, নকশি শাড়ি] [Cotton panjabis] [cotton rich, cotton]"},
		{"শাড়ী", "[নকশি শাড়ি, Cotton Saree] [শাড়ি] [শাড়ি, saree]"},
		{"kitch", "[Coffee mug] [] [kitchen]"},
		{"coffee mug", "[Coffee mug] [] []"},
		{"secret", "[] [] []"},
		{"c", "[] [] []"},
		{"", "[] [] []"},
		{`"*`, "[] [] []"},
	} {
		got, err := s.Catalogue.Suggest(t.Context(), test.typed)
		if err != nil {
			t.Fatal(err)
		}
		var products, collections []string
		for _, p := range got.Products {
			products = append(products, p.Title)
		}
		for _, c := range got.Collections {
			collections = append(collections, c.Title)
		}
		lists := fmt.Sprintf("[%s] [%s] [%s]", strings.Join(products, ", "), strings.Join(collections, ", "), strings.Join(got.Searches, ", "))
		if lists != test.want {
			t.Errorf("%q: got  %s\nwant %s", test.typed, lists, test.want)
		}
	}
	got, err := s.Catalogue.Suggest(t.Context(), "lamp")
	if err != nil || len(got.Products) != 8 {
		t.Fatalf("lamp: got %+v, %v, want 8 products", got, err)
	}
	got, err = s.Catalogue.Suggest(t.Context(), "mug")
	if err != nil || len(got.Products) != 1 || got.Products[0].Handle != "p-3" || got.Products[0].Price.Amount != 400 ||
		!got.Products[0].Available || got.Products[0].Image != nil {
		t.Errorf("mug: got %+v, %v", got, err)
	}
}

func TestCatalogue_FindRelated(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustSaveCollection(t, s, catalogue.CollectionInput{Title: "Eid"})
	save := func(handle string, stock int, change func(in *catalogue.ProductInput)) string {
		in := plainProduct(handle, 100)
		in.Variants[0].Stock = &stock
		change(&in)
		return mustSaveProduct(t, s, in).ID
	}
	id := save("panjabi", 1, func(in *catalogue.ProductInput) {
		in.Vendor, in.Type, in.Tags, in.Collections = "Aarong", "Panjabi", []string{"cotton", "men"}, []string{"eid"}
	})
	save("vendor", 1, func(in *catalogue.ProductInput) { in.Vendor = "AARONG" })
	save("sold-out", 0, func(in *catalogue.ProductInput) { in.Type, in.Collections = "panjabi", []string{"eid"} })
	save("tags", 1, func(in *catalogue.ProductInput) { in.Tags = []string{"Men", "Cotton"} })
	save("type", 1, func(in *catalogue.ProductInput) { in.Type = "Panjabi" })
	save("newer-type", 1, func(in *catalogue.ProductInput) { in.Type = "Panjabi" })
	save("collection", 1, func(in *catalogue.ProductInput) { in.Type, in.Collections = "Panjabi", []string{"eid"} })
	save("other", 1, func(in *catalogue.ProductInput) { in.Type = "Mug" })
	save("hidden", 1, func(in *catalogue.ProductInput) { in.Type, in.Hidden = "Panjabi", true })
	handles := func() string {
		t.Helper()
		list, err := s.Catalogue.FindRelated(t.Context(), id, page.Request{})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(handlesOf(list.Nodes), " ")
	}
	const want = "collection tags newer-type type vendor sold-out"
	if got := handles(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := s.Catalogue.RemoveFromCollection(t.Context(), access.Operator(), "eid", "collection"); err != nil {
		t.Fatal(err)
	}
	if got, want := handles(), "tags collection newer-type type vendor sold-out"; got != want {
		t.Errorf("after a change: got %s, want %s", got, want)
	}
	for n := range 40 {
		save(fmt.Sprintf("many-%d", n), 1, func(in *catalogue.ProductInput) { in.Tags = []string{"men", "cotton"} })
	}
	if got := len(strings.Fields(handles())); got != 20 {
		t.Errorf("got %d related products on a page, want 20", got)
	}
	list, err := s.Catalogue.FindRelated(t.Context(), id, page.Request{})
	if err != nil || list.Meta.TotalCount != 24 {
		t.Errorf("got %+v, %v, want 24 related products", list, err)
	}
}
