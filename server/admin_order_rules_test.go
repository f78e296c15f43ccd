package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/staff"
)

// Prices, discounts and delivery charges of orders are set by those who may, whether an order is
// placed, quoted or edited. Without the permission nothing is written.
func TestAdmin_OrderPrices(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	placed := s.place()
	clerk, key := "sf_admin="+s.shop.StaffSession(t, staff.RoleStaff), s.key(t, "orders.write")
	manager, discounts := "sf_admin="+s.shop.StaffSession(t, staff.RoleManager), s.key(t, "orders.write", "orders.discount")
	rows := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`)
	for name, own := range map[string]string{
		"unit price":      `"items":[{"variantId":"<variant>","quantity":1,"unitPrice":100}]`,
		"delivery charge": `"deliveryCharge":0`,
		"discount":        `"staffDiscount":{"amount":100,"reason":"Regular"}`,
		"no discount":     `"staffDiscount":{"amount":0,"reason":""}`,
	} {
		order := strings.Replace(placeBody, `"source"`, own+`,"source"`, 1)
		if strings.Contains(own, "items") {
			order = strings.Replace(placeBody, `"items":[{"variantId":"<variant>","quantity":1}]`, own, 1)
		}
		for _, request := range []struct{ method, path, body string }{
			{"POST", "orders", order}, {"POST", "orders?dryRun=true", order},
			{"PATCH", placed, "{" + own + "}"}, {"PATCH", placed + "?dryRun=true", "{" + own + "}"},
		} {
			for header, value := range map[string]string{"Cookie": clerk, "Authorization": key} {
				got := s.as(request.method, request.path, request.body, header, value).problem(http.StatusForbidden, fault.CodeForbidden)
				if got.Details["permission"] != "orders.discount" {
					t.Errorf("%s, %s %s: got details %v, want the permission", name, request.method, request.path, got.Details)
				}
			}
			if !strings.Contains(request.path, "dryRun") {
				continue
			}
			for header, value := range map[string]string{"Cookie": manager, "Authorization": discounts} {
				if got := s.as(request.method, request.path, request.body, header, value); got.status >= 300 {
					t.Errorf("%s, %s %s: got %d: %s", name, request.method, request.path, got.status, got.body)
				}
			}
		}
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`); n != rows {
		t.Errorf("got %d entries in the audit log, want none", n-rows)
	}
	if got := s.as("PATCH", placed, `{"items":[{"variantId":"<variant>","quantity":2}]}`, "Cookie", clerk); got.status != http.StatusOK {
		t.Errorf("quantity without a price: got %d: %s", got.status, got.body)
	}
}

// An order by phone or chat has the rules of a buyer's order, without the limit on wrong coupon
// codes: staff type what buyers dictate.
func TestAdmin_PlaceOrderRules(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	change := func(old, with string) string { return strings.Replace(placeBody, old, with, 1) }
	for name, tc := range map[string]struct {
		body   string
		status int
		code   fault.Code
		fields string
	}{
		"from the storefront": {change(`"phone"`, `"storefront"`), 422, fault.CodeValidationFailed, "source invalid_value"},
		"no source":           {change(`"source":"phone",`, ``), 422, fault.CodeValidationFailed, "source required"},
		"variant twice": {change(`"quantity":1}`, `"quantity":1},{"variantId":"<variant>","quantity":1}`), 422, fault.CodeValidationFailed,
			"items[1].variantId invalid_value"},
		"unknown variant":    {change(`<variant>`, `none`), 422, fault.CodeValidationFailed, "items[0].variantId invalid_value"},
		"more than in stock": {change(`"quantity":1`, `"quantity":11`), 409, fault.CodeOutOfStock, "items[0].quantity out_of_stock"},
		"charge and option": {change(`"source"`, `"deliveryCharge":1,"deliveryChargeId":"inside","source"`), 422, fault.CodeValidationFailed,
			"deliveryCharge invalid_value"},
		"discount without a reason": {change(`"source"`, `"staffDiscount":{"amount":1,"reason":" "},"source"`), 422, fault.CodeValidationFailed,
			"staffDiscount.reason required"},
		"no such gateway": {change(`"source"`, `"paymentMethod":"gateway_b","source"`), 422, fault.CodePaymentMethodUnavailable,
			"paymentMethod payment_method_unavailable"},
		"unknown field": {change(`"source"`, `"total":1,"source"`), 422, fault.CodeUnknownField, "total unknown_field"},
	} {
		got := s.as("POST", "orders", tc.body, "Cookie", s.owner).problem(tc.status, tc.code)
		if fields := got.fields(); fields != tc.fields {
			t.Errorf("%s: got fields %q, want %q", name, fields, tc.fields)
		}
	}
	for i := range 40 {
		s.as("POST", "orders?dryRun=true", change(`"source"`, fmt.Sprintf(`"couponCode":"GUESS%d","source"`, i)), "Cookie", s.owner).
			problem(http.StatusUnprocessableEntity, fault.CodeCouponNotFound)
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM orders WHERE source = 'phone'`); n != 0 {
		t.Errorf("got %d orders, want none", n)
	}
	parsed := s.must("POST", "parse/order", `{"text":"Rahima Khatun\n০১৭১১-২২৩৩৪৪\nHouse 12, Mirpur, Dhaka\n২ pcs Mug"}`)
	want := "map[customer:map[name:Rahima Khatun phoneNumber:+8801711223344] proposed:<nil> " +
		"quantities:[map[productId:" + s.values["product"] + " quantity:2 sure:true text:Mug title:Mug variantId:" + s.values["variant"] + "]] " +
		"shippingAddress:map[area:Mirpur city:Dhaka country:<nil> line1:House 12, Mirpur line2:<nil> postcode:<nil>] " +
		"sources:[map[field:phone text:০১৭১১-২২৩৩৪৪] map[field:name text:Rahima Khatun] map[field:city text:Dhaka] " +
		"map[field:area text:Mirpur] map[field:address text:House 12, Mirpur, Dhaka] map[field:quantities text:Mug]] unsure:[]]"
	if got := fmt.Sprint(parsed); got != want {
		t.Errorf("parsed message: got  %s\nwant %s", got, want)
	}
}

// An advance needs an amount and a known method, and an order that can still have one.
func TestAdmin_AdvanceRules(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	placed := s.place()
	for body, fields := range map[string]string{
		`{"amount":0,"method":"bkash"}`:                                                "amount invalid_value",
		`{"amount":-1,"method":"bkash"}`:                                               "amount invalid_value",
		`{"amount":1,"method":"cheque"}`:                                               "method invalid_value",
		`{"amount":9999999,"method":"bkash"}`:                                          "amount invalid_value",
		`{"amount":1,"method":"bkash","reference":"` + strings.Repeat("x", 101) + `"}`: "reference invalid_value",
	} {
		if got := s.as("POST", placed+"/advances", body, "Cookie", s.owner).problem(422, fault.CodeValidationFailed).fields(); got != fields {
			t.Errorf("%s: got fields %s, want %s", body, got, fields)
		}
	}
	order := s.must("POST", placed+"/advances", `{"amount":100,"method":"nagad","reference":"8N7A"}`)
	advance := order["advances"].([]any)[0].(map[string]any)
	if advance["method"] != "nagad" || advance["reference"] != "8N7A" || advance["by"].(map[string]any)["kind"] != "staff" {
		t.Errorf("got advance %v, want its method, reference and staff member", advance)
	}
	cancelled := s.must("POST", placed+"/cancel", `{"reason":"by phone"}`)
	if cancelled["paymentStatus"] != "refund_due" {
		t.Errorf("got payment status %v of a cancelled order with an advance, want refund_due", cancelled["paymentStatus"])
	}
	path := placed + "/advances/" + advance["_id"].(string)
	s.as("DELETE", path, "", "Cookie", s.owner).problem(409, fault.CodeStateConflict)
	s.as("POST", placed+"/advances", `{"amount":1,"method":"bkash"}`, "Cookie", s.owner).problem(409, fault.CodeStateConflict)
	s.as("DELETE", s.place()+"/advances/none", "", "Cookie", s.owner).problem(404, fault.CodeNotFound)
}

// What the courier may have, although the shop has not booked it or does not send it any more, is
// shown in the list and in the order until it is cleared up.
func TestAdmin_RowFlags(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	check := func(when, order, want, view string) {
		t.Helper()
		node := s.must("GET", "orders?ids="+strings.TrimPrefix(order, "orders/"), "")["nodes"].([]any)[0].(map[string]any)
		if got := fmt.Sprint(node["flags"]); got != want {
			t.Errorf("%s: got flags %s in the list, want %s", when, got, want)
		}
		if got := fmt.Sprint(s.must("GET", order, "")["rowFlags"]); got != want {
			t.Errorf("%s: got flags %s in the order, want %s", when, got, want)
		}
		if counts := s.must("GET", "counts/orders", ""); counts[view] != 1.0 {
			t.Errorf("%s: got %v, want it in %s", when, counts, view)
		}
	}
	closed := s.place()
	s.must("POST", closed+"/shipments", `{"provider":"courier_a","consignmentId":"C1"}`)
	check("recorded", closed, "[]", "toHandOver")
	s.must("POST", closed+"/cancel", "{}")
	check("cancelled", closed, "[stray]", "problems")
	s.must("POST", closed+"/cancel-shipment", "{}")
	check("shipment cancelled, too", closed, "[]", "closed")

	silent := s.place()
	s.must("PATCH", silent, `{"customer":{"phoneNumber":"01911-000001"},"shippingAddress":{"line1":"House 7","city":"Dhaka"}}`)
	s.courier.silent = true
	s.as("POST", silent+"/shipments", `{"provider":"courier_a"}`, "Cookie", s.owner).problem(http.StatusServiceUnavailable, fault.CodeUnavailable)
	check("no response", silent, "[unanswered address_short]", "problems")
}

// An order that comes back is due for a refund of its advance, and no more.
func TestAdmin_AdvanceOfReturn(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	placed := s.place()
	s.must("POST", placed+"/advances", `{"amount":10000,"method":"bkash"}`)
	s.must("POST", placed+"/shipments", `{"provider":"courier_a","consignmentId":"C1"}`)
	if back := s.must("POST", placed+"/return", "{}"); back["paymentStatus"] != "refund_due" {
		t.Errorf("got payment status %v of a returned order with an advance, want refund_due", back["paymentStatus"])
	}
	refunded := s.must("POST", placed+"/refund", "{}")
	payment := refunded["payment"].(map[string]any)["refundedAmount"].(map[string]any)
	if refunded["paymentStatus"] != "refunded" || payment["amount"] != 10000.0 {
		t.Errorf("got %v with %v refunded, want the advance of 10000", refunded["paymentStatus"], payment)
	}
}

// An edit rounds the cash total as placing does, in the buyer's favour, and the audit log has what
// changed.
func TestAdmin_EditRounds(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	placed := s.place()
	before := s.must("GET", placed, "")["total"].(map[string]any)["amount"].(float64)
	order := s.must("PATCH", placed, `{"staffDiscount":{"amount":333,"reason":"Regular"}}`)
	amount := func(field string) float64 { return order[field].(map[string]any)["amount"].(float64) }
	if amount("discount") != 333 || amount("rounding") != 67 || amount("total") != before-400 {
		t.Errorf("got discount %v, rounding %v and total %v, want 333, 67 and %v", amount("discount"), amount("rounding"), amount("total"), before-400)
	}
	entry := s.must("GET", "audit?action=order.edit", "")["nodes"].([]any)[0].(map[string]any)
	want := fmt.Sprintf("[map[after:333 before:0 field:staffDiscount.amount] map[after:Regular before: field:staffDiscount.reason] "+
		"map[after:%v before:%v field:total]]", before-400, before)
	if got := fmt.Sprint(entry["changes"]); got != want {
		t.Errorf("got changes %s, want %s", got, want)
	}
}

// Each action on many orders does what the operation on one order does, needs its permission, and
// reports before it is run what it would do.
func TestAdmin_BulkActions(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	place := func() string {
		t.Helper()
		placed := s.must("POST", "orders", strings.Replace(placeBody, `{`, `{"confirm":false,`, 1))
		return placed["order"].(map[string]any)["_id"].(string)
	}
	moved, cancelled := place(), place()
	for _, step := range []struct{ action, options, permission, order, field, want string }{
		{"confirm", `{}`, "orders.write", moved, "status", "confirmed"},
		{"tag", `{"tags":["Gift","Eid"]}`, "orders.write", moved, "tags", "[Eid Gift]"},
		{"untag", `{"tags":["eid"]}`, "orders.write", moved, "tags", "[Gift]"},
		{"book", `{"provider":"courier_a"}`, "orders.fulfill", moved, "status", "processing"},
		{"track", `{}`, "orders.fulfill", moved, "fulfillmentStatus", "in_progress"},
		{"deliver", `{}`, "orders.fulfill", moved, "status", "completed"},
		{"return", `{}`, "orders.fulfill", moved, "status", "returned"},
		{"cancel", `{"reason":"twice"}`, "orders.write", cancelled, "cancelReason", "twice"},
	} {
		body := `{"action":"` + step.action + `","ids":["` + step.order + `","0000000000000000"],"options":` + step.options
		other := map[string]string{"orders.write": "orders.fulfill", "orders.fulfill": "orders.write"}[step.permission]
		s.as("POST", "bulk/orders", body+"}", "Authorization", s.key(t, "orders.read", other)).problem(http.StatusForbidden, fault.CodeForbidden)
		before := fmt.Sprint(s.must("GET", "orders/"+step.order, "")["updatedAt"])
		key := s.key(t, "orders.read", step.permission)
		for _, run := range []string{`,"dryRun":true}`, "}"} {
			if got := fmt.Sprint(s.must("GET", "orders/"+step.order, "")["updatedAt"]); got != before {
				t.Errorf("%s, dry run: got the order changed", step.action)
			}
			var job struct {
				Done, Failed int
				Results      []struct{ Code *fault.Code }
			}
			s.as("POST", "bulk/orders", body+run, "Authorization", key).ok(http.StatusOK, &job)
			if job.Done != 1 || job.Failed != 1 || job.Results[0].Code != nil || *job.Results[1].Code != fault.CodeNotFound {
				t.Errorf("%s%s: got %+v, want one done and one not found", step.action, run, job)
			}
		}
		if got := fmt.Sprint(s.must("GET", "orders/"+step.order, "")[step.field]); got != step.want {
			t.Errorf("%s: got %s %s, want %s", step.action, step.field, got, step.want)
		}
		s.shop.Clock.Advance(time.Minute)
	}
}
