package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// A shop's own pages have addresses, links and a place in the sitemap, and storefronts elsewhere
// receive them through both APIs. Their HTML is sanitized.
func TestSite_Pages(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.set(t, "pages", `[
		{"slug": "about-us", "title": "About us — আমাদের কথা", "bodyHtml": "<p>Since 1998.</p><script>alert(1)</script>"},
		{"slug": "আমাদের-দোকান", "title": "Our shop", "bodyHtml": "<p>At Shaheb Bazar.</p>"}
	]`)
	b := s.browser()
	about := b.get(t, shopHost+"/pages/about-us")
	about.has(http.StatusOK, "<h1>About us</h1>", "<p>Since 1998.</p>", `rel="canonical" href="`+shopHost+`/pages/about-us"`)
	about.lacks("alert(1)", "noindex")
	b.get(t, shopHost+"/bn/pages/about-us").has(http.StatusOK, "<h1>আমাদের কথা</h1>")
	b.get(t, shopHost+"/pages/আমাদের-দোকান").has(http.StatusOK, "At Shaheb Bazar.")
	b.get(t, shopHost+"/").has(http.StatusOK, `<a href="/pages/about-us">About us</a>`)
	b.get(t, shopHost+"/sitemap.xml").has(http.StatusOK, shopHost+"/pages/about-us", shopHost+"/bn/pages/about-us")
	b.get(t, shopHost+"/pages/returns").has(http.StatusNotFound)
	b.get(t, shopHost+"/policies/about-us").has(http.StatusNotFound)

	if rest := s.get("/api/v1/tenant", "X-Tenant", "test"); !strings.Contains(string(rest.body), `"bodyHtml":"<p>Since 1998.</p>"`) {
		t.Errorf("REST: got %s", rest.body)
	}
	query := `{"query":"{ storeFront { pages { slug title bodyHtml } } }"}`
	graph := s.send(http.MethodPost, "/graphql", query, "X-Tenant", "test")
	if !strings.Contains(string(graph.body), `"bodyHtml":"\u003cp\u003eSince 1998.\u003c/p\u003e"`) {
		t.Errorf("GraphQL: got %s", graph.body)
	}
}

// The address of a text must be possible, and its own.
func TestSite_InvalidPages(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	for _, slug := range []string{"", "a/b", "a b", "a?b", "about", strings.Repeat("a", 121)} {
		pages, err := json.Marshal([]shop.TextPage{{Slug: "about", Title: "About"}, {Slug: slug, Title: "Other"}})
		if err != nil {
			t.Fatal(err)
		}
		err = s.shop.SetSettings(t.Context(), access.Operator(), map[string]json.RawMessage{"pages": pages})
		refused := shoptest.WantCode(t, err, fault.CodeValidationFailed)
		if len(refused.Fields) != 1 || refused.Fields[0].Field != "pages[1].slug" {
			t.Errorf("%q: got %v, want pages[1].slug", slug, refused.Fields)
		}
	}
}
