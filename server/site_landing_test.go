package server_test

import (
	"crypto/rand"
	"encoding/json"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/fault"
)

// saveLanding saves a landing page for the tea.
func (s *pageSite) saveLanding(t *testing.T, change func(*design.LandingPage)) {
	t.Helper()
	page := design.LandingPage{
		Slug: "morning-tea", Title: design.Text{English: "Tea of the morning", Bangla: "সকালের চা"}, Products: []string{"tea"}, Visible: true,
	}
	if change != nil {
		change(&page)
	}
	if _, err := s.shop.Designs.SaveLandingPage(t.Context(), access.Operator(), page, nil); err != nil {
		t.Fatal(err)
	}
}

// fillLanding returns the form of the landing page as a buyer in Dhaka fills it in: five fields at
// most, of which the quantity has a value.
func fillLanding(t *testing.T, p webPage) url.Values {
	t.Helper()
	form := url.Values{"phone": {"01711-000000"}, "name": {"Rahima Khatun"}, "address": {"House 12, Mirpur 10"}, "quantity": {"2"}}
	form.Set("shown", p.find(`name="shown" value="(\w+)"`))
	form.Set("delivery", html.UnescapeString(p.find(`name="delivery" value="([^"]*)">\s*<span>Inside Dhaka`)))
	return form
}

// A buyer without scripts and without cookies orders on the landing page with one tap. The same
// form again leads to the same order.
func TestSite_Landing(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.saveLanding(t, nil)
	b := s.browser()
	page := b.get(t, shopHost+"/l/morning-tea")
	page.has(http.StatusOK, "<h1>Tea of the morning</h1>", "No payment now", `rel="canonical" href="http://shop.example/l/morning-tea"`)
	page.lacks(`class="head-nav"`, `id="menu"`)
	b.get(t, shopHost+"/bn/l/morning-tea").has(http.StatusOK, "<h1>সকালের চা</h1>")
	form := fillLanding(t, page)
	var first string
	for range 2 {
		b.client.Jar, _ = cookiejar.New(nil) // never fails
		placed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
		if placed.status != http.StatusSeeOther {
			t.Fatalf("got %d\n%s\nwant the order's page", placed.status, placed.html)
		}
		b.client.Jar, _ = cookiejar.New(nil)
		b.get(t, shopHost+placed.location).has(http.StatusOK, "Thank you, Rahima", "Dhaka")
		path, _, _ := strings.Cut(placed.location, "?")
		if first != "" && path != first {
			t.Errorf("the same form led to %s and %s", first, path)
		}
		first = path
	}
	orders := s.orders(t)
	if len(orders) != 1 {
		t.Fatalf("got %d orders, want one", len(orders))
	}
	b.header.Set("User-Agent", "another phone")
	form.Set("name", "Karim")
	form.Set("phone", "01811-000000")
	if placed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form); placed.location == "" || strings.HasPrefix(placed.location, first) {
		t.Errorf("another buyer: got %d to %q", placed.status, placed.location)
	}
}

// What is missing or wrong stands at its field, and what was typed stays. Amounts that have changed
// since the page was sent are shown before the order is placed.
func TestSite_LandingRefused(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.saveLanding(t, nil)
	b := s.browser()
	page := b.get(t, shopHost+"/l/morning-tea")
	form := fillLanding(t, page)
	form.Del("delivery")
	form.Set("phone", "12")
	refused := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	refused.has(http.StatusUnprocessableEntity, `value="Rahima Khatun"`, "House 12, Mirpur 10</textarea>", `aria-invalid="true"`, `value="2" checked`)

	s.update(t, s.tea, func(v *catalogue.VariantChange) { v.Price = new(int64(999_00)) })
	form = fillLanding(t, page)
	changed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	changed.has(http.StatusUnprocessableEntity, "৳1,998", `value="Rahima Khatun"`, "Prices or choices have changed.")
	if orders := s.orders(t); len(orders) != 0 {
		t.Fatalf("got %d orders, want none", len(orders))
	}
	form.Set("shown", changed.find(`name="shown" value="(\w+)"`))
	form.Set("key", rand.Text())
	if placed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form); placed.status != http.StatusSeeOther {
		t.Errorf("got %d\n%s\nwant the order", placed.status, placed.html)
	}

	form.Set("quantity", "1") // after going back, with the key of the first order
	again := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	again.has(http.StatusUnprocessableEntity, "An order was already placed", `name="key" value=""`)
	form.Del("key")
	form.Set("address", "Station Road, Rajshahi") // the charge for Dhaka was chosen
	wrong := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	wrong.has(http.StatusUnprocessableEntity, "Station Road, Rajshahi</textarea>", "Choose a delivery option")
	form.Set("delivery", html.UnescapeString(page.find(`name="delivery" value="([^"]*)">\s*<span>Outside Dhaka`)))
	if placed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form); placed.status != http.StatusSeeOther {
		t.Errorf("got %d\n%s\nwant a second order", placed.status, placed.html)
	}
}

// Buyers see no hidden page and no page of another shop. The preview shows it.
func TestSite_LandingHidden(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.saveLanding(t, func(p *design.LandingPage) { p.Visible = false })
	b := s.browser()
	b.get(t, shopHost+"/l/morning-tea").has(http.StatusNotFound)
	preview, err := s.shop.Designs.CreatePreview(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/preview/"+preview.Token+"/l/morning-tea").has(http.StatusOK, "Tea of the morning")
	s.saveLanding(t, nil)
	b.get(t, shopHost+"/l/morning-tea").has(http.StatusOK)
	b.get(t, otherHost+"/l/morning-tea").has(http.StatusNotFound)
}

// A landing page is checked before it is saved.
func TestAdmin_LandingPageRefused(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for field, body := range map[string]string{
		"slug":             `{"slug":"Not a slug","title":{"en":"A"},"description":{},"products":["mug"],"visible":true,"sections":[]}`,
		"title":            `{"slug":"a","title":{},"description":{},"products":["mug"],"visible":true,"sections":[]}`,
		"products[0]":      `{"slug":"a","title":{"en":"A"},"description":{},"products":["no-such"],"visible":true,"sections":[]}`,
		"products":         `{"slug":"a","title":{"en":"A"},"description":{},"products":[],"visible":true,"sections":[]}`,
		"sections[0].kind": `{"slug":"a","title":{"en":"A"},"description":{},"products":["mug"],"visible":true,"sections":[{"kind":"x"}]}`,
	} {
		problem := s.as("PUT", "landing-pages", body, "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
		if len(problem.Errors) != 1 || problem.Errors[0].Field != field {
			t.Errorf("got %v, want the field %s", problem.Errors, field)
		}
	}
	s.must("PUT", "landing-pages", auditedLanding)
	again := s.as("PUT", "landing-pages?create=true", auditedLanding, "Cookie", s.owner)
	wantProblem(t, again, http.StatusUnprocessableEntity, fault.CodeValidationFailed)
}

// The form offers the quantity prices, and the order costs what it says.
func TestSite_LandingQuantityPrices(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	panjabi := s.create(t, catalogue.ProductInput{
		Title: "Panjabi", Handle: "panjabi", Variants: []catalogue.VariantInput{{Price: 60_000}},
		QuantityPrices: catalogue.QuantityPrices{{Quantity: 2, Price: 110_000}},
	})
	s.saveLanding(t, func(p *design.LandingPage) { p.Products = []string{panjabi.Handle} })
	b := s.browser()
	page := b.get(t, shopHost+"/l/morning-tea")
	page.has(http.StatusOK, "৳600", "৳1,100")
	form := fillLanding(t, page)
	b.send(t, http.MethodPost, shopHost+"/l/morning-tea/total", form).has(http.StatusOK, `data-amount="117000"`, "৳1,170")
	placed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	if placed.status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s\nwant the order", placed.status, placed.html)
	}
	b.get(t, shopHost+placed.location).has(http.StatusOK, "৳1,170")
}

// A page of a set sells several products in one order, each at its quantity prices. A product of
// which none is chosen is not ordered, and one that is sold out cannot be chosen.
func TestSite_LandingSet(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	panjabi := s.create(t, catalogue.ProductInput{
		Title: "Panjabi", Handle: "panjabi", Variants: []catalogue.VariantInput{{Price: 60_000}},
		QuantityPrices: catalogue.QuantityPrices{{Quantity: 2, Price: 110_000}},
	})
	s.saveLanding(t, func(p *design.LandingPage) { p.Products = []string{"tea", "panjabi", "saree", "tea"} })
	b := s.browser()
	page := b.get(t, shopHost+"/l/morning-tea")
	page.has(http.StatusOK, "Panjabi", "৳1,100", `<option value="1" selected>`, "Not this one")
	form := fillLanding(t, page)
	form["variant"] = []string{s.tea.Variants[0].ID, panjabi.Variants[0].ID, s.saree.Variants[0].ID}
	choose := func(quantities ...string) webPage {
		form["quantity"] = quantities
		return b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	}
	choose("0", "0", "0").has(http.StatusUnprocessableEntity, "Choose at least one product.", `value="Rahima Khatun"`, `aria-invalid="true"`)
	b.send(t, http.MethodPost, shopHost+"/l/morning-tea/total", form).has(http.StatusUnprocessableEntity)
	choose("0", "0", "9").has(http.StatusUnprocessableEntity, "There are not as many.")
	form["variant"][1] = s.saree.Variants[0].ID // of another product
	choose("0", "2", "0").has(http.StatusUnprocessableEntity)
	form["variant"][1] = panjabi.Variants[0].ID
	if orders := s.orders(t); len(orders) != 0 {
		t.Fatalf("got %d orders, want none", len(orders))
	}
	placed := choose("1", "2", "0")
	if placed.status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s\nwant the order", placed.status, placed.html)
	}
	b.get(t, shopHost+placed.location).has(http.StatusOK, "1 × Tea", "2 × Panjabi", "−৳100", "৳1,300")
	if orders := s.orders(t); len(orders) != 1 {
		t.Fatalf("got %+v, want one order", orders)
	}

	s.update(t, s.tea, func(v *catalogue.VariantChange) { v.Tracked, v.Stock = new(true), new(int64(0)) })
	left := b.get(t, shopHost+"/l/morning-tea")
	left.has(http.StatusOK, "Panjabi")
	left.lacks(s.tea.Variants[0].ID)
	changed := choose("1", "0", "1")
	changed.has(http.StatusUnprocessableEntity, "Prices or choices have changed.")
	got := regexp.MustCompile(`<option value="(\d)" selected>`).FindAllStringSubmatch(changed.html, -1)
	if len(got) != 2 || got[0][1] != "0" || got[1][1] != "1" {
		t.Errorf("got the quantities %q, want none of the panjabi and one saree, as they were sent", got)
	}
}

// A landing page shows the published reviews of its products, unless the merchant has written what
// buyers said.
func TestSite_LandingReviews(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	save := func(settings string) {
		s.saveLanding(t, func(p *design.LandingPage) {
			p.Sections = []design.Section{{Kind: "productFacts"}, {Kind: "testimonials", Settings: json.RawMessage(settings)}, {Kind: "orderForm"}}
		})
	}
	save(`{}`)
	b := s.browser()
	for _, text := range []string{"Strong & fresh", ""} { // a rating alone is not quoted
		placed := s.delivered(t, s.tea.ID)
		b.post(t, shopHost+"/orders/"+placed.InvoiceUID+"/review", reviewOf(placed, s.tea.ID, "5", text)).has(http.StatusOK, "Thank you")
	}
	b.get(t, shopHost+"/l/morning-tea").lacks("Strong", "quotes")
	for _, one := range s.reviews(t) {
		s.publish(t, one.ID)
	}
	shown := b.get(t, shopHost+"/l/morning-tea")
	shown.has(http.StatusOK, "Strong &amp; fresh", "5 stars, very good", "Verified purchase")
	if got := strings.Count(shown.html, "<blockquote>"); got != 1 {
		t.Errorf("got %d quotes, want one", got)
	}
	save(`{"items":[{"text":{"en":"My aunt likes it"}}]}`)
	own := b.get(t, shopHost+"/l/morning-tea")
	own.has(http.StatusOK, "My aunt likes it")
	own.lacks("Strong")
}

// A landing page is returned with the address that buyers see it at, if the shop has a site.
func TestAdmin_LandingPageURL(t *testing.T) {
	t.Parallel()
	const path = "/admin/v1/shops/test/landing-pages"
	for site, want := range map[string]string{"http://shops.example": "http://test.shops.example/l/%E0%A6%88%E0%A6%A6", "": ""} {
		s := newAdminSite(t, func(cfg *server.Config) { cfg.SiteURL = site })
		key := s.key(t, "site.read", "site.write", "products.write")
		s.send("POST", "/admin/v1/shops/test/products", `{"title":"Mug","variants":[{"price":100}]}`, "Content-Type", "application/json",
			"Authorization", key)
		body := strings.Replace(auditedLanding, `"eid"`, `"ঈদ"`, 1)
		saved := s.send("PUT", path, body, "Content-Type", "application/json", "Authorization", key)
		one := s.send("GET", path+"/%E0%A6%88%E0%A6%A6", "", "Authorization", key)
		if saved.header.Get("ETag") != one.header.Get("ETag") {
			t.Errorf("got the ETags %s and %s, want the same", saved.header.Get("ETag"), one.header.Get("ETag"))
		}
		all := s.send("GET", path, "", "Authorization", key)
		for _, got := range []string{string(saved.body), string(one.body), string(all.body)} {
			if !strings.Contains(got, `"url":"`+want+`"`) {
				t.Errorf("with the name %q: got %s, want the address %q", site, got, want)
			}
		}
	}
}

// Two people edit a landing page, and a shop has at most 200 of them.
func TestAdmin_LandingPageConflicts(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.must("PUT", "landing-pages", auditedLanding)
	tag := s.as("GET", "landing-pages/eid", "", "Cookie", s.owner).header.Get("ETag")
	s.must("PUT", "landing-pages", strings.Replace(auditedLanding, `"Eid"`, `"Eid 2027"`, 1))
	for _, c := range [][3]string{{"PUT", "landing-pages", auditedLanding}, {"DELETE", "landing-pages/eid", ""}} {
		refused := s.as(c[0], c[1], c[2], "Cookie", s.owner, "If-Match", tag)
		wantProblem(t, refused, http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
	}
	for i := range design.MaxLandingPages - 1 {
		page := design.LandingPage{Slug: "page-" + strconv.Itoa(i), Title: design.Text{English: "A"}, Products: []string{"mug"}}
		if _, err := s.shop.Designs.SaveLandingPage(t.Context(), access.Operator(), page, nil); err != nil {
			t.Fatal(err)
		}
	}
	refused := s.as("PUT", "landing-pages", strings.Replace(auditedLanding, `"eid"`, `"more"`, 1), "Cookie", s.owner)
	wantProblem(t, refused, http.StatusConflict, fault.CodeStateConflict)
}

// The only variant that is left needs no choice. A shop without cash on delivery shows no form, and
// an address must name its district if the charge is for several.
func TestSite_LandingChoices(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.saveLanding(t, func(p *design.LandingPage) { p.Products = []string{"saree"} }) // the blue one is sold out
	b := s.browser()
	page := b.get(t, shopHost+"/l/morning-tea")
	page.has(http.StatusOK, `<input type="hidden" name="variant" value="`+s.saree.Variants[0].ID+`">`)
	form := fillLanding(t, page)
	form.Set("variant", s.saree.Variants[0].ID)
	if placed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form); placed.status != http.StatusSeeOther {
		t.Errorf("got %d\n%s\nwant the order", placed.status, placed.html)
	}
	form.Set("quantity", "3") // one is left
	b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form).has(http.StatusUnprocessableEntity, "There are not as many.")

	s.set(t, "deliveryCharges", `[{"name":"Near","charge":7000,"areas":["Dhaka","Gazipur"]},{"name":"Far","charge":13000}]`)
	form = fillLanding(t, page)
	near := b.get(t, shopHost+"/l/morning-tea")
	form.Set("variant", s.saree.Variants[0].ID)
	form.Set("quantity", "1")
	form.Set("shown", near.find(`name="shown" value="(\w+)"`))
	form.Set("delivery", near.find(`name="delivery" value="([^"]*)">\s*<span>Near`))
	b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form).has(http.StatusUnprocessableEntity, "Write the district at the end of the address.")
	form.Set("address", "House 12, Station Road, Gazipur")
	if placed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form); placed.status != http.StatusSeeOther {
		t.Errorf("got %d\n%s\nwant the order", placed.status, placed.html)
	}
}
