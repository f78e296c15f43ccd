package server_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/shoptest"
)

// advertise configures the shop's advertisers.
func (s *pageSite) advertise(t *testing.T, settings map[string]any) {
	t.Helper()
	if err := s.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"advertising": settings})); err != nil {
		t.Fatal(err)
	}
}

// allow lets the browser send an answer about advertising.
func (b *browser) allow(t *testing.T, value string) *browser {
	t.Helper()
	b.client.Jar.SetCookies(mustParse(t, shopHost), []*http.Cookie{{Name: "consent", Value: value}})
	return b
}

var consentPattern = regexp.MustCompile(`data-consent="([^"]*)"`)

// consentOf returns the data of the script, nil if the page has no bar.
func consentOf(t *testing.T, page webPage) (data map[string]any) {
	t.Helper()
	found := consentPattern.FindStringSubmatch(page.html)
	if found == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

const plainPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: http: https:; " +
	"connect-src 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'"

// Pages of shops without tags load nothing of others, and have no bar. With tags the policy is open
// for their hosts alone.
func TestSite_AdvertisingPolicy(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	policy := func() string { return b.get(t, shopHost+"/products/tea").header.Get("Content-Security-Policy") }
	page := b.get(t, shopHost+"/products/tea")
	if strings.Contains(page.html, "consent") || strings.Contains(page.html, "data-choices") || policy() != plainPolicy {
		t.Errorf("without advertisers: got a question, or the policy %s", policy())
	}
	s.advertise(t, map[string]any{"meta": map[string]any{"pixelId": "1234567890"}})
	page = b.get(t, shopHost+"/products/tea")
	if data := consentOf(t, page); policy() != plainPolicy || fmt.Sprint(data["tags"]) != "map[]" || data["wording"] != "site-1-meta" {
		t.Errorf("without tags: got %v and the policy %s, want the question alone", data, policy())
	}
	s.advertise(t, map[string]any{"meta": map[string]any{"pixelId": "1234567890", "tag": true}})
	want := strings.NewReplacer("script-src 'self'", "script-src 'self' https://connect.facebook.net",
		"connect-src 'self'", "connect-src 'self' https://www.facebook.com https://connect.facebook.net").Replace(plainPolicy)
	for _, path := range []string{"/", "/products/tea", "/cart", "/search?q=tea", "/none"} {
		if got := b.get(t, shopHost+path).header.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: got %s\nwant %s", path, got, want)
		}
	}
	s.advertise(t, map[string]any{
		"tiktok": map[string]any{"pixelId": "C9ABCDEF0123456789", "tag": true, "step": "delivery"}, "google": map[string]any{"tagId": "G-ABC123DEF4"},
	})
	got := policy()
	for _, host := range []string{"https://analytics.tiktok.com", "https://www.googletagmanager.com", "https://*.google-analytics.com"} {
		if !strings.Contains(got, host) {
			t.Errorf("got %s, want %s", got, host)
		}
	}
	if strings.Contains(got, "facebook") || strings.Contains(got, "unsafe") {
		t.Errorf("got %s, want Meta's hosts closed, and no inline scripts", got)
	}
	data := consentOf(t, b.get(t, shopHost+"/bn/products/tea"))
	if fmt.Sprint(data["tags"]) != "map[google:G-ABC123DEF4 tiktok:C9ABCDEF0123456789]" || fmt.Sprint(data["later"]) != "[tiktok]" {
		t.Errorf("got %v", data)
	}
}

// The stored page is the same for everybody; what it reports has the IDs of the feed.
func TestSite_BrowserEvents(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.advertise(t, map[string]any{"meta": map[string]any{"pixelId": "1234567890", "tag": true}})
	b := s.browser()
	page := b.get(t, shopHost+"/products/tea")
	if other := s.browser().allow(t, "1~site-1-meta~1").get(t, shopHost+"/products/tea"); other.html != page.html {
		t.Error("got another page after consent")
	}
	tea := s.tea.Variants[0].ID
	want := fmt.Sprintf("map[currency:BDT ids:[%s] name:ViewContent value:130]", tea)
	if got := fmt.Sprint(consentOf(t, page)["event"]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := consentOf(t, b.get(t, shopHost+"/"))["event"]; got != nil {
		t.Errorf("got %v at home, want no event", got)
	}
	placed := b.order(t, nil)
	if got := fmt.Sprint(consentOf(t, b.get(t, shopHost+"/checkout"))["event"]); strings.Contains(got, "InitiateCheckout") {
		t.Errorf("got %s with an empty cart", got)
	}
	path, _, _ := strings.Cut(placed.location, "?")
	invoice := path[strings.LastIndexByte(path, '/')+1:]
	thanks := fmt.Sprint(consentOf(t, b.get(t, shopHost+placed.location))["event"])
	if !strings.Contains(thanks, "name:Purchase") || !strings.Contains(thanks, "id:"+invoice) {
		t.Errorf("got %s, want the purchase with the invoice UID", thanks)
	}
	address := mustParse(t, shopHost+placed.location)
	query := address.Query()
	query.Del("placed")
	address.RawQuery = query.Encode()
	if got := consentOf(t, b.get(t, address.String()))["event"]; got != nil {
		t.Errorf("got %v later, want no event", got)
	}
	if stranger := s.browser().get(t, shopHost+path+"?placed=1"); strings.Contains(stranger.html, "Purchase") {
		t.Error("got a stranger the order's event")
	}
}

// An order has the consent to the present text, with its time and the page. A declined, outdated or
// invented answer is none.
func TestSite_Consent(t *testing.T) {
	t.Parallel()
	s, _ := newCampaignSite(t)
	s.advertise(t, map[string]any{"meta": map[string]any{"pixelId": "1234567890"}})
	if err := s.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"openOrdersPerPhone": 100})); err != nil {
		t.Fatal(err)
	}
	at := s.clock.Now().Unix() - 60
	for _, value := range []string{
		"", fmt.Sprintf("0~site-1-meta~%d", at), fmt.Sprintf("1~site-1~%d", at), fmt.Sprintf("1~site-1-meta-tiktok~%d", at), "1~site-1-meta~x",
		fmt.Sprintf("1~site-1-meta~%d", at+1e6), "1", "1~~",
	} {
		placed := s.phone().allow(t, value).order(t, nil)
		if a := s.attribution(t, placed.location); a != nil && a.Consent != nil {
			t.Errorf("%q: got the consent %+v, want none", value, a.Consent)
		}
	}
	placed := s.phone().allow(t, fmt.Sprintf("1~site-1-meta~%d", at)).order(t, nil)
	a := s.attribution(t, placed.location)
	if a == nil || a.Consent == nil || a.Consent.At.Unix() != at || *a.Consent.Wording != "site-1-meta" || *a.Consent.Page != shopHost+"/checkout" {
		t.Fatalf("got %+v, want the consent", a)
	}
}
