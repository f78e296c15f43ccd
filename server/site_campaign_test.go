package server_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/campaign"
	"storefront/shop/order"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
)

const phoneAgent = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/480]"

// newCampaignSite returns a site with the clock of its shop, and the browser of a buyer.
func newCampaignSite(t *testing.T) (*pageSite, *browser) {
	t.Helper()
	var clock *shoptest.Clock
	s := newPageSite(t, func(cfg *server.Config) { cfg.Now = func() time.Time { return clock.Now() } })
	clock = s.clock
	return s, s.phone()
}

func (s *pageSite) phone() *browser {
	b := s.browser()
	b.header.Set("User-Agent", phoneAgent)
	return b
}

// follow follows a link of another website.
func (b *browser) follow(t *testing.T, from, address string) webPage {
	t.Helper()
	b.header.Set("Referer", from)
	defer b.header.Del("Referer")
	return b.get(t, shopHost+address)
}

// visits returns the visits of today by campaign or source.
func (s *pageSite) visits(t *testing.T) map[string]int64 {
	t.Helper()
	s.server.FlushVisits()
	found := map[string]int64{}
	r, err := s.shop.Sales.ReportCampaigns(t.Context(), access.Operator(), sales.CampaignFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if row.Visits != nil {
			found[row.Name] = *row.Visits
		}
	}
	return found
}

// attribution returns what led to an order, as its page in the dashboard has it.
func (s *pageSite) attribution(t *testing.T, location string) *campaign.Attribution {
	t.Helper()
	path, _, _ := strings.Cut(location, "?")
	found, err := s.shop.Orders.FindOrderAsStaff(t.Context(), access.Operator(), path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		t.Fatal(err)
	}
	return found.Attribution
}

// names returns the first and the last campaign of an order.
func names(a *campaign.Attribution) string {
	if a == nil {
		return "nothing"
	}
	return campaign.KeyOf(a.First).Name() + ", " + campaign.KeyOf(a.Last).Name()
}

// A buyer without scripts comes from an advertisement, comes back from another one, and orders: the
// order has both. The stored page is the same for all, and is no visit of a bot.
func TestSite_Campaign(t *testing.T) {
	t.Parallel()
	s, b := newCampaignSite(t)
	plain := s.browser().get(t, shopHost+"/products/tea")
	if got := plain.header.Get("Set-Cookie"); got != "" || plain.header.Get("Cache-Control") != "public, max-age=0, must-revalidate" {
		t.Errorf("without a campaign: got cookie %q", got)
	}
	const eid = "/products/tea?utm_source=Facebook&utm_medium=paid&utm_campaign=Eid+Sale&fbclid=IwAR0abc"
	first := b.follow(t, "https://l.facebook.com/", eid)
	cookie := first.header.Get("Set-Cookie")
	if first.html != plain.html || first.header.Get("ETag") != plain.header.Get("ETag") {
		t.Error("got another page than without a campaign")
	}
	if first.header.Get("Cache-Control") != "private, max-age=0, must-revalidate" || !strings.HasPrefix(cookie, "campaign=") ||
		!strings.HasSuffix(cookie, "; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax") {
		t.Errorf("got Cache-Control %q and cookie %q", first.header.Get("Cache-Control"), cookie)
	}
	stats := s.server.Prepared()
	reload := b.follow(t, "https://l.facebook.com/", eid)
	if got, now := reload.header.Get("Set-Cookie"), s.server.Prepared(); got != "" || now.Hits != stats.Hits+1 || now.Responses != stats.Responses {
		t.Errorf("a reload: got cookie %q, and stats %+v after %+v", got, now, stats)
	}
	for i := range 5 { // each click has other parameters
		s.phone().get(t, shopHost+eid+fmt.Sprint(i)).has(http.StatusOK)
	}
	if got := s.server.Prepared(); got.Responses != stats.Responses {
		t.Errorf("got %d stored pages, want %d", got.Responses, stats.Responses)
	}
	b.header.Set("If-None-Match", plain.header.Get("ETag"))
	if got := s.phone().withHeader("If-None-Match", plain.header.Get("ETag")).get(t, shopHost+eid); got.status != http.StatusNotModified ||
		got.header.Get("Set-Cookie") == "" {
		t.Errorf("a page that the browser has: got %d and cookie %q, want 304 and a cookie", got.status, got.header.Get("Set-Cookie"))
	}
	b.header.Del("If-None-Match")

	s.clock.Advance(3 * 24 * time.Hour)
	b.follow(t, "https://www.google.com/", "/bn/collections/women?gclid=x").has(http.StatusOK)
	b.follow(t, "https://pay.example/", "/products/saree").has(http.StatusOK) // of the same visit
	b.follow(t, shopHost+"/", "/products/tea")
	placed := b.order(t, nil)
	found := s.attribution(t, placed.location)
	if got := names(found); got != "Eid Sale, google" {
		t.Fatalf("got %s, want Eid Sale, google", got)
	}
	if f := found.First; *f.Source != "facebook" || *f.Medium != "paid" || *f.Fbclid != "IwAR0abc" || *f.Referrer != "l.facebook.com" ||
		*f.Landing != "/products/tea" || *found.Last.Landing != "/bn/collections/women" {
		t.Errorf("got %+v", f)
	}
	if got, want := *found.Fbc, fmt.Sprintf("fb.1.%d.IwAR0abc", found.First.At.UnixMilli()); got != want {
		t.Errorf("got fbc %q, want %q", got, want)
	}

	for _, agent := range []string{"Mozilla/5.0 (compatible; Googlebot/2.1)", "facebookexternalhit/1.1", "WhatsApp/2.23.20.0", "curl/8.5", ""} {
		bot := s.browser()
		bot.header.Set("User-Agent", agent)
		if got := bot.follow(t, "https://l.facebook.com/", eid).header.Get("Set-Cookie"); got != "" {
			t.Errorf("%s: got cookie %q", agent, got)
		}
	}
	if got := s.phone().withHeader("X-Purpose", "preview").get(t, shopHost+eid).header.Get("Set-Cookie"); got != "" {
		t.Errorf("a page loaded ahead: got cookie %q", got)
	}
	for _, path := range []string{
		"/robots.txt", "/search/suggestions?q=t&utm_source=a", "/cart?utm_source=a", "/checkout?utm_source=a", "/none?utm_source=a",
		"/feed.xml?utm_source=a",
	} {
		if got := s.phone().follow(t, "https://l.facebook.com/", path).header.Values("Set-Cookie"); slices.ContainsFunc(got, isCampaign) {
			t.Errorf("%s: got cookie %q", path, got)
		}
	}
	if got, want := s.visits(t), map[string]int64{"Eid Sale": 7, "google": 1}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got visits %v, want %v", got, want)
	}
}

func isCampaign(cookie string) bool { return strings.HasPrefix(cookie, "campaign=") }

func (b *browser) withHeader(name, value string) *browser {
	b.header.Set(name, value)
	return b
}

// A cookie that somebody wrote changes nothing but the report, and refuses no order.
func TestSite_CampaignTampered(t *testing.T) {
	t.Parallel()
	s, _ := newCampaignSite(t)
	at := fmt.Sprint(s.clock.Now().Add(-time.Hour).UnixMilli())
	long := `[["` + at + `","` + strings.Repeat("s", 400) + `","<script>alert(1)</script>","=HYPERLINK(\"x\")\u0000\u001f\u202e"]]`
	for value, want := range map[string]string{
		"garbage!": "nothing", "": "nothing", strings.Repeat("A", 4000): "nothing",
		base64.RawURLEncoding.EncodeToString([]byte(long)):                                 "=HYPERLINK(\"x\"), =HYPERLINK(\"x\")",
		base64.RawURLEncoding.EncodeToString([]byte(`[["` + at + `","a","b"],["9","c"]]`)): "a / b, a / b",
	} {
		b := s.phone()
		b.client.Jar.SetCookies(mustParse(t, shopHost), []*http.Cookie{
			{Name: "campaign", Value: value}, {Name: "_fbp", Value: "fb.1.17.42"}, {Name: "_fbc", Value: "x\"y"},
		})
		placed := b.order(t, nil)
		if placed.status != http.StatusSeeOther {
			t.Fatalf("%.40q: got %d, want an order", value, placed.status)
		}
		found := s.attribution(t, placed.location)
		got := "nothing"
		if found.First != nil {
			got = names(found)
			if n := len(*found.First.Source); n > 100 {
				t.Errorf("got a source of %d characters", n)
			}
		}
		if got != want || *found.Fbp != "fb.1.17.42" || found.Fbc != nil {
			t.Errorf("%.40q: got %s, want %s, and the valid cookie of the pixel alone", value, got, want)
		}
	}
}

// Without cookies, the order of a landing page has the campaign of its address. A form that is sent
// again after another click is the same order.
func TestSite_CampaignLanding(t *testing.T) {
	t.Parallel()
	s, b := newCampaignSite(t)
	s.saveLanding(t, nil)
	const address = "/l/morning-tea?utm_source=ig&utm_campaign=morning"
	page := b.follow(t, "", address)
	form := fillLanding(t, page)
	b.client.Jar, _ = cookiejar.New(nil) // never fails
	b.header.Set("Referer", shopHost+address)
	placed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	if got := names(s.attribution(t, placed.location)); got != "morning, morning" {
		t.Errorf("got %s, want morning", got)
	}
	b.client.Jar, _ = cookiejar.New(nil)
	b.header.Set("Referer", shopHost+"/l/morning-tea?utm_campaign=other")
	again := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	if strings.Split(again.location, "?")[0] != strings.Split(placed.location, "?")[0] {
		t.Errorf("sent again: got %d to %s, want %s", again.status, again.location, placed.location)
	}
	direct := s.phone()
	if got := s.attribution(t, direct.order(t, func(form url.Values) { form.Set("phone", "01811-000000") }).location); got != nil {
		t.Errorf("got %s, want nothing", names(got))
	}
}

// A redirect of an earlier site does not lose the campaign.
func TestSite_CampaignRedirect(t *testing.T) {
	t.Parallel()
	s, b := newCampaignSite(t)
	file := strings.NewReader("from,to\n/old-tea,/products/tea\n")
	if _, err := s.shop.Content.ImportRedirects(t.Context(), access.Operator(), file, false); err != nil {
		t.Fatal(err)
	}
	moved := b.follow(t, "https://l.facebook.com/", "/old-tea?utm_campaign=winter")
	if moved.status != http.StatusMovedPermanently || moved.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d and Cache-Control %q", moved.status, moved.header.Get("Cache-Control"))
	}
	b.follow(t, "https://l.facebook.com/", "/products/tea")
	if got := s.visits(t); fmt.Sprint(got) != "map[winter:1]" {
		t.Errorf("got visits %v, want one of winter", got)
	}
}

// Two servers of a shop add their visits up. A server that ends stores those that it has.
func TestServer_VisitsOfTwoServers(t *testing.T) {
	t.Parallel()
	s, b := newCampaignSite(t)
	another := newSiteOf(t, s.shop, func(cfg *server.Config) {
		cfg.Tenants, cfg.SiteURL, cfg.Now = s.tenants(), "http://shops.example", s.clock.Now
	})
	c := (&pageSite{site: another, clock: s.clock}).phone()
	for range 2 {
		b.client.Jar, _ = cookiejar.New(nil)
		b.get(t, shopHost+"/?utm_campaign=both")
		c.client.Jar, _ = cookiejar.New(nil)
		c.get(t, shopHost+"/?utm_campaign=both")
	}
	another.server.FlushVisits()
	if got := s.visits(t); fmt.Sprint(got) != "map[both:4]" {
		t.Errorf("got visits %v, want four", got)
	}
}

// The privacy policy explains the cookies, and other policies do not.
func TestSite_PrivacyCookies(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	settings := shoptest.Raw(t, map[string]any{"legalPolicies": []map[string]any{
		{"slug": "privacy-policy", "title": "Privacy", "bodyHtml": "<p>We respect you.</p>"},
		{"slug": "returns", "title": "Returns", "bodyHtml": "<p>No.</p>"},
	}})
	if err := s.shop.SetSettings(t.Context(), access.Operator(), settings); err != nil {
		t.Fatal(err)
	}
	b := s.browser()
	b.get(t, shopHost+"/policies/privacy-policy").has(http.StatusOK, "We respect you.", "For 30 days it also stores which advertisement")
	b.get(t, shopHost+"/bn/policies/privacy-policy").has(http.StatusOK, "<h2>কুকি</h2>")
	b.get(t, shopHost+"/policies/returns").lacks("<h2>Cookies</h2>")
}

// REST and GraphQL store the attribution of a storefront of its own in the same way, refuse no
// value, and the buyer's export has it.
func TestAttribution_Transports(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	token := s.signUp("01711-000000")
	at := s.clock.Now().Add(-time.Hour).Format(time.RFC3339)
	long := strings.Repeat("x", 300)
	rest := `{"items":[{"productId":"` + s.tea.ID + `","quantity":1}],"customer":{"name":"Rahima","phoneNumber":"01711000000"},
		"shippingAddress":{"line1":"House 12","city":"Dhaka"},"attribution":{"first":{"campaign":"eid","fbclid":"IwAR1","at":"` + at + `"},
		"last":{"source":"SMS","content":"` + long + `"},"fbp":"fb.1.17.42","fbc":"<b>"}}`
	var placed order.Placed
	s.send("POST", "/api/v1/orders", rest, "Authorization", "Bearer "+token).ok(http.StatusCreated, &placed)
	var data struct {
		PlaceOrder struct {
			ID string `json:"_id"`
		}
	}
	body := `{"query":"mutation($i: PlaceOrderInput!) { placeOrder(input: $i) { _id } }","variables":{"i":` + rest + `}}`
	s.send("POST", "/graphql", body, "Authorization", "Bearer "+token).ok(http.StatusOK, &struct{ Data any }{&data})
	want := s.attribution(t, placed.ID)
	if got := s.attribution(t, data.PlaceOrder.ID); !cmp.Equal(got, want) {
		t.Errorf("by GraphQL: got %+v, by REST %+v", got, want)
	}
	if names(want) != "eid, sms" || *want.First.Source != "facebook" || len(*want.Last.Content) != 100 || *want.Fbp != "fb.1.17.42" ||
		!strings.HasSuffix(*want.Fbc, ".IwAR1") || want.First.At.Format(time.RFC3339) != at {
		t.Errorf("got %+v, %+v", *want.First, *want.Last)
	}
	var export shop.AccountExport
	s.get("/api/v1/auth/export", "Authorization", "Bearer "+token).ok(http.StatusOK, &export)
	if len(export.Attributions) != 2 || export.Attributions[0].OrderID != placed.ID || !cmp.Equal(export.Attributions[0].Last, want.Last) {
		t.Errorf("got %+v in the export, want both orders", export.Attributions)
	}
	const query = `{"query":"{ accountExport { attributions { orderId fbp fbc last { source } ` +
		`first { source medium campaign content term fbclid referrer landing at } } } }"}`
	var own struct {
		AccountExport struct{ Attributions []campaign.OrderAttribution }
	}
	s.send("POST", "/graphql", query, "Authorization", "Bearer "+token).ok(http.StatusOK, &struct{ Data any }{&own})
	if got := own.AccountExport.Attributions; len(got) != 2 || !cmp.Equal(got[0].First, want.First) {
		t.Errorf("got %+v by GraphQL, want both orders", got)
	}
}
