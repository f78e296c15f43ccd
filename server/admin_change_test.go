package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"storefront/shop/fault"
	"storefront/shop/shoptest"
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
			request{"PATCH", "products/mug", `{"status":"archived"}`}, `"status":"archived"`,
		},
		"collection": {
			"collections/eid", request{"POST", "collections", `{"title":"Eid","imageAlt":"x"}`}, anotherEid, `"descriptionHtml":"New"`,
		},
		"change of a collection": {"collections/eid", request{"PATCH", "collections/eid", `{"title":"A"}`},
			request{"PATCH", "collections/eid", `{"position":7}`}, `"position":7`},
		"order of a collection": {"collections/eid", request{"PUT", "collections/eid/products", `{"productIds":[]}`},
			request{"POST", "collections/eid/add", `{"products":["mug"]}`}, `"productIds":["`},
		"delete collection": {"collections/eid", request{"DELETE", "collections/eid", ""}, anotherEid, `"descriptionHtml":"New"`},
		"coupon": {
			"coupons/ten", request{"POST", "coupons", `{"code":"TEN","kind":"percentage","basisPoints":500}`},
			request{"POST", "coupons", `{"code":"TEN","kind":"percentage","basisPoints":2000}`}, `"basisPoints":2000`,
		},
		"change of a coupon": {
			"coupons/ten", request{"PATCH", "coupons/ten", `{"usageLimit":5}`}, request{"PATCH", "coupons/ten", `{"basisPoints":2000}`}, `"basisPoints":2000`,
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
		"order": {auditedPath, request{"PATCH", auditedPath, `{"note":"A"}`}, request{"PATCH", auditedPath, `{"note":"B"}`}, `"note":"B"`},
		"tags": {auditedPath,
			request{"PUT", auditedPath + "/tags", `{"tags":["a"]}`}, request{"PUT", auditedPath + "/tags", `{"tags":["b"]}`}, `"tags":["b"]`},
		"webhook endpoint": {"webhook-endpoints/<endpoint>", request{"PATCH", "webhook-endpoints/<endpoint>", `{"label":"A"}`},
			request{"PATCH", "webhook-endpoints/<endpoint>", `{"label":"B"}`}, `"label":"B"`},
		"delete webhook endpoint": {"webhook-endpoints/<endpoint>", request{"DELETE", "webhook-endpoints/<endpoint>", ""},
			request{"PATCH", "webhook-endpoints/<endpoint>", `{"label":"B"}`}, `"label":"B"`},
		"settings": {"settings", request{"PATCH", "settings", `{"name":"A"}`}, request{"PATCH", "settings", `{"name":"B"}`}, `"name":"B"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAuditShop(t)
			if strings.Contains(tc.path, "<endpoint>") {
				s.createEndpoint()
			}
			tc.path, tc.change.path, tc.other.path = s.filled(tc.path), s.filled(tc.change.path), s.filled(tc.other.path)
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
			weak := "W/" + current.header.Get("ETag") // as a proxy that compresses responses sends it
			s.as(tc.change.method, tc.change.path, tc.change.body, "Cookie", s.owner, "If-Match", "W/"+tag).
				problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
			accepted := s.as(tc.change.method, tc.change.path, tc.change.body, "Cookie", s.owner, "If-Match", weak)
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
	tag = s.as("GET", auditedPath, "", "Cookie", s.owner).header.Get("ETag")
	s.must("PATCH", auditedPath, `{"note":"B"}`)
	if got := s.as("PUT", auditedPath+"/tags", `{"tags":["gift"]}`, "Cookie", s.owner, "If-Match", tag); got.status != http.StatusOK {
		t.Errorf("tags after an edit: got %d: %s", got.status, got.body)
	}
	s.as("PATCH", auditedPath, `{"note":"C"}`, "Cookie", s.owner, "If-Match", tag).
		problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
	tag = s.as("GET", auditedPath, "", "Cookie", s.owner).header.Get("ETag")
	s.must("PUT", auditedPath+"/tags", `{"tags":[]}`)
	if got := s.as("PATCH", auditedPath, `{"note":"C"}`, "Cookie", s.owner, "If-Match", tag); got.status != http.StatusOK {
		t.Errorf("edit after tags: got %d: %s", got.status, got.body)
	}
	tag = s.as("GET", auditedPath, "", "Cookie", s.owner).header.Get("ETag")
	s.must("POST", auditedPath+"/calls", `{"outcome":"confirmed"}`) // a status, and two entries of its timeline and notes
	if got := s.as("PATCH", auditedPath, `{"note":"D"}`, "Cookie", s.owner, "If-Match", tag); got.status != http.StatusOK {
		t.Errorf("edit after it was confirmed: got %d: %s", got.status, got.body)
	}
	tag = s.as("GET", "products/mug", "", "Cookie", s.owner).header.Get("ETag")
	s.must("POST", "orders", placeBody)
	if got := s.as("PATCH", "products/mug", `{"title":"Bowl"}`, "Cookie", s.owner, "If-Match", tag); got.status != http.StatusOK {
		t.Errorf("edit of a product after it was sold: got %d: %s", got.status, got.body)
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
	s.as("POST", "collections", `{"title":"Eid"}`, "Cookie", s.owner, "If-Match", tag).
		problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
}

// An operation without a version refuses If-Match instead of changing something regardless.
func TestAdmin_IfMatchRefused(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for _, o := range shopOperations() {
		if o.Method == http.MethodGet || o.IsConditional() || o.OfServer {
			continue
		}
		got := s.call(&o, "Cookie", s.owner, "If-Match", `"0123456789abcdef01234567"`).
			problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
		if got.fields() != "If-Match invalid_value" {
			t.Errorf("%s: got fields %s, want If-Match", o.ID, got.fields())
		}
	}
}

// clearing are the fields of each PATCH operation that null clears, and the others.
var clearing = map[string]struct{ path, cleared, kept string }{
	"renamePasskey": {path: "me/passkeys/none", kept: `{"name":null}`},
	"updateMe":      {path: "me", kept: `{"name":null,"language":null,"theme":null,"notifications":null}`},
	"updateOrder": {
		"orders/<order>", `{"note":null,"couponCode":null,"staffDiscount":null,"customer":{"email":null}}`,
		`{"customer":{"name":null,"phoneNumber":null},"shippingAddress":null,"items":null,"deliveryChargeId":null,"deliveryCharge":null}`,
	},
	"updateContact":     {"contacts/01811000000", `{"note":null,"blockedReason":null}`, `{"tags":null,"blocked":null}`},
	"updateStaffMember": {"staff/id-viewer", `{"phoneNumber":null}`, `{"name":null,"role":null,"grants":null,"denies":null,"language":null}`},
	"updateProduct": {
		"products/mug", `{"descriptionHtml":null,"vendor":null,"type":null,"publishedAt":null,"metadata":null,"seo":{"title":null,"description":null},
			"variants":[{"compareAtPrice":null,"cost":null,"barcode":null,"sku":null,"image":null}]}`,
		`{"title":null,"handle":null,"status":null,"images":null,"tags":null,"collections":null,"options":null,
			"variants":[{"_id":null,"options":null,"price":null,"stock":null,"tracked":null,"backorder":null,"weightGrams":null,"lowStock":null}]}`,
	},
	"updateCollection": {
		"collections/eid", `{"descriptionHtml":null,"image":null}`, `{"handle":null,"title":null,"position":null}`,
	},
	"updateCoupon": {
		"coupons/ten", `{"maxDiscount":null,"minSubtotal":null,"startsAt":null,"endsAt":null,"usageLimit":null,"customerLimit":null}`,
		`{"code":null,"kind":null,"collectionIds":null,"productIds":null,"requiresLogin":null,"active":null}`,
	},
	"updateNotifications":        {path: "notifications", cleared: `{"quiet":null}`, kept: `{"events":null}`},
	"updateNotificationChannels": {path: "notifications/channels", kept: `{"telegramToken":null,"sms":null}`},
	"updateMedia":                {path: "media/<media>", cleared: `{"alt":null}`},
	"updateSettings":             {path: "settings", cleared: `{"logoUrl":null}`},
	"configureProvider":          {path: "providers/courier_a", cleared: `{"store_id":null}`},
	"saveTranslations":           {path: "translations/product/mug", kept: `{"texts":null}`},
	"updateWebhookEndpoint": {
		path: "webhook-endpoints/<endpoint>",
		kept: `{"url":null,"label":null,"types":null,"payload":null,"active":null}`,
	},
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
	s.must(
		"PATCH",
		"coupons/ten",
		`{"maxDiscount":1,"minSubtotal":1,"startsAt":"2026-01-01T00:00:00Z","endsAt":"2030-01-01T00:00:00Z","usageLimit":9,
		"customerLimit":9}`,
	)
	s.must("PATCH", "products/mug", `{"descriptionHtml":"<p>Clay</p>","vendor":"Potter","type":"Cup","metadata":{"a":1},
		"seo":{"title":"Mug","description":"Clay"},
		"variants":[{"compareAtPrice":50000,"cost":20000,"barcode":"8901","image":{"url":"/mug.jpg"}}]}`)
	s.must("PATCH", "settings", `{"logoUrl":"/logo.png"}`)
	s.must("PATCH", "collections/eid", `{"descriptionHtml":"<p>Eid</p>","image":"/eid.jpg","imageAlt":"Moon"}`)
	s.must("PATCH", "providers/courier_a", `{"store_id":"12"}`)
	s.createEndpoint()
	for _, o := range shopOperations() {
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

// Webhooks that a request with an idempotency key sends are not sent again by its repetitions,
// which may arrive at once.
func TestAdmin_WebhooksSentOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ path, body string }{
		"test":            {"webhook-endpoints/<endpoint>/test", "{}"},
		"redeliver":       {"deliveries/<delivery>/redeliver", "{}"},
		"redeliver range": {"webhook-endpoints/<endpoint>/redeliver", `{"from":"2026-01-01T00:00:00Z","to":"2027-01-01T00:00:00Z"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAuditShop(t)
			s.createEndpoint()
			s.values["delivery"] = s.must("POST", s.filled("webhook-endpoints/<endpoint>/test"), "")["_id"].(string)
			s.shop.Exec(t, `UPDATE webhook_deliveries SET seq = 1, status = 'sent', due_at = NULL`) // as of an event
			path := "/admin/v1/shops/test/" + s.filled(tc.path)
			send := func(key string) *reply {
				return s.send("POST", path, tc.body, "Cookie", s.owner, "Idempotency-Key", key)
			}
			known := int64(1)
			// sent returns how many webhooks were sent or queued since the last call.
			sent := func() int64 {
				rows := s.shop.Number(t, `SELECT COUNT(*) FROM webhook_deliveries`)
				n := rows - known + s.shop.Number(t, `SELECT COUNT(*) FROM webhook_deliveries WHERE status = 'waiting'`)
				known = rows
				s.shop.Exec(t, `UPDATE webhook_deliveries SET status = 'sent', due_at = NULL`)
				return n
			}
			first := send("press-1")
			if first.status != http.StatusOK || sent() == 0 {
				t.Fatalf("got %d: %s, want a delivery", first.status, first.body)
			}
			var repeated sync.WaitGroup
			for range 4 {
				repeated.Go(func() {
					again := send("press-1")
					if again.status != http.StatusOK || again.header.Get("Idempotent-Replayed") != "true" ||
						string(again.body) != string(first.body) {
						t.Errorf("repeated: got %d %v %s, want %s", again.status, again.header, again.body, first.body)
					}
				})
			}
			repeated.Wait()
			if n := sent(); n != 0 {
				t.Errorf("repeated: got %d deliveries, want 0", n)
			}
			if got := send("press-2"); got.status != http.StatusOK || sent() == 0 {
				t.Errorf("another key: got %d: %s, want a delivery", got.status, got.body)
			}
		})
	}
}

// An invitation is withdrawn by the ETag of the invited member. A member who has accepted it
// meanwhile is not removed.
func TestAdmin_WithdrawAccepted(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	invited := s.must("POST", "staff", `{"name":"Nila","email":"nila@example.com","role":"staff"}`)
	member := invited["staffMember"].(map[string]any)["_id"].(string)
	token := invited["link"].(map[string]any)["token"].(string)
	tag := s.as("GET", "staff/"+member, "", "Cookie", s.owner).header.Get("ETag")
	accepted := s.as("POST", "links/use", `{"token":"`+token+`","password":"`+shoptest.Password+`"}`)
	if accepted.status != http.StatusOK {
		t.Fatalf("got %d: %s", accepted.status, accepted.body)
	}
	s.as("DELETE", "staff/"+member, "", "Cookie", s.owner, "If-Match", tag).problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
	if got := s.as("GET", "staff/"+member, "", "Cookie", s.owner); got.status != http.StatusOK || !strings.Contains(string(got.body), `"active"`) {
		t.Errorf("got %d: %s, want the active member", got.status, got.body)
	}
}

// Of changes of one record at once by clients that have all read it, one is made: the others see
// that it has changed.
func TestAdmin_OneChangeAtOnce(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.createEndpoint()
	for path, body := range map[string]string{ // N is the client's number
		"products/mug": `{"title":"Cup N"}`, auditedPath: `{"note":"N"}`, "settings": `{"name":"Acme N"}`, "staff/id-viewer": `{"name":"Karim N"}`,
		"contacts/01811000000": `{"note":"N"}`, "coupons/ten": `{"usageLimit":5N}`, "collections/eid": `{"title":"Eid N"}`,
		"webhook-endpoints/<endpoint>": `{"label":"N"}`,
	} {
		path = s.filled(path)
		tag := s.as("GET", path, "", "Cookie", s.owner).header.Get("ETag")
		replies := make([]*reply, 8)
		var done sync.WaitGroup
		for i := range replies {
			text := strings.Replace(body, "N", strconv.Itoa(i+1), 1)
			done.Go(func() {
				replies[i] = s.send("PATCH", "/admin/v1/shops/test/"+path, text, "Cookie", s.owner, "If-Match", tag)
			})
		}
		done.Wait()
		changed := 0
		for _, got := range replies {
			if got.status == http.StatusOK {
				changed++
				continue
			}
			got.problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
		}
		if changed != 1 {
			t.Errorf("%s: got %d changes, want 1", path, changed)
		}
	}
}
