package server_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/order"
)

// versionWalk changes a shop at random and has its open orders.
type versionWalk struct {
	t        *testing.T
	s        *pageSite
	products []catalogue.Product
	open     []string // invoice UIDs
	n        int
	random   *rand.Rand
	done     []string // the changes so far
}

func (w *versionWalk) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// order orders units of a product, or fewer if there are not as many.
func (w *versionWalk) order(product catalogue.Product, units int) {
	w.t.Helper()
	w.n++
	w.done = append(w.done, fmt.Sprintf("%d × %s", units, product.Handle))
	placed, err := w.s.shop.Orders.PlaceOrder(w.t.Context(), access.Caller{}, order.Input{
		Items:           []order.ItemInput{{ProductID: product.ID, VariantID: &product.Variants[0].ID, Quantity: units}},
		Customer:        &order.CustomerInput{Name: new("Rahima"), PhoneNumber: new(fmt.Sprintf("01811%06d", w.n))},
		ShippingAddress: &account.Address{Line1: "House 1", City: "Dhaka"},
	}, "")
	if err == nil { // otherwise it is sold out
		w.open = append(w.open, placed.InvoiceUID)
	}
}

func (w *versionWalk) cancel() {
	if len(w.open) == 0 {
		return
	}
	at := w.random.IntN(len(w.open))
	_, err := w.s.shop.Orders.CancelOrderAsStaff(w.t.Context(), access.Operator(), w.open[at], "")
	w.must(err)
	w.open = append(w.open[:at], w.open[at+1:]...)
}

func (w *versionWalk) change(change catalogue.ProductChange) {
	p := w.products[w.random.IntN(len(w.products))]
	w.done = append(w.done, "of "+p.Handle)
	_, err := w.s.shop.Catalogue.UpdateProduct(w.t.Context(), access.Operator(), p.ID, change)
	w.must(err)
}

var (
	pageSteps = flag.Int("page.steps", 80, "changes of TestSite_StoredPages; 250 for the full test")
	pageSeed  = flag.Uint64("page.seed", rand.Uint64(), "random changes of TestSite_StoredPages")
)

// After any sequence of changes, a stored page equals a fresh one, apart from the
// order by sales, which may be ten minutes old. An order that changes quantities alone leaves the
// stored pages valid.
func TestSite_StoredPages(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	fresh := *s
	fresh.site = newSiteOf(t, s.shop, func(cfg *server.Config) {
		cfg.Tenants, cfg.SiteURL, cfg.CacheSize = s.tenants(), "http://shops.example", -1
	})
	w := &versionWalk{t: t, s: s, products: []catalogue.Product{s.saree}, random: rand.New(rand.NewPCG(*pageSeed, 0))}
	plenty := s.create(t, catalogue.ProductInput{
		Title: "Honey", Handle: "honey", Variants: []catalogue.VariantInput{{Price: 60_000, Tracked: true, Stock: new(100_000), LowStock: new(5)}},
	})
	for _, low := range []*int{new(0), new(2), new(4)} {
		for _, backorder := range []bool{false, true} {
			w.products = append(w.products, s.create(t, catalogue.ProductInput{
				Title: fmt.Sprint("Tea ", *low, backorder), Collections: []string{"women"},
				Variants: []catalogue.VariantInput{{
					Price: 10_000, CompareAtPrice: new(int64(12_000)), Tracked: true, Stock: new(5), LowStock: low, Backorder: backorder,
				}},
			}))
		}
	}
	operations := map[string]func(){
		"order":       func() { w.order(w.products[w.random.IntN(len(w.products))], 1+w.random.IntN(3)) },
		"order again": func() { w.order(w.products[w.random.IntN(len(w.products))], 1) },
		"plenty":      func() { w.order(plenty, 2) },
		"cancel":      w.cancel,
		"post":        func() { w.must(s.shop.Orders.PostOrders(t.Context())) },
		"stock": func() {
			s.update(t, w.products[w.random.IntN(len(w.products))], func(v *catalogue.VariantChange) { v.Stock = new(w.random.Int64N(8)) })
		},
		"price": func() {
			s.update(t, w.products[w.random.IntN(len(w.products))], func(v *catalogue.VariantChange) { v.Price = new(1000 + w.random.Int64N(9000)) })
		},
		"title":    func() { w.change(catalogue.ProductChange{Title: new(fmt.Sprint("Tea pot ", w.n))}) },
		"settings": func() { s.set(t, "name", fmt.Sprintf("%q", fmt.Sprint("Shop ", w.n))) },
		"publish":  func() { w.change(catalogue.ProductChange{Status: new(catalogue.ProductActive)}) },
		"archive":  func() { w.change(catalogue.ProductChange{Status: new(catalogue.ProductArchived)}) },
		"draft": func() {
			s.saveDesign(t, fmt.Sprintf(`{"design":"haat","tokens":{"seed":"#%06x"},"templates":{}}`, w.random.IntN(1<<24)))
		},
		"design": func() { s.publishDesign(t) },
		"landing": func() {
			s.saveLanding(t, func(p *design.LandingPage) { p.Visible, p.Product = w.random.IntN(4) > 0, "saree" })
		},
		"a minute": func() { s.clock.Advance(time.Minute) },
	}
	names := slices.Sorted(maps.Keys(operations))
	prompt := []string{
		"/collections/all", "/collections/women?sort=price", "/search?q=tea", "/products/saree", "/bn/products/tea", "/l/morning-tea",
		"/feed.xml", "/sitemap.xml",
	}
	bySales := []string{"/", "/collections/all?sort=best"}
	stored, anew := s.browser(), fresh.browser()
	compare := func(pages []string) {
		t.Helper()
		for _, path := range pages {
			got, want := stored.get(t, shopHost+path), anew.get(t, shopHost+path)
			if got.status != want.status || got.html != want.html {
				t.Fatalf("-page.seed %d, after %s, %s: got %d\n%s\nwant %d\n%s",
					*pageSeed, strings.Join(w.done, ", "), path, got.status, got.html, want.status, want.html)
			}
		}
	}
	for range *pageSteps {
		name := names[w.random.IntN(len(names))]
		if w.random.IntN(2) == 0 {
			name = []string{"order", "cancel"}[w.random.IntN(2)]
		}
		w.done = append(w.done, name)
		before, err := s.shop.PageVersion(t.Context())
		w.must(err)
		operations[name]()
		after, err := s.shop.PageVersion(t.Context())
		w.must(err)
		if quiet := name == "plenty" || name == "post"; quiet && after != before {
			t.Errorf("%s changed the pages", name)
		}
		compare(prompt)
		if w.random.IntN(20) == 0 {
			s.clock.Advance(10 * time.Minute)
			w.done = append(w.done, "ten minutes")
			compare(bySales)
		}
	}
	if stats := s.server.Prepared(); stats.Hits == 0 {
		t.Error("got no stored page")
	}
}
