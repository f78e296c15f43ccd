package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/shoptest"
)

func mustFindFacets(tb testing.TB, s catalogueShop, filter catalogue.ProductFilter) *catalogue.ProductFacets {
	tb.Helper()
	facets, err := s.Catalogue.FindFacets(tb.Context(), filter)
	if err != nil {
		tb.Fatalf("facets of %+v: %v", filter, err)
	}
	return facets
}

// shirt returns a shirt in sizes and colours; in writes each variant as S/Red=stock.
func shirt(handle, vendor string, price int64, in ...string) catalogue.ProductInput {
	p := catalogue.ProductInput{Handle: handle, Title: handle, Vendor: vendor, Type: "Shirts", Options: []string{"Size", "Colour"}}
	for _, text := range in {
		var size, colour string
		var stock int
		if _, err := fmt.Sscanf(strings.NewReplacer("/", " ", "=", " ").Replace(text), "%s %s %d", &size, &colour, &stock); err != nil {
			panic(err)
		}
		p.Variants = append(p.Variants, catalogue.VariantInput{Options: []string{size, colour}, Price: price, Tracked: true, Stock: &stock})
	}
	return p
}

// newFacetShop returns a shop of three shirts and a mug.
func newFacetShop(tb testing.TB) catalogueShop {
	tb.Helper()
	s := newCatalogueShop(tb)
	oxford := shirt("oxford", "Aarong", 900, "S/Red=1", "M/Red=0", "L/Blue=2")
	oxford.Tags = []string{"Eid", "Cotton"}
	polo := shirt("polo", "aarong", 500, "XL/Red=3", "L/Red=0")
	polo.Tags = []string{"cotton"}
	linen := shirt("linen", "Yellow, Ltd", 700, "M/Blue=0")
	mug := plainProduct("mug", 300)
	mug.Type, mug.Tags = "Kitchen", []string{"Eid"}
	for _, in := range []catalogue.ProductInput{oxford, polo, linen, mug} {
		mustSaveProduct(tb, s, in)
	}
	return s
}

func TestCatalogue_FindProducts_ByOptionVendorAndType(t *testing.T) {
	t.Parallel()
	s := newFacetShop(t)
	for _, test := range []struct {
		name   string
		filter catalogue.ProductFilter
		want   string
	}{
		{"Option", catalogue.ProductFilter{Options: []string{"Size:L"}}, "polo oxford"},
		{"OptionFolded", catalogue.ProductFilter{Options: []string{" SIZE : xl "}}, "polo"},
		{"OptionValues", catalogue.ProductFilter{Options: []string{"Size:S", "size:XL"}}, "polo oxford"},
		{"OneVariantHasBoth", catalogue.ProductFilter{Options: []string{"Size:L", "Colour:Red"}}, "polo"},
		{"OneVariantInStock", catalogue.ProductFilter{Options: []string{"Size:L"}, InStock: new(true)}, "oxford"},
		{"NoVariantInStock", catalogue.ProductFilter{Options: []string{"Size:L"}, InStock: new(false)}, "polo"},
		{"UnknownValue", catalogue.ProductFilter{Options: []string{"Size:XXL"}}, ""},
		{"UnknownName", catalogue.ProductFilter{Options: []string{"Size:L", "Fit:Slim"}}, ""},
		{"Vendor", catalogue.ProductFilter{Vendors: []string{"AARONG"}}, "polo oxford"},
		{"Vendors", catalogue.ProductFilter{Vendors: []string{"Yellow, Ltd", "Aarong"}, SortBy: "price"}, "polo linen oxford"},
		{"UnknownVendor", catalogue.ProductFilter{Vendors: []string{"Nobody"}}, ""},
		{"Type", catalogue.ProductFilter{Types: []string{"shirts"}, SortBy: "title", Sort: "desc"}, "polo oxford linen"},
		{"WithOthers", catalogue.ProductFilter{Types: []string{"shirts"}, Tags: []string{"COTTON"}, MaxPrice: new(int64(600))}, "polo"},
		{"WithSearch", catalogue.ProductFilter{Types: []string{"shirts"}, Search: "eid"}, "oxford"},
		{"WithSearchOfOthers", catalogue.ProductFilter{Types: []string{"shirts"}, Search: "mug"}, ""},
		{"WithMisspeltSearch", catalogue.ProductFilter{Types: []string{"shirts"}, Search: "coton"}, "polo oxford"},
		{"Blank", catalogue.ProductFilter{Vendors: []string{" "}, Types: []string{""}, Options: []string{" "}}, "mug linen polo oxford"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(mustFindHandles(t, s, test.filter), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	for _, filter := range []catalogue.ProductFilter{
		{Options: []string{"L"}}, {Vendors: slices.Repeat([]string{"a"}, 101)}, {Types: slices.Repeat([]string{"a"}, 101)},
		{Options: slices.Repeat([]string{"a:b"}, 101)},
	} {
		_, err := s.Catalogue.FindProducts(t.Context(), filter)
		_, facetErr := s.Catalogue.FindFacets(t.Context(), filter)
		if !fault.HasCode(err, fault.CodeValidationFailed) || !fault.HasCode(facetErr, fault.CodeValidationFailed) {
			t.Errorf("filter %+v: got %v, and of its facets %v, want validation_failed", filter, err, facetErr)
		}
	}
}

// facetText writes facets as text.
func facetText(f *catalogue.ProductFacets) string {
	values := func(name string, values []catalogue.FacetValue) string {
		text := name + ":"
		for _, v := range values {
			text += fmt.Sprintf(" %s=%d", v.Value, v.ProductCount)
		}
		return text
	}
	var lines []string
	for _, o := range f.Options {
		lines = append(lines, values(o.Name, o.Values))
	}
	lines = append(lines, values("vendors", f.Vendors), values("types", f.Types), values("tags", f.Tags))
	if f.Price != nil {
		lines = append(lines, fmt.Sprintf("price: %d-%d", f.Price.Min.Amount, f.Price.Max.Amount))
	}
	return strings.Join(append(lines, fmt.Sprintf("stock: %d/%d", f.Availability.InStock, f.Availability.OutOfStock)), "\n")
}

func TestCatalogue_FindFacets(t *testing.T) {
	t.Parallel()
	s := newFacetShop(t)
	for _, test := range []struct {
		name   string
		filter catalogue.ProductFilter
		want   []string
	}{
		{"All", catalogue.ProductFilter{}, []string{
			"Colour: Red=2 Blue=2", "Size: S=1 XL=1 M=2 L=2", "vendors: Aarong=2 Yellow, Ltd=1", "types: Shirts=3 Kitchen=1",
			"tags: Cotton=2 Eid=2", "price: 300-900", "stock: 3/1",
		}},
		{"OptionsWithoutTheirOwnFilter", catalogue.ProductFilter{Options: []string{"Size:L"}}, []string{
			"Size: S=1 XL=1 M=2 L=2", "Colour: Red=1 Blue=1", "vendors: Aarong=2", "types: Shirts=2", "tags: Cotton=2 Eid=1",
			"price: 500-900", "stock: 1/1",
		}},
		{"VariantsInStock", catalogue.ProductFilter{Options: []string{"Size:L"}, InStock: new(true)}, []string{
			"Colour: Blue=1", "Size: S=1 XL=1 L=1", "vendors: Aarong=1", "types: Shirts=1", "tags: Cotton=1 Eid=1",
			"price: 900-900", "stock: 1/1",
		}},
		{"VendorsWithoutTheirOwnFilter", catalogue.ProductFilter{Vendors: []string{"yellow, ltd"}, Tags: []string{"cotton"}}, []string{
			"vendors: Aarong=2 Yellow, Ltd=0", "types:", "tags: Cotton=0", "stock: 0/0",
		}},
		{"PriceWithoutItsOwnFilter", catalogue.ProductFilter{MinPrice: new(int64(800)), Types: []string{"shirts"}}, []string{
			"Colour: Red=1 Blue=1", "Size: S=1 M=1 L=1", "vendors: Aarong=1", "types: Shirts=1", "tags: Cotton=1 Eid=1",
			"price: 500-900", "stock: 1/0",
		}},
		{"Search", catalogue.ProductFilter{Search: "eid"}, []string{
			"Colour: Red=1 Blue=1", "Size: S=1 M=1 L=1", "vendors: Aarong=1", "types: Kitchen=1 Shirts=1", "tags: Eid=2 Cotton=1",
			"price: 300-900", "stock: 2/0",
		}},
		{"MisspeltSearch", catalogue.ProductFilter{Search: "kitchn"}, []string{
			"vendors:", "types: Kitchen=1", "tags: Eid=1", "price: 300-300", "stock: 1/0",
		}},
		{"SearchWithoutWord", catalogue.ProductFilter{Search: "!"}, []string{"vendors:", "types:", "tags:", "stock: 0/0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.Join(test.want, "\n"), facetText(mustFindFacets(t, s, test.filter))); diff != "" {
				t.Errorf("facets (-want +got):\n%s", diff)
			}
		})
	}
}

// facetModel checks lists and facets against the products that buyers see.
type facetModel struct {
	*testing.T
	shop     catalogueShop
	random   *rand.Rand
	products []catalogue.Product
}

func (m *facetModel) oneOf(values ...string) string { return values[m.random.IntN(len(values))] }

func (m *facetModel) some(values ...string) (some []string) {
	for _, v := range values {
		if m.random.IntN(3) == 0 {
			some = append(some, v)
		}
	}
	return some
}

// change changes a product, or creates or deletes it.
func (m *facetModel) change() {
	n := m.random.IntN(20)
	handle := fmt.Sprintf("p-%d", n)
	if m.random.IntN(8) == 0 {
		archived := catalogue.ProductArchived
		_, err := m.shop.Catalogue.UpdateProduct(m.Context(), access.Operator(), handle, catalogue.ProductChange{Status: &archived})
		if err == nil {
			err = m.shop.Catalogue.DeleteProduct(m.Context(), access.Operator(), handle)
		}
		if err != nil && !fault.HasCode(err, fault.CodeNotFound) {
			m.Fatal(err)
		}
		return
	}
	in := catalogue.ProductInput{
		Handle: handle, Title: m.oneOf("Tea", "Mug", "Tea mug"), Vendor: m.oneOf("", "Aarong", "AARONG", "Yellow"),
		Type: m.oneOf("", "Shirts", "shirts", "Mugs"), Tags: m.some("eid", "Cotton", "new"), Collections: m.some("one", "two"),
	}
	if _, err := m.shop.Catalogue.FindProductRecord(m.Context(), access.Operator(), handle); err != nil {
		in.Status = catalogue.ProductStatus(m.oneOf("active", "active", "active", "draft"))
	}
	if in.Collections == nil {
		in.Collections = []string{}
	}
	in.Options = [][]string{nil, {"Size"}, {"Colour", "Size"}, {"SIZE", "Colour"}}[n%4]
	used := map[string]bool{}
	for range 1 + m.random.IntN(4) {
		v := catalogue.VariantInput{
			Price: int64(100 * (1 + m.random.IntN(5))), Tracked: m.random.IntN(4) > 0, Backorder: m.random.IntN(6) == 0,
		}
		if v.Tracked {
			v.Stock = new(m.random.IntN(2))
		}
		for _, name := range in.Options {
			if name == "Colour" {
				v.Options = append(v.Options, m.oneOf("Red", "red", "Blue"))
			} else {
				v.Options = append(v.Options, m.oneOf("S", "M", "L", "1:2"))
			}
		}
		if key := strings.ToLower(strings.Join(v.Options, "/")); !used[key] {
			used[key] = true
			in.Variants = append(in.Variants, v)
		}
	}
	mustSaveProduct(m.T, m.shop, in)
}

func (m *facetModel) filter() catalogue.ProductFilter {
	f := catalogue.ProductFilter{}
	if m.random.IntN(2) == 0 {
		f.Vendors = m.some("aarong", "Yellow", "Nobody")
	}
	if m.random.IntN(2) == 0 {
		f.Types = m.some("shirts", "Mugs")
	}
	if m.random.IntN(2) == 0 {
		f.Options = m.some("size:S", "Size:L", "Size:1:2", "Colour:red", "colour:Blue")
	}
	f.Tags, f.CollectionIDs = m.some("Eid", "new"), nil
	if m.random.IntN(2) == 0 {
		f.InStock = new(m.random.IntN(2) == 0)
	}
	if m.random.IntN(3) == 0 {
		f.MinPrice = new(int64(100 * m.random.IntN(4)))
	}
	if m.random.IntN(4) == 0 {
		f.Search = m.oneOf("tea", "mug", "tea mug", "mgu")
	}
	return f
}

// selects reports whether a filter selects a product, apart from its search.
func selects(f catalogue.ProductFilter, p catalogue.Product) bool {
	has := func(filter, values []string) bool {
		return len(filter) == 0 || slices.ContainsFunc(values, func(v string) bool {
			return slices.ContainsFunc(filter, func(want string) bool { return input.FoldKey(want) == input.FoldKey(v) })
		})
	}
	names := map[string][]string{}
	for _, option := range f.Options {
		name, value, _ := strings.Cut(input.FoldKey(option), ":")
		names[name] = append(names[name], value)
	}
	exists, canBuy := false, false
	for _, v := range p.Variants {
		matches := true
		for name, values := range names {
			matches = matches && slices.ContainsFunc(v.OptionValues, func(o catalogue.OptionValue) bool {
				return input.FoldKey(o.Name) == name && slices.Contains(values, input.FoldKey(o.Value))
			})
		}
		exists, canBuy = exists || matches, canBuy || matches && v.Available
	}
	return has(f.Vendors, []string{p.Vendor}) && has(f.Types, []string{p.Type}) && has(f.Tags, p.Tags) &&
		(f.MinPrice == nil || p.Price.Amount >= *f.MinPrice) && exists && (f.InStock == nil || canBuy == *f.InStock)
}

// check checks the list and the facets of a filter.
func (m *facetModel) check(f catalogue.ProductFilter) {
	m.Helper()
	found := m.products
	if f.Search != "" {
		found = mustFindProducts(m.T, m.shop, catalogue.ProductFilter{Search: f.Search}).Nodes
	}
	count := func(f catalogue.ProductFilter) (n int) {
		for _, p := range found {
			if selects(f, p) {
				n++
			}
		}
		return n
	}
	if got := len(mustFindHandles(m.T, m.shop, f)); got != count(f) {
		m.Errorf("list of %+v: got %d products, want %d", f, got, count(f))
	}
	facets := mustFindFacets(m.T, m.shop, f)
	of := func(field string, values []catalogue.FacetValue, with func(f *catalogue.ProductFilter, value string)) {
		for _, v := range values {
			one := f
			with(&one, v.Value)
			if want := count(one); v.ProductCount != want {
				m.Errorf("facets of %+v: got %d products of %s %s, want %d", f, v.ProductCount, field, v.Value, want)
			}
		}
	}
	of("vendor", facets.Vendors, func(f *catalogue.ProductFilter, v string) { f.Vendors = []string{v} })
	of("type", facets.Types, func(f *catalogue.ProductFilter, v string) { f.Types = []string{v} })
	of("tag", facets.Tags, func(f *catalogue.ProductFilter, v string) { f.Tags = []string{v} })
	for _, o := range facets.Options {
		of(o.Name, o.Values, func(f *catalogue.ProductFilter, v string) {
			others := slices.DeleteFunc(slices.Clone(f.Options), func(text string) bool {
				return strings.HasPrefix(input.FoldKey(text), input.FoldKey(o.Name)+":")
			})
			f.Options = append(others, o.Name+":"+v)
		})
	}
	in, out := f, f
	in.InStock, out.InStock = new(true), new(false)
	if got, want := facets.Availability, (catalogue.AvailabilityFacet{InStock: count(in), OutOfStock: count(out)}); got != want {
		m.Errorf("facets of %+v: got availability %+v, want %+v", f, got, want)
	}
	m.checkPrice(f, found, facets)
}

func (m *facetModel) checkPrice(f catalogue.ProductFilter, found []catalogue.Product, facets *catalogue.ProductFacets) {
	m.Helper()
	any := f
	any.MinPrice = nil
	var prices []int64
	for _, p := range found {
		if selects(any, p) {
			prices = append(prices, p.Price.Amount)
		}
	}
	if (facets.Price == nil) != (prices == nil) {
		m.Errorf("facets of %+v: got price %+v for prices %v", f, facets.Price, prices)
	} else if prices != nil && (facets.Price.Min.Amount != slices.Min(prices) || facets.Price.Max.Amount != slices.Max(prices)) {
		m.Errorf("facets of %+v: got price %+v for prices %v", f, facets.Price, prices)
	}
}

// After any changes of products, lists select what the products say, and each value of a facet has
// the count of the list that its choice would show.
func TestCatalogue_FindFacets_CountsAreOfLists(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	m := &facetModel{T: t, shop: s, random: rand.New(rand.NewPCG(3, 4))}
	for _, title := range []string{"one", "two"} {
		mustSaveCollection(t, s, catalogue.CollectionInput{Title: title})
	}
	for range 60 {
		for range 1 + m.random.IntN(5) {
			m.change()
		}
		m.products = mustFindProducts(t, s, catalogue.ProductFilter{}).Nodes
		for range 10 {
			m.check(m.filter())
		}
		if t.Failed() {
			return
		}
	}
}

// A product is counted from its time of publication, and no longer when it is hidden.
func TestCatalogue_FindFacets_Publication(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	in := plainProduct("mug", 100)
	in.Vendor, in.PublishedAt = "Aarong", new(s.clock.Now().Add(time.Hour))
	mustSaveProduct(t, s, in)
	want := func(when string, products int) {
		t.Helper()
		facets := mustFindFacets(t, s, catalogue.ProductFilter{})
		list := mustFindHandles(t, s, catalogue.ProductFilter{Vendors: []string{"Aarong"}})
		if len(facets.Vendors) != products || len(list) != products {
			t.Errorf("%s: got vendors %v and products %v, want %d", when, facets.Vendors, list, products)
		}
	}
	want("now", 0)
	s.clock.Advance(time.Hour)
	want("after the publication", 1)
	shoptest.Exec(t, s.store, s.UID(), `INSERT INTO imports (id, first_id, last_id, started_at) VALUES (1, '0', 'Z', 1)`)
	want("while an import hides it", 0)
}
