package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"storefront/server/admin"
	"storefront/shop/fault"
)

// Each kind of record that staff edit has an ETag: a change by somebody who has not seen the last
// one is refused with the present values, and nothing is written.
func TestAdmin_LostUpdates(t *testing.T) {
	t.Parallel()
	type request struct{ method, path, body string }
	anotherEid := request{"POST", "collections", `{"title":"Eid","descriptionHtml":"New"}`}
	for name, tc := range map[string]struct {
		path   string // of the record
		change request
		other  request // by somebody else, before
		shows  string  // in details.current
	}{
		"product": {
			"products/mug", request{"PATCH", "products/mug", `{"title":"Bowl"}`},
			request{"PATCH", "products/mug", `{"title":"Cup"}`}, `"title":"Cup"`,
		},
		"delete product": {
			"products/mug", request{"DELETE", "products/mug", ""},
			request{"PATCH", "products/mug", `{"variants":[{"price":1}]}`}, `"amount":1`,
		},
		"collection": {
			"collections/eid", request{"POST", "collections", `{"title":"Eid","imageAlt":"x"}`}, anotherEid, `"descriptionHtml":"New"`,
		},
		"delete collection": {"collections/eid", request{"DELETE", "collections/eid", ""}, anotherEid, `"descriptionHtml":"New"`},
		"coupon": {
			"coupons/ten", request{"POST", "coupons", `{"code":"TEN","kind":"percentage","basisPoints":500}`},
			request{"POST", "coupons", `{"code":"TEN","kind":"percentage","basisPoints":2000}`}, `"basisPoints":2000`,
		},
		"delete coupon": {
			"coupons/ten", request{"DELETE", "coupons/ten", ""}, request{"POST", "coupons/ten/disable", "{}"}, `"active":false`,
		},
		"staff member": {
			"staff/id-viewer", request{"PATCH", "staff/id-viewer", `{"name":"Rahim"}`},
			request{"PATCH", "staff/id-viewer", `{"name":"Karim"}`}, `"name":"Karim"`,
		},
		"delete member": {
			"staff/id-viewer", request{"DELETE", "staff/id-viewer", ""},
			request{"PATCH", "staff/id-viewer", `{"name":"Karim"}`}, `"name":"Karim"`,
		},
		"contact": {
			"contacts/01811000000", request{"PATCH", "contacts/01811000000", `{"note":"A"}`},
			request{"PATCH", "contacts/01811000000", `{"note":"B"}`}, `"note":"B"`,
		},
		"order":    {order, request{"PATCH", order, `{"note":"A"}`}, request{"PATCH", order, `{"note":"B"}`}, `"note":"B"`},
		"settings": {"settings", request{"PATCH", "settings", `{"name":"A"}`}, request{"PATCH", "settings", `{"name":"B"}`}, `"name":"B"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAuditShop(t)
			tag := s.as("GET", tc.path, "", "Cookie", s.owner).header.Get("ETag")
			if tag == "" {
				t.Fatalf("%s: got no ETag", tc.path)
			}
			s.must(tc.other.method, tc.other.path, tc.other.body)
			current := s.as("GET", tc.path, "", "Cookie", s.owner)
			if current.header.Get("ETag") == tag {
				t.Errorf("got the same ETag %s after a change", tag)
			}
			rows := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`)
			refused := s.as(tc.change.method, tc.change.path, tc.change.body, "Cookie", s.owner, "If-Match", tag)
			refused.problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
			if !strings.Contains(string(refused.body), tc.shows) {
				t.Errorf("got %s, want the present values with %s", refused.body, tc.shows)
			}
			if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`) - rows; n != 0 {
				t.Errorf("got %d entries in the audit log of a refused change, want 0", n)
			}
			accepted := s.as(tc.change.method, tc.change.path, tc.change.body, "Cookie", s.owner, "If-Match", current.header.Get("ETag"))
			if accepted.status != http.StatusOK {
				t.Errorf("with the present ETag: got %d: %s", accepted.status, accepted.body)
			}
		})
	}
}

// Stock that orders move does not refuse an edit of the product, and a record that was deleted
// meanwhile is not created again by a client that has read it.
func TestAdmin_IfMatchExceptions(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	tag := s.as("GET", "products/mug", "", "Cookie", s.owner).header.Get("ETag")
	s.must("POST", "stock/<variant>", `{"adjust":-1}`)
	if got := s.as("PATCH", "products/mug", `{"title":"Cup"}`, "Cookie", s.owner, "If-Match", tag); got.status != http.StatusOK {
		t.Errorf("after a sale: got %d: %s", got.status, got.body)
	}
	tag = s.as("GET", "coupons/TEN", "", "Cookie", s.owner).header.Get("ETag")
	s.must("DELETE", "coupons/TEN", "")
	const ten = `{"code":"TEN","kind":"percentage","basisPoints":1000}`
	for _, match := range []string{tag, "*"} {
		s.as("POST", "coupons", ten, "Cookie", s.owner, "If-Match", match).problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
	}
	s.must("POST", "coupons", ten)
	tag = s.as("GET", "collections/eid", "", "Cookie", s.owner).header.Get("ETag")
	s.must("DELETE", "collections/eid", "")
	s.as("POST", "collections", `{"title":"Eid"}`, "Cookie", s.owner, "If-Match", tag).problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
}

// An operation without a version refuses If-Match instead of changing something regardless.
func TestAdmin_IfMatchRefused(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for _, o := range admin.Operations() {
		if o.Method == http.MethodGet || o.IsConditional() || o.OfServer {
			continue
		}
		got := s.call(&o, "Cookie", s.owner, "If-Match", `"0123456789abcdef01234567"`).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
		if got.fields() != "If-Match invalid_value" {
			t.Errorf("%s: got fields %s, want If-Match", o.ID, got.fields())
		}
	}
}

// clearing are the fields of each PATCH operation that null clears, and the others.
var clearing = map[string]struct{ path, cleared, kept string }{
	"updateMe": {path: "me", kept: `{"name":null,"language":null,"theme":null,"notifications":null}`},
	"updateOrder": {
		"orders/<order>", `{"note":null,"couponCode":null,"staffDiscount":null,"customer":{"email":null}}`,
		`{"customer":{"name":null,"phoneNumber":null},"shippingAddress":null,"items":null,"deliveryChargeId":null,"deliveryCharge":null}`,
	},
	"updateContact":     {"contacts/01811000000", `{"note":null,"blockedReason":null}`, `{"tags":null,"blocked":null}`},
	"updateStaffMember": {"staff/id-viewer", `{"phoneNumber":null}`, `{"name":null,"role":null,"grants":null,"denies":null,"language":null}`},
	"updateProduct": {
		"products/mug", `{"variants":[{"compareAtPrice":null}]}`,
		`{"title":null,"status":null,"images":null,"variants":[{"variant":null,"price":null,"stock":null}]}`,
	},
	"updateMedia":       {path: "media/<media>", cleared: `{"alt":null}`},
	"updateSettings":    {path: "settings", cleared: `{"logoUrl":null}`},
	"configureProvider": {path: "providers/courier_a", cleared: `{"store_id":null}`},
}

// In a change null clears a field, and is refused for one that cannot be cleared.
func TestAdmin_Null(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	placed := s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
	s.upload()
	s.values["order"] = placed["order"].(map[string]any)["_id"].(string)
	s.must("PATCH", "orders/<order>", `{"note":"Ring","customer":{"email":"a@example.com"},"staffDiscount":{"amount":10,"reason":"late"}}`)
	s.must("PATCH", "contacts/01811000000", `{"note":"Ring","blockedReason":"late","blocked":"cash"}`)
	s.must("PATCH", "staff/id-viewer", `{"phoneNumber":"01911-000001"}`)
	s.must("PATCH", "products/mug", `{"variants":[{"compareAtPrice":50000}]}`)
	s.must("PATCH", "settings", `{"logoUrl":"/logo.png"}`)
	s.must("PATCH", "providers/courier_a", `{"store_id":"12"}`)
	for _, o := range admin.Operations() {
		if o.Method != http.MethodPatch {
			continue
		}
		tc, ok := clearing[o.ID]
		if !ok {
			t.Errorf("%s: got no fields in clearing", o.ID)
			continue
		}
		for _, field := range nulls(t, tc.kept) {
			before := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`)
			got := s.as("PATCH", tc.path, field.body, "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
			if got.fields() != field.name+" invalid_value" || s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`) != before {
				t.Errorf("%s %s: got %+v, want null refused", o.ID, field.name, got)
			}
		}
		for _, field := range nulls(t, tc.cleared) {
			before := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`)
			got := s.as("PATCH", tc.path, field.body, "Cookie", s.owner)
			if got.status != http.StatusOK {
				t.Errorf("%s %s: got %d: %s", o.ID, field.name, got.status, got.body)
				continue
			}
			if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`) - before; n != 1 && field.name != "couponCode" {
				t.Errorf("%s %s: got %d changes, want the field cleared", o.ID, field.name, n)
			}
		}
	}
	// Of a value that is replaced as a whole, null is a part that is left out.
	s.must("PATCH", "orders/<order>", `{"shippingAddress":{"line1":"House 9, Road 1","line2":null,"city":"Dhaka","area":null,"postcode":null}}`)
}

// nullField is a body that sets one field to null.
type nullField struct{ name, body string }

// nulls returns the fields of a body that are null, each in a body of its own.
func nulls(t *testing.T, body string) (fields []nullField) {
	t.Helper()
	if body == "" {
		return nil
	}
	var whole any
	if err := json.Unmarshal([]byte(body), &whole); err != nil {
		t.Fatal(err)
	}
	var walk func(value any, path string, wrap func(any) any)
	walk = func(value any, path string, wrap func(any) any) {
		switch v := value.(type) {
		case []any:
			walk(v[0], path+"[0]", func(inner any) any { return wrap([]any{inner}) })
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name], strings.TrimPrefix(path+"."+name, "."), func(inner any) any { return wrap(map[string]any{name: inner}) })
			}
		case nil:
			text, err := json.Marshal(wrap(nil))
			if err != nil {
				t.Fatal(err)
			}
			fields = append(fields, nullField{path, string(text)})
		default:
			t.Fatalf("%s: got %v, want null", path, reflect.TypeOf(value))
		}
	}
	walk(whole, "", func(inner any) any { return inner })
	return fields
}
