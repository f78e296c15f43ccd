package server_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// A product file has the second language in brackets.
func TestTranslation_ProductFile(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	file := string(s.as("GET", "exports/products", "", "Cookie", s.owner).body)
	header, _, _ := strings.Cut(file, "\n")
	wantTexts(t, "header", header, "Title [bn]", "Body (HTML) [bn]", "SEO Title [bn]", "Option1 Name [bn]", "Option1 Value [bn]")
	wantTexts(t, "export", file, "সুতি শার্ট", "<p>হাতে বোনা</p>", "মাপ", "বড়", "ছোট")
	wantTexts(t, "same file", s.importFile(file), `"created":0`, `"changed":0`)
	s.must("PATCH", "settings", `{"secondLocale":""}`)
	wantTexts(t, "no second language", s.importFile(file), `"column":"Title [bn]"`)
	wantTexts(t, "no second language", string(s.as("GET", "exports/products", "", "Cookie", s.owner).body), "-[bn]")
	s.must("PATCH", "settings", `{"secondLocale":"bn"}`)
	wantTexts(t, "another language", s.importFile("Handle,Title,Title [fr]\nshirt,Shirt,Chemise\n"), `"column":"Title [fr]"`, "not_allowed")
	wantTexts(t, "twice", s.importFile("Handle,Title [bn],Title [BN]\nshirt,a,b\n"), "column_twice")
	wantTexts(t, "too long", s.importFile("Handle,Title [bn]\nshirt,"+strings.Repeat("ক", 256)+"\n"), `"column":"Title [bn]"`, `"line":2`)

	wantTexts(t, "changed", s.importFile("Handle,Title [bn],SEO Title [bn],Option1 Name,Option1 Value,Option1 Value [bn]\n"+
		"shirt,জামা,,Size,Large,বিরাট\nshirt,,,Size,Small,\nshirt,,,Size,Free,ফ্রি\n"), `"changed":1`)
	wantTexts(t, "changed", string(s.get("/api/v1/products/handle/shirt?lang=bn").body),
		"জামা", "হাতে বোনা", "Buy a shirt", "বিরাট", "Small", "ফ্রি", "মাপ")
	wantTexts(t, "search", string(s.get("/api/v1/products?search="+esc("জামা")).body), "Cotton shirt")
	wantTexts(t, "created", s.importFile("Handle,Title,Variant Price,Title [bn]\ncap,Cap,50,টুপি\n"), `"created":1`)
	wantTexts(t, "created", string(s.get("/bn/products/cap", "x-tenant", "").body), "টুপি")
	wantTexts(t, "created", string(s.get("/api/v1/products?search="+esc("টুপি")).body), "Cap")
}

// The texts of pictures are translated in a file, and go with a duplicate and to another shop.
func TestTranslation_PicturesInFile(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	const front, back = "https://cdn.example/front.jpg", "https://cdn.example/back.jpg"
	s.must("PATCH", "products/shirt", `{"images":[{"url":"`+front+`","alt":"From the front"},{"url":"`+back+`","alt":"Cotton shirt"}]}`)
	field := "alt:" + s.must("GET", "products/shirt", "")["images"].([]any)[0].(map[string]any)["_id"].(string)
	s.must("PATCH", "translations/product/shirt", `{"texts":{"`+field+`":"সামনে থেকে"}}`)

	exported := string(s.as("GET", "exports/products", "", "Cookie", s.owner).body)
	wantTexts(t, "export", exported, "Image Alt Text [bn]", "সামনে থেকে")
	wantTexts(t, "same file", s.importFile(exported), `"created":0`, `"changed":0`)
	copied := s.must("POST", "products/shirt/duplicate", "")["handle"].(string)
	duplicate, _ := json.Marshal(s.must("GET", "translations/product/"+copied, ""))
	wantTexts(t, "duplicate", string(duplicate), "সামনে থেকে")
	wantTexts(t, "another product", s.importFile(strings.ReplaceAll(exported, "shirt,", "blouse,")), `"created":1`)
	wantTexts(t, "another product", string(s.get("/api/v1/products/handle/blouse?lang=bn").body), "সামনে থেকে", "সুতি শার্ট")

	change := func(file string) string {
		return s.importFile("Handle,Image Src,Image Alt Text,Image Alt Text [bn]\nmug," + front + file + "mug," + back + ",,\n")
	}
	wantTexts(t, "changed", change(",From the front,সামনের দিক\n"), `"changed":1`)
	wantTexts(t, "changed", string(s.get("/api/v1/products/handle/mug?lang=bn").body), "সামনের দিক")
	wantTexts(t, "nothing to translate", change(",,সামনের দিক\n"), `"column":"Image Alt Text [bn]"`, `"line":2`)
	wantTexts(t, "emptied", change(",From the front,\n"), `"changed":1`)
	wantTexts(t, "emptied", string(s.get("/api/v1/products/handle/mug?lang=bn").body), "From the front", "-সামনের")
}

// A search finds products by their tags and types in both languages.
func TestTranslation_SearchTerms(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	s.must("PATCH", "products/shirt", `{"tags":["Eid gift/2026"],"type":"Menswear"}`)
	s.must("PATCH", "translations/tag/"+url.PathEscape("eid gift%2F2026"), `{"texts":{"name":"ঈদ উপহার"}}`)
	s.must("PATCH", "translations/type/menswear", `{"texts":{"name":"পুরুষের পোশাক"}}`)
	for _, query := range []string{"ঈদ উপহার", "উপহার", "পোশাক", "পুরুষের পোশাক", "শার্ট উপহার", "eid gift", "menswear"} {
		wantTexts(t, query, string(s.get("/api/v1/products?search="+esc(query)).body), "Cotton shirt", "-Mug")
	}
	wantTexts(t, "on the site", string(s.get("/bn/search?q="+esc("উপহার"), "x-tenant", "").body), "সুতি শার্ট")
	s.must("PATCH", "translations/type/menswear", `{"texts":{"name":""}}`)
	wantTexts(t, "without a translation", string(s.get("/api/v1/products?search="+esc("পোশাক")).body), "-Cotton shirt")
}

// importFile imports a product file, and returns the report.
func (s *auditShop) importFile(file string) string {
	s.t.Helper()
	return string(s.send("POST", "/admin/v1/shops/test/imports/products", file, "Cookie", s.owner, "Content-Type", "text/csv").body)
}
