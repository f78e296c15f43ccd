package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
)

// The page of an order is shown 60 times a minute to an address; whatever is wrong with the address
// is said on a page too.
func TestOrderPage(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := newSite(t, func(cfg *server.Config) { cfg.Rate, cfg.Burst, cfg.Now = 1000, 1000, clock.Now })
	product, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Tea <b>", Variants: []catalogue.VariantInput{{Price: 10_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	placed, err := s.shop.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(product.ID, 2), "")
	if err != nil {
		t.Fatal(err)
	}
	address := "/t/test/" + placed.InvoiceUID
	got := s.get(address, "Accept-Language", "en")
	html := string(got.body)
	if got.status != http.StatusOK || !strings.Contains(html, "2 × Tea &lt;b&gt;") || strings.Contains(html, placed.Customer.Name) ||
		strings.Contains(html, "<script") {
		t.Errorf("got %d\n%s\nwant a masked page without scripts", got.status, got.body)
	}
	for _, path := range []string{"/t/test/7ZK3QW8N5T2M4R6V", "/t/test/x", "/t/nobody/7ZK3QW8N5T2M4R6V"} {
		got := s.get(path, "Accept-Language", "bn")
		if got.status != http.StatusNotFound || !strings.Contains(string(got.body), "অর্ডারটি পাওয়া যায়নি") {
			t.Errorf("%s: got %d\n%s\nwant 404 and a page in Bangla", path, got.status, got.body)
		}
	}
	for range 56 {
		s.get(address)
	}
	if got := s.get(address); got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
		t.Errorf("the 61st view of a minute: got %d, %v, want 429 with Retry-After", got.status, got.header)
	}
	clock.Advance(time.Minute)
	if got := s.get(address); got.status != http.StatusOK {
		t.Errorf("a minute later: got %d, want 200", got.status)
	}
}
