package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/job"
)

// product sends a request of the owner and returns the product in its response.
func (s *auditShop) product(method, path, body string) (p catalogue.ProductRecord) {
	s.t.Helper()
	got := s.as(method, path, body, "Cookie", s.owner)
	if got.status >= 300 {
		s.t.Fatalf("%s %s: got %d: %s", method, path, got.status, got.body)
	}
	if err := json.Unmarshal(got.body, &p); err != nil {
		s.t.Fatal(err)
	}
	return p
}

// variantText describes what a test compares of a variant.
func variantText(v catalogue.VariantRecord) string {
	stock, cost := "-", "-"
	if v.Stock != nil {
		stock = fmt.Sprint(*v.Stock)
	}
	if v.Cost != nil {
		cost = fmt.Sprint(v.Cost.Amount)
	}
	image := "-"
	if v.Image != nil {
		image = v.Image.URL[strings.LastIndex(v.Image.URL, "/")+1:]
	}
	sku := "-"
	if v.SKU != nil {
		sku = *v.SKU
	}
	return fmt.Sprint(v.Title, " ", sku, " ", v.Price.Amount, " stock ", stock, " low ", v.LowStock, " cost ", cost, " image ", image)
}

func wantVariants(t *testing.T, p catalogue.ProductRecord, want ...string) {
	t.Helper()
	var got []string
	for _, v := range p.Variants {
		got = append(got, variantText(v))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variants of %s (-want +got):\n%s", p.Handle, diff)
	}
}

// A product is created whole, with pictures of the library, and changed whole by the IDs of its
// parts: what a change leaves out stays, and a list replaces the whole list.
func TestAdmin_ProductWhole(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.upload()
	created := s.as("POST", "products", `{"title":"Cotton panjabi","descriptionHtml":"<p >Soft</p><script >x</script>","vendor":"Aarong",
		"type":"Panjabi","tags":["eid"],"collections":["<collection>"],"options":["Size"],"seo":{"title":"Panjabi"},"metadata":{"fit":"slim"},
		"images":[{"url":"/front.jpg","alt":"Front"},{"mediaId":"<media>","alt":"Back"}],
		"variants":[{"options":["M"],"sku":"P-M","barcode":"8901","price":125000,"compareAtPrice":150000,"cost":70000,"stock":3,"weightGrams":300,
			"image":{"url":"/front.jpg"}},
			{"options":["L"],"sku":"P-L","price":130000,"stock":0,"lowStock":2,"image":{"mediaId":"<media>"}},
			{"options":["XL"],"price":130000}]}`, "Cookie", s.owner)
	if created.status != http.StatusCreated || created.header.Get("ETag") == "" {
		t.Fatalf("got %d: %s", created.status, created.body)
	}
	var p catalogue.ProductRecord
	if err := json.Unmarshal(created.body, &p); err != nil {
		t.Fatal(err)
	}
	wantVariants(t, p, "M P-M 125000 stock 3 low 5 cost 70000 image front.jpg", "L P-L 130000 stock 0 low 2 cost - image 10.png",
		"XL - 130000 stock - low 5 cost - image -")
	if p.Handle != "cotton-panjabi" || p.DescriptionHTML != "<p>Soft</p>" || p.Stock != 3 || len(p.CollectionIDs) != 1 || len(p.Images) != 2 ||
		p.Metadata["fit"] != "slim" || *p.SEO.Title != "Panjabi" || p.PublishedAt == nil {
		t.Errorf("got %+v", p)
	}
	s.values["m"], s.values["l"] = p.Variants[0].ID, p.Variants[1].ID
	s.values["front"], s.values["back"] = p.Images[0].ID, p.Images[1].ID

	// Reordered images, one variant removed, one new, one renamed, one unchanged.
	path := "products/" + p.ID
	p = s.product("PATCH", path, `{"images":[{"_id":"<back>"},{"_id":"<front>","alt":"Whole"}],
		"variants":[{"_id":"<l>","price":99000},{"options":["S"],"price":90000,"stock":4},{"_id":"<m>","options":["Medium"],"cost":null}]}`)
	wantVariants(t, p, "L P-L 99000 stock 0 low 2 cost - image 10.png", "S - 90000 stock 4 low 5 cost - image -",
		"Medium P-M 125000 stock 3 low 5 cost - image front.jpg")
	if p.Variants[0].ID != s.values["l"] || p.Variants[2].ID != s.values["m"] || p.Images[0].ID != s.values["back"] || p.Images[0].Alt != "Back" ||
		p.Images[1].Alt != "Whole" || p.Title != "Cotton panjabi" || len(p.Tags) != 1 {
		t.Errorf("got %+v, want the IDs and the fields that were left out", p)
	}
	if n := s.shop.Number(t, `SELECT SUM(delta) FROM stock_movements WHERE variant_id = '`+p.Variants[1].ID+`'`); n != 4 {
		t.Errorf("got movements of %d units, want 4", n)
	}

	for body, fields := range map[string]string{
		`{"variants":[{"_id":"nope","price":1}]}`:              "variants[0].options[0] required, variants[0]._id invalid_value",
		`{"variants":[{"_id":"<l>"},{"_id":"<l>"}]}`:           "variants[1].options[0] required, variants[1]._id invalid_value",
		`{"variants":[{"options":["S"]},{"options":["XXL"]}]}`: "variants[1].price required",
		`{"images":[{"_id":"nope"}]}`:                          "images[0] invalid_value",
		`{"variants":[]}`:                                      "variants required",
		`{"handle":"mug"}`:                                     "handle invalid_value",
		`{"collections":["nope"]}`:                             "collections[0] invalid_value",
		`{"options":["Size","Size"]}`: "options[1] invalid_value, variants[0].options[1] required, variants[1].options[1] required, " +
			"variants[2].options[1] required",
		`{"variants":[{"_id":"<l>","image":{"mediaId":"nope"}}]}`:    "variants[0].image invalid_value",
		`{"variants":[{"_id":"<l>","tracked":false,"stock":1}]}`:     "variants[0].tracked invalid_value",
		`{"variants":[{"_id":"<l>","cost":-1}]}`:                     "variants[0].cost invalid_value",
		`{"seo":{"title":"` + strings.Repeat("x", 256) + `"}}`:       "seoTitle invalid_value",
		`{"variants":[{"_id":"<l>","options":["A","B"]}]}`:           "variants[0].options[1] invalid_value",
		`{"variants":[{"_id":"<l>"},{"_id":"<m>","options":["L"]}]}`: "variants[1].options invalid_value",
	} {
		got := s.as("PATCH", path, body, "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
		if got.fields() != fields {
			t.Errorf("%s: got fields %q, want %s", body, got.fields(), fields)
		}
	}
	wantVariants(t, s.product("GET", path, ""), "L P-L 99000 stock 0 low 2 cost - image 10.png", "S - 90000 stock 4 low 5 cost - image -",
		"Medium P-M 125000 stock 3 low 5 cost - image front.jpg")
	taken := s.as("POST", "products", `{"title":"Mug","handle":"mug","variants":[{"price":1}]}`, "Cookie", s.owner)
	wantProblem(t, taken, 422, fault.CodeValidationFailed)
	if second := s.product("POST", "products", `{"title":"Mug","status":"draft","variants":[{"price":1}]}`); second.Handle != "mug-2" {
		t.Errorf("got the handle %s, want one that no product has", second.Handle)
	}
}

// Without the permission for stock a key creates and changes products, but not their stock.
func TestAdmin_ProductStockPermission(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	key := s.key(t, "products.read", "products.write")
	s.as("POST", "products", `{"title":"Tea","variants":[{"price":1,"tracked":true}]}`, "Authorization", key).ok(201, &catalogue.ProductRecord{})
	wantProblem(t, s.as("POST", "products", `{"title":"Jam","variants":[{"price":1,"stock":1}]}`, "Authorization", key), 403, fault.CodeForbidden)
	wantProblem(t, s.as("PATCH", "products/mug", `{"title":"Cup","variants":[{"stock":1}]}`, "Authorization", key), 403, fault.CodeForbidden)
	if p := s.product("GET", "products/mug", ""); p.Title != "Mug" || p.Stock != 10 {
		t.Errorf("got %s with %d units, want nothing changed", p.Title, p.Stock)
	}
}

// Buyers find a product at its earlier handles, until another product has one of them.
func TestAdmin_EarlierHandles(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	want := func(handle, id string) {
		t.Helper()
		rest := s.get("/api/v1/products/handle/" + handle)
		graph := s.send("POST", "/graphql", `{"query":"{ product(handle: \"`+handle+`\") { _id handle } }"}`)
		if id == "" {
			rest.problem(http.StatusNotFound, fault.CodeNotFound)
			if !strings.Contains(string(graph.body), `"code":"not_found"`) {
				t.Errorf("GraphQL %s: got %s, want not_found", handle, graph.body)
			}
			return
		}
		var p catalogue.Product
		if rest.ok(200, &p); p.ID != id || !strings.Contains(string(graph.body), `"_id":"`+id+`"`) {
			t.Errorf("%s: got %s and %s, want the product %s", handle, p.ID, graph.body, id)
		}
	}
	mug := s.values["product"]
	want("mug", mug)
	want("cup", "")
	s.must("PATCH", "products/mug", `{"handle":"cup"}`)
	s.must("PATCH", "products/cup", `{"handle":"Clay-Cup"}`)
	for _, handle := range []string{"mug", "cup", "clay-cup", "MUG"} {
		want(handle, mug)
	}
	if p := s.product("GET", "products/"+mug, ""); p.Handle != "clay-cup" {
		t.Errorf("got the handle %s", p.Handle)
	}

	// A title leads to a handle that nothing has had, but a merchant may choose one.
	if p := s.product("POST", "products", `{"title":"Cup","variants":[{"price":1}]}`); p.Handle != "cup-2" {
		t.Errorf("got the handle %s, want cup-2, since links lead to cup", p.Handle)
	}
	other := s.product("POST", "products", `{"title":"Big mug","handle":"mug","variants":[{"price":1}]}`)
	want("mug", other.ID)
	want("cup", mug)
	s.must("PATCH", "products/"+other.ID, `{"handle":"big-mug"}`)
	want("mug", other.ID)
	s.must("PATCH", "products/"+mug, `{"handle":"mug"}`) // back again
	want("mug", mug)
	want("big-mug", other.ID)
	s.must("PATCH", "products/"+mug, `{"status":"draft"}`)
	want("cup", "")
	s.must("DELETE", "products/"+mug, "")
	want("clay-cup", "")
}

// A duplicate is a draft with the content of its original, without stock and without what names
// one variant.
func TestAdmin_DuplicateProduct(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.upload()
	s.must("PATCH", "products/mug", `{"tags":["clay"],"collections":["<collection>"],"images":[{"mediaId":"<media>","alt":"Mug"}],
		"variants":[{"cost":200,"barcode":"8901","lowStock":2,"image":{"mediaId":"<media>"}}]}`)
	p := s.product("POST", "products/mug/duplicate", "")
	wantVariants(t, p, "Mug (copy) - 45000 stock 0 low 2 cost 200 image 10.png")
	if p.Handle != "mug-copy" || p.Status != catalogue.ProductDraft || p.PublishedAt != nil || p.Variants[0].Barcode != nil || len(p.Tags) != 1 ||
		len(p.CollectionIDs) != 1 || p.Images[0].Alt != "Mug" {
		t.Errorf("got %+v", p)
	}
	original := s.product("GET", "products/mug", "")
	if original.Stock != 10 || original.Images[0].ID == p.Images[0].ID || original.Variants[0].ID == p.Variants[0].ID {
		t.Errorf("got %+v, want the original as it was", original)
	}
	s.get("/api/v1/products/handle/mug-copy").problem(http.StatusNotFound, fault.CodeNotFound)
	if again := s.product("POST", "products/mug/duplicate", ""); again.Handle != "mug-copy-2" {
		t.Errorf("got the handle %s, want mug-copy-2", again.Handle)
	}
	s.must("PATCH", "products/mug", `{"title":"`+strings.Repeat("ম", 255)+`"}`)
	if long := s.product("POST", "products/mug/duplicate", ""); len([]rune(long.Title)) != 255 || !strings.HasSuffix(long.Title, " (copy)") {
		t.Errorf("got a title of %d characters", len([]rune(long.Title)))
	}
}

// Only products that buyers do not see can be deleted.
func TestAdmin_DeleteActiveProduct(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	wantProblem(t, s.as("DELETE", "products/mug", "", "Cookie", s.owner), 409, fault.CodeStateConflict)
	s.get("/api/v1/products/handle/mug").ok(200, &catalogue.Product{})
	s.must("PATCH", "products/mug", `{"status":"draft"}`)
	s.must("DELETE", "products/mug", "")
	wantProblem(t, s.as("GET", "products/mug", "", "Cookie", s.owner), 404, fault.CodeNotFound)
}

// Buyers never see what the shop pays for a product.
func TestAdmin_CostHidden(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	const cost = 31337
	s.must("PATCH", "products/mug", fmt.Sprintf(`{"variants":[{"cost":%d}]}`, cost))
	if got := s.as("GET", "products/mug", "", "Cookie", s.owner); !strings.Contains(string(got.body), fmt.Sprint(cost)) {
		t.Errorf("got %s, want the cost for staff", got.body)
	}
	introspection := s.send("POST", "/graphql",
		`{"query":"{ product: __type(name: \"Product\") { fields { name } } variant: __type(name: \"Variant\") { fields { name } } }"}`)
	if strings.Contains(strings.ToLower(string(introspection.body)), `"cost`) || !strings.Contains(string(introspection.body), `"compareAtPrice"`) {
		t.Errorf("GraphQL: got %s, want no field of the cost", introspection.body)
	}
	placed := s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
	order := placed["order"].(map[string]any)["_id"].(string)
	paths := []string{"/api/v1/products", "/api/v1/products/handle/mug", "/api/v1/products/" + s.values["product"], "/api/v1/orders/" + order,
		"/products/mug"}
	for _, path := range paths {
		if got := s.get(path); strings.Contains(string(got.body), fmt.Sprint(cost)) || strings.Contains(string(got.body), `"cost"`) {
			t.Errorf("%s: got %s, want no cost", path, got.body)
		}
	}
	quote := s.send("POST", "/api/v1/orders/quote", `{"items":[{"variantId":"`+s.values["variant"]+`","quantity":1}]}`)
	if strings.Contains(string(quote.body), fmt.Sprint(cost)) {
		t.Errorf("quote: got %s, want no cost", quote.body)
	}
}

// A client that repeats the creation of a product after a lost response has one product.
func TestAdmin_CreateProductOnce(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	const body = `{"title":"Tea","variants":[{"price":9000,"stock":5}]}`
	var ids []string
	for range 2 {
		got := s.as("POST", "products", body, "Cookie", s.owner, "Idempotency-Key", "press-1")
		var p catalogue.ProductRecord
		got.ok(http.StatusCreated, &p)
		ids = append(ids, p.ID)
	}
	if ids[0] != ids[1] || s.shop.Number(t, `SELECT COUNT(*) FROM products WHERE title = 'Tea'`) != 1 {
		t.Errorf("got %v, want one product", ids)
	}
}

// A title in any script becomes a handle: merchants type theirs in Bangla.
func TestAdmin_CreateProductHandle(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for _, test := range []struct{ title, want string }{
		{"Red T-Shirt", "red-t-shirt"}, {"লাল জামদানি শাড়ি (নতুন)", "লাল-জামদানি-শাড়ি-নতুন"}, {"লাল জামদানি শাড়ি, নতুন!", "লাল-জামদানি-শাড়ি-নতুন-2"},
		{"নকশি কাঁথা Queen", "queen"},
	} {
		var p catalogue.ProductRecord
		s.as("POST", "products", fmt.Sprintf(`{"title":%q,"variants":[{"price":9000}]}`, test.title), "Cookie", s.owner).ok(http.StatusCreated, &p)
		if p.Handle != test.want {
			t.Errorf("title %s: got the handle %s, want %s", test.title, p.Handle, test.want)
		}
	}
}

// bulkResults describes a job's results by the labels of its items.
func bulkResults(t *testing.T, r *reply) string {
	t.Helper()
	var j job.Job
	if err := json.Unmarshal(r.body, &j); err != nil || j.Status != job.StatusDone {
		t.Fatalf("got %d %s, want a job that is done", r.status, r.body)
	}
	var texts []string
	for _, result := range j.Results {
		text := result.Label
		switch {
		case result.Code != nil:
			text += " " + string(*result.Code)
		case result.Warning != nil:
			text += " unchanged"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// Actions on many products do with each of them what a dry run says, once.
func TestAdmin_ChangeProducts(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	var ids []string
	for _, title := range []string{"Tea", "Jam"} {
		p := s.product("POST", "products", `{"title":"`+title+`","tags":["food"],"status":"draft","options":["Size"],
			"variants":[{"options":["S"],"price":9995},{"options":["L"],"price":20000,"compareAtPrice":30000}]}`)
		ids = append(ids, p.ID)
	}
	tea := "products/" + ids[0]
	both := `"ids":["` + ids[0] + `","` + ids[1] + `","` + ids[1] + `","nope"]`
	bulk := func(body string, header ...string) *reply {
		t.Helper()
		return s.as("POST", "bulk/products", body, append([]string{"Cookie", s.owner}, header...)...)
	}
	prices := func() string {
		t.Helper()
		var texts []string
		for _, v := range s.product("GET", tea, "").Variants {
			text := fmt.Sprint(v.Price.Amount)
			if v.CompareAtPrice != nil {
				text += fmt.Sprint(" was ", v.CompareAtPrice.Amount)
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, ", ")
	}
	for _, step := range []struct{ body, want, prices string }{
		{`{"action":"addTags","options":{"tags":["Eid","FOOD"]},`, "Tea, Jam,  not_found", "9995, 20000 was 30000"},
		{`{"action":"addTags","options":{"tags":["eid"]},`, "Tea unchanged, Jam unchanged,  not_found", "9995, 20000 was 30000"},
		{`{"action":"removeTags","options":{"tags":["eid"]},`, "Tea, Jam,  not_found", "9995, 20000 was 30000"},
		{`{"action":"addToCollection","options":{"collection":"eid"},`, "Tea, Jam,  not_found", "9995, 20000 was 30000"},
		{`{"action":"publish",`, "Tea, Jam,  not_found", "9995, 20000 was 30000"},
		{`{"action":"delete",`, "Tea state_conflict, Jam state_conflict,  not_found", "9995, 20000 was 30000"},
		{`{"action":"price","options":{"basisPoints":-1000,"roundTo":500,"compareAt":"set"},`, "Tea, Jam,  not_found", "9000 was 9995, 18000 was 30000"},
		{`{"action":"price","options":{"amount":-9000},`, "Tea validation_failed, Jam validation_failed,  not_found", "9000 was 9995, 18000 was 30000"},
		{`{"action":"price","options":{"basisPoints":1250,"compareAt":"clear"},`, "Tea, Jam,  not_found", "10125, 20250"},
		{`{"action":"removeFromCollection","options":{"collection":"<collection>"},`, "Tea, Jam,  not_found", "10125, 20250"},
		{`{"action":"draft",`, "Tea, Jam,  not_found", "10125, 20250"},
		{`{"options":{},"action":"draft",`, "Tea unchanged, Jam unchanged,  not_found", "10125, 20250"},
		{`{"action":"archive",`, "Tea, Jam,  not_found", "10125, 20250"},
	} {
		before := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action LIKE 'product.%'`)
		if got := bulkResults(t, bulk(step.body+`"dryRun":true,`+both+"}")); got != step.want {
			t.Errorf("dry run of %s: got %q, want %q", step.body, got, step.want)
		}
		if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action LIKE 'product.%'`); n != before {
			t.Errorf("dry run of %s: got %d changes", step.body, n-before)
		}
		first := bulk(step.body+both+"}", "Idempotency-Key", step.body)
		if got := bulkResults(t, first); got != step.want {
			t.Errorf("%s: got %q, want %q", step.body, got, step.want)
		}
		if again := bulk(step.body+both+"}", "Idempotency-Key", step.body); string(again.body) != string(first.body) {
			t.Errorf("%s again: got %s, want the same job", step.body, again.body)
		}
		if got := prices(); got != step.prices {
			t.Errorf("%s: got prices %s, want %s", step.body, got, step.prices)
		}
	}
	if p := s.product("GET", tea, ""); p.Status != catalogue.ProductArchived || fmt.Sprint(p.Tags, p.CollectionIDs) != "[food] []" {
		t.Errorf("got %s %v %v, want an archived product with its first tag", p.Status, p.Tags, p.CollectionIDs)
	}
	if got := bulkResults(t, bulk(`{"action":"delete","filter":{"status":["archived"]}}`)); got != "Tea, Jam" {
		t.Errorf("by a filter: got %q", got)
	}
	wantProblem(t, s.as("GET", tea, "", "Cookie", s.owner), 404, fault.CodeNotFound)

	for _, body := range []string{
		`{"action":"delete","filter":{"status":["archived"]}}`, `{"action":"nope","ids":["x"]}`, `{"action":"publish"}`,
		`{"action":"price","ids":["x"]}`, `{"action":"price","ids":["x"],"options":{"basisPoints":-10000}}`,
		`{"action":"price","ids":["x"],"options":{"basisPoints":1,"amount":1}}`,
		`{"action":"price","ids":["x"],"options":{"basisPoints":1,"compareAt":"x"}}`,
		`{"action":"addTags","ids":["x"]}`, `{"action":"addToCollection","ids":["x"]}`,
		`{"action":"publish","ids":["x"],"filter":{}}`,
	} {
		wantProblem(t, bulk(body), 422, fault.CodeValidationFailed)
	}
	for n, status := range map[int]int{200: 200, 201: 422} {
		many := make([]string, n)
		for i := range many {
			many[i] = fmt.Sprintf("%q", fmt.Sprint("none", i))
		}
		list := strings.Join(many, ",")
		if got := bulk(`{"action":"publish","dryRun":true,"ids":[` + list + `,` + many[0] + `]}`); got.status != status {
			t.Errorf("%d IDs, one of them twice: got %d: %.200s, want %d", n, got.status, got.body, status)
		}
	}
	wantProblem(t, bulk(`{"action":"addToCollection","ids":["x"],"options":{"collection":"nope"}}`), 404, fault.CodeNotFound)
	reader := s.key(t, "products.read")
	wantProblem(t, s.as("POST", "bulk/products", `{"action":"publish","ids":["x"]}`, "Authorization", reader), 403, fault.CodeForbidden)
}
