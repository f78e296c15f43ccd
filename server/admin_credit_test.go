package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What a buyer did not accept reduces the order alike for staff and, by REST and GraphQL, for the
// buyer, on the order's page and on its invoice.
func TestAdmin_DeliveredInPart(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	placed := s.must("POST", "orders", strings.Replace(placeBody, `"quantity":1`, `"quantity":3`, 1))["order"].(map[string]any)
	path, uid := "orders/"+placed["_id"].(string), placed["_id"].(string)
	item := placed["items"].([]any)[0].(map[string]any)
	price := item["unitPrice"].(map[string]any)["amount"].(float64)
	amount := func(order map[string]any, field string) float64 {
		return order[field].(map[string]any)["amount"].(float64)
	}
	total := amount(placed, "total")
	sums := func(order map[string]any) string {
		return fmt.Sprint(amount(order, "total"), amount(order, "returnedAmount"),
			amount(order, "paid"), amount(order, "refunded"), amount(order, "due"))
	}
	if got, want := sums(s.must("GET", path, "")), fmt.Sprint(total, 0, 0, 0, total); got != want {
		t.Errorf("got %s of a placed order, want %s", got, want)
	}
	s.as("POST", path+"/deliver", `{"restock":[{"variantId":"<variant>","quantity":1,"damaged":3}]}`, "Cookie", s.owner).
		problem(422, "validation_failed")
	s.must("POST", path+"/deliver",
		`{"restock":[{"variantId":"<variant>","quantity":1,"damaged":1}]}`)
	staff := s.must("GET", path, "")
	want := fmt.Sprint(total, 2*price, total-2*price, 0, 0)
	var graph struct {
		Data struct{ Order map[string]any }
	}
	query := strings.ReplaceAll(`{"query":"{ order(orderId: \"`+uid+`\") `+
		`{ total % returnedAmount % paid % refunded % due % `+
		`credits { title quantity restocked reason amount % } } }"}`, "%", "{ amount }")
	if got := s.send("POST", "/graphql", query); json.Unmarshal(got.body, &graph) != nil ||
		graph.Data.Order == nil {
		t.Fatalf("GraphQL: got %s", got.body)
	}
	var rest map[string]any
	s.get("/api/v1/orders/"+uid).ok(200, &rest)
	for surface, order := range map[string]map[string]any{"staff": staff, "REST": rest, "GraphQL": graph.Data.Order} {
		if got := sums(order); got != want {
			t.Errorf("%s: got %s, want %s", surface, got, want)
		}
		credits := order["credits"].([]any)
		if len(credits) != 1 {
			t.Fatalf("%s: got credits %v, want one", surface, credits)
		}
		c := credits[0].(map[string]any)
		got := fmt.Sprint(c["quantity"], c["restocked"], c["reason"], amount(c, "amount"))
		if got != fmt.Sprint(2, 1, "not_accepted", 2*price) {
			t.Errorf("%s: got credit %s", surface, got)
		}
	}
	if record := staff["record"].(map[string]any); record["delivered"] != 1.0 ||
		record["inPart"] != 1.0 {
		t.Errorf("got record %v, want one order delivered in part", record)
	}
	taka := func(n float64) string { return fmt.Sprintf("৳%.0f<", n/100) }
	page := string(s.get("/t/" + s.shop.UID() + "/" + uid).body)
	if !strings.Contains(page, taka(2*price)) || !strings.Contains(page, taka(total-2*price)) {
		t.Errorf("the order's page lacks %s or %s:\n%s", taka(2*price), taka(total-2*price), page)
	}
}

// A part of the cash that the shop received is refunded by amount or by units, once unless a second
// equal part is confirmed.
func TestAdmin_RefundCashInPart(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	body := strings.Replace(placeBody, `"quantity":1`, `"quantity":3`, 1)
	path := "orders/" + s.must("POST", "orders", body)["order"].(map[string]any)["_id"].(string)
	refund := func(body string) *reply { return s.as("POST", path+"/refund", body, "Cookie", s.owner) }
	refund(`{"amount":100}`).problem(409, "state_conflict")
	s.must("POST", path+"/deliver", "{}")
	amount := func(order map[string]any, field string) int {
		return int(order[field].(map[string]any)["amount"].(float64))
	}
	before := s.must("GET", path, "")
	price := amount(before["items"].([]any)[0].(map[string]any), "unitPrice")
	total := amount(before, "total")
	for name, tt := range map[string]string{
		"zero": `{"amount":0}`, "too much": fmt.Sprintf(`{"amount":%d}`, total+1), "reason": `{"amount":1,"reason":"not_accepted"}`,
		"units": `{"items":[{"variantId":"<variant>","quantity":4}]}`, "variant": `{"items":[{"variantId":"none","quantity":1}]}`,
		"restock": `{"items":[{"variantId":"<variant>","quantity":1,"restock":2}]}`,
	} {
		if got := refund(tt); got.status != 422 {
			t.Errorf("%s: got %d %s, want 422", name, got.status, got.body)
		}
	}
	refund("{}").problem(409, "state_conflict") // nothing is due
	want := func(when, status string, returned, refunded int) {
		t.Helper()
		got := s.must("GET", path, "")
		if got["paymentStatus"] != status || amount(got, "returnedAmount") != returned ||
			amount(got, "refunded") != refunded ||
			amount(got, "due") != 0 {
			t.Errorf("%s: got %v, returned %d, refunded %d, due %d; want %s, %d, %d, 0", when,
				got["paymentStatus"], amount(got, "returnedAmount"), amount(got, "refunded"),
				amount(got, "due"), status, returned, refunded)
		}
	}
	s.must("POST", path+"/refund", `{"amount":2000,"reason":"damaged"}`)
	want("an amount", "partially_refunded", 2000, 2000)
	refund(`{"amount":2000}`).problem(409, "state_conflict")
	s.must("POST", path+"/refund", `{"amount":2000,"confirmDuplicate":true}`)
	want("confirmed", "partially_refunded", 4000, 4000)
	s.must("POST", path+"/refund", `{"items":[{"variantId":"<variant>","quantity":1,"restock":1}]}`)
	want("a unit", "partially_refunded", 4000+price, 4000+price)
	s.must("POST", path+"/refund", fmt.Sprintf(`{"amount":%d}`, total-4000-price))
	want("the rest", "refunded", total, total)
	refund(`{"amount":1}`).problem(409, "state_conflict")
}
