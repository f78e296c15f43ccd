package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/shop/catalogue"
)

// Every page has the shop's announcement, menu, contacts, payment methods and legal identity.
func TestSite_Frame(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	plain := b.get(t, shopHost+"/policies/returns")
	plain.has(http.StatusOK, "Sold by Shimul Ghor</p>")
	plain.lacks(`class="announcement"`, "m.me")
	s.set(t, "site", `{"announcement":" Free delivery <today> — আজ ডেলিভারি ফ্রি "}`)
	s.set(t, "invoice", `{"legalName":"Shimul Ghor Ltd. — শিমুল ঘর লিমিটেড","registration":"Trade licence 042 — ট্রেড লাইসেন্স ০৪২"}`)
	s.set(t, "supportContact", `{"phone":"+880 1711 000000","whatsapp":"+880 1711 000001","email":"help@shop.example",
		"messenger":"https://www.facebook.com/shimul.ghor","address":"House 12,\nDhaka"}`)
	s.set(t, "socialLinks", `[{"platform":"facebook","url":"https://facebook.com/shimul.ghor"}]`)
	page := b.get(t, shopHost+"/policies/returns")
	page.has(http.StatusOK, `<p class="announcement">Free delivery &lt;today&gt;</p>`,
		`<a class="skip" href="#main">`, `<a class="brand" href="/">`, `<li><a href="/collections/women">Women</a></li>`,
		`href="/search" aria-label="Search"`, `href="/account" aria-label="Account"`, `href="/cart" aria-label="Cart"`,
		`href="/bn/policies/returns" lang="bn" hreflang="bn"`, `<li><a href="/policies/returns">Returns</a></li>`,
		`<address>House 12, Dhaka</address>`, `<a href="tel:&#43;8801711000000">01711000000</a>`,
		`<a href="https://wa.me/8801711000001">WhatsApp: 01711000001</a>`,
		`<a href="https://m.me/shimul.ghor">Messenger: shimul.ghor</a>`, `<a href="mailto:help@shop.example">help@shop.example</a>`,
		`<a href="https://facebook.com/shimul.ghor" rel="noopener">Facebook</a>`, `<li>Cash on delivery</li>`,
		"Sold by Shimul Ghor Ltd., House 12, Dhaka · Trade licence 042</p>")
	b.get(t, shopHost+"/bn/").has(http.StatusOK, `<p class="announcement">আজ ডেলিভারি ফ্রি</p>`,
		"বিক্রেতা শিমুল ঘর লিমিটেড, House 12, Dhaka · ট্রেড লাইসেন্স ০৪২</p>")
	policy := page.header.Get("Content-Security-Policy")
	for _, rule := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy+";", rule+";") {
			t.Errorf("got the policy %q, want %q in it", policy, rule)
		}
	}
}

// A product's page leads to others and can be shared; an address without a page leads to the
// collections and the search.
func TestSite_WaysOn(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.create(t, catalogue.ProductInput{
		Title: "Shawl", Handle: "shawl", Vendor: "Tant", Collections: []string{"women"}, Variants: []catalogue.VariantInput{{Price: 100}},
	})
	b := s.browser()
	product := b.get(t, shopHost+"/products/saree")
	product.has(http.StatusOK, "<h2>You may also like</h2>", `<h3><a href="/products/shawl">`,
		`href="https://wa.me/?text=Cotton&#43;Saree&#43;http%3A%2F%2Fshop.example%2Fproducts%2Fsaree"`,
		`href="fb-messenger://share/?link=http%3A%2F%2Fshop.example%2Fproducts%2Fsaree"`)
	b.get(t, shopHost+"/nowhere").has(http.StatusNotFound, `<form class="search" action="/search"`, `name="q"`,
		`<a class="chip" href="/collections/women">Women</a>`, `<a class="chip" href="/collections/all">All products</a>`)
	added := b.send(t, http.MethodPost, shopHost+"/cart", url.Values{"product": {"tea"}})
	if got, want := added.header.Get("Set-Cookie"), "; Path=/; Max-Age=2592000; SameSite=Lax"; !strings.HasSuffix(got, want) {
		t.Errorf("got the cookie %q, want it to end in %q", got, want)
	}
}
