package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// publishDesign publishes a design of the demo shop in a data folder.
func publishDesign(t testing.TB, data, document string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "design.json")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "api", "demo", "saveDesign", "--data", data, "--body", file)
	run(t, "api", "demo", "publishDesign", "--data", data)
}

// saveLanding saves a landing page of the demo shop with sections in JSON.
func saveLanding(t testing.TB, data, slug, sections string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "landing.json")
	page := `{"slug":"` + slug + `","title":{"en":"A saree","bn":"শাড়ি"},"description":{},"products":["rajshahi-silk-saree"],` +
		`"visible":true,"sections":` + sections + `}`
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "api", "demo", "saveLandingPage", "--data", data, "--body", file)
}

// allSections has each kind of section that needs no picture.
const allSections = `[
	{"kind":"announcement","settings":{"text":{"en":"Until Thursday","bn":"বৃহস্পতিবার পর্যন্ত"},"link":"/collections/all"}},
	{"kind":"hero","settings":{"title":{"en":"Woven by hand","bn":"হাতে বোনা"},"text":{"en":"From the loom.","bn":"তাঁত থেকে।"}}},
	{"kind":"promises"},{"kind":"collection","settings":{"collection":"women","count":4}},{"kind":"collections"},
	{"kind":"products","settings":{"from":"bestSelling","count":4}},
	{"kind":"pictureText","settings":{"title":{"en":"Our weavers"},"text":{"en":"Twelve families."},"button":{"en":"More"},"link":"/pages/about"}},
	{"kind":"text","settings":{"title":{"en":"About"},"text":{"en":"One.\n\nTwo."},"centered":true}},
	{"kind":"video","settings":{"title":{"en":"At the loom"},"link":"https://example.com/video"}},
	{"kind":"testimonials","settings":{"items":[{"text":{"bn":"খুব সুন্দর।"},"name":{"bn":"রহিমা"},"place":{"bn":"ঢাকা"}}]}},
	{"kind":"questions","settings":{"items":[{"question":{"en":"Can I return it?"},"answer":{"en":"Within 7 days."}}]}},
	{"kind":"offer","settings":{"title":{"en":"For you","bn":"আপনার জন্য"},"coupon":"SAVE150"}},
	{"kind":"contact"}]`

// Each design is accessible, and no page is wider than its screen: as it is, in light and dark, on
// a phone and a desk, and with sections of each kind.
func TestBuyer_Designs(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	for i, name := range []string{"angan", "haat", "alo", "mela"} {
		publishDesign(t, data, `{"design":"`+name+`","tokens":{},"templates":{}}`)
		width, scheme, prefix := 360, "dark", "/bn"
		if i%2 == 1 {
			width, scheme, prefix = 1280, "light", ""
		}
		page, site := newVisitor(t, p, width, scheme)
		for view, path := range map[string]string{"home": "", "product": "/products/rajshahi-silk-saree", "landing": "/l/t-shirt"} {
			page.Go(site + prefix + path)
			checkVisited(page, name+"-"+view)
		}
		publishDesign(t, data, `{"design":"`+name+`","tokens":{"seed":"#b03a5b"},"templates":{"home":`+allSections+`}}`)
		page.Go(site + prefix)
		checkVisited(page, name+"-sections")
	}
}

// A buyer orders on a landing page: the button shows the total of what is chosen, with the price of
// several units, and one tap places the order.
func TestBuyer_Landing(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	page, site := newVisitor(t, p, 360, "light")
	page.Go(site + "/bn/l/t-shirt?fbclid=x")
	page.Click("[name=quantity][value='2']")
	page.Click(".pick [name=delivery]")
	page.Wait(`document.querySelector("[data-total]").textContent === " · ৳৮৫০"`)
	page.Fill("#phone", "01711000000")
	page.Fill("#name", "Rahima Khatun")
	page.Fill("#address", "House 12, Road 3, Dhanmondi")
	page.Click("[data-place]")
	page.Wait(`location.pathname.startsWith("/bn/orders/")`)
	checkVisited(page, "landing-order")
	if got := page.Text("h1"); got == "" {
		t.Error("the order's page has no heading")
	}
}
