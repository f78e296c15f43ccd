package server_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
)

// coupon sends a request that succeeds and returns the coupon in its response.
func (s *auditShop) coupon(method, path, body string) (c order.Coupon) {
	s.t.Helper()
	s.as(method, path, body, "Cookie", s.owner).ok(200, &c)
	return c
}

// A change of a coupon replaces the rules that it names. null removes a rule, a list is replaced
// whole, and the code can change. What is refused changes nothing.
func TestAdmin_UpdateCoupon(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	before := s.coupon("GET", "coupons/ten", "")
	c := s.coupon("PATCH", "coupons/ten", `{"maxDiscount":5000,"usageLimit":3,"endsAt":"2030-01-01T00:00:00Z","productIds":["mug"]}`)
	if c.ID != before.ID || *c.BasisPoints != 1000 || *c.MaxDiscount != 5000 || *c.UsageLimit != 3 || c.EndsAt == nil || !c.Scoped || !c.Active {
		t.Errorf("got %+v, want three rules more for the mug", c)
	}
	c = s.coupon("PATCH", "coupons/"+c.ID, `{"maxDiscount":null,"endsAt":null,"productIds":[],"collectionIds":["eid"]}`)
	if c.MaxDiscount != nil || c.EndsAt != nil || *c.UsageLimit != 3 ||
		len(c.ProductIDs) != 0 || len(c.CollectionIDs) != 1 || c.Collections[0] != "eid" {
		t.Errorf("got %+v, want the rules removed and the collection", c)
	}
	eid := c.CollectionIDs[0]
	c = s.coupon("PATCH", "coupons/TEN", `{"collectionIds":["`+eid+`","eid"]}`)
	if len(c.CollectionIDs) != 1 || c.CollectionIDs[0] != eid {
		t.Errorf("got %+v, want the collection by its ID", c)
	}
	c = s.coupon("PATCH", "coupons/TEN", `{"code":"Taka 50","kind":"fixed","amount":5000,"basisPoints":null,"collectionIds":[]}`)
	if c.Code != "Taka 50" || c.Kind != order.CouponFixed || *c.Amount != 5000 || c.BasisPoints != nil || c.Scoped {
		t.Errorf("got %+v, want a fixed discount on everything", c)
	}
	s.as("GET", "coupons/TEN", "", "Cookie", s.owner).problem(404, fault.CodeNotFound)
	if again := s.coupon("PATCH", "coupons/taka%2050", `{"code":"TAKA 50"}`); again.Code != "TAKA 50" || again.ID != before.ID {
		t.Errorf("got %+v, want the code in upper case", again)
	}
	s.coupon("POST", "coupons", `{"code":"FREE","kind":"free_delivery"}`)
	reader := s.key(t, "coupons.read")
	rows := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`)
	s.coupon("PATCH", "coupons/FREE", `{"active":true}`) // unchanged
	for body, field := range map[string]string{
		`{"code":"taka 50"}`: "code", `{"code":""}`: "code", `{"amount":100}`: "amount", `{"usageLimit":0}`: "usageLimit",
		`{"kind":"percentage"}`: "basisPoints", `{"productIds":["nope"]}`: "productIds[0]",
	} {
		p := s.as("PATCH", "coupons/FREE", body, "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
		if !strings.HasPrefix(p.fields(), field+" ") {
			t.Errorf("%s: got fields %s, want %s", body, p.fields(), field)
		}
	}
	s.as("PATCH", "coupons/NOPE", `{"active":false}`, "Cookie", s.owner).problem(404, fault.CodeNotFound)
	wantProblem(t, s.as("PATCH", "coupons/FREE", `{"active":false}`, "Authorization", reader), 403, fault.CodeForbidden)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`); n != rows {
		t.Errorf("got %d entries in the audit log, want none", n-rows)
	}
}

// Of several requests at once to create a coupon or a collection, one does. The others replace
// nothing, and read which field is taken.
func TestAdmin_CreateOnly(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for path, tc := range map[string]struct{ body, field, count string }{
		"coupons":     {`{"code":"Winter","kind":"fixed","amount":%d00}`, "code", `SELECT COUNT(*) FROM coupons WHERE code_key = 'WINTER'`},
		"collections": {`{"title":"Winter %d","handle":"winter"}`, "handle", `SELECT COUNT(*) FROM collections WHERE handle = 'winter'`},
	} {
		answers := make([]*reply, 5)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				answers[i] = s.send("POST", "/admin/v1/shops/test/"+path+"?create=true", fmt.Sprintf(tc.body, i+1), "Cookie", s.owner)
			})
		}
		wg.Wait()
		created := 0
		var content []byte
		for _, got := range answers {
			if got.status == 200 {
				created, content = created+1, got.body
			} else if p := got.problem(422, fault.CodeValidationFailed); p.fields() != tc.field+" invalid_value" {
				t.Errorf("%s: got fields %s, want %s", path, p.fields(), tc.field)
			}
		}
		if n := s.shop.Number(t, tc.count); created != 1 || n != 1 {
			t.Errorf("%s: got %d created and %d stored, want 1", path, created, n)
		}
		if got := s.as("GET", path+"/winter", "", "Cookie", s.owner); !bytes.Equal(got.body, content) {
			t.Errorf("%s: got %s, want what was created: %s", path, got.body, content)
		}
	}
}

// What prevents a booking is reported to people in plain words.
func TestAdmin_ShipmentCheckMessages(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.must("POST", auditedPath+"/cancel", `{"reason":"by phone"}`)
	s.must("PATCH", "providers/courier_a", `{"secret":null}`)
	got := fmt.Sprint(s.must("GET", auditedPath+"/shipment-check?provider=courier_a", "")["problems"])
	const want = "[map[field:order message:The order is cancelled.] map[field:provider " +
		"message:The account of Pathao is not complete: enter it in the settings.]]"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A coupon shows how it was used, in a list too. The limit cannot be lower than that.
func TestAdmin_CouponUses(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	const body = `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone","couponCode":"ten",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`
	s.must("POST", "orders", body)
	at := s.shop.Clock.Now().Truncate(time.Millisecond)
	s.shop.Clock.Advance(time.Hour)
	last := s.must("POST", "orders", body)["order"].(map[string]any)["_id"].(string)
	s.as("PATCH", "coupons/ten", `{"usageLimit":1}`, "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
	s.must("POST", "orders/"+last+"/cancel", `{"reason":"Called"}`)
	s.coupon("PATCH", "coupons/ten", `{"usageLimit":1}`)
	var list page.List[order.Coupon]
	s.as("GET", "coupons", "", "Cookie", s.owner).ok(200, &list)
	for _, c := range append(list.Nodes, s.coupon("GET", "coupons/ten", "")) {
		if c.Used != 1 || c.DiscountGiven != 4500 || c.LastUsedAt == nil || !c.LastUsedAt.Equal(at) {
			t.Errorf("got %d uses, %d given, last %v; want 1, 4500, %v", c.Used, c.DiscountGiven, c.LastUsedAt, at)
		}
	}
}
