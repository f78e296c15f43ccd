package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/locale"
)

// newBilingualShop returns a shop in English with Bangla as its second language. Its texts are
// translated, except for one value of the option of its product "shirt".
func newBilingualShop(t *testing.T) *auditShop {
	t.Helper()
	s := newAuditShop(t)
	s.site = newSiteOf(t, s.shop.Shop, func(cfg *server.Config) {
		cfg.Tenants = &tenantsOf{shops: map[string]*shop.Shop{"test": s.shop.Shop, "other": s.shop.Another(t, "other").Shop}, only: "test"}
		cfg.Now = s.shop.Clock.Now
	})
	s.must("PATCH", "settings", `{"secondLocale":"bn","pages":[{"slug":"about","title":"About us","bodyHtml":"<p>Since 1990</p>"}],
		"legalPolicies":[{"slug":"returns","title":"Returns","bodyHtml":"<p>Seven days</p>"}],
		"deliveryCharges":[{"_id":"dhaka","name":"Inside Dhaka","charge":7000,"estimate":"One day"}]}`)
	s.must("POST", "products", `{"title":"Cotton shirt","handle":"shirt","status":"active","descriptionHtml":"<p>Woven by hand</p>",
		"seo":{"title":"Buy a shirt"},"options":["Size"],"collections":["eid"],
		"variants":[{"options":["Large"],"price":100},{"options":["Small"],"price":100},{"options":["Free"],"price":100}]}`)
	for path, texts := range map[string]string{
		"product/shirt": `{"title":"সুতি শার্ট","descriptionHtml":"\u003cp\u003eহাতে বোনা\u003c/p\u003e\u003cscript\u003ex\u003c/script\u003e",
			"seoTitle":"শার্ট কিনুন",
			"option:Size":"মাপ","value:Large":"বড়","value:Small":"ছোট"}`,
		"collection/eid":        `{"title":"ঈদ সংগ্রহ"}`,
		"page/about":            `{"title":"আমাদের কথা","bodyHtml":"<p>১৯৯০ থেকে</p>"}`,
		"policy/returns":        `{"title":"ফেরত"}`,
		"delivery_charge/dhaka": `{"name":"ঢাকার ভেতরে"}`,
	} {
		s.must("PATCH", "translations/"+path, `{"texts":`+texts+`}`)
	}
	return s
}

// query returns the data of a GraphQL query.
func (s *auditShop) query(query string) string {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		s.t.Fatal(err)
	}
	var response struct {
		Data   json.RawMessage
		Errors []any
	}
	s.send("POST", "/graphql", string(body)).ok(http.StatusOK, &response)
	if len(response.Errors) > 0 {
		s.t.Fatalf("%s: got %v", query, response.Errors)
	}
	return string(response.Data)
}

// wantTexts fails the test unless a text has these parts, and none of those after "-".
func wantTexts(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if without, ok := strings.CutPrefix(part, "-"); ok == strings.Contains(text, without) {
			t.Errorf("%s: want %q:\n%s", what, part, text)
		}
	}
}

// The public APIs show texts in the language of a request, field by field.
func TestTranslation_PublicAPIs(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	id := s.must("GET", "products/shirt", "")["_id"].(string)
	eid := s.must("GET", "collections/eid", "")["_id"].(string)
	shirt := []string{"সুতি শার্ট", "হাতে বোনা", "শার্ট কিনুন", "মাপ", "বড়", "ছোট", "Free", "-Cotton", "-Woven", "-Large", "-/script"}
	for path, want := range map[string][]string{
		"products?lang=bn":                       append(shirt, "Mug"),
		"products?lang=bn&limit=-1":              shirt,
		"products?lang=bn-BD&search=cotton":      shirt,
		"products/handle/shirt?lang=bn":          shirt,
		"products/" + id + "?lang=bn":            shirt,
		"products/" + id + "?lang=BN":            shirt,
		"suggestions?q=" + esc("শার্ট"):          {"Cotton shirt"},
		"suggestions?lang=bn&q=shirt":            {"সুতি শার্ট"},
		"suggestions?lang=bn&q=eid":              {"ঈদ সংগ্রহ"},
		"suggestions?q=" + esc("ঈদ"):             {`"title":"Eid"`},
		"collections?lang=bn":                    {"ঈদ সংগ্রহ"},
		"collections?search=" + esc("সংগ্রহ"):    {`"title":"Eid"`},
		"collections/handle/eid?lang=bn":         {"ঈদ সংগ্রহ"},
		"collections/" + eid + "?lang=bn":        {"ঈদ সংগ্রহ"},
		"tenant?lang=bn":                         {"আমাদের কথা", "১৯৯০ থেকে", "ফেরত", "Seven days", "ঢাকার ভেতরে", "One day", `["en","bn"]`},
		"tenant":                                 {"About us", "Inside Dhaka", "-আমাদের"},
		"products?lang=en":                       {"Cotton shirt", "-শার্ট"},
		"products?lang=fr":                       {"Cotton shirt", "-শার্ট"},
		"products/handle/shirt":                  {"Cotton shirt", "Woven by hand", "Size", "Large", "-শার্ট"},
		"products?search=" + esc("সুতি"):         {"Cotton shirt"},
		"products?search=" + esc("বোনা"):         {"Cotton shirt"},
		"products?search=woven&lang=bn":          {"সুতি শার্ট"},
		"products/" + id + "/related?lang=bn":    {"-Cotton"},
		"products?search=cotton&options=Size:ab": {"-Cotton"},
	} {
		got := s.get("/api/v1/" + path)
		if got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
		wantTexts(t, path, string(got.body), want...)
	}
	wantTexts(t, "another shop", string(s.get("/api/v1/products?lang=bn", "x-tenant", "other").body), `"totalCount":0`)
	if a, b := s.get("/api/v1/products").header.Get("ETag"), s.get("/api/v1/products?lang=bn").header.Get("ETag"); a == b {
		t.Errorf("got the ETag %s in both languages", a)
	}
	for _, path := range []string{"products", "products/" + id, "products/handle/shirt", "products/" + id + "/related", "suggestions", "collections",
		"collections/" + eid, "collections/handle/eid", "tenant"} {
		if got := s.get("/api/v1/"+path+"?lang=b").problem(422, fault.CodeValidationFailed); got.Errors[0].Field != "lang" {
			t.Errorf("%s: got %v, want an error of lang", path, got.Errors)
		}
	}
	wantTexts(t, "GraphQL", s.query(`{products(lang:"bn"){nodes{title descriptionHtml options{name values}}} product(handle:"shirt",lang:"bn"){title}
		relatedProducts(id:"`+id+`",lang:"bn"){nodes{title}} suggestions(q:"shirt",lang:"bn"){products{title}}
		collections(lang:"bn"){nodes{title}} collection(handle:"eid",lang:"bn"){title}
		storeFront(lang:"bn"){languages pages{title} legalPolicies{title bodyHtml} deliveryCharges{name}}}`),
		"সুতি শার্ট", "মাপ", "ঈদ সংগ্রহ", "আমাদের কথা", "ফেরত", "ঢাকার ভেতরে", "-Cotton", `-"Eid"`)
	wantTexts(t, "GraphQL", s.query(`{products{nodes{title}} storeFront{pages{title}}}`), "Cotton shirt", "About us", "-শার্ট")
	if got := s.send("POST", "/graphql", `{"query":"{products(lang:\"b\"){nodes{title}}}"}`); !strings.Contains(string(got.body), "lang") {
		t.Errorf("got %s, want an error of lang", got.body)
	}
}

func esc(text string) string { return url.QueryEscape(text) }

// Translations are listed and changed field by field, and go with what they translate.
func TestTranslation_AdminAPI(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	list := func(query string) string {
		t.Helper()
		text, err := json.Marshal(s.must("GET", "translations/"+query, "")["nodes"])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	wantTexts(t, "products", list("product"), `"label":"Cotton shirt"`, `"label":"Mug"`, `"missing":1`, `\u003cp\u003eহাতে বোনা`, "-/script")
	wantTexts(t, "missing", list("product?missing=true"), "Cotton shirt", "Mug")
	s.must("PATCH", "translations/product/shirt", `{"texts":{"value:Free":"ফ্রি"}}`)
	wantTexts(t, "missing", list("product?missing=true"), "-Cotton shirt", "Mug")
	s.must("PATCH", "translations/product/shirt", `{"texts":{"option:Size":" "}}`)
	wantTexts(t, "missing", list("product?missing=true"), "Cotton shirt")
	wantTexts(t, "collections", list("collection?missing=true"), "-Eid")
	s.must("PATCH", "collections/eid", `{"title":"Eid — ঈদ"}`) // has both languages
	s.must("PATCH", "translations/collection/eid", `{"texts":{"title":""}}`)
	wantTexts(t, "collections", list("collection?missing=true"), "-Eid")
	wantTexts(t, "collections", list("collection"), `"label":"Eid — ঈদ"`, `"missing":0`)
	wantTexts(t, "pages", list("page"), "About us", "আমাদের কথা")
	wantTexts(t, "pages", list("page?missing=true"), "-About us")
	wantTexts(t, "policies", list("policy?missing=true"), "Returns")
	wantTexts(t, "charges", list("delivery_charge?missing=true&limit=1"), "Inside Dhaka", `"field":"estimate"`)

	read := s.as("GET", "translations/product/shirt", "", "Cookie", s.owner)
	s.must("PATCH", "translations/product/shirt", `{"texts":{"title":"শার্ট"}}`)
	got := s.as("PATCH", "translations/product/shirt", `{"texts":{"title":"জামা"}}`, "Cookie", s.owner, "If-Match", read.header.Get("ETag"))
	if current := got.problem(412, fault.CodeChangedMeanwhile).Details["current"].(map[string]any); current["label"] != "Cotton shirt" {
		t.Errorf("got %v, want the current texts", current)
	}
	for body, field := range map[string]string{
		`{"texts":{"handle":"x"}}`: "texts.handle", `{"texts":{"option:Colour":"x"}}`: "texts.option:Colour",
		`{"texts":{"title":"` + strings.Repeat("ক", 256) + `"}}`: "texts.title",
	} {
		got := s.as("PATCH", "translations/product/shirt", body, "Cookie", s.owner)
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), `"field":"`+field+`"`) {
			t.Errorf("%s: got %d %s, want an error of %s", body, got.status, got.body, field)
		}
	}
	for path, code := range map[string]fault.Code{
		"product/none": fault.CodeNotFound, "page/none": fault.CodeNotFound, "order/x": fault.CodeNotFound,
	} {
		got := s.as("GET", "translations/"+path, "", "Cookie", s.owner)
		got.wantCode(path, code)
	}
	for path, scopes := range map[string][]string{
		"product/shirt": {"products.read", "settings.write"}, "page/about": {"settings.read", "products.write"},
	} {
		key := s.key(t, scopes...)
		if got := s.as("GET", "translations/"+path, "", "Authorization", key); got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
		wantProblem(t, s.as("PATCH", "translations/"+path, `{"texts":{"title":"x"}}`, "Authorization", key), 403, fault.CodeForbidden)
	}
	wantProblem(t, s.as("GET", "translations/product", "", "Authorization", s.key(t, "settings.read")), 403, fault.CodeForbidden)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'translation.save' AND subject_kind = 'product'`); n != 4 {
		t.Errorf("got %d entries in the audit log, want 4", n)
	}
}

// A translation is deleted with its record, its option or its page, and is copied
// with its product.
func TestTranslation_FollowsRecord(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	rows := func(where string) int64 {
		return s.shop.Number(t, `SELECT COUNT(*) FROM translations WHERE `+where)
	}
	copied := s.must("POST", "products/shirt/duplicate", "")
	if n := rows(`kind = 'product' AND id = '` + copied["_id"].(string) + `' AND field <> 'title'`); n != 5 {
		t.Errorf("the duplicate has %d translations, want 5", n)
	}
	s.must("PATCH", "products/shirt", `{"options":["Fit"],"title":"Linen shirt"}`)
	if n := rows(`field = 'option:Size'`); n != 1 {
		t.Errorf("got %d translations of the option, want the duplicate's", n)
	}
	for path, want := range map[string]string{
		"products?search=" + esc("সুতি"): "Linen shirt", "products?search=linen": "Linen shirt", "products/handle/shirt?lang=bn": `"Fit"`,
	} {
		wantTexts(t, path, string(s.get("/api/v1/"+path).body), want)
	}
	s.must("PATCH", "translations/product/shirt", `{"texts":{"title":"লিনেন"}}`)
	wantTexts(t, "search", string(s.get("/api/v1/products?search="+esc("সুতি")).body), "-Linen shirt")
	wantTexts(t, "search", string(s.get("/api/v1/products?search="+esc("লিনেন")).body), "Linen shirt")
	s.must("PATCH", "collections/eid", `{"title":"Eid 2027"}`)
	wantTexts(t, "search", string(s.get("/api/v1/collections?search="+esc("ঈদ")).body), "Eid 2027")
	wantTexts(t, "search", string(s.get("/api/v1/collections?search=2027").body), "Eid 2027")

	s.must("PATCH", "products/shirt", `{"status":"draft"}`)
	s.must("DELETE", "products/shirt", "")
	s.must("DELETE", "products/"+copied["_id"].(string), "")
	s.must("DELETE", "collections/eid", "")
	s.must("PATCH", "settings", `{"pages":[],"legalPolicies":[],"deliveryCharges":[{"_id":"all","name":"All","charge":100}]}`)
	if n := rows(`1 = 1`); n != 0 {
		t.Errorf("got %d translations of nothing", n)
	}
}

// A shop without a second language has no translations, and another shop's are not its own.
func TestTranslation_NoSecondLanguage(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	s.must("PATCH", "settings", `{"secondLocale":""}`)
	wantTexts(t, "products", string(s.get("/api/v1/products?lang=bn").body), "Cotton shirt", "-শার্ট")
	for _, c := range [][3]string{{"GET", "translations/product", ""}, {"GET", "translations/product/shirt", ""},
		{"PATCH", "translations/product/shirt", `{"texts":{"title":"x"}}`}} {
		s.as(c[0], c[1], c[2], "Cookie", s.owner).wantCode(c[0]+" "+c[1], fault.CodeStateConflict)
	}
	s.must("PATCH", "settings", `{"secondLocale":"bn"}`)
	wantTexts(t, "products", string(s.get("/api/v1/products?lang=bn").body), "সুতি শার্ট")
}

// The site shows translations on the pages of the second language, immediately.
func TestTranslation_Pages(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	for path, want := range map[string][]string{
		"/bn/products/shirt":       {"<h1>সুতি শার্ট</h1>", "<title>শার্ট কিনুন", "হাতে বোনা", "মাপ", "বড়", "Free", "ঢাকার ভেতরে", "-Cotton", "-Large"},
		"/products/shirt":          {"Cotton shirt", "Woven by hand", "Large", "Inside Dhaka", "-সুতি শার্ট"},
		"/bn/collections/eid":      {"ঈদ সংগ্রহ", "সুতি শার্ট", "-Cotton"},
		"/collections/eid":         {"Eid", "Cotton shirt", "-শার্ট"},
		"/bn/search?q=cotton":      {"সুতি শার্ট"},
		"/search?q=" + esc("সুতি"): {"Cotton shirt"},
		"/bn/pages/about":          {"আমাদের কথা", "১৯৯০ থেকে"},
		"/pages/about":             {"About us", "Since 1990", "-আমাদের"},
		"/bn/policies/returns":     {"ফেরত", "Seven days"},
		"/bn/feed.xml":             {"সুতি শার্ট", "হাতে বোনা", "বড়", "-Cotton"},
		"/feed.xml":                {"Cotton shirt", "-শার্ট"},
		"/bn":                      {"সুতি শার্ট", "ঈদ সংগ্রহ"},
	} {
		got := s.get(path, "x-tenant", "")
		if got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
		wantTexts(t, path, string(got.body), want...)
	}
	s.must("PATCH", "translations/product/shirt", `{"texts":{"title":"হাতে বোনা শার্ট"}}`)
	s.must("PATCH", "translations/page/about", `{"texts":{"title":""}}`)
	wantTexts(t, "changed product", string(s.get("/bn/products/shirt", "x-tenant", "").body), "হাতে বোনা শার্ট", "-সুতি শার্ট")
	wantTexts(t, "changed page", string(s.get("/bn/pages/about", "x-tenant", "").body), "About us", "-আমাদের কথা")

	for form, want := range map[string]string{"option1=" + esc("ছোট"): "ছোট", "option1=Small": "ছোট", "option1=Free": "Free"} {
		got := s.send("POST", "/bn/cart", "product=shirt&"+form, "x-tenant", "", "Content-Type", "application/x-www-form-urlencoded")
		cart := s.get("/bn/cart", "x-tenant", "", "Cookie", strings.Split(got.header.Get("Set-Cookie"), ";")[0])
		wantTexts(t, form, string(cart.body), "হাতে বোনা শার্ট", want, "-বড়")
	}
}

// Documents for buyers show the titles of an order's items in their language, unless the product
// has another title by now.
func TestTranslation_Orders(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	s.must("PATCH", "settings", `{"buyerMessages":{"language":"bn"},"print":{"language":"bn"}}`)
	shirt := s.must("GET", "products/shirt", "")["variants"].([]any)[0].(map[string]any)["_id"].(string)
	placed := s.must("POST", "orders", `{"items":[{"variantId":"`+shirt+`","quantity":1}],"source":"phone","deliveryChargeId":"dhaka",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
	order, _ := placed["order"].(map[string]any)
	uid, _ := order["invoiceUid"].(string)
	wantTexts(t, "reply", placed["reply"].(string), "সুতি শার্ট (বড়)", "-Cotton")
	invoice := func() string { return string(s.as("GET", "print/invoice?ids="+uid, "", "Cookie", s.owner).body) }
	wantTexts(t, "invoice", invoice(), "সুতি শার্ট", "বড়", "-Cotton shirt")
	wantTexts(t, "order", string(s.as("GET", "orders/"+uid, "", "Cookie", s.owner).body), "Cotton shirt")
	s.must("PATCH", "settings", `{"print":{"language":"en"}}`)
	wantTexts(t, "invoice in the shop's own language", invoice(), "Cotton shirt", "-সুতি শার্ট")
	s.must("PATCH", "settings", `{"print":{"language":"bn"}}`)
	s.must("PATCH", "products/shirt", `{"title":"Linen shirt"}`)
	wantTexts(t, "invoice of another title", invoice(), "Cotton shirt", "-সুতি শার্ট")
}

// orderIn places an order through REST in a language, "" for none, and returns it.
func (s *auditShop) orderIn(lang string) map[string]any {
	s.t.Helper()
	var placed map[string]any
	s.send("POST", "/api/v1/orders?lang="+lang, `{"items":[`+s.shirtItem()+`],`+shirtBuyer+`}`).ok(http.StatusCreated, &placed)
	return placed
}

// shirtBuyer is the rest of an order of the product "shirt".
const shirtBuyer = `"customer":{"name":"Karim","phoneNumber":"01811-000000","email":"karim@example.com"},"deliveryChargeId":"dhaka",
	"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}`

// shirtItem returns the first variant of the product "shirt" as an item of an order.
func (s *auditShop) shirtItem() string {
	s.t.Helper()
	shirt := s.must("GET", "products/shirt", "")
	variant := shirt["variants"].([]any)[0].(map[string]any)
	return `{"productId":"` + shirt["_id"].(string) + `","variantId":"` + variant["_id"].(string) + `","quantity":1}`
}

// An order has the language in which it was placed: its messages, its page and its invoice are in
// it. Responses are in the language of the request.
func TestTranslation_OrderLanguage(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	s.must("PATCH", "settings", `{"buyerMessages":{"sms":["placed"],"email":["placed"],"templates":{"placed":{"en":"Got it","bn":"পেয়েছি {number}"}}},
		"invoice":{"footer":"Come again\nsoon"},"supportContact":{"address":"12 Mill Road"}}`)
	s.must("PATCH", "translations/shop/shop", `{"texts":{"footer":"আবার আসুন\nশিগগির","address":"১২ মিল রোড"}}`)
	s.must("PATCH", "translations/delivery_charge/dhaka", `{"texts":{"estimate":"এক দিন"}}`)
	bangla := []string{"সুতি শার্ট", "ঢাকার ভেতরে", "-Cotton", "-Inside Dhaka", "-One day"}
	english := []string{"Cotton shirt", "Inside Dhaka", "-সুতি", "-ঢাকার"}
	text := func(value any) string {
		t.Helper()
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	quote := func(lang, body string) string {
		return string(s.send("POST", "/api/v1/orders/quote?lang="+lang, body).body)
	}
	whole := `{"items":[` + s.shirtItem() + `],"deliveryChargeId":"dhaka"}`
	wantTexts(t, "quote", quote("bn", whole), append(bangla, "এক দিন")...)
	wantTexts(t, "quote", quote("", whole), english...)
	s.must("PATCH", "settings", `{"deliveryCharges":[{"_id":"dhaka","name":"Inside Dhaka","charge":7000,"estimate":"One day"},
		{"_id":"other","name":"Elsewhere","charge":9000}]}`)
	s.must("PATCH", "translations/delivery_charge/other", `{"texts":{"name":"অন্যত্র"}}`)
	wantTexts(t, "no delivery chosen", quote("bn", `{"items":[`+s.shirtItem()+`]}`), "delivery_charge_required", "অন্যত্র", "-Elsewhere", "-Inside")
	if got := s.send("POST", "/api/v1/orders?lang=b", whole).problem(422, fault.CodeValidationFailed); got.Errors[0].Field != "lang" {
		t.Errorf("got %v, want an error of lang", got.Errors)
	}

	placed := s.orderIn("bn-BD")
	wantTexts(t, "placed", text(placed), bangla...)
	if _, err := s.shop.Messages.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sent := s.shop.SMS.Messages(); len(sent) != 1 || sent[0].Text != "পেয়েছি "+locale.Bangla.Digits(fmt.Sprint(placed["orderNumber"])) {
		t.Errorf("got the messages %v, want one in Bangla", sent)
	}
	uid, token := placed["invoiceUid"].(string), placed["orderToken"].(string)
	for query, want := range map[string][]string{"?lang=bn": bangla, "?lang=en": english, "": english} {
		wantTexts(t, "order"+query, string(s.get("/api/v1/orders/"+uid+query, "X-Order-Token", token).body), want...)
	}
	wantTexts(t, "GraphQL", s.query(`{order(orderId:"`+uid+`",lang:"bn"){items{title} delivery{name}}
		quoteOrder(lang:"bn",input:{items:[`+strings.NewReplacer(`"productId"`, "productId", `"variantId"`, "variantId", `"quantity"`, "quantity").
		Replace(s.shirtItem())+`],deliveryChargeId:"dhaka"}){items{title} delivery{name estimate} deliveryOptions{name}}}`), bangla...)
	invoice := func(kind, uid, query string) string {
		return string(s.as("GET", "print/"+kind+"?ids="+uid+query, "", "Cookie", s.owner).body)
	}
	wantTexts(t, "invoice", invoice("invoice", uid, ""), append(bangla, "আবার আসুন", "১২ মিল রোড", "-Come again", "-Mill Road")...)
	wantTexts(t, "packing slip", invoice("packing", uid, ""), "সুতি শার্ট", "-Cotton")
	wantTexts(t, "chosen language", invoice("invoice", uid, "&lang=en"), append(english, "Come again", "-আবার")...)
	wantTexts(t, "for the courier", invoice("label", uid, ""), "Inside Dhaka", "-ঢাকার")
	own := s.orderIn("")["invoiceUid"].(string)
	both := invoice("invoice", uid, "&ids="+own)
	wantTexts(t, "invoices", both, "সুতি শার্ট", "Cotton shirt", "আবার আসুন", "Come again")
	cancelled := s.send("POST", "/api/v1/orders/"+uid+"/cancel?lang=bn", "{}", "X-Order-Token", token)
	wantTexts(t, "cancelled", string(cancelled.body), bangla...)
}

// Facets have labels in the language of a request. Their values, which the parameters of a list
// have, stay those of the first language.
func TestTranslation_Facets(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t)
	s.must("PATCH", "products/shirt", `{"type":"Clothing","tags":["Summer","Hand made"],"vendor":"Aarong"}`)
	s.must("POST", "products", `{"title":"Cap","handle":"cap","status":"active","type":"Hats","tags":["summer"],"options":["Size"],
		"variants":[{"options":["Large"],"price":100}]}`)
	wantTexts(t, "missing tags", string(s.as("GET", "translations/tag?missing=true", "", "Cookie", s.owner).body),
		`"label":"Summer"`, `"label":"Hand made"`, `"missing":1`)
	s.must("PATCH", "translations/tag/summer", `{"texts":{"name":"গ্রীষ্ম"}}`)
	s.must("PATCH", "translations/type/clothing", `{"texts":{"name":"পোশাক"}}`)
	wantTexts(t, "missing tags", string(s.as("GET", "translations/tag?missing=true", "", "Cookie", s.owner).body), "-Summer", "Hand made")
	s.must("PATCH", "products/mug", `{"tags":["50/50"]}`)
	s.must("PATCH", "translations/tag/50%252F50", `{"texts":{"name":"আধাআধি"}}`)
	s.as("GET", "translations/tag/none", "", "Cookie", s.owner).problem(404, fault.CodeNotFound)
	wantProblem(t, s.as("PATCH", "translations/tag/summer", `{"texts":{"name":"x"}}`, "Authorization",
		s.key(t, "settings.write", "products.read")), 403, fault.CodeForbidden)

	type value struct {
		Value, Label string
		ProductCount int
	}
	var got struct {
		Options []struct {
			Name, Label string
			Values      []value
		}
		Vendors, Types, Tags []value
	}
	s.get("/api/v1/products/facets?lang=bn").ok(http.StatusOK, &got)
	option := got.Options[0]
	sizes := []value{{"Large", "বড়", 2}, {"Small", "ছোট", 1}, {"Free", "Free", 1}}
	if option.Name != "Size" || option.Label != "মাপ" || !slices.Equal(option.Values, sizes) {
		t.Errorf("got the option %+v, want it in Bangla", option)
	}
	tags := []value{{"Summer", "গ্রীষ্ম", 2}, {"50/50", "আধাআধি", 1}, {"Hand made", "Hand made", 1}}
	types := []value{{"Clothing", "পোশাক", 1}, {"Hats", "Hats", 1}}
	if !slices.Equal(got.Tags, tags) || !slices.Equal(got.Types, types) || got.Vendors[0].Label != "Aarong" {
		t.Errorf("got %+v, want labels in Bangla where there are translations", got)
	}
	wantTexts(t, "no language", string(s.get("/api/v1/products/facets").body), `"value":"Large","label":"Large"`, `"name":"Size","label":"Size"`, "-বড়")
	s.get("/api/v1/products/facets?lang=b").problem(422, fault.CodeValidationFailed)
	wantTexts(t, "GraphQL", s.query(`{productFacets(lang:"bn"){options{name label values{value label}} tags{label} types{label}}}`),
		"মাপ", "Size", "বড়", "Large", "গ্রীষ্ম", "পোশাক")

	wantTexts(t, "page", string(s.get("/bn/collections/all", "x-tenant", "").body),
		"option=Size%3ALarge", ">বড়", "মাপ", "গ্রীষ্ম", "tag=Summer", "পোশাক", "type=Clothing", "->Large", "->Summer")
	wantTexts(t, "chosen values", string(s.get("/bn/collections/all?option=Size:Large&tag=Summer", "x-tenant", "").body),
		"মাপ: বড়", "গ্রীষ্ম", "সুতি শার্ট", "Cap", "-Size: Large", "-Mug")
	wantTexts(t, "first language", string(s.get("/collections/all?option=Size:Large&tag=Summer", "x-tenant", "").body), "Size: Large", "-বড়")
	wantTexts(t, "feed", string(s.get("/bn/feed.xml", "x-tenant", "").body), "<g:product_type>পোশাক<", "-Clothing")

	s.must("PATCH", "translations/product/cap", `{"texts":{"value:Large":"বিশাল"}}`)
	s.must("PATCH", "products/cap", `{"status":"draft"}`)
	wantTexts(t, "translation of a draft", string(s.get("/api/v1/products/facets?lang=bn").body), "বড়", "-বিশাল")
	s.must("PATCH", "translations/tag/hand made", `{"texts":{"name":"গ্রীষ্ম"}}`)
	wantTexts(t, "two tags alike", string(s.get("/api/v1/products/facets?lang=bn").body), `"label":"Summer"`, `"label":"Hand made"`)
}

// A list that is sorted by the title is sorted by the title that it shows, and its pages repeat and
// skip none.
func TestTranslation_SortByTitle(t *testing.T) {
	t.Parallel()
	s := newBilingualShop(t) // with "Mug" and "Cotton shirt", সুতি শার্ট
	for _, title := range [][2]string{{"Zebra", "কলম"}, {"Apple", ""}, {"Bag — ব্যাগ", ""}, {"Yarn", "আলো"}} {
		body, _ := json.Marshal(map[string]any{"title": title[0], "status": "active", "variants": []any{map[string]int{"price": 100}}})
		id := s.must("POST", "products", string(body))["_id"].(string)
		if title[1] != "" {
			s.must("PATCH", "translations/product/"+id, `{"texts":{"title":"`+title[1]+`"}}`)
		}
	}
	titles := func(query string) (all []string) {
		t.Helper()
		for page := 1; ; page++ {
			var list struct{ Nodes []struct{ Title string } }
			s.get(fmt.Sprintf("/api/v1/products?sortBy=title&limit=2&page=%d%s", page, query)).ok(http.StatusOK, &list)
			for _, node := range list.Nodes {
				all = append(all, node.Title)
			}
			if len(list.Nodes) < 2 {
				return all
			}
		}
	}
	want := func(query string, want ...string) {
		t.Helper()
		if got := titles(query); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	bangla := []string{"Apple", "Mug", "আলো", "কলম", "Bag — ব্যাগ", "সুতি শার্ট"}
	want("", "Apple", "Bag — ব্যাগ", "Cotton shirt", "Mug", "Yarn", "Zebra")
	want("&lang=en", "Apple", "Bag — ব্যাগ", "Cotton shirt", "Mug", "Yarn", "Zebra")
	want("&lang=bn", bangla...)
	reversed := slices.Clone(bangla)
	slices.Reverse(reversed)
	want("&lang=bn&sort=desc", reversed...)
	wantTexts(t, "GraphQL", strings.ReplaceAll(s.query(`{products(lang:"bn",sortBy:title){nodes{title}}}`), " ", ""),
		`{"title":"Apple"},{"title":"Mug"},{"title":"আলো"},{"title":"কলম"}`)
	s.must("PATCH", "products/shirt", `{"title":"Aaa — অঅঅ"}`) // the translation stays
	want("&lang=bn", bangla...)
	s.must("PATCH", "translations/product/shirt", `{"texts":{"title":""}}`)
	want("&lang=bn", "Apple", "Mug", "Aaa — অঅঅ", "আলো", "কলম", "Bag — ব্যাগ")
}
