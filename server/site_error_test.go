package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// Browsers send the forms of a buyer's own pages with their origin. They would send none without
// any referrer, and the forms were refused over plain HTTP.
func TestSite_Referrer(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	for path, want := range map[string]string{
		"/": "strict-origin-when-cross-origin", "/products/tea": "strict-origin-when-cross-origin",
		"/cart": "same-origin", "/checkout": "same-origin", "/account": "same-origin", "/orders/none": "same-origin", "/none": "same-origin",
	} {
		if got := b.get(t, shopHost+path).header.Get("Referrer-Policy"); got != want {
			t.Errorf("%s: got Referrer-Policy %q, want %q", path, got, want)
		}
	}
	form := url.Values{"product": {"tea"}}
	b.header.Set("Origin", "null")
	b.send(t, http.MethodPost, shopHost+"/cart", form).has(http.StatusForbidden)
	b.header.Set("Origin", shopHost)
	b.post(t, shopHost+"/cart", form).has(http.StatusOK, "Tea")
}

// Forms that another website sent, or that nobody can read, are refused with different texts, in
// the shop's frame and both languages.
func TestSite_RefusedForms(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	other, own := s.browser(), s.browser()
	other.header.Set("Origin", "https://evil.example")
	form, unreadable := url.Values{"product": {"tea"}}, url.Values{"product": {"\xff"}}
	for _, tt := range []struct {
		b           *browser
		path        string
		form        url.Values
		status      int
		text, lacks string
	}{
		{other, "/cart", form, 403, "The form was sent from another website", "could not be read"},
		{other, "/bn/cart", form, 403, "ফর্মটি অন্য ওয়েবসাইট থেকে", "পড়া যায়নি"},
		{other, "/checkout", form, 403, "The form was sent from another website", "could not be read"},
		{own, "/cart", unreadable, 400, "The form could not be read", "another website"},
		{own, "/bn/cart", unreadable, 400, "ফর্মটি পড়া যায়নি", "ওয়েবসাইট"},
	} {
		got := tt.b.send(t, http.MethodPost, shopHost+tt.path, tt.form)
		got.has(tt.status, tt.text, "<footer")
		got.lacks(tt.lacks)
		if media := got.header.Get("Content-Type"); media != "text/html; charset=utf-8" {
			t.Errorf("%s: got %s, want a page", tt.path, media)
		}
	}
}

// A server without memory for a page excuses itself in the shop's frame, and for a shop that cannot
// be opened by a plain page.
func TestSite_Unavailable(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, func(cfg *server.Config) {
		cfg.Tenants.(*tenantsOf).domains["slow.example"], cfg.Memory, cfg.MaxBody = "slow", 1, 1
	})
	b := s.browser()
	b.header.Set("Accept", "text/html")
	for path, text := range map[string]string{"/feed.xml": "The page cannot be shown now", "/bn/feed.xml": "এখন দেখানো যাচ্ছে না"} {
		got := b.get(t, shopHost+path)
		got.has(http.StatusServiceUnavailable, text, "<footer")
		if got.header.Get("Retry-After") == "" || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %v, want Retry-After, and no storing", path, got.header)
		}
	}
	b.get(t, "http://slow.example/").has(http.StatusServiceUnavailable, "<h1>", "Try again in a moment")
}

// A flood of refused requests reads nothing: the page of a refusal and the one of unknown addresses
// are rendered once for each language, until the shop changes.
func TestSite_StoredErrors(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	store := shoptest.NewStore(t, nil)
	own := shoptest.New(t, &shoptest.Options{Store: store, Settings: map[string]any{"name": "Shimul Ghor", "secondLocale": "bn"}})
	s := &pageSite{site: newSiteOf(t, own, func(cfg *server.Config) {
		cfg.Tenants = &tenantsOf{shops: map[string]*shop.Shop{"test": own}, domains: map[string]string{"shop.example": "test"}}
		cfg.Rate, cfg.Burst, cfg.Now = 1, 3, clock.Now
	})}
	b := s.browser()
	for range 3 {
		b.get(t, shopHost+"/none").has(http.StatusNotFound, "This page has moved")
	}
	for path, text := range map[string]string{"/none": "Many requests from your network", "/bn/none": "অনেক অনুরোধ"} {
		b.get(t, shopHost+path).has(http.StatusTooManyRequests, text, "Shimul Ghor")
	}
	held, _ := shoptest.HoldAllReaders(t, store, "test", 0)
	release := sync.OnceFunc(held)
	defer release()
	for _, path := range []string{"/", "/search?q=lamp", "/cart", "/bn/other"} {
		text := "Many requests from your network"
		if strings.HasPrefix(path, "/bn") {
			text = "অনেক অনুরোধ"
		}
		b.get(t, shopHost+path).has(http.StatusTooManyRequests, text, "Shimul Ghor")
	}
	release()
	if err := own.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"name": "Polash Ghor"})); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/").has(http.StatusTooManyRequests, "Polash Ghor")
}

// A host without a shop explains the server to people, and responds to programs as the API does.
func TestSite_NoShop(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	for _, address := range []string{"http://unknown.example/", "http://unknown.example/cart", "http://nobody.shops.example/products/tea"} {
		b.header.Set("Accept", "text/html")
		b.get(t, address).has(http.StatusNotFound, "There is no shop at this address", strings.Split(address, "/")[2])
		b.header.Set("Accept", "application/json")
		b.get(t, address).has(http.StatusNotFound, `"code":"not_found"`)
	}
	b.header.Set("Accept", "text/html")
	b.get(t, "http://unknown.example/t/none/1").lacks("There is no shop at this address")
}

// A path with a slash at its end leads to the page without it. Only real pages and the merchant's
// redirects do so.
func TestSite_TrailingSlash(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	for path, location := range map[string]string{
		"/products/tea/": "/products/tea", "/collections/women/?stock=1": "/collections/women?stock=1", "/bn/products/saree/": "/bn/products/saree",
		"/cart/": "/cart", "/feed.xml/": "/feed.xml", "/none/": "", "/products/tea//": "", "//evil.example/": "", "/products//": "",
	} {
		got := b.get(t, shopHost+path)
		want := http.StatusMovedPermanently
		if location == "" {
			want = http.StatusNotFound
		}
		if got.status != want || got.location != location {
			t.Errorf("%s: got %d to %q, want %d to %q", path, got.status, got.location, want, location)
		}
	}
	b.send(t, http.MethodPost, shopHost+"/cart/", url.Values{"product": {"tea"}}).has(http.StatusNotFound)
}

// An earlier handle of a collection leads to the present one.
func TestSite_CollectionHandle(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	rename := func(from, to string) {
		t.Helper()
		_, err := s.shop.Catalogue.UpdateCollection(t.Context(), access.Operator(), from, catalogue.CollectionChange{Handle: &to})
		if err != nil {
			t.Fatal(err)
		}
	}
	moved := func(path, location string) {
		t.Helper()
		if got := b.get(t, shopHost+path); got.status != http.StatusMovedPermanently || got.location != location {
			t.Errorf("%s: got %d to %q, want 301 to %q", path, got.status, got.location, location)
		}
	}
	rename("women", "ladies")
	moved("/collections/women?stock=1", "/collections/ladies?stock=1")
	moved("/bn/collections/WOMEN", "/bn/collections/ladies")
	rename("ladies", "sarees")
	moved("/collections/women", "/collections/sarees")
	moved("/collections/ladies", "/collections/sarees")
	rename("sarees", "women")
	b.get(t, shopHost+"/collections/women").has(http.StatusOK, "Saree")
	moved("/collections/ladies", "/collections/women")
	// Another collection with the handle is the page there.
	in := catalogue.CollectionInput{Title: "Ladies", Handle: "ladies"}
	if _, err := s.shop.Catalogue.SaveCollection(t.Context(), access.Operator(), in, nil); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/collections/ladies").has(http.StatusOK, "Nothing here yet")
	if err := s.shop.Catalogue.DeleteCollection(t.Context(), access.Operator(), "women", nil); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/collections/sarees").has(http.StatusNotFound)
}

// A page counts as much work as the API's data of which it consists. From the cache it is free.
func TestRateLimit_Pages(t *testing.T) {
	t.Parallel()
	for path, work := range map[string]int{
		"/": 1, "/search?q=lamp": 8 + 5 + 2 + 5, "/collections/all?option=Colour:Red": 8 + 2 + 4, "/search/suggestions?q=lamp": 6,
	} {
		for _, missing := range []int{0, 1} {
			s := newLimitedSite(t, work, 1000)
			for range missing {
				s.get("/api/v1/orders/none", from("192.0.2.1")...).problem(404, fault.CodeNotFound)
			}
			got := s.get(path, from("192.0.2.1")...)
			switch {
			case missing > 0 && (got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == ""):
				t.Errorf("%s with one unit too few: got %d with %v, want 429 with its headers", path, got.status, got.header)
			case missing == 0 && got.status != http.StatusOK:
				t.Errorf("%s: got %d, want a page for %d units", path, got.status, work)
			case missing == 0:
				s.get("/api/v1/orders/none", from("192.0.2.1")...).problem(429, fault.CodeRateLimited)
				if got := s.get(path, from("192.0.2.1")...); got.status != http.StatusOK {
					t.Errorf("%s again: got %d, want the stored page", path, got.status)
				}
			}
		}
	}
}
