package storefront_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/server/storefront"
)

// api is an API with these responses, by URL.
type api map[string]string

func (a api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := a[r.URL.RequestURI()]
	if !ok || r.Header.Get("X-Tenant") != "demo" {
		w.WriteHeader(http.StatusNotFound)
		body = `{"code":"not_found"}`
	}
	_, _ = w.Write([]byte(body))
}

const hostile = `</script><script>alert(1)</script>"'&<b>`

func newDescribedPage(t *testing.T) http.Handler {
	t.Helper()
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	h, err := storefront.New(storefront.Config{Tenant: "demo", Origin: "https://shop.example", API: api{
		"/api/v1/tenant": `{"name":"Demo Shop — ডেমো শপ","logoUrl":"/logo.svg",
			"legalPolicies":[{"slug":"returns","title":"Returns — ফেরত","bodyHtml":"<p>Open the parcel &amp; look.</p>"}]}`,
		"/api/v1/collections?limit=-1": `{"nodes":[{"_id":"C1",
			"handle":"tea","title":"Tea — চা","descriptionHtml":"<p>Green and black.</p>","image":null}]}`,
		"/api/v1/products/handle/green-tea": `{"handle":"green-tea","title":"Green Tea — সবুজ চা","vendor":"Sreemangal",
			"descriptionHtml":"<p>Two leaves.</p>","images":[{"url":"/tea.jpg"},{"url":"https://cdn.example/tea-2.jpg"}],"collectionIds":["C1"],
			"variants":[{"_id":"V1","image":{"url":"/tea.jpg"},"sku":"T-1","title":"100 g",
				"price":{"amount":145000,"currency":"BDT","formatted":"৳1,450.00"},"stockStatus":"IN_STOCK"},
			{"_id":"V2","available":true,"image":{"url":"/tea-2.jpg"},"sku":null,"title":"1 kg",
				"price":{"amount":5,"currency":"BDT","formatted":"৳0.05"},"stockStatus":"OUT_OF_STOCK"}]}`,
		"/api/v1/products/handle/hostile": `{"handle":"hostile","title":` + string(quoted) + `,"vendor":` + string(quoted) + `,"descriptionHtml":"",
			"images":[{"url":"javascript:alert(2)"}],
			"variants":[{"_id":"V3","price":{"amount":450,"currency":"JPY","formatted":"¥450"},"stockStatus":"LOW_STOCK"}]}`,
		"/api/v1/products?collectionIds%5B%5D=C1&inStock=true&limit=5": `{"nodes":[]}`,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// What crawlers and previews read without a script.
func TestPage_Head(t *testing.T) {
	t.Parallel()
	h := newDescribedPage(t)
	for _, tt := range []struct {
		query, language string
		status          int
		want            []string
	}{
		{"", "", 200, []string{
			`<html lang="en">`, `<title>Demo Shop</title>`, `<meta property="og:title" content="Demo Shop">`,
			`<meta property="og:type" content="website">`, `<meta name="description" content="Tea">`, `<link rel="canonical" href="https://shop.example/">`,
		}},
		{"?product=green-tea", "en", 200, []string{
			`<title>Green Tea · Demo Shop</title>`, `<meta property="og:title" content="Green Tea · Demo Shop">`,
			`<meta property="og:type" content="product">`,
			`<meta property="og:image" content="https://shop.example/tea.jpg">`, `<link rel="preload" as="image" href="/tea-2.jpg" fetchpriority="high">`,
			`<meta name="description" content="Two leaves.">`,
			`<link rel="canonical" href="https://shop.example/?product=green-tea">`,
		}},
		{"?product=green-tea", "bn-BD,bn;q=0.9", 200, []string{`<html lang="bn">`, `<title>সবুজ চা · ডেমো শপ</title>`}},
		{"?product=green-tea&variant=V1", "", 200, []string{`<link rel="preload" as="image" href="/tea.jpg" fetchpriority="high">`}},
		{"?collection=tea", "", 200, []string{
			`<title>Tea · Demo Shop</title>`, `content="Green and black."`, `href="https://shop.example/?collection=tea"`,
		}},
		{"?policy=returns", "", 200, []string{`<title>Returns · Demo Shop</title>`, `content="Open the parcel &amp; look."`}},
		{"?order=A", "", 200, []string{`<title>Demo Shop</title>`, `<meta name="robots" content="noindex">`}},
		{"?product=none", "", 404, []string{`<meta name="robots" content="noindex">`}},
		{"?collection=none", "", 404, nil},
		{"?policy=none", "", 404, nil},
		{"nothing-here", "", 404, []string{`<meta name="robots" content="noindex">`, `id="main"`}},
	} {
		page := get(t, h, "https://shop.example/"+tt.query, "Accept-Language", tt.language)
		if page.Code != tt.status {
			t.Errorf("/%s: got %d, want %d", tt.query, page.Code, tt.status)
		}
		for _, want := range tt.want {
			if !strings.Contains(page.Body.String(), want) {
				t.Errorf("/%s: want %s in\n%s", tt.query, want, page.Body)
			}
		}
	}
	if home := get(t, h, "https://shop.example/").Body.String(); strings.Contains(home, "og:image") {
		t.Errorf("got a preview of an SVG logo, which no preview shows:\n%s", home)
	}
}

var structured = regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`)

func TestPage_StructuredData(t *testing.T) {
	t.Parallel()
	h := newDescribedPage(t)
	found := structured.FindStringSubmatch(get(t, h, "https://shop.example/?product=green-tea").Body.String())
	if found == nil {
		t.Fatal("got no structured data")
	}
	var got, want any
	if err := json.Unmarshal([]byte(found[1]), &got); err != nil {
		t.Fatalf("%v: %s", err, found[1])
	}
	if err := json.Unmarshal([]byte(`{"@context":"https://schema.org","@type":"Product","name":"Green Tea","description":"Two leaves.",
		"image":["https://shop.example/tea.jpg","https://cdn.example/tea-2.jpg"],"url":"https://shop.example/?product=green-tea",
		"brand":{"@type":"Brand","name":"Sreemangal"},"offers":[
		{"@type":"Offer","name":"100 g","sku":"T-1","price":"1450.00","priceCurrency":"BDT","availability":"https://schema.org/InStock",
			"url":"https://shop.example/?product=green-tea&variant=V1"},
		{"@type":"Offer","name":"1 kg","price":"0.05","priceCurrency":"BDT","availability":"https://schema.org/OutOfStock",
			"url":"https://shop.example/?product=green-tea&variant=V2"}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want(-) got(+):\n%s", diff)
	}
}

// A merchant's text is text, wherever it stands.
func TestPage_HostileTexts(t *testing.T) {
	t.Parallel()
	page := get(t, newDescribedPage(t), "https://shop.example/?product=hostile").Body.String()
	if strings.Contains(page, "<script>") || strings.Contains(page, "<b>") || strings.Contains(page, `content="javascript:`) {
		t.Errorf("got markup of the merchant:\n%s", page)
	}
	var product struct {
		Name   string
		Offers []struct{ Price, Availability string }
	}
	if err := json.Unmarshal([]byte(structured.FindStringSubmatch(page)[1]), &product); err != nil {
		t.Fatal(err)
	}
	if product.Name != hostile || product.Offers[0].Price != "450" || product.Offers[0].Availability != "https://schema.org/LimitedAvailability" {
		t.Errorf("got %+v, want the texts unchanged", product)
	}
	var responses map[string]struct{ Title string }
	_, data, _ := strings.Cut(page, `id="responses">`)
	data, _, _ = strings.Cut(data, "</script>")
	if err := json.Unmarshal([]byte(data), &responses); err != nil || responses["/api/v1/products/handle/hostile"].Title != hostile {
		t.Errorf("got %v, %v; want the API's response unchanged", responses, err)
	}
}
