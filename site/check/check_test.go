package check_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
	"storefront/site/check"
)

const origin = "https://shop.example"

// pages are the responses of a small site, by path.
type pages map[string]string

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := p[r.URL.RequestURI()]
	switch {
	case r.Host == "old.example" && p["redirect"] != "":
		http.Redirect(w, r, origin+r.URL.RequestURI(), http.StatusMovedPermanently)
	case r.Method == http.MethodPost:
		http.Redirect(w, r, "/checkout", http.StatusSeeOther)
	case !ok:
		w.WriteHeader(http.StatusNotFound)
	case strings.HasSuffix(r.URL.Path, ".xml"):
		w.Header().Set("Content-Type", "application/xml")
		_, _ = w.Write([]byte(body))
	default:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(body))
	}
}

// newPages returns a sound site with a product that has this variant.
func newPages(variant string) pages {
	page := func(path, other, head, body string) string {
		return `<!doctype html><html><head><title>Title</title><meta name="description" content="Text"><link rel="canonical" href="` + origin + path +
			`"><link rel="alternate" hreflang="en" href="` + origin + path + `"><link rel="alternate" hreflang="bn" href="` + origin + other +
			`"><link rel="alternate" hreflang="x-default" href="` + origin + path + `"><link rel="stylesheet" href="/assets/a.css">` + head +
			`</head><body><h1>Title</h1>` + body + `<a href="/">Home</a></body></html>`
	}
	offer := `{"@type":"Offer","url":"` + origin + `/products/tea?variant=` + variant +
		`","price":"130.00","priceCurrency":"BDT","availability":"x","itemCondition":"x"}`
	head := `<meta property="product:retailer_item_id" content="` + variant + `"><meta property="product:price:amount" content="130.00">` +
		`<meta property="product:price:currency" content="BDT">` +
		`<script type="application/ld+json">{"@type":"Product","name":"Tea","image":["x"],"offers":` + offer + `}</script>` +
		`<script type="application/ld+json">{"@type":"BreadcrumbList"}</script>`
	body := `<img src="/media/tea.jpg" alt=""><div class="rich">Black tea</div><a href="/policies/terms">Terms</a>`
	p := pages{
		"redirect": "yes", "/assets/a.css": "a{}", "/media/tea.jpg": "x", "/policies/terms": page("/policies/terms", "/bn/policies/terms", "", ""),
		"/robots.txt": "Sitemap: " + origin + "/sitemap.xml\n", "/checkout": page("/checkout", "", "", ""), "/sitemap.xml": "<urlset>",
	}
	for path, other := range map[string]string{"/": "/bn", "/products/tea": "/bn/products/tea"} {
		content := [2]string{"", ""}
		if path != "/" {
			content = [2]string{head, body}
		}
		p[path] = page(path, other, content[0], content[1])
		p[other] = strings.ReplaceAll(page(other, path, content[0], content[1]), `hreflang="en"`, `hreflang="x"`)
		p[other] = strings.ReplaceAll(p[other], `hreflang="bn"`, `hreflang="en"`)
		p[other] = strings.ReplaceAll(p[other], `hreflang="x"`, `hreflang="bn"`)
		p["/sitemap.xml"] += "<url><loc>" + origin + path + "</loc></url><url><loc>" + origin + other + "</loc></url>"
	}
	p["/sitemap.xml"] += "</urlset>"
	for _, feed := range []string{"/feed.xml", "/bn/feed.xml"} {
		p[feed] = `<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>` + variant +
			`</g:id><g:price>130.00 BDT</g:price></item></channel></rss>`
	}
	return p
}

// Each defect of a page is found, and a sound site has none.
func TestRun(t *testing.T) {
	t.Parallel()
	s := shoptest.New(t, &shoptest.Options{Settings: map[string]any{"secondLocale": "bn"}})
	tea, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Tea", Handle: "tea", Variants: []catalogue.VariantInput{{Price: 13_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	sound := newPages(tea.Variants[0].ID)
	noise := rand.New(rand.NewPCG(1, 2))
	var large strings.Builder
	for range 60_000 {
		fmt.Fprintf(&large, "%c", 'a'+noise.IntN(26))
	}
	for _, tt := range []struct {
		name, path, old, new string
		want                 check.Code
	}{
		{"sound", "", "", "", ""},
		{"a broken link", "/", `<a href="/">`, `<a href="/products/gone">`, check.BrokenLink},
		{"a link of another host", "/", `<a href="/">`, `<a href="https://other.example/gone">`, ""},
		{"a filtered list", "/", `<a href="/">`, `<a href="/collections/all?sort=price">`, ""},
		{"a broken picture", "/products/tea", "/media/tea.jpg", "/media/gone.jpg", check.BrokenPicture},
		{"a broken style", "/assets/a.css", "*", "", check.BrokenLink},
		{"a broken page", "/bn", "*", "", check.BrokenPage},
		{"no title", "/", "<title>Title</title>", "", check.MissingTitle},
		{"no heading", "/", "<h1>Title</h1>", "", check.MissingTitle},
		{"no description", "/", `content="Text"`, `content=""`, check.MissingDescription},
		{"another address", "/", `rel="canonical" href="` + origin, `rel="canonical" href="https://other.example`, check.SecondHost},
		{"no address", "/", `rel="canonical"`, `rel="x"`, check.MissingCanonical},
		{"no language", "/", `hreflang="bn"`, `hreflang="fr"`, check.MissingLanguage},
		{"no default", "/", `hreflang="x-default"`, `hreflang="fr"`, check.MissingLanguage},
		{"no text", "/products/tea", "Black tea", "", check.MissingText},
		{"no alternative", "/products/tea", ` alt=""`, "", check.MissingText},
		{"no picture", "/products/tea", `"image":["x"],`, "", check.MissingPicture},
		{"another price for search engines", "/products/tea", `"price":"130.00"`, `"price":"13.00"`, check.WrongPrice},
		{"another price in the preview", "/products/tea", `amount" content="130.00"`, `amount" content="1.00"`, check.WrongPrice},
		{"another price in the feed", "/bn/feed.xml", "130.00", "131.00", check.WrongPrice},
		{"no offer", "/products/tea", `?variant=`, `?v=`, check.WrongData},
		{"no path", "/products/tea", `BreadcrumbList`, `X`, check.WrongData},
		{"data that is not JSON", "/products/tea", `{"@type":"Product"`, `{"`, check.WrongData},
		{"a broken feed", "/feed.xml", "</rss>", "<>", check.BrokenPage},
		{"an empty feed", "/feed.xml", "*", "<rss/>", check.Unlisted},
		{"an unlisted product", "/sitemap.xml", "<url><loc>" + origin + "/products/tea</loc></url>", "", check.Unlisted},
		{"no sitemap", "/robots.txt", "*", "", check.Unlisted},
		{"a large page", "/", "</body>", large.String() + "</body>", check.OverBudget},
		{"a large checkout", "/checkout", "</body>", large.String() + "</body>", check.OverBudget},
		{"a second host", "redirect", "*", "", check.SecondHost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			site := maps.Clone(sound)
			switch {
			case tt.path == "":
			case tt.old == "*" && tt.new == "":
				delete(site, tt.path)
			case tt.old == "*":
				site[tt.path] = tt.new
			case !strings.Contains(site[tt.path], tt.old):
				t.Fatalf("%s lacks %q", tt.path, tt.old)
			default:
				site[tt.path] = strings.Replace(site[tt.path], tt.old, tt.new, 1)
			}
			report, err := check.Run(t.Context(), check.Options{Handler: site, Shop: s, Origin: origin, OtherHosts: []string{"old.example"}})
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" && len(report.Problems) > 0 {
				t.Errorf("got %v, want none", report.Problems)
			}
			isWanted := func(p check.Problem) bool { return p.Code == tt.want }
			if tt.want != "" && !slices.ContainsFunc(report.Problems, isWanted) {
				t.Errorf("got %v, want %s", report.Problems, tt.want)
			}
		})
	}
}

// A limit on the pages is reported, and the links to the others are not broken.
func TestRun_MaxPages(t *testing.T) {
	t.Parallel()
	s := shoptest.New(t, &shoptest.Options{})
	for i := range 30 {
		_, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
			Title: fmt.Sprint("Tea ", i), Variants: []catalogue.VariantInput{{Price: 13_000}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	report, err := check.Run(t.Context(), check.Options{Handler: newPages("x"), Shop: s, Origin: origin, MaxPages: 1})
	if err != nil || report.Complete || report.Products != 30 {
		t.Errorf("got %+v, %v, want an incomplete report about 30 products", report, err)
	}
}
