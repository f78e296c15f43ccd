package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop"
)

// firstWord is in each text of the merchant in the first language of [newMarkedShop], and
// secondWord in each of their translations.
const (
	firstWord  = "Zqx"
	secondWord = "দ্বিতীয়"
)

// newMarkedShop returns a shop with pages of each kind and everything translated that can be.
func newMarkedShop(t *testing.T) *auditShop {
	t.Helper()
	s := newAuditShop(t)
	s.site = newSiteOf(t, s.shop.Shop, func(cfg *server.Config) {
		cfg.Tenants = &tenantsOf{shops: map[string]*shop.Shop{"test": s.shop.Shop}, only: "test"}
		cfg.Now = s.shop.Clock.Now
	})
	marked := func(format string) string {
		return strings.NewReplacer("FIRST", firstWord+" text", "BOTH", `{"en":"`+firstWord+` text","bn":"`+secondWord+`"}`).Replace(format)
	}
	s.must("PATCH", "settings", marked(`{"secondLocale":"bn","site":{"announcement":"FIRST"},"supportContact":{"phone":"01711000000","address":"FIRST"},
		"invoice":{"legalName":"FIRST","registration":"FIRST","footer":"FIRST"},
		"pages":[{"slug":"about","title":"FIRST","bodyHtml":"<p>FIRST</p>"}],
		"legalPolicies":[{"slug":"returns","title":"FIRST","bodyHtml":"<p>FIRST</p>"}],
		"buyerMessages":{"sms":["placed"],"email":["placed"],"templates":{"placed":{"en":"FIRST","bn":"`+secondWord+` {shop}"}}},
		"deliveryCharges":[{"_id":"dhaka","name":"FIRST","charge":7000,"estimate":"FIRST"},
		{"_id":"other","name":"FIRST","charge":9000,"estimate":"FIRST"}]}`))
	s.must("PATCH", "collections/eid", marked(`{"title":"FIRST","descriptionHtml":"<p>FIRST</p>",
		"image":"https://cdn.example/2.jpg","imageAlt":"FIRST"}`))
	s.must("PATCH", "products/mug", marked(`{"title":"FIRST","descriptionHtml":"<p>FIRST</p>"}`))
	s.must("POST", "products", marked(`{"title":"FIRST","handle":"shirt","status":"active","descriptionHtml":"<p>FIRST</p>",
		"type":"FIRST","tags":["FIRST"],
		"seo":{"title":"FIRST","description":"FIRST"},"options":["FIRST","FIRST 2"],"collections":["eid"],
		"quantityPrices":[{"quantity":2,"price":150}],
		"images":[{"url":"https://cdn.example/1.jpg","alt":"FIRST alone"},{"url":"https://cdn.example/3.jpg","alt":"FIRST"}],
		"variants":[{"options":["FIRST a","FIRST c"],"price":100},{"options":["FIRST b","FIRST c"],"price":100}]}`))
	s.must("POST", "products", marked(`{"title":"FIRST","handle":"cap","status":"active","type":"FIRST other","tags":["FIRST","FIRST other"],
		"variants":[{"price":100}]}`))
	s.translateAll()
	s.must("PUT", "menus", marked(`{"main":[{"title":BOTH,"link":"/collections/all","items":[{"title":BOTH,"link":"/products/shirt"}]}],
		"footer":[{"title":BOTH,"link":"/pages/about"}],"secondary":[{"title":BOTH,"link":"/policies/returns"}]}`))
	s.must("PUT", "landing-pages", marked(`{"slug":"eid","title":BOTH,"description":BOTH,"products":["shirt"],"visible":true,"sections":[]}`))
	return s
}

// translateAll translates every text that the API lists.
func (s *auditShop) translateAll() {
	s.t.Helper()
	n := 0
	for _, kind := range []string{"product", "collection", "page", "policy", "delivery_charge", "shop", "tag", "type"} {
		for _, node := range s.must("GET", "translations/"+kind, "")["nodes"].([]any) {
			record := node.(map[string]any)
			texts := map[string]string{}
			for _, text := range record["texts"].([]any) {
				n++
				texts[text.(map[string]any)["field"].(string)] = fmt.Sprint(secondWord, " ", n)
			}
			body, err := json.Marshal(map[string]any{"texts": texts})
			if err != nil {
				s.t.Fatal(err)
			}
			s.must("PATCH", "translations/"+kind+"/"+url.PathEscape(record["_id"].(string)), string(body))
		}
		if got := s.must("GET", "translations/"+kind+"?missing=true", "")["nodes"].([]any); len(got) > 0 {
			s.t.Errorf("%s: got %v as missing, want none", kind, got)
		}
	}
}

// addresses are attributes that may contain the first language's values of facets.
var addresses = regexp.MustCompile(`(?:href|value|action|data-\w+)="[^"]*"`)

// withoutKeys removes the first language's values of filters from a response.
func withoutKeys(t *testing.T, body []byte) string {
	t.Helper()
	var response any
	if err := json.Unmarshal(body, &response); err != nil {
		t.Fatalf("got %s", body)
	}
	var clean func(any)
	clean = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			if _, isFacet := value["label"]; isFacet {
				delete(value, "value")
				delete(value, "name")
			}
			if _, isProduct := value["handle"]; isProduct {
				delete(value, "type")
				delete(value, "tags")
			}
			for _, one := range value {
				clean(one)
			}
		case []any:
			for _, one := range value {
				clean(one)
			}
		}
	}
	clean(response)
	text, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// In a shop in which everything is translated, no page, response, message or printed document in
// the second language has a text of the first.
func TestTranslation_NothingIsLeft(t *testing.T) {
	t.Parallel()
	s := newMarkedShop(t)
	cookies := map[string]string{}
	send := func(method, path, form string) webResponse {
		t.Helper()
		var all []string
		for name, value := range cookies {
			all = append(all, name+"="+value)
		}
		got := s.send(method, path, form, "x-tenant", "", "Content-Type", "application/x-www-form-urlencoded", "Cookie", strings.Join(all, "; "))
		for _, cookie := range (&http.Response{Header: got.header}).Cookies() {
			cookies[cookie.Name] = cookie.Value
		}
		return webResponse{got.status, got.header, string(got.body)}
	}
	none := func(what, text string) {
		t.Helper()
		if at := strings.Index(text, firstWord); at >= 0 {
			t.Errorf("%s: got %q", what, text[max(0, at-150):min(len(text), at+60)])
		}
	}
	visit := func(path string, status int) string {
		t.Helper()
		got := send("GET", "/bn"+path, "")
		if got.status != status {
			t.Errorf("%s: got %d", path, got.status)
		}
		none(path, addresses.ReplaceAllString(got.body, ""))
		return got.body
	}
	for _, path := range []string{"", "/collections/eid", "/collections/all", "/collections/all?sort=price",
		"/search?q=" + url.QueryEscape(secondWord),
		"/search/suggestions?q=" + url.QueryEscape(secondWord),
		"/products/shirt", "/products/mug", "/products/cap", "/pages/about", "/policies/returns", "/l/eid",
		"/feed.xml", "/manifest.webmanifest", "/cart", "/account"} {
		if body := visit(path, http.StatusOK); path == "" && !strings.Contains(body, secondWord) {
			t.Errorf("got %s, want translations", body)
		}
	}
	visit("/none", http.StatusNotFound)
	product := visit("/products/shirt", http.StatusOK)
	form := url.Values{"product": {"shirt"}, "quantity": {"2"}}
	for _, field := range regexp.MustCompile(`name="(option\d)"[^>]*value="([^"]*)"`).FindAllStringSubmatch(product, -1) {
		if !form.Has(field[1]) {
			form.Set(field[1], field[2])
		}
	}
	if got := send("POST", "/bn/cart", form.Encode()); got.status != http.StatusSeeOther {
		t.Fatalf("cart: got %d %s", got.status, got.body)
	}
	visit("/cart", http.StatusOK)
	checkout := visit("/checkout", http.StatusOK)
	item := regexp.MustCompile(`name="item" value="([^"]*)"`).FindStringSubmatch(checkout)
	if item == nil {
		t.Fatalf("got the checkout %s", checkout)
	}
	buyer := url.Values{"item": {item[1]}, "phone": {"01711-000000"}, "name": {"Karim"}, "address": {"House 7"}, "city": {"Dhaka"},
		"delivery": {"dhaka"}, "payment": {"cod"}}
	none("quote", addresses.ReplaceAllString(send("POST", "/bn/checkout/quote", buyer.Encode()).body, ""))
	placed := send("POST", "/bn/checkout", buyer.Encode())
	none("total to check", addresses.ReplaceAllString(placed.body, ""))
	if total := regexp.MustCompile(`name="total" value="(\d+)"`).FindStringSubmatch(placed.body); total != nil {
		buyer.Set("total", total[1])
		placed = send("POST", "/bn/checkout", buyer.Encode())
	}
	to, err := url.Parse(placed.header.Get("Location"))
	if err != nil || placed.status != http.StatusSeeOther {
		t.Fatalf("got %d %s, want an order", placed.status, placed.body)
	}
	visit(strings.TrimPrefix(to.Path, "/bn")+"?"+to.RawQuery, http.StatusOK)
	uid := to.Path[strings.LastIndex(to.Path, "/")+1:]

	shirt := s.must("GET", "products/shirt", "")
	id, variant := shirt["_id"].(string), shirt["variants"].([]any)[0].(map[string]any)["_id"].(string)
	for _, path := range []string{"products?", "products?limit=-1&", "products/handle/shirt?", "products/" + id + "?",
		"products/" + id + "/related?",
		"products/facets?", "suggestions?q=" + url.QueryEscape(secondWord) + "&",
		"collections?", "collections/handle/eid?", "tenant?", "orders/" + uid + "?"} {
		got := s.get("/api/v1/"+path+"lang=bn", "X-Order-Token", to.Query().Get("k"))
		if got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
		none(path, withoutKeys(t, got.body))
	}
	cart := `{"items":[{"productId":"` + id + `","variantId":"` + variant + `","quantity":1}]`
	for body, status := range map[string]int{cart + `,"deliveryChargeId":"dhaka"}`: http.StatusOK, cart + `}`: http.StatusUnprocessableEntity} {
		got := s.send("POST", "/api/v1/orders/quote?lang=bn", body)
		if got.status != status {
			t.Errorf("quote: got %d %s, want %d", got.status, got.body, status)
		}
		none("quote", string(got.body))
	}
	none("GraphQL", s.query(`{products(lang:"bn"){nodes{title descriptionHtml options{name values} variants{title} seo{title description} images{alt}}}
		productFacets(lang:"bn"){options{label values{label}} tags{label} types{label}} collections(lang:"bn"){nodes{title descriptionHtml}}
		storeFront(lang:"bn"){announcement seller{legalName registration} supportContact{address} pages{title bodyHtml} legalPolicies{title bodyHtml}
		deliveryCharges{name estimate}} order(orderId:"`+uid+`",lang:"bn"){items{title variantTitle} delivery{name}}}`))
	for _, kind := range []string{"invoice", "packing"} {
		got := s.as("GET", "print/"+kind+"?ids="+uid, "", "Cookie", s.owner)
		if got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", kind, got.status, got.body)
		}
		none(kind, string(got.body))
	}
	if _, err := s.shop.Messages.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, sent := range s.shop.SMS.Messages() {
		none("message", sent.Text)
	}
	if len(s.shop.SMS.Messages()) == 0 {
		t.Error("got no message about the order")
	}
}

// webResponse is a response of a page.
type webResponse struct {
	status int
	header http.Header
	body   string
}
