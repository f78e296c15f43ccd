package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/order"
)

// A phone number finds its orders and its buyer in whatever way its digits are grouped.
func TestAdmin_Search_GroupedPhone(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.must("POST", "orders", strings.Replace(placeBody, "01811-000000", "+8801711234567", 1))
	for _, tc := range []struct {
		text  string
		found bool
	}{
		{"01711234567", true}, {"01711 234 567", true}, {"0171 1234567", true}, {"017 1123 4567", true}, {"+880 1711 234 567", true},
		{"01711.234.567", true}, {"01711-234567", true}, {"(01711) 234567", true}, {"০১৭১১ ২৩৪ ৫৬৭", true}, {"+৮৮০ ১৭১১-২৩৪৫৬৭", true},
		{"88 01711 234567", true}, {"+88 01711-234567", true}, {"0088 01711 234567", true}, {"008801711234567", true},
		{"+880 (0) 1711 234 567", true}, {"8801711234567", true}, {"1711 234 567", true}, {"234 567", true}, {"23-4567", true},
		{"\u202a+880 1711\u00a0234\u2011567\u202c", true}, {"٠١٧١١ ٢٣٤ ٥٦٧", true}, {"０１７１１　２３４５６７", true},
		{"01711 234 568", false}, {"711 234", false}, {"01811 234 567", false},
	} {
		var orders, customers struct {
			Nodes []struct {
				Customer order.RowCustomer `json:"customer"`
			} `json:"nodes"`
		}
		query := url.QueryEscape(tc.text)
		s.as("GET", "orders?search="+query, "", "Cookie", s.owner).ok(200, &orders)
		s.as("GET", "customers?search="+query, "", "Cookie", s.owner).ok(200, &customers)
		var all shop.SearchResult
		s.as("GET", "search?q="+query, "", "Cookie", s.owner).ok(200, &all)
		got := fmt.Sprint(len(orders.Nodes) == 1, len(customers.Nodes) == 1, len(all.Orders) == 1, len(all.Customers) == 1 || all.Contact != nil)
		if want := fmt.Sprint(tc.found, tc.found, tc.found, tc.found); got != want {
			t.Errorf("%q: orders, customers, both by search: got %s, want %s", tc.text, got, want)
		}
	}
}

// invisible texts show nothing.
var invisible = []string{
	"\u200b", "\u2060", "\ufeff", "\u00ad", "\u180e", "\u2066\u2069", "\u3164", "\u115f", "\u2800", "\u200d", "\u200e \u200f", "\u034f",
	"\ufe0f", "\uffa0", "\u17b4", "\U000e0020", " \u00a0\u3000\t",
}

// A code is the same with signs that nobody sees, with full-width letters and with other digits.
func TestCoupon_Spellings(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.coupon("POST", "coupons", `{"code":"EID10","kind":"percentage","basisPoints":1000}`)
	s.coupon("POST", "coupons", `{"code":"ঈদ১০","kind":"percentage","basisPoints":1000}`)
	verify := func(code string) bool {
		t.Helper()
		var verdict order.CouponResult
		body := fmt.Sprintf(`{"code":%s,"items":[{"productId":"<product>","quantity":1}]}`, asJSON(code))
		s.send("POST", "/api/v1/orders/coupons/verify", s.filled(body)).ok(200, &verdict)
		return verdict.Valid
	}
	same := []string{
		"EID10", "EID10\u200b", "\ufeffEID10", "\u200eEID10\u200f", "EID10\u2060", "EI\u00adD10", "EID১০", "ＥＩＤ１０", " eid10 ", "\u00a0eid10",
		"EID١٠", "\u2066EID10\u2069", "EID10\u2800", "𝐄𝐈𝐃𝟏𝟎",
		"ঈদ১০", "ঈদ10", "ঈদ১০\u200c", "\u200bঈদ১০",
	}
	for range 10 { // more than the guesses of an hour
		for _, code := range same {
			if !verify(code) {
				t.Fatalf("%q: got not valid, want the coupon", code)
			}
		}
	}
	for _, code := range []string{"ЕID10", "EID 10", "EID10.", "EID1O", "EID-10", "EÍD10", "ইদ১০"} {
		if verify(code) {
			t.Errorf("%q: got valid, want another code", code)
		}
	}
	if c := s.coupon("PATCH", "coupons/"+url.PathEscape("ｅｉｄ10\u200b"), `{"active":true}`); c.Code != "EID10" {
		t.Errorf("got %q, want the coupon by another spelling", c.Code)
	}
	s.coupon("POST", "coupons", `{"code":"EID\u200b১০","kind":"fixed","amount":100}`)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM coupons`); n != 3 {
		t.Errorf("got %d coupons, want 3: a spelling of a code replaces its coupon", n)
	}
	if order := s.must("POST", "orders", strings.Replace(placeBody, `"source"`, `"couponCode":"\ufeffeid১০","source"`, 1)); order["order"] == nil {
		t.Errorf("got %v, want an order with the coupon", order)
	}
}

func asJSON(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

// A required text that shows nothing is missing, over REST and GraphQL.
func TestRequiredText_Invisible(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	order := s.place()
	for _, tc := range []struct{ method, path, body, field string }{ // TEXT stands for the text
		{"POST", "products", `{"title":TEXT,"variants":[{"price":100}]}`, "title"},
		{"PATCH", "products/mug", `{"title":TEXT}`, "title"},
		{"POST", "products", `{"title":"A","options":[TEXT],"variants":[{"price":100,"options":["L"]}]}`, "options[0]"},
		{"POST", "products", `{"title":"A","options":["Size"],"variants":[{"price":100,"options":[TEXT]}]}`, "variants[0].options[0]"},
		{"POST", "collections", `{"title":TEXT}`, "title"},
		{"PATCH", "collections/eid", `{"title":TEXT}`, "title"},
		{"POST", "coupons", `{"code":TEXT,"kind":"fixed","amount":100}`, "code"},
		{"POST", "orders", strings.Replace(placeBody, `"Karim"`, "TEXT", 1), "customer.name"},
		{"POST", "orders", strings.Replace(placeBody, `"House 7, Road 3"`, "TEXT", 1), "shippingAddress.line1"},
		{"POST", "orders", strings.Replace(placeBody, `"Dhaka"`, "TEXT", 1), "shippingAddress.city"},
		{"POST", "orders", strings.Replace(placeBody, `"01811-000000"`, "TEXT", 1), "customer.phoneNumber"},
		{"POST", "orders", strings.Replace(placeBody, `"source"`, `"staffDiscount":{"amount":100,"reason":TEXT},"source"`, 1), "staffDiscount.reason"},
		{"PATCH", order, `{"customer":{"name":TEXT}}`, "customer.name"},
		{"PATCH", order, `{"shippingAddress":{"line1":TEXT,"city":"Dhaka"}}`, "shippingAddress.line1"},
		{"POST", order + "/notes", `{"text":TEXT}`, "text"},
		{"PUT", order + "/tags", `{"tags":[TEXT]}`, "tags[0]"},
		{"POST", "staff", `{"name":TEXT,"email":"a@example.com","role":"viewer"}`, "name"},
		{"PATCH", "me", `{"name":TEXT}`, "name"},
		{"PATCH", "settings", `{"name":TEXT}`, "name"},
		{"PATCH", "settings", `{"deliveryCharges":[{"_id":"a","name":TEXT,"charge":0}]}`, "deliveryCharges[0].name"},
		{"POST", "parse/order", `{"text":TEXT}`, "text"},
		{"POST", "webhook-endpoints", `{"url":TEXT}`, "url"},
	} {
		for _, text := range append(invisible, "") {
			got := s.as(tc.method, tc.path, strings.ReplaceAll(tc.body, "TEXT", asJSON(text)), "Cookie", s.owner)
			if got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), `"field":"`+tc.field+`"`) {
				t.Errorf("%s %s, %s is %q: got %d: %.200s, want 422", tc.method, tc.path, tc.field, text, got.status, got.body)
				break
			}
		}
	}
	const buyer = `"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7","city":"Dhaka"}`
	for _, tc := range []struct{ path, body, field string }{
		{"orders", `{"items":[{"productId":"<product>","quantity":1}],` + strings.Replace(buyer, `"Karim"`, "TEXT", 1) + `}`, "customer.name"},
		{"orders", `{"items":[{"productId":"<product>","quantity":1}],` + strings.Replace(buyer, `"House 7"`, "TEXT", 1) + `}`, "shippingAddress.line1"},
		{"orders", `{"items":[{"productId":"<product>","quantity":1}],` + strings.Replace(buyer, `"Dhaka"`, "TEXT", 1) + `}`, "shippingAddress.city"},
		{"orders/coupons/verify", `{"code":TEXT,"items":[{"productId":"<product>","quantity":1}]}`, "code"},
		{"auth/register", `{"name":TEXT,"email":"new@example.com","password":"a long and quiet river"}`, "name"},
		{"auth/login", `{"user":TEXT,"password":"a long and quiet river"}`, "user"},
		{"auth/otp/send", `{"phoneNumber":TEXT}`, "phoneNumber"},
		{"auth/otp/verify", `{"phoneNumber":"01811000000","code":TEXT}`, "code"},
		{"auth/password/forgot", `{"email":TEXT}`, "email"},
	} {
		for _, text := range append(invisible, "") {
			got := s.send("POST", "/api/v1/"+tc.path, s.filled(strings.ReplaceAll(tc.body, "TEXT", asJSON(text))))
			if got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), `"field":"`+tc.field+`"`) {
				t.Errorf("%s, %s is %q: got %d: %.200s, want 422", tc.path, tc.field, text, got.status, got.body)
				break
			}
		}
	}
	const place = `mutation($in: PlaceOrderInput!) { placeOrder(input: $in) { _id } }`
	for _, text := range invisible {
		for field, changed := range map[string]string{
			"customer.name": `"Karim"`, "shippingAddress.line1": `"House 7"`, "shippingAddress.city": `"Dhaka"`,
		} {
			in := s.filled(`{"items":[{"productId":"<product>","quantity":1}],` + strings.Replace(buyer, changed, asJSON(text), 1) + `}`)
			got := s.send("POST", "/graphql", `{"query":`+asJSON(place)+`,"variables":{"in":`+in+`}}`)
			if !strings.Contains(string(got.body), `"field":"`+field+`"`) {
				t.Errorf("GraphQL, %s is %q: got %.200s, want validation_failed", field, text, got.body)
			}
		}
	}
}

// An operation with a file as its body answers about the file that is missing.
func TestAdmin_NoFile(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for path, tc := range map[string]struct {
		contentType string
		code        fault.Code
	}{
		"media":                             {"image/png", fault.CodeImageInvalid},
		"media?alt=Cup":                     {"application/json", fault.CodeImageInvalid},
		"imports/products":                  {"text/csv", fault.CodeValidationFailed},
		"cash/statements":                   {"text/csv; charset=utf-8", fault.CodeValidationFailed},
		"cash/statements?courier=courier_a": {"text/csv", fault.CodeValidationFailed},
	} {
		for _, contentType := range []string{tc.contentType, "application/json", "image/heic"} {
			got := s.send("POST", "/admin/v1/shops/test/"+path, "", "Content-Type", contentType, "Cookie", s.owner)
			p := got.problem(422, tc.code)
			if !strings.Contains(p.Detail, "is missing: send") {
				t.Errorf("%s, %s: got %q, want the missing file", path, contentType, p.Detail)
			}
		}
		if strings.Contains(path, "media") {
			continue
		}
		for _, text := range []string{" ", "\n\n", "\r", "\xEF\xBB\xBF", "\xEF\xBB\xBF\r\n"} {
			got := s.send("POST", "/admin/v1/shops/test/"+path, text, "Content-Type", tc.contentType, "Cookie", s.owner)
			got.problem(422, fault.CodeValidationFailed)
		}
	}
}
