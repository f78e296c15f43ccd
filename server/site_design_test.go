package server_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/design"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// saveDesign replaces the draft by a document in JSON.
func (s *pageSite) saveDesign(t *testing.T, document string) {
	t.Helper()
	var draft design.Document
	if err := json.Unmarshal([]byte(document), &draft); err != nil {
		t.Fatal(err)
	}
	if _, err := s.shop.Designs.SaveDesign(t.Context(), access.Operator(), draft, nil); err != nil {
		t.Fatal(err)
	}
}

func (s *pageSite) publishDesign(t *testing.T) {
	t.Helper()
	if _, err := s.shop.Designs.PublishDesign(t.Context(), access.Operator(), nil); err != nil {
		t.Fatal(err)
	}
}

const (
	redHome = `{"design":"angan","tokens":{"seed":"#a02020"},"templates":{"home":[
		{"kind":"hero","settings":{"title":{"en":"Woven by hand","bn":"হাতে বোনা"},"link":"/collections/women"}},
		{"kind":"text","settings":{"title":{"en":"About"},"text":{"en":"First.\n\nSecond."}}},
		{"kind":"questions","hidden":true,"settings":{"items":[{"question":{"en":"Hidden?"},"answer":{"en":"Yes."}}]}}]}}`
	red = "#a02020"
)

// A draft is for staff alone, a publication for everybody from the next request on, in both
// languages, and an earlier version returns.
func TestSite_Design(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	before := b.get(t, shopHost+"/")
	before.has(http.StatusOK, "<h1>Shimul Ghor</h1>")
	s.saveDesign(t, redHome)
	b.get(t, shopHost+"/").lacks("Woven by hand")
	s.publishDesign(t)
	home := b.get(t, shopHost+"/")
	home.has(http.StatusOK, "<h1>Woven by hand</h1>", `href="/collections/women"`, "<h2>About</h2>", "<p>First.</p>", "<p>Second.</p>")
	home.lacks("Hidden?")
	b.get(t, shopHost+"/bn/").has(http.StatusOK, "<h1>হাতে বোনা</h1>", `href="/bn/collections/women"`, "<h2>About</h2>")

	sheet := home.find(`href="(/assets/[^"]*/design.css)"`)
	css := b.get(t, shopHost+sheet)
	css.has(http.StatusOK, "--brand:"+red)
	if got := css.header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("the stylesheet at its hash: got caching %q", got)
	}
	old := b.get(t, shopHost+before.find(`href="(/assets/[^"]*/design.css)"`))
	old.has(http.StatusOK, "--brand:"+red)
	if got := old.header.Get("Cache-Control"); strings.Contains(got, "immutable") {
		t.Errorf("the present stylesheet at an earlier hash: got caching %q", got)
	}

	s.saveDesign(t, `{"design":"haat","tokens":{},"templates":{
		"product":[{"kind":"text","settings":{"text":{"en":"Below products"}}}],
		"collection":[{"kind":"text","settings":{"text":{"en":"Below lists"}}}],
		"page":[{"kind":"text","settings":{"text":{"en":"Below texts"}}}]}}`)
	s.publishDesign(t)
	for path, text := range map[string]string{"/products/saree": "products", "/collections/women": "lists", "/policies/returns": "texts"} {
		b.get(t, shopHost+path).has(http.StatusOK, "<p>Below "+text+"</p>")
	}
	b.get(t, shopHost+"/cart").lacks("Below ")
	if _, err := s.shop.Designs.RestoreDesign(t.Context(), access.Operator(), 1, nil); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/").has(http.StatusOK, "<h1>Woven by hand</h1>")
	found, err := s.shop.Designs.FindDesign(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	if found.Version != 3 || len(found.Versions) != 3 || found.Changed {
		t.Errorf("got version %d of %d, changed %t, want 3 of 3 without changes", found.Version, len(found.Versions), found.Changed)
	}
}

// The link of a preview shows the draft on every page for one hour, to nobody else, and to no
// search engine.
func TestSite_DesignPreview(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, func(cfg *server.Config) { cfg.PublicURL = "https://api.agency.example" })
	b := s.browser()
	s.saveDesign(t, redHome)
	preview, err := s.shop.Designs.CreatePreview(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	base := "/preview/" + preview.Token
	home := b.get(t, shopHost+base+"/")
	home.has(http.StatusOK, "<h1>Woven by hand</h1>", `href="`+base+`/collections/women"`, `href="`+base+`/bn"`, `content="noindex"`)
	home.lacks("canonical")
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Robots-Tag": "noindex"} {
		if got := home.header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := home.header.Get("Content-Security-Policy"); !strings.Contains(got, "frame-ancestors 'self' https://api.agency.example") {
		t.Errorf("got the policy %q, want the dashboard to frame the page", got)
	}
	b.get(t, shopHost+home.find(`href="(/preview/[^"]*/design.css)"`)).has(http.StatusOK, "--brand:"+red)
	b.get(t, shopHost+base+"/bn").has(http.StatusOK, "<h1>হাতে বোনা</h1>")
	b.get(t, shopHost+base+"/products/saree").has(http.StatusOK, "Cotton Saree", `action="`+base+`/cart"`)
	b.get(t, shopHost+base+"/sitemap.xml").has(http.StatusNotFound)
	b.post(t, shopHost+base+"/cart", url.Values{"product": {"tea"}}).has(http.StatusForbidden, "This is a preview")

	b.get(t, shopHost+"/preview/"+preview.Token[:len(preview.Token)-2]+"AA/").has(http.StatusGone, "This preview has ended")
	b.get(t, otherHost+base+"/").has(http.StatusGone)
	s.clock.Advance(design.PreviewLifetime)
	b.get(t, shopHost+base+"/").has(http.StatusGone)
	b.get(t, shopHost+"/").lacks("Woven by hand")
}

// Sections show products and collections by handle or ID, links of any kind, and one heading.
func TestSite_DesignRecords(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	women, err := s.shop.Catalogue.FindCollectionByHandle(t.Context(), "women")
	if err != nil {
		t.Fatal(err)
	}
	s.saveDesign(t, `{"design":"angan","tokens":{},"templates":{"home":[
		{"kind":"products","settings":{"from":"chosen","products":["`+s.tea.ID+`","saree","no-such"]}},
		{"kind":"collection","settings":{"collection":"`+women.ID+`"}},
		{"kind":"pictureText","settings":{"title":{"en":"Call"},"button":{"en":"Now"},"link":"tel:+8801711000000"}},
		{"kind":"hero"},{"kind":"hero"}],
		"product":[{"kind":"hero"}]}}`)
	s.publishDesign(t)
	home := s.browser().get(t, shopHost+"/")
	home.has(http.StatusOK, `href="/products/tea"`, `href="/products/saree"`, `href="/collections/women"`, `href="tel:&#43;8801711000000"`)
	for _, page := range []webPage{home, s.browser().get(t, shopHost+"/products/tea")} {
		if got := strings.Count(page.html, "<h1"); got != 1 {
			t.Errorf("got %d headings of the page, want one:\n%s", got, page.html)
		}
	}
}

// An offer is shown while buyers can use its coupon: until it ends, is used up or disabled. An
// order in between leaves the stored pages valid.
func TestSite_Offer(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	three := order.CouponSpec{
		Code: "Eid10", Kind: order.CouponPercentage, BasisPoints: new(int64(1250)), MaxDiscount: new(int64(20_000)),
		MinSubtotal: new(int64(10_000)), UsageLimit: new(int64(3)), EndsAt: new(s.clock.Now().Add(48 * time.Hour)), Active: true,
	}
	save := func(spec order.CouponSpec) *order.Coupon {
		saved, err := s.shop.Orders.SaveCoupon(t.Context(), access.Operator(), spec)
		if err != nil {
			t.Fatal(err)
		}
		return saved
	}
	saved := save(three)
	s.saveDesign(t, `{"design":"angan","tokens":{},"templates":{"home":[
		{"kind":"offer","settings":{"title":{"en":"For Eid"},"coupon":"eid10"}},
		{"kind":"offer","settings":{"coupon":"`+saved.ID+`"}},{"kind":"offer"},{"kind":"offer","settings":{"coupon":"none"}}]}}`)
	s.publishDesign(t)
	b := s.browser()
	home := b.get(t, shopHost+"/")
	home.has(http.StatusOK, "For Eid", "12.5% off", "at most ৳200", "for orders of ৳100 and more", "until 3 March 2026", "Eid10")
	if got := strings.Count(home.html, `class="offer"`); got != 2 {
		t.Errorf("got %d offers, want two", got)
	}
	b.get(t, shopHost+"/bn/").has(http.StatusOK, "১২.৫% ছাড়", "৩ মার্চ ২০২৬ পর্যন্ত")

	w := &versionWalk{t: t, s: s, random: rand.New(rand.NewPCG(0, 0))}
	before, err := s.shop.PageVersion(t.Context())
	w.must(err)
	w.order(s.tea, 1, new("EID10"))
	if after, err := s.shop.PageVersion(t.Context()); err != nil || after != before {
		t.Errorf("a use changed the pages (%v)", err)
	}
	w.order(s.tea, 1, new("EID10"))
	w.order(s.tea, 1, new("EID10"))
	b.get(t, shopHost+"/").lacks("For Eid")
	w.cancel()
	b.get(t, shopHost+"/").has(http.StatusOK, "For Eid")
	if _, err := s.shop.Orders.DisableCoupon(t.Context(), access.Operator(), "EID10"); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/").lacks("For Eid")
	save(three)
	b.get(t, shopHost+"/").has(http.StatusOK, "For Eid")
	s.clock.Advance(48 * time.Hour)
	b.get(t, shopHost+"/").lacks("For Eid")
}

// A design that is not valid is refused with its field, and the draft stays.
func TestAdmin_DesignRefused(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	home := func(sections string) string {
		return `{"design":"angan","tokens":{},"templates":{"home":[` + sections + `]}}`
	}
	for _, c := range []struct{ body, field string }{
		{`{"design":"none","tokens":{},"templates":{}}`, "design"},
		{`{"design":"angan","tokens":{"seed":"red"},"templates":{}}`, "tokens.seed"},
		{`{"design":"angan","tokens":{"radius":99},"templates":{}}`, "tokens.radius"},
		{`{"design":"angan","tokens":{"headingWeight":450},"templates":{}}`, "tokens.headingWeight"},
		{home(`{"kind":"script"}`), "templates.home[0].kind"},
		{home(`{"kind":"hero","settings":{"html":"<script>"}}`), "templates.home[0].settings.html"},
		{home(`{"kind":"hero","settings":{"link":"javascript:alert(1)"}}`), "templates.home[0].settings.link"},
		{home(`{"kind":"hero","settings":{"link":"//evil.example"}}`), "templates.home[0].settings.link"},
		{home(`{"kind":"hero","settings":{"title":{"en":"a\u0007b"}}}`), "templates.home[0].settings.title.en"},
		{home(`{"kind":"hero","settings":{"title":{"en":"a\nb"}}}`), "templates.home[0].settings.title.en"},
		{home(`{"kind":"hero","settings":{"title":"plain"}}`), "templates.home[0].settings.title"},
		{home(`{"kind":"hero","settings":{"title":{"fr":"Bonjour"}}}`), "templates.home[0].settings.title.fr"},
		{home(`{"kind":"hero","settings":{"title":{"en":"` + strings.Repeat("অ", 81) + `"}}}`), "templates.home[0].settings.title.en"},
		{home(`{"kind":"hero","settings":{"picture":{"mediaId":"none","alt":{}}}}`), "templates.home[0].settings.picture.mediaId"},
		{home(`{"kind":"products","settings":{"from":"everywhere"}}`), "templates.home[0].settings.from"},
		{home(`{"kind":"products","settings":{"count":25}}`), "templates.home[0].settings.count"},
		{home(`{"kind":"products","settings":{"count":1.5}}`), "templates.home[0].settings.count"},
		{home(`{"kind":"orderForm"}`), "templates.home[0].kind"},
		{home(`{"kind":"products","settings":[]}`), "templates.home[0].settings"},
		{home(strings.Repeat(`{"kind":"hero"},`, design.MaxSections) + `{"kind":"hero"}`), "templates.home"},
	} {
		problem := s.as("PUT", "design", c.body, "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
		if len(problem.Errors) == 0 || strings.TrimPrefix(fmt.Sprint(problem.Errors[0].Field), "body.") != c.field {
			t.Errorf("%.80s: got %v, want the field %s", c.body, problem.Errors, c.field)
		}
	}
	if got := s.must("GET", "design", ""); got["changed"] != false {
		t.Errorf("got %v, want no draft", got)
	}
}

// A design of a later version of the program is not published.
func TestAdmin_DesignOfLaterVersion(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.must("PUT", "design", otherDesign)
	s.must("POST", "design/publish", "")
	s.must("PUT", "design", strings.Replace(otherDesign, "alo", "mela", 1))
	s.must("POST", "design/publish", "")
	s.must("PUT", "design", otherDesign)
	s.shop.Exec(t, `UPDATE designs SET document = '{"design":"later","tokens":{},"templates":{}}'`)
	for _, change := range []string{"publish", "versions/1/restore"} {
		wantProblem(t, s.as("POST", "design/"+change, "", "Cookie", s.owner), http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	}
}

// Two people edit the design: the second one gets a conflict with the draft of the first.
func TestAdmin_DesignConflict(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	read := s.as("GET", "design", "", "Cookie", s.owner)
	tag := read.header.Get("ETag")
	s.must("PUT", "design", otherDesign)
	for _, c := range [][3]string{{"PUT", "design", otherDesign}, {"POST", "design/publish", ""}, {"POST", "design/versions/1/restore", ""}} {
		problem := s.as(c[0], c[1], c[2], "Cookie", s.owner, "If-Match", tag).problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
		if current, ok := problem.Details["current"].(map[string]any); !ok || current["design"] != "alo" {
			t.Errorf("%s: got %v, want the draft of the other", c[1], problem.Details)
		}
	}
}

// The images of the design are used: nobody deletes them, and buyers see them.
func TestAdmin_DesignImages(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.upload()
	s.must("PUT", "design", `{"design":"angan","tokens":{},"templates":{"home":[
		{"kind":"hero","settings":{"picture":{"mediaId":"<media>","alt":{"en":"A cup"}}}}]}}`)
	wantProblem(t, s.as("DELETE", "media/<media>", "", "Cookie", s.owner), http.StatusConflict, fault.CodeInUse)
	s.must("PUT", "design", `{"design":"angan","tokens":{},"templates":{}}`)
	s.must("DELETE", "media/<media>", "")
}

// The last 20 versions are stored.
func TestDesigns_Versions(t *testing.T) {
	t.Parallel()
	own := shoptest.New(t, nil)
	for i := range design.MaxVersions + 2 {
		draft := design.Document{Design: design.Angan, Tokens: design.Tokens{Seed: fmt.Sprintf("#0000%02x", i)}}
		if _, err := own.Designs.SaveDesign(t.Context(), access.Operator(), draft, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := own.Designs.PublishDesign(t.Context(), access.Operator(), nil); err != nil {
			t.Fatal(err)
		}
	}
	found, err := own.Designs.FindDesign(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Versions) != design.MaxVersions || found.Versions[0].Version != design.MaxVersions+2 {
		t.Errorf("got %d versions from %d", len(found.Versions), found.Versions[0].Version)
	}
	if _, err := own.Designs.FindDesignVersion(t.Context(), access.Operator(), 2); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("got %v, want the oldest versions to be removed", err)
	}
}

// On a server without a name, such as one that was just rented, the dashboard's own address leads
// to the pages of its only shop: localhost would be the merchant's telephone.
func TestSite_PreviewWithoutName(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for name, c := range map[string]struct{ site, only, host, want string }{
		"rented":        {"http://localhost:8080", "test", "203.0.113.5:8080", "http://203.0.113.5:8080"},
		"in the house":  {"http://localhost:8080", "test", "192.168.1.5:8080", "http://192.168.1.5:8080"},
		"own machine":   {"http://localhost:8080", "test", "localhost:8080", "http://test.localhost:8080"},
		"loopback":      {"http://localhost:8080", "test", "127.0.0.1:8080", "http://test.localhost:8080"},
		"several shops": {"http://localhost:8080", "", "203.0.113.5:8080", ""},
		"a name":        {"https://shops.example", "test", "203.0.113.5", "https://test.shops.example"},
	} {
		s.site = newSiteOf(t, s.shop.Shop, func(cfg *server.Config) {
			cfg.Now, cfg.SiteURL = s.shop.Clock.Now, c.site
			cfg.Tenants = &tenantsOf{shops: map[string]*shop.Shop{"test": s.shop.Shop}, only: c.only}
		})
		got := s.as("POST", "design/previews", "", "Cookie", s.owner, "Host", c.host)
		if c.want == "" {
			got.problem(http.StatusConflict, fault.CodeStateConflict)
			continue
		}
		var preview struct{ URL string }
		got.ok(http.StatusCreated, &preview)
		if !strings.HasPrefix(preview.URL, c.want+"/") {
			t.Errorf("%s: got %s, want it below %s", name, preview.URL, c.want)
		}
		page, err := url.Parse(preview.URL)
		if err != nil {
			t.Fatal(err)
		}
		if shown := s.get(page.Path, "x-tenant", "", "Host", page.Host); shown.status != http.StatusOK {
			t.Errorf("%s: got %d %s", name, shown.status, shown.body)
		}
	}
}
