package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// Pages of two shops: "test" at shop.example, and "other" below shops.example alone.
type pageSite struct {
	*site
	sms   *shoptest.SMS
	clock *shoptest.Clock
	other *shop.Shop
	saree catalogue.Product // two variants, red and blue, with 3 and 0 in stock
	tea   catalogue.Product
}

const (
	shopHost  = "http://shop.example"
	otherHost = "http://other.shops.example"
)

func newPageSite(t testing.TB, change func(*server.Config)) *pageSite {
	t.Helper()
	return newPageSiteWith(t, nil, change)
}

// newPageSiteWith is newPageSite for a shop with these plugins.
func newPageSiteWith(t testing.TB, plugins []plugin.Plugin, change func(*server.Config)) *pageSite {
	t.Helper()
	settings := map[string]any{
		"name": "Shimul Ghor — শিমুল ঘর", "domains": []string{"shop.example", "old.example"}, "secondLocale": "bn",
		"deliveryCharges": []map[string]any{
			{"name": "Inside Dhaka", "charge": 7000, "areas": []string{"Dhaka"}}, {"name": "Outside Dhaka", "charge": 13000},
		},
		"legalPolicies": []map[string]any{{"slug": "returns", "title": "Returns", "bodyHtml": "<p>Within 7 days. Unused.</p>"}},
	}
	s := &pageSite{sms: &shoptest.SMS{}, clock: shoptest.NewClock(), other: shoptest.New(t, &shoptest.Options{UID: "other"})}
	own := shoptest.New(t, &shoptest.Options{
		Settings: settings, SMS: s.sms, Clock: s.clock, Plugins: plugins, PublicURL: "https://api.agency.example",
	})
	s.site = newSiteOf(t, own, func(cfg *server.Config) {
		shops := map[string]*shop.Shop{"test": own, "other": s.other}
		domains := map[string]string{"shop.example": "test", "old.example": "test", "closed.example": "closed", "broken.example": "broken"}
		cfg.Tenants = &tenantsOf{shops: shops, domains: domains}
		cfg.SiteURL = "http://shops.example"
		if change != nil {
			change(cfg)
		}
	})
	_, err := own.Catalogue.SaveCollection(t.Context(), access.Operator(), catalogue.CollectionInput{Title: "Women", Handle: "women"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.saree = s.create(t, catalogue.ProductInput{
		Title: "Cotton Saree — সুতি শাড়ি", Handle: "saree", DescriptionHTML: "<p>Woven in <b>Tangail</b>.</p>", Vendor: "Tant",
		Collections: []string{"women"},
		Options:     []string{"Colour"}, Variants: []catalogue.VariantInput{
			{Price: 245_000, CompareAtPrice: new(int64(290_000)), Tracked: true, Stock: new(3), Options: []string{"Red"}},
			{Price: 260_000, Tracked: true, Stock: new(0), Options: []string{"Blue"}},
		},
	})
	s.tea = s.create(t, catalogue.ProductInput{Title: "Tea <b>", Handle: "tea", Variants: []catalogue.VariantInput{{Price: 13_000}}})
	return s
}

// tenants returns the shop at shop.example, for another server.
func (s *pageSite) tenants() *tenantsOf {
	return &tenantsOf{shops: map[string]*shop.Shop{"test": s.shop}, domains: map[string]string{"shop.example": "test"}}
}

func (s *pageSite) create(t testing.TB, in catalogue.ProductInput) catalogue.Product {
	t.Helper()
	product, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	return product.Product
}

// browser is a buyer's browser without scripts: it has cookies, and follows no redirect by itself.
type browser struct {
	s      *pageSite
	client http.Client
	header http.Header
}

func (s *pageSite) browser() *browser {
	jar, _ := cookiejar.New(nil) // never fails
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(s.url, "http://"))
	}
	b := &browser{s: s, header: http.Header{}, client: http.Client{
		Jar: jar, Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	return b
}

// webPage is a page as a browser receives it.
type webPage struct {
	t        *testing.T
	status   int
	location string
	header   http.Header
	html     string
}

func (b *browser) send(t *testing.T, method, address string, form url.Values) webPage {
	t.Helper()
	if form == nil {
		return b.sendBody(t, method, address, "", http.NoBody)
	}
	return b.sendBody(t, method, address, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// sendBody sends a body of any type. "" means none.
func (b *browser) sendBody(t *testing.T, method, address, contentType string, body io.Reader) webPage {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = b.header.Clone()
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := b.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	html, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return webPage{t, res.StatusCode, res.Header.Get("Location"), res.Header, string(html)}
}

func (b *browser) get(t *testing.T, address string) webPage {
	t.Helper()
	return b.send(t, http.MethodGet, address, nil)
}

// post sends a form and returns the page to which it leads.
func (b *browser) post(t *testing.T, address string, form url.Values) webPage {
	t.Helper()
	p := b.send(t, http.MethodPost, address, form)
	if p.status == http.StatusSeeOther {
		to, err := url.Parse(address)
		if err == nil {
			to, err = to.Parse(p.location)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.get(t, to.String())
	}
	return p
}

// has fails the test unless the page has this status and these texts.
func (p webPage) has(status int, texts ...string) {
	p.t.Helper()
	if p.status != status {
		p.t.Errorf("got %d, want %d", p.status, status)
	}
	for _, text := range texts {
		if !strings.Contains(p.html, text) {
			p.t.Errorf("the page lacks %q:\n%s", text, p.html)
		}
	}
}

// lacks fails the test if the page has one of these texts.
func (p webPage) lacks(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if strings.Contains(p.html, text) {
			p.t.Errorf("the page has %q:\n%s", text, p.html)
		}
	}
}

// find returns the first group of a pattern in the page, "" if it has none.
func (p webPage) find(pattern string) string {
	if found := regexp.MustCompile(pattern).FindStringSubmatch(p.html); found != nil {
		return found[1]
	}
	return ""
}

// total returns the total of the checkout, as the form sends it.
func (p webPage) total() string { return p.find(`name="total"\s+value="(\d*)"`) }

func (p webPage) key() string { return p.find(`name="key" value="(\w+)"`) }

// items returns what the checkout orders, as the form sends it.
func (p webPage) items() (items []string) {
	for _, found := range regexp.MustCompile(`name="item" value="([^"]*)"`).FindAllStringSubmatch(p.html, -1) {
		items = append(items, found[1])
	}
	return items
}

// checkoutForm is the form of a complete checkout.
func checkoutForm(p webPage) url.Values {
	return url.Values{
		"phone": {"01711-000000"}, "name": {"Rahima Khatun"}, "address": {"House 12, Shaheb Bazar"}, "city": {"রাজশাহী"},
		"payment": {"cod"}, "key": {p.key()}, "item": p.items(), "total": {p.total()},
	}
}

// fillCheckout opens the checkout, fills in its form, and has seen the total.
func (b *browser) fillCheckout(t *testing.T) url.Values {
	t.Helper()
	form := checkoutForm(b.get(t, shopHost+"/checkout"))
	form.Set("total", b.send(t, http.MethodPost, shopHost+"/checkout/quote", form).total())
	return form
}

// A host shows its own shop alone. Other hosts of a shop lead to the canonical one.
func TestSite_Hosts(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	for _, tt := range []struct {
		address, location string
		status            int
		has               string
	}{
		{shopHost + "/", "", 200, "Shimul Ghor"},
		{"http://SHOP.example./", "", 200, "Shimul Ghor"},
		{"http://old.example/products/tea?variant=1", shopHost + "/products/tea?variant=1", 301, ""},
		{"http://test.shops.example/cart", shopHost + "/cart", 301, ""},
		{otherHost + "/", "", 200, "Nothing here yet"},
		{otherHost + "/products/tea", "", 404, "This page has moved"},
		{otherHost + "/collections/women", "", 404, "This page has moved"},
		{otherHost + "/policies/returns", "", 404, "This page has moved"},
		{"http://nobody.shops.example/", "", 404, ""},
		{"http://a.other.shops.example/", "", 404, ""},
		{"http://unknown.example/", "", 404, ""},
		{"http://closed.example/", "", 403, "This shop is closed"},
		{"http://broken.example/", "", 500, ""},
		{shopHost + "/healthz", "", 200, "ok"},
		{shopHost + "/api/v1/nothing", "", 404, "not_found"},
	} {
		got := b.get(t, tt.address)
		if got.location != tt.location {
			t.Errorf("%s: got the location %q, want %q", tt.address, got.location, tt.location)
		}
		got.has(tt.status, tt.has)
		got.lacks("/var/lib/storefront")
	}
	settings := shoptest.Raw(t, map[string]any{"domains": []string{"mistyped.example", "shop.example"}})
	if err := s.other.SetSettings(t.Context(), access.Operator(), settings); err != nil {
		t.Fatal(err)
	}
	b.get(t, otherHost+"/").has(http.StatusOK, `<link rel="canonical" href="http://other.shops.example/">`)
	settings = shoptest.Raw(t, map[string]any{"domains": []string{"mistyped.example", "old.example"}})
	if err := s.shop.SetSettings(t.Context(), access.Operator(), settings); err != nil {
		t.Fatal(err)
	}
	b.get(t, "http://old.example/").has(http.StatusOK, `<link rel="canonical" href="http://old.example/">`)
	settings = shoptest.Raw(t, map[string]any{"domains": []string{"shop.example", "old.example"}})
	if err := s.shop.SetSettings(t.Context(), access.Operator(), settings); err != nil {
		t.Fatal(err)
	}
	settings = shoptest.Raw(t, map[string]any{"site": map[string]any{"enabled": false}})
	if err := s.other.SetSettings(t.Context(), access.Operator(), settings); err != nil {
		t.Fatal(err)
	}
	b.get(t, otherHost+"/").has(http.StatusNotFound)
	settings = shoptest.Raw(t, map[string]any{"site": map[string]any{"host": "old.example"}})
	if err := s.shop.SetSettings(t.Context(), access.Operator(), settings); err != nil {
		t.Fatal(err)
	}
	if got := b.get(t, shopHost+"/"); got.location != "http://old.example/" {
		t.Errorf("another canonical host: got %d to %q", got.status, got.location)
	}
}

// All buyers receive the same bytes, which a change replaces immediately.
func TestSite_SharedPages(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	first := s.browser().get(t, shopHost+"/products/tea")
	first.has(http.StatusOK, "৳130")
	b := s.browser()
	b.header.Set("Accept-Language", "bn")
	b.header.Set("Authorization", "Bearer x")
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	for _, address := range []string{"/products/tea", "/products/tea?fbclid=1&utm_source=x", "/products/tea?variant=&x=%zz"} {
		if got := b.get(t, shopHost+address); got.html != first.html {
			t.Errorf("%s: got other bytes than another buyer:\n%s", address, got.html)
		}
	}
	b.header.Set("If-None-Match", first.header.Get("ETag"))
	if got := b.get(t, shopHost+"/products/tea"); got.status != http.StatusNotModified || got.html != "" {
		t.Errorf("got %d and %q, want 304 without a body", got.status, got.html)
	}
	s.update(t, s.tea, func(v *catalogue.VariantChange) { v.Price = new(int64(15_000)) })
	b.get(t, shopHost+"/products/tea").has(http.StatusOK, "৳150")
	if got := b.send(t, http.MethodHead, shopHost+"/products/tea", nil); got.status != http.StatusOK || got.html != "" {
		t.Errorf("HEAD: got %d and %q", got.status, got.html)
	}
	if got, want := first.header.Get("Cache-Control"), "public, max-age=0, must-revalidate"; got != want {
		t.Errorf("got Cache-Control %q, want %q", got, want)
	}
	if got := b.get(t, shopHost+"/cart").header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("the cart: got Cache-Control %q, want no-store", got)
	}
}

// Forms of other websites, other methods and floods are refused in the shop's frame.
func TestSite_Refused(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := newPageSite(t, func(cfg *server.Config) { cfg.Rate, cfg.Burst, cfg.Now = 1, 30, clock.Now })
	b := s.browser()
	b.header.Set("Sec-Fetch-Site", "cross-site")
	b.send(t, http.MethodPost, shopHost+"/cart", url.Values{"product": {"tea"}}).has(http.StatusForbidden)
	b.header.Del("Sec-Fetch-Site")
	b.send(t, http.MethodDelete, shopHost+"/cart", nil).has(http.StatusMethodNotAllowed)
	b.send(t, http.MethodPost, shopHost+"/cart", url.Values{"product": {"none"}}).has(http.StatusNotFound, "Shimul Ghor")
	b.send(t, http.MethodPost, shopHost+"/checkout", url.Values{"note": {strings.Repeat("x", 70_000)}}).has(http.StatusBadRequest)
	b.send(t, http.MethodPost, shopHost+"/cart", url.Values{"product": {"\xff"}}).has(http.StatusBadRequest)
	b.get(t, shopHost+"/search?q=%ff%00&tag=%ff").has(http.StatusOK)
	for i := range 40 {
		b.get(t, shopHost+"/search?q="+strconv.Itoa(i))
	}
	flooded := b.get(t, shopHost+"/search?q=saree")
	flooded.has(http.StatusTooManyRequests, "Many requests from your network", "Shimul Ghor")
	if flooded.header.Get("Retry-After") == "" {
		t.Error("got no Retry-After")
	}
}

// Search engines see one address for each page, its languages and its data, and no list that a
// buyer filtered.
func TestSite_SearchEngines(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.create(t, catalogue.ProductInput{
		Title: "Secret", Handle: "secret", Status: catalogue.ProductDraft, Variants: []catalogue.VariantInput{{Price: 1}},
	})
	b := s.browser()
	product := b.get(t, shopHost+"/products/saree?variant="+s.saree.Variants[1].ID)
	product.has(
		http.StatusOK,
		`<link rel="canonical" href="http://shop.example/products/saree">`,
		`<link rel="alternate" hreflang="bn" href="http://shop.example/bn/products/saree">`,
		`<link rel="alternate" hreflang="x-default" href="http://shop.example/products/saree">`,
		`<meta property="product:price:amount" content="2600.00">`, `<meta property="product:availability" content="out of stock">`,
		`<meta name="description" content="Woven in Tangail .">`,
	)
	var group struct {
		Type       string   `json:"@type"`
		Name       string   `json:"name"`
		ID         string   `json:"productGroupID"`
		VariesBy   []string `json:"variesBy"`
		HasVariant []struct {
			Name, Color, URL string
			Offers           struct{ Price, PriceCurrency, Availability, ItemCondition, URL string }
		}
	}
	if err := json.Unmarshal([]byte(product.find(`<script type="application/ld\+json">(\{.*ProductGroup.*\})</script>`)), &group); err != nil {
		t.Fatalf("%v in\n%s", err, product.html)
	}
	if group.ID != s.saree.ID || len(group.HasVariant) != 2 || group.VariesBy[0] != "https://schema.org/color" {
		t.Errorf("got %+v, want a group of two variants", group)
	}
	offer := group.HasVariant[0].Offers
	if offer.Price != "2450.00" || offer.PriceCurrency != "BDT" || offer.Availability != "https://schema.org/LimitedAvailability" ||
		offer.URL != "http://shop.example/products/saree?variant="+s.saree.Variants[0].ID || group.HasVariant[0].Color != "Red" {
		t.Errorf("got %+v", group.HasVariant[0])
	}
	for _, address := range []string{"/search?q=tea", "/collections/all?sort=price", "/collections/women?stock=1", "/cart", "/nothing"} {
		got := b.get(t, shopHost+address)
		got.has(got.status, `<meta name="robots" content="noindex">`)
		got.lacks("rel=\"canonical\"")
	}
	b.get(t, shopHost+"/robots.txt").has(http.StatusOK, "Disallow: /checkout\n", "Disallow: /bn/cart\n", "Sitemap: http://shop.example/sitemap.xml\n")
	b.get(t, shopHost+"/bn/llms.txt").has(http.StatusOK,
		"](http://shop.example/bn/collections/women)\n", "](http://shop.example/bn/feed.xml)", "](http://shop.example/bn/policies/")
	sitemap := b.get(t, shopHost+"/sitemap.xml")
	sitemap.has(http.StatusOK, "<loc>http://shop.example/bn/products/saree</loc>", "<loc>http://shop.example/collections/women</loc>", "<lastmod>2")
	sitemap.lacks("secret", "cart", "checkout")
	b.get(t, shopHost+"/products/secret").has(http.StatusNotFound)
}

// Lists are sorted, filtered and divided into pages by links.
func TestSite_Lists(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	for i := range 30 {
		n := strconv.Itoa(i + 10)
		s.create(t, catalogue.ProductInput{Title: "Cup " + n, Handle: "cup-" + n, Variants: []catalogue.VariantInput{{Price: int64(i+10) * 100}}})
	}
	b := s.browser()
	b.get(t, shopHost+"/collections/all").has(http.StatusOK, "32 products", `href="/collections/all?page=2"`, `href="/products/cup-39"`)
	second := b.get(t, shopHost+"/collections/all?page=2")
	second.has(http.StatusOK, `href="/products/saree"`, `<link rel="canonical" href="http://shop.example/collections/all?page=2">`, `rel="prev"`)
	second.lacks(`href="/products/cup-39"`)
	cheap := b.get(t, shopHost+"/collections/all?sort=price&min=৩০&max=12")
	cheap.has(http.StatusOK, "19 products", `value="12"`, `value="30"`, `href="/products/cup-12"`)
	if first := cheap.find(`<h3><a href="([^"]*)"`); first != "/products/cup-12" {
		t.Errorf("got %s first, want the cheapest", first)
	}
	b.get(t, shopHost+"/collections/all?page=3").has(http.StatusNotFound)
	b.get(t, shopHost+"/collections/women").has(http.StatusOK, "1 product<", `href="/products/saree"`)
	facets := b.get(t, shopHost+"/collections/all?option=Colour:Red&option=Colour:Green&x=1")
	facets.has(http.StatusOK, "1 product<", `href="/collections/all?option=Colour%3AGreen" rel="nofollow" aria-current="true"`,
		`<input type="hidden" name="option" value="Colour:Red">`, `>Blue <span>1</span>`)
	b.get(t, shopHost+"/collections/all?vendor=Tant").has(http.StatusOK, "1 product<", `href="/products/saree"`)
	b.get(t, shopHost+"/search?q=nothing-has-this").has(http.StatusOK, "Nothing found for", `href="/collections/women"`)
	b.get(t, shopHost+"/search").has(http.StatusOK, `type="search"`)
	b.get(t, shopHost+"/bn/search/suggestions?q=শাড়").has(http.StatusOK, `href="/bn/products/saree"`, "৳২,৪৫০")
	b.get(t, shopHost+"/search/suggestions?q=").lacks("<li>")
	for saving, want := range map[string]string{"": ".json\"", "on": ""} {
		b.header.Set("Save-Data", saving)
		if got := b.get(t, shopHost+"/").header.Get("Speculation-Rules"); !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("Save-Data %q: got Speculation-Rules %q", saving, got)
		}
	}
}

// Each facet of a list shows how many products each of its values would select. It ignores its own
// filter and respects the others.
func TestSite_Facets(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.create(t, catalogue.ProductInput{
		Title: "Shawl", Handle: "shawl", Vendor: "Loom", Type: "Winter", Tags: []string{"handmade", "gift"},
		Options: []string{"Colour"}, Variants: []catalogue.VariantInput{{Price: 99_950, Options: []string{"Blue"}}},
	})
	s.create(t, catalogue.ProductInput{
		Title: "Scarf", Handle: "scarf", Vendor: "Loom", Type: "Winter", Tags: []string{"handmade"},
		Variants: []catalogue.VariantInput{{Price: 50_000, Tracked: true, Stock: new(0)}},
	})
	b := s.browser()
	count := func(text, number string) string { return ">" + text + " <span>" + number + "</span></a>" }
	all := b.get(t, shopHost+"/collections/all")
	all.has(http.StatusOK, "4 products", count("In stock", "3"), count("Blue", "2"), count("Red", "1"), count("Loom", "2"),
		count("Tant", "1"), count("handmade", "2"), count("gift", "1"), `name="min" inputmode="numeric" maxlength="9" value="" placeholder="130"`,
		`name="max" inputmode="numeric" maxlength="9" value="" placeholder="2450"`)
	b.get(t, shopHost+"/collections/all?vendor=Loom").has(http.StatusOK, "2 products", count("Tant", "1"), count("Loom", "2"),
		count("In stock", "1"), count("handmade", "2"), `placeholder="500"`, `placeholder="1000"`)
	tagged := b.get(t, shopHost+"/collections/all?tag=gift")
	tagged.has(http.StatusOK, "1 product<", `<input type="hidden" name="tag" value="gift">`, count("handmade", "2"), "Tag: gift")
	b.get(t, shopHost+"/collections/all?tag=handmade&stock=1").has(http.StatusOK, "1 product<", count("In stock", "1"), count("gift", "1"))
	b.get(t, shopHost+"/collections/all?max=100").has(http.StatusOK, `placeholder="130"`, `placeholder="2450"`)
	b.get(t, shopHost+"/bn/collections/all").has(http.StatusOK, count("স্টকে আছে", "৩"), "<h2>ট্যাগ</h2>", `placeholder="২৪৫০"`)
}

// Styles and scripts are stored by their address, which changes with their content.
func TestSite_Files(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	home := b.get(t, shopHost+"/")
	style := home.find(`<link rel="stylesheet" href="([^"]*)">`)
	for _, tt := range []struct{ path, caching, media string }{
		{style, "public, max-age=31536000, immutable", "text/css; charset=utf-8"},
		{"/assets/000000000000/home-angan.css", "no-store", "text/css; charset=utf-8"},
		{home.find(`<script type="module" src="([^"]*)">`), "public, max-age=31536000, immutable", "text/javascript; charset=utf-8"},
	} {
		got := b.get(t, shopHost+tt.path)
		if got.status != http.StatusOK || got.header.Get("Cache-Control") != tt.caching || got.header.Get("Content-Type") != tt.media {
			t.Errorf("%s: got %d, %v", tt.path, got.status, got.header)
		}
	}
	b.get(t, shopHost+"/assets/000000000000/none.css").has(http.StatusNotFound)
}

// What a merchant enters is text on a page, or sanitized, and cannot end a script.
func TestSite_MerchantHTML(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	const title = `</script><img src=x onerror=alert(1)>"'`
	s.create(t, catalogue.ProductInput{
		Title: title, Handle: "evil", Vendor: title, Tags: []string{"a"}, Options: []string{title},
		DescriptionHTML: `<p onclick="alert(1)">Fine</p><script>alert(2)</script><a href="javascript:alert(3)">link</a><style>p{}</style>`,
		Variants:        []catalogue.VariantInput{{Price: 100, Options: []string{title}}},
	})
	b := s.browser()
	for _, path := range []string{"/products/evil", "/collections/all", "/search?q=onerror", "/", "/bn/products/evil"} {
		page := b.get(t, shopHost+path)
		page.has(http.StatusOK, "onerror=alert(1)&gt;")
		page.lacks("<img src=x", "alert(2)", "javascript:", "onclick", "<style>")
	}
	b.get(t, shopHost+"/search?q=%3Cscript%3Ealert(4)%3C/script%3E").lacks("<script>alert(4)")
}
