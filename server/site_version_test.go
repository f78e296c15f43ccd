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
	"storefront/shop/fault"
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

// order orders units of a product with a coupon, nil for none, unless one of them is used up.
func (w *versionWalk) order(product catalogue.Product, units int, coupon *string) {
	w.t.Helper()
	w.n++
	w.done = append(w.done, fmt.Sprintf("%d × %s", units, product.Handle))
	placed, err := w.s.shop.Orders.PlaceOrder(w.t.Context(), access.Caller{}, order.Input{
		Items:           []order.ItemInput{{ProductID: product.ID, VariantID: &product.Variants[0].ID, Quantity: units}},
		Customer:        &order.CustomerInput{Name: new("Rahima"), PhoneNumber: new(fmt.Sprintf("01811%06d", w.n))},
		ShippingAddress: &account.Address{Line1: "House 1", City: "Dhaka"}, CouponCode: coupon,
	}, "")
	if err == nil {
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

// coupon changes the limit, the time and the state of the coupon that the product pages advertise.
func (w *versionWalk) coupon() {
	spec := order.CouponSpec{Code: walkCoupon, Kind: order.CouponFixed, Amount: new(int64(100)), Active: w.random.IntN(4) > 0}
	if w.random.IntN(3) > 0 {
		spec.UsageLimit = new(1 + w.random.Int64N(8))
	}
	now := w.s.clock.Now()
	if w.random.IntN(3) == 0 {
		spec.StartsAt = new(now.Add(time.Duration(w.random.IntN(3)) * time.Minute))
	}
	if w.random.IntN(3) == 0 {
		spec.EndsAt = new(now.Add(time.Duration(4+w.random.IntN(3)) * time.Minute))
	}
	_, err := w.s.shop.Orders.SaveCoupon(w.t.Context(), access.Operator(), spec)
	if !fault.HasCode(err, fault.CodeValidationFailed) { // the limit is below the uses
		w.must(err)
	}
}

// draft returns a design of any colour, with an offer on the pages of products.
func (w *versionWalk) draft() string {
	return fmt.Sprintf(`{"design":"haat","tokens":{"seed":"#%06x"},"templates":{"product":[
		{"kind":"offer","settings":{"coupon":"%s"}}]}}`, w.random.IntN(1<<24), walkCoupon)
}

const walkCoupon = "FEW"

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
		"order":       func() { w.order(w.products[w.random.IntN(len(w.products))], 1+w.random.IntN(3), nil) },
		"order again": func() { w.order(w.products[w.random.IntN(len(w.products))], 1, nil) },
		"use":         func() { w.order(plenty, 1, new(walkCoupon)) },
		"plenty":      func() { w.order(plenty, 2, nil) },
		"cancel":      w.cancel,
		"coupon":      w.coupon,
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
		"draft":    func() { s.saveDesign(t, w.draft()) },
		"design":   func() { s.publishDesign(t) },
		"landing": func() {
			s.saveLanding(t, func(p *design.LandingPage) { p.Visible, p.Products = w.random.IntN(4) > 0, []string{"saree"} })
		},
		"a minute": func() { s.clock.Advance(time.Minute) },
	}
	w.coupon()
	s.saveDesign(t, w.draft())
	s.publishDesign(t)
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
			name = []string{"order", "cancel", "use"}[w.random.IntN(3)]
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
