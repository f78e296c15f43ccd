package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// stockShop adds a collection of two products and a more expensive third product outside of it.
func stockShop(tb testing.TB, s *shop.Shop) (collection *catalogue.Collection, products []*catalogue.Product) {
	tb.Helper()
	ctx := context.Background()
	record, err := s.Catalogue.SaveCollection(ctx, access.Operator(), catalogue.CollectionInput{Title: "Tea"}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	collection = &record.Collection
	for i, title := range []string{"Green tea", "Black tea", "Tea pot"} {
		stock := 5
		in := catalogue.ProductInput{
			Title: title, Tags: []string{"kitchen"}, Metadata: map[string]any{"b": 1, "a": 2},
			Vendor: "Finlay, Ltd", Type: "Tea", Options: []string{"Weight"},
			Variants: []catalogue.VariantInput{
				{Options: []string{fmt.Sprint(100*(i+1), " g, net")}, SKU: fmt.Sprint("T-", i), Price: int64(10000 * (i + 1)), Tracked: true, Stock: &stock},
			},
		}
		if i < 2 {
			in.Collections = []string{collection.Handle}
		} else {
			in.Tags, in.Vendor, in.Type, in.Options = []string{"pots"}, "", "Pots", nil
			in.Variants[0].Options = nil
		}
		p, err := s.Catalogue.CreateProduct(ctx, access.Operator(), in)
		if err != nil {
			tb.Fatal(err)
		}
		products = append(products, &p.Product)
	}
	return collection, products
}

type pageOf[T any] struct {
	Nodes []T
	Meta  page.Meta
}

func titles(products []catalogue.Product) string {
	var all []string
	for _, p := range products {
		all = append(all, p.Title)
	}
	return strings.Join(all, ", ")
}

func TestProductLists(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	tea, products := stockShop(t, s.shop)
	other, err := s.shop.Catalogue.SaveCollection(context.Background(), access.Operator(), catalogue.CollectionInput{Title: "Nothing"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"sortBy=title":                                "Black tea, Green tea, Tea pot",
		"sortBy=title&sort=desc":                      "Tea pot, Green tea, Black tea",
		"sortBy=price&limit=1":                        "Green tea",
		"sortBy=price&limit=1&page=2":                 "Black tea",
		"sortBy=price&limit=1&page=9":                 "",
		"sortBy=price&limit=-1":                       "Green tea, Black tea, Tea pot",
		"sortBy=price&minPrice=20000":                 "Black tea, Tea pot",
		"sortBy=price&maxPrice=20000":                 "Green tea, Black tea",
		"sortBy=price&tags[]=POTS":                    "Tea pot",
		"sortBy=price&tags=pots&tags=none":            "Tea pot",
		"sortBy=price&tags=none,pots":                 "Tea pot",
		"sortBy=price&vendors[]=finlay,+LTD":          "Green tea, Black tea",
		"sortBy=price&types=POTS":                     "Tea pot",
		"sortBy=price&types[]=tea&types[]=pots":       "Green tea, Black tea, Tea pot",
		"options[]=weight:200+g,+net":                 "Black tea",
		"options=Weight:100+g,+net&types[]=pots":      "",
		"options[0]=Weight:100+g,+net&options[1]=a:b": "",
		"search=pot":                                  "Tea pot",
		"search=%22%2A%27%29":                         "",
		"sortBy=price&inStock=true":                   "Green tea, Black tea, Tea pot",
		"inStock=false":                               "",
		"onSale=true":                                 "",
		"sortBy=price&page=&limit=&tags[]=&cacheBuster=123&collectionIds[]=": "Green tea, Black tea, Tea pot",
	} {
		var got pageOf[catalogue.Product]
		s.get("/api/v1/products?"+query).ok(200, &got)
		if titles(got.Nodes) != want {
			t.Errorf("%s: %q, want %q", query, titles(got.Nodes), want)
		}
	}
	for _, form := range []string{
		"collectionIds[]=%s", "collectionIds=%s", "collectionIds%%5B%%5D=%s", "collectionIds[0]=%s",
		"collectionIds=" + other.ID + ",%s", "collectionIds[]=%s%%2C" + other.ID, "collectionIds=%s,",
		"collectionIds[]=" + other.ID + "&collectionIds[]=%s", "collectionIds[1]=%s&collectionIds[0]=" + other.ID,
	} {
		var got pageOf[catalogue.Product]
		s.get("/api/v1/products?sortBy=price&"+fmt.Sprintf(form, tea.ID)).ok(200, &got)
		if titles(got.Nodes) != "Green tea, Black tea" {
			t.Errorf("%s: %q", form, titles(got.Nodes))
		}
	}
	var one catalogue.Product
	s.get("/api/v1/products/"+products[2].ID).ok(200, &one)
	if one.Title != "Tea pot" {
		t.Errorf("by ID: got %q, want Tea pot", one.Title)
	}
	s.get("/api/v1/products/handle/tea-pot").ok(200, &one)
	if one.ID != products[2].ID {
		t.Errorf("by handle: got %s, want %s", one.ID, products[2].ID)
	}
	var collections pageOf[catalogue.Collection]
	s.get("/api/v1/collections").ok(200, &collections)
	var collection catalogue.Collection
	s.get("/api/v1/collections/"+tea.ID).ok(200, &collection)
	if len(collections.Nodes) != 2 || collection.ProductCount != 2 {
		t.Errorf("got %d collections, %d products in one; want 2 and 2", len(collections.Nodes), collection.ProductCount)
	}
	var facets catalogue.ProductFacets
	s.get("/api/v1/products/facets?types[]=pots&maxPrice=20000").ok(200, &facets)
	wantFacets := catalogue.ProductFacets{
		Options: []catalogue.OptionFacet{}, Vendors: []catalogue.FacetValue{}, Tags: []catalogue.FacetValue{},
		Types: []catalogue.FacetValue{{Value: "Tea", Label: "Tea", ProductCount: 2}, {Value: "Pots", Label: "Pots"}},
		Price: &catalogue.PriceRange{Min: one.Price, Max: one.Price},
	}
	if diff := cmp.Diff(wantFacets, facets); diff != "" {
		t.Errorf("facets (-want +got):\n%s", diff)
	}
	s.get("/api/v1/collections/handle/tea").ok(200, &collection)
	if collection.ID != tea.ID {
		t.Errorf("by handle: got collection %s, want %s", collection.ID, tea.ID)
	}
	var related pageOf[catalogue.Product]
	s.get("/api/v1/products/"+products[0].ID+"/related").ok(200, &related)
	if titles(related.Nodes) != "Black tea" || related.Meta.TotalCount != 1 {
		t.Errorf("related: got %q, want Black tea", titles(related.Nodes))
	}
	var suggestions catalogue.Suggestions
	s.get("/api/v1/suggestions?q=te").ok(200, &suggestions)
	if len(suggestions.Products) != 3 || len(suggestions.Collections) != 1 || fmt.Sprint(suggestions.Searches) != "[tea]" {
		t.Errorf("suggestions: got %+v", suggestions)
	}
	s.get("/api/v1/suggestions?q=").ok(200, &suggestions)
	if len(suggestions.Products)+len(suggestions.Collections)+len(suggestions.Searches) > 0 {
		t.Errorf("suggestions of nothing: got %+v", suggestions)
	}
	for _, path := range []string{
		"products/none/related", "collections/handle/none",
		"products/none", "products/handle", "products/handle/none", "products/%00", "products/a%2Fb", "collections/none",
	} {
		s.get("/api/v1/"+path).problem(404, fault.CodeNotFound)
	}
}

func TestListQuery_Invalid(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for query, field := range map[string]string{
		"page=abc": "page", "page=0": "page", "page=-1": "page", "page=1.5": "page", "page=1e3": "page", "page=99999999999999999999": "page",
		"limit=0": "limit", "limit=-2": "limit", "limit=101": "limit", "limit=1e9": "limit", "limit=ten": "limit", "limit=%00": "limit",
		"page=1&page=2": "page", "search=a&search=b": "search", "sort=up": "sort", "sortBy=colour": "sortBy", "sortBy=price;--": "",
		"minPrice=1.5": "minPrice", "maxPrice=x": "maxPrice", "inStock=maybe": "inStock", "onSale=2": "onSale",
	} {
		got := s.get("/api/v1/products?" + query)
		if field == "" {
			got.problem(400, fault.CodeMalformed)
			continue
		}
		p := got.problem(422, fault.CodeValidationFailed)
		if len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("%s: got fields %q", query, p.fields())
		}
	}
	p := s.get("/api/v1/products?sortBy=colour&sort=up&page=x").problem(422, fault.CodeValidationFailed)
	if len(p.Errors) != 3 {
		t.Errorf("got fields %q, want three", p.fields())
	}
	if m := p.Errors[1].Message + p.Errors[2].Message + p.Errors[0].Message; !strings.Contains(m, "bestSelling") || !strings.Contains(m, "desc") {
		t.Errorf("got %q, want the allowed values in it", m)
	}
	s.get("/api/v1/collections?limit=101").problem(422, fault.CodeValidationFailed)
	for _, query := range []string{"search=100%", "search=%zz", "search=%ff"} {
		s.get("/api/v1/products?"+query).problem(400, fault.CodeMalformed)
	}
}

// A search accepts any text: none may cause an internal error.
func TestProductSearch_Hostile(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	stockShop(t, s.shop)
	for _, text := range []string{
		`"`, `tea"`, `"tea`, `tea*`, `NEAR(tea, 1)`, `tea AND`, `title:tea`, `-tea`, `^tea`, `{tea}`, `tea' OR 1=1 --`, "tea\x00", "\U0001F375",
		"চা", strings.Repeat("tea ", 2000), `\`, `%`, `_`, "\u200c", "tea\r\nX-Injected: 1",
	} {
		if got := s.get("/api/v1/products?search=" + url.QueryEscape(text)); got.status != 200 {
			t.Errorf("%q: %d %s", text[:min(len(text), 20)], got.status, got.body)
		}
		if got := s.get("/api/v1/collections?search=" + url.QueryEscape(text)); got.status != 200 {
			t.Errorf("collections %q: %d %s", text[:min(len(text), 20)], got.status, got.body)
		}
	}
}

func TestCatalogue_ETag(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	tea, products := stockShop(t, s.shop)
	paths := []string{
		"/api/v1/products", "/api/v1/products/" + products[0].ID, "/api/v1/products/handle/tea-pot",
		"/api/v1/collections", "/api/v1/collections/" + tea.ID, "/api/v1/tenant",
	}
	for _, path := range paths {
		first := s.get(path)
		etag := first.header.Get("ETag")
		if first.status != 200 || !strings.HasPrefix(etag, `"`) {
			t.Fatalf("GET %s: got %d with ETag %q, want 200 with a strong one", path, first.status, etag)
		}
		for name, want := range map[string]string{
			"Cache-Control": "private, no-cache", "Vary": "x-tenant, Origin, Accept-Encoding", "Content-Type": "application/json",
		} {
			if first.header.Get(name) != want {
				t.Errorf("GET %s: %s is %q, want %q", path, name, first.header.Get(name), want)
			}
		}
		for _, sent := range []string{etag, "W/" + etag, `"other", ` + etag, "*"} {
			again := s.get(path, "If-None-Match", sent)
			if again.status != 304 || len(again.body) > 0 || again.header.Get("ETag") != etag || again.header.Get("Vary") == "" {
				t.Errorf("GET %s with %s: got %d, ETag %q, %d bytes; want 304, %q, none", path, sent, again.status,
					again.header.Get("ETag"), len(again.body), etag)
			}
		}
		if again := s.get(path, "If-None-Match", `"other"`); again.status != 200 || again.header.Get("ETag") != etag {
			t.Errorf("GET %s with another tag: got %d, ETag %q; want 200, %q", path, again.status, again.header.Get("ETag"), etag)
		}
	}
	before := s.get(paths[0]).header.Get("ETag")
	if _, err := s.shop.Catalogue.UpdateProduct(context.Background(), access.Operator(), "tea-pot",
		catalogue.ProductChange{Title: new("Tea kettle")}); err != nil {
		t.Fatal(err)
	}
	if got := s.get(paths[0], "If-None-Match", before); got.status != 200 || got.header.Get("ETag") == before {
		t.Errorf("after a change: got %d with ETag %q", got.status, got.header.Get("ETag"))
	}
}

func TestCatalogue_ETagPerTenant(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) {
		shops := cfg.Tenants.(*tenantsOf).shops
		shops["other"] = shoptest.New(t, &shoptest.Options{UID: "other"})
	})
	a, b := s.get("/api/v1/products"), s.get("/api/v1/products", "x-tenant", "other")
	if string(a.body) != string(b.body) || a.header.Get("ETag") == b.header.Get("ETag") {
		t.Errorf("got %s and %s with ETags %q and %q, want equal bodies with ETags that differ", a.body, b.body, a.header.Get("ETag"), b.header.Get("ETag"))
	}
}

func TestGetTenant(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	var front shop.StoreFront
	s.get("/api/v1/tenant", "Authorization", "Bearer nonsense").ok(200, &front)
	if front.UID != "test" || front.Name != "Test Shop" || len(front.DeliveryCharges) != 2 || front.DeliveryCharges[0].Charge.Amount != 7000 {
		t.Errorf("got %+v, want the settings of Test Shop", front)
	}
}

// Cached responses are not rate-limited; other work is, per client.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := newSite(t, func(cfg *server.Config) { cfg.Rate, cfg.Burst, cfg.Now = 1, 5, clock.Now })
	prepared := []string{"/api/v1/tenant", "/api/v1/products"}
	for _, path := range prepared {
		s.get(path).ok(200, new(any))
	}
	for range 3 {
		s.get("/api/v1/orders/none").problem(404, fault.CodeNotFound)
	}
	for _, path := range []string{"/api/v1/orders/none", "/api/v1/products?search=new"} {
		got := s.get(path)
		got.problem(429, fault.CodeRateLimited)
		for name, want := range map[string]string{"Retry-After": "1", "RateLimit": `"requests";r=0;t=1`, "RateLimit-Policy": `"requests";q=5;w=5`} {
			if got.header.Get(name) != want {
				t.Errorf("GET %s: %s is %q, want %q", path, name, got.header.Get(name), want)
			}
		}
	}
	s.send("POST", "/api/v1/auth/login", "{}").problem(429, fault.CodeRateLimited)
	for _, path := range append(prepared, "/healthz") {
		s.get(path).ok(200, new(any))
	}
	saveSomething(t, s.shop)
	s.get(prepared[0]).problem(429, fault.CodeRateLimited) // the response has to be built again
	clock.Advance(time.Second)
	for range 3 {
		s.get(prepared[0]).ok(200, new(any))
	}
	s.get("/api/v1/orders/none").problem(429, fault.CodeRateLimited)
	clock.Advance(time.Second)
	s.get("/api/v1/orders/none").problem(404, fault.CodeNotFound)
}

func saveSomething(t *testing.T, s *shop.Shop) {
	t.Helper()
	if _, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{Title: "Something",
		Variants: []catalogue.VariantInput{{Price: 100}}}); err != nil {
		t.Fatal(err)
	}
}

// A cached response is sent before routing and logged as if the request had been routed.
func TestCache_LoggedByRoute(t *testing.T) {
	t.Parallel()
	var book logRecorder
	s := newSite(t, func(cfg *server.Config) { cfg.Logger = slog.New(slog.NewJSONHandler(&book, nil)) })
	_, products := stockShop(t, s.shop)
	paths := []string{"/api/v1/products?limit=2", "/api/v1/products/" + products[0].ID, "/api/v1/products/handle/tea-pot", "/api/v1/tenant"}
	for _, path := range append(paths, paths...) {
		s.get(path)
	}
	s.close() // a line is written after its response
	if stats := s.server.Prepared(); stats.Hits != uint64(len(paths)) || stats.Misses != uint64(len(paths)) {
		t.Errorf("got %d hits and %d misses for %d paths requested twice", stats.Hits, stats.Misses, len(paths))
	}
	lines, text := book.lines(t)
	if len(lines) != 2*len(paths) {
		t.Fatalf("got %d lines, want %d:\n%s", len(lines), 2*len(paths), text)
	}
	for i, want := range []string{"/api/v1/products", "/api/v1/products/{id}", "/api/v1/products/handle/{handle}", "/api/v1/tenant"} {
		for _, line := range []map[string]any{lines[i], lines[i+len(paths)]} {
			if line["route"] != want || line["tenant"] != "test" || line["status"] != 200.0 || line["bytes"] == 0.0 {
				t.Errorf("%s: %v", want, line)
			}
		}
	}
}

// GraphQL's responses are in the same cache, by the request's body.
func TestCache_GraphQLNotFoundByPath(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	const body = `{"query":"{apiVersion}"}`
	for range 2 {
		if got := s.send("POST", "/graphql", body); string(got.body) != `{"data":{"apiVersion":"v0.15.0"}}`+"\n" {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if got := s.get("/graphql?" + body); got.status != 200 || !strings.Contains(got.header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %s %s", got.status, got.header.Get("Content-Type"), got.body)
	}
}
