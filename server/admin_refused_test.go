package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// wantCode checks the code of a refusal.
func (r *reply) wantCode(what string, code fault.Code) {
	r.tb.Helper()
	var p struct{ Code fault.Code }
	if err := json.Unmarshal(r.body, &p); err != nil || r.status < 400 || p.Code != code {
		r.tb.Errorf("%s: got %d %s, want %s", what, r.status, r.body, code)
	}
}

// A buyer is looked up at a courier if the merchant has agreed to it, and only members who may read
// customers see the record.
func TestAdmin_LookUpBuyer(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	ask := func() *reply { return s.as("POST", auditedPath+"/courier-record", "", "Cookie", s.owner) }
	ask().wantCode("switched off", fault.CodeStateConflict)
	s.knowBuyers()
	s.as("POST", "orders/0000000000000000/courier-record", "", "Cookie", s.owner).wantCode("no such order", fault.CodeNotFound)
	s.courier.silent = true
	ask().wantCode("a silent courier", fault.CodeUnavailable)
	s.courier.silent = false
	ask().wantCode("again at once", fault.CodeUnavailable)
	s.shop.Clock.Advance(11 * time.Minute)
	var record struct {
		Delivered, Returned *float64
		Shipments           string
	}
	ask().ok(200, &record)
	if record.Delivered == nil || *record.Delivered != 41.5 || record.Returned != nil || record.Shipments != "6-20" {
		t.Errorf("got %+v, want 41.5 %% of 6-20", record)
	}
	for scopes, want := range map[string]string{"orders.read": "<nil>", "orders.read,customers.read": "41.5"} {
		var order struct {
			CourierRecord *struct{ Delivered float64 }
			Actions       struct{ LookUpBuyer struct{ Allowed bool } }
		}
		s.as("GET", auditedPath, "", "Authorization", "Bearer "+s.shop.APIKey(t, strings.Split(scopes, ",")...)).ok(200, &order)
		got := "<nil>"
		if order.CourierRecord != nil {
			got = fmt.Sprint(order.CourierRecord.Delivered)
		}
		if got != want || order.Actions.LookUpBuyer.Allowed != (want != "<nil>") {
			t.Errorf("%s: got %s, %v, want %s", scopes, got, order.Actions.LookUpBuyer.Allowed, want)
		}
	}
}

// Staff place and edit orders with the buyers' rules for coupons, and learn which of them is
// broken.
func TestAdmin_CouponsOfOrders(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	place := func(coupon string) *reply {
		t.Helper()
		return s.as("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone","couponCode":"`+coupon+`",
			"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`,
			"Cookie", s.owner)
	}
	order := s.place()
	for code, coupon := range map[fault.Code]string{
		fault.CodeCouponInactive:      `"active":false`,
		fault.CodeCouponNotStarted:    `"active":true,"startsAt":"2126-01-01T00:00:00Z"`,
		fault.CodeCouponExpired:       `"active":true,"endsAt":"2016-01-01T00:00:00Z"`,
		fault.CodeCouponRequiresLogin: `"active":true,"requiresLogin":true`,
		fault.CodeCouponNotApplicable: `"active":true,"collectionIds":["<collection>"]`,
		fault.CodeCouponMinSubtotal:   `"active":true,"minSubtotal":99999999`,
	} {
		name := strings.ToUpper(strings.ReplaceAll(string(code), "_", ""))
		s.must("POST", "coupons", `{"code":"`+name+`","kind":"fixed","amount":100,`+coupon+`}`)
		place(name).wantCode("placed", code)
		s.as("PATCH", order, `{"couponCode":"`+name+`"}`, "Cookie", s.owner).wantCode("edited", code)
	}
	for code, limit := range map[fault.Code]string{fault.CodeCouponUsageLimit: `"usageLimit":1`, fault.CodeCouponCustomerLimit: `"customerLimit":1`} {
		name := strings.ToUpper(strings.ReplaceAll(string(code), "_", ""))
		s.must("POST", "coupons", `{"code":"`+name+`","kind":"fixed","amount":100,"active":true,`+limit+`}`)
		var used any
		place(name).ok(201, &used)
		place(name).wantCode("placed again", code)
		s.as("PATCH", order, `{"couponCode":"`+name+`"}`, "Cookie", s.owner).wantCode("edited", code)
	}
	s.as("PATCH", order, `{"couponCode":"NOSUCH"}`, "Cookie", s.owner).wantCode("edited", fault.CodeCouponNotFound)
	s.as("PATCH", order, `{"items":[{"variantId":"<variant>","quantity":900}]}`, "Cookie", s.owner).
		wantCode("edited", fault.CodeOutOfStock)
}

// Orders are not merged if a coupon of theirs no longer applies, or if there are too few units.
// Both stay as they were.
func TestAdmin_MergeRefused(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	place := func(coupon string) string {
		t.Helper()
		placed := s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone","confirm":false,"couponCode":"`+coupon+`",
			"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
		return placed["order"].(map[string]any)["_id"].(string)
	}
	s.must("POST", "stock/<variant>", `{"adjust":100}`)
	into := place("")
	merge := func(what, other string, code fault.Code) {
		t.Helper()
		s.as("POST", "orders/"+into+"/merge", `{"orderId":"`+other+`"}`, "Cookie", s.owner).wantCode(what, code)
		for _, id := range []string{into, other} {
			if got := s.must("GET", "orders/"+id, "")["status"]; got != "pending" {
				t.Errorf("%s: got an order that is %v, want it pending", what, got)
			}
		}
	}
	for code, change := range map[fault.Code]string{
		fault.CodeCouponInactive:      `{"active":false}`,
		fault.CodeCouponNotStarted:    `{"startsAt":"2126-01-01T00:00:00Z"}`,
		fault.CodeCouponExpired:       `{"endsAt":"2016-01-01T00:00:00Z"}`,
		fault.CodeCouponRequiresLogin: `{"requiresLogin":true}`,
		fault.CodeCouponNotApplicable: `{"collectionIds":["<collection>"]}`,
		fault.CodeCouponMinSubtotal:   `{"minSubtotal":99999999}`,
		fault.CodeCouponCustomerLimit: `{"customerLimit":1}`,
	} {
		name := strings.ToUpper(strings.ReplaceAll(string(code), "_", ""))
		s.must("POST", "coupons", `{"code":"`+name+`","kind":"fixed","amount":100}`)
		place(name)
		other := place(name)
		s.must("PATCH", "coupons/"+name, change)
		merge(name, other, code)
	}
	s.must("POST", "stock/<variant>", `{"tracked":false}`)
	other := place("")
	s.must("POST", "stock/<variant>", `{"tracked":true}`)
	s.must("POST", "stock/<variant>", `{"set":0}`)
	merge("no units", other, fault.CodeOutOfStock)
}

// What cannot be is refused with the code that the document names.
func TestAdmin_Refusals(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for _, tc := range []struct {
		method, path, body string
		code               fault.Code
	}{
		{"GET", "analytics/overview?from=yesterday", "", fault.CodeValidationFailed},
		{"GET", "analytics/days?from=2026-03-02&to=2026-03-01", "", fault.CodeValidationFailed},
		{"GET", "analytics/products?from=2020-01-01&to=2026-01-01", "", fault.CodeValidationFailed},
		{"GET", "analytics/places?limit=-2", "", fault.CodeValidationFailed},
		{"GET", "analytics/areas?to=soon", "", fault.CodeValidationFailed},
		{"GET", "analytics/couriers?compare=decade", "", fault.CodeValidationFailed},
		{"GET", "analytics/payments?from=2026-02-30", "", fault.CodeValidationFailed},
		{"GET", "analytics/buyers?to=2026-13-01", "", fault.CodeValidationFailed},
		{"GET", "analytics/coupons?from=1", "", fault.CodeValidationFailed},
		{"GET", "analytics/sources?from=-", "", fault.CodeValidationFailed},
		{"GET", "notifications/recent?lang=fr", "", fault.CodeValidationFailed},
		{"GET", "refused-webhooks?provider=courier_z", "", fault.CodeValidationFailed},
		{"DELETE", "media/none?now=perhaps", "", fault.CodeValidationFailed},
		{"PATCH", "media/none", `{"alt":7}`, fault.CodeValidationFailed},
		{"GET", "flags?orderId=ZZZZZZZZZZZZZZZZ", "", fault.CodeNotFound},
		{"POST", "links/inspect", `{"token":"none"}`, fault.CodeLinkInvalid},
		{"POST", "links/use", `{"token":"none","password":"a long and quiet river"}`, fault.CodeLinkInvalid},
		{"POST", "me/password", `{"currentPassword":"not the password","newPassword":"a long and quiet river"}`, fault.CodeInvalidCredentials},
		{"POST", "me/totp/confirm", `{"code":"000000"}`, fault.CodeStateConflict},
		{"POST", "password/reset", `{"user":"rina@example.com","code":"000000","password":"a long and quiet river"}`, fault.CodeOTPInvalid},
		{"POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone","customer":{"name":"Karim"},
			"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`, fault.CodePhoneRequired},
	} {
		s.as(tc.method, tc.path, tc.body, "Cookie", s.owner).wantCode(tc.method+" "+tc.path, tc.code)
	}
}

// What an order, an account or an endpoint is in no state for is a conflict.
func TestAdmin_Conflicts(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	order := s.place()
	call := s.must("POST", order+"/calls", `{"outcome":"no_answer"}`)["notes"].([]any)[0].(map[string]any)["_id"].(string)
	s.must("POST", order+"/cancel", `{"reason":"test"}`)
	s.must("POST", "coupons", `{"code":"USED","kind":"fixed","amount":100}`)
	s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone","couponCode":"USED",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
	s.must("POST", "products", `{"title":"Another mug","variants":[{"sku":"MUG-1","price":100}]}`)
	s.shop.Exec(t, `
		INSERT INTO provider_webhooks (id, provider, key, content_type, body, event, verdict, reason, copies, received_at, last_at)
		VALUES ('CALL', 'gateway_a', ?, '', ?, 'VALID', 'applied', '', 1, 1, 1)`, []byte("key"), []byte("body"))
	s.ship()
	s.must("PATCH", "providers/courier_a", `{"secret":null}`)
	s.createEndpoint()
	hook := "webhook-endpoints/" + s.values["endpoint"]
	s.must("PATCH", hook, `{"active":false}`)
	for _, tc := range []struct{ method, path, body string }{
		{"POST", order + "/deliver", ""},
		{"POST", order + "/calls", `{"outcome":"confirmed"}`},
		{"DELETE", order + "/notes/" + call, ""},
		{"POST", order + "/shipment-price", `{"provider":"courier_a","city":1,"zone":1}`},
		{"GET", order + "/courier-place?provider=courier_a", ""},
		{"POST", "orders/" + auditedOrder + "/track", ""},
		{"GET", "providers/courier_a/places?kind=city", ""},
		{"POST", "provider-webhooks/CALL/replay", ""},
		{"GET", "stock/MUG-1/history", ""},
		{"DELETE", "coupons/USED", ""},
		{"PATCH", "staff/id-viewer", `{"email":"rina@example.com"}`},
		{"POST", "telegram/link", ""},
		{"POST", "telegram/link/finish", ""},
		{"POST", hook + "/redeliver", `{"from":"2026-03-01T00:00:00Z","to":"2026-03-02T00:00:00Z"}`},
		{"DELETE", "me/totp", ""},
	} {
		s.as(tc.method, tc.path, tc.body, "Cookie", s.owner).wantCode(tc.method+" "+tc.path, fault.CodeStateConflict)
	}
}

// A second factor is required once it is set up, and set up or removed with a recent proof alone.
func TestAdmin_SecondFactorRefusals(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	post := func(path, body string) *reply { return s.as("POST", path, body, "Cookie", s.owner) }
	secret := s.must("POST", "me/totp", "")["secret"].(string)
	post("me/totp/confirm", `{"code":"000000"}`).wantCode("another code", fault.CodeInvalidCredentials)
	s.must("POST", "me/totp/confirm", `{"code":"`+shoptest.TOTPCode(t, secret, s.shop.Clock.Now())+`"}`)
	post("me/totp", "").wantCode("set up again", fault.CodeStateConflict)
	signIn := `{"user":"rina@example.com","password":"` + shoptest.Password + `"`
	post("session", signIn+`}`).wantCode("without a code", fault.CodeSecondFactorRequired)
	post("session", signIn+`,"code":"000000"}`).wantCode("another code", fault.CodeInvalidCredentials)
	me := s.must("GET", "session", "")["staffMember"].(map[string]any)["_id"].(string)
	token := s.must("POST", "staff/"+me+"/link", "")["link"].(map[string]any)["token"].(string)
	post("links/use", `{"token":"`+token+`","password":"password"}`).wantCode("a common password", fault.CodePasswordRejected)
	post("me/password", `{"currentPassword":"`+shoptest.Password+`","newPassword":"password"}`).
		wantCode("a common password", fault.CodePasswordRejected)
	reset := func(body string) *reply {
		return post("password/reset", `{"user":"rina@example.com","code":"`+s.textCode()+`","password":`+body+`}`)
	}
	reset(`"password"`).wantCode("a common password", fault.CodePasswordRejected)
	reset(`"`+newPassword+`"`).wantCode("without the second factor", fault.CodeSecondFactorRequired)
	reset(`"`+newPassword+`","secondFactorCode":"000000"`).wantCode("another code", fault.CodeInvalidCredentials)
	s.shop.Clock.Advance(16 * time.Minute)
	post("me/totp", "").wantCode("later", fault.CodeProofRequired)
	post("me/totp/confirm", `{"code":"000000"}`).wantCode("later", fault.CodeProofRequired)
	s.as("DELETE", "me/totp", "", "Cookie", s.owner).wantCode("later", fault.CodeProofRequired)
	s.as("PATCH", "settings", `{"requireSecondFactor":"everyone"}`, "Cookie", s.owner).wantCode("later", fault.CodeProofRequired)
}

// The link of a manager replaces a password and no second factor.
func TestAdmin_LinkWithSecondFactor(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	member, manager := s.session(t, staff.RoleStaff), s.session(t, staff.RoleManager)
	var setup struct{ Secret string }
	s.as("POST", "me/totp", "", "Cookie", member).ok(200, &setup)
	s.as("POST", "me/totp/confirm", `{"code":"`+shoptest.TOTPCode(t, setup.Secret, s.shop.Clock.Now())+`"}`, "Cookie", member).ok(200, &setup)
	var created struct{ Link struct{ Token string } }
	s.as("POST", "staff/id-staff/link", "", "Cookie", manager).ok(201, &created)
	use := `{"token":"` + created.Link.Token + `","password":"` + newPassword + `"`
	s.as("POST", "links/use", use+"}").wantCode("without a code", fault.CodeSecondFactorRequired)
	s.as("POST", "links/use", use+`,"secondFactorCode":"000000"}`).wantCode("another code", fault.CodeInvalidCredentials)
}

// What an import is about to create can be neither read nor changed.
func TestAdmin_ImportUnderWay(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.shop.Exec(t, `INSERT INTO imports (id, first_id, last_id, started_at, columns) VALUES (1, ?, ?, 0, '[]')`,
		s.values["product"], s.values["product"])
	s.as("GET", "products/mug", "", "Cookie", s.owner).wantCode("read", fault.CodeStateConflict)
	s.as("PATCH", "products/mug", `{"title":"Cup"}`, "Cookie", s.owner).wantCode("changed", fault.CodeStateConflict)
}

// Where a shop delivers in several ways, one of them must be chosen.
func TestAdmin_DeliveryChargeRequired(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	order := s.place()
	s.shop.Set(t, map[string]any{"deliveryCharges": []any{
		map[string]any{"name": "Courier", "charge": 6000, "areas": []string{"Sylhet"}},
		map[string]any{"name": "Express", "charge": 9000, "areas": []string{"Sylhet"}},
	}})
	s.as("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone","customer":{"name":"Karim","phoneNumber":"01811-000000"},
		"shippingAddress":{"line1":"House 7, Road 3","city":"Sylhet"}}`, "Cookie", s.owner).wantCode("placed", fault.CodeDeliveryRequired)
	s.as("PATCH", order, `{"deliveryChargeId":"courier"}`, "Cookie", s.owner).wantCode("edited", fault.CodeDeliveryRequired)
}

// A shop has at most so many jobs that have not ended.
func TestAdmin_JobLimit(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	failed := s.must("POST", "bulk/orders", `{"action":"confirm","ids":["0000000000000000"]}`)["_id"].(string)
	for i := range 20 {
		now := s.shop.Clock.Now()
		s.shop.Exec(t, ` -- another run works on it
			INSERT INTO jobs (id, kind, actor, client, request_id, options, status, total, created_at, claim, claimed_until)
			VALUES (?, 'confirm', '{"kind":"cli"}', '', '', '{}', 'running', 1, ?, 'other', ?)`,
			fmt.Sprint("JOB", i), now.UnixMilli(), now.Add(10*time.Second).UnixMilli())
	}
	for _, tc := range []struct{ path, body string }{
		{"bulk/orders", `{"action":"confirm","ids":["` + auditedOrder + `"]}`},
		{"bulk/products", `{"action":"draft","ids":["<product>"]}`},
		{"jobs/" + failed + "/retry", ""},
	} {
		s.as("POST", tc.path, tc.body, "Cookie", s.owner).wantCode(tc.path, fault.CodeJobLimit)
	}
}
