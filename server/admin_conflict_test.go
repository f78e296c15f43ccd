package server_test

import (
	"fmt"
	"net/http"
	"testing"

	"storefront/shop/fault"
)

// A change that a status does not allow is refused with the status, which a program need not read
// from the message.
func TestAdmin_ConflictHasStatus(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	refuse := func(method, path, body string, code fault.Code) map[string]any {
		t.Helper()
		return s.as(method, path, body, "Cookie", s.owner).problem(http.StatusConflict, code).Details
	}
	want := func(got map[string]any, want string) {
		t.Helper()
		if fmt.Sprint(got) != "map["+want+"]" {
			t.Errorf("got details %v, want %s", got, want)
		}
	}
	want(refuse("DELETE", "products/<product>", "", fault.CodeStateConflict), "status:active")

	job := s.must("POST", "bulk/orders", `{"action":"confirm","ids":["`+auditedOrder+`"]}`)["_id"].(string)
	want(refuse("POST", "jobs/"+job+"/cancel", "{}", fault.CodeStateConflict), "status:done")
	want(refuse("POST", "jobs/"+job+"/retry", "{}", fault.CodeStateConflict), "status:done")

	booked := "fulfillmentStatus:unfulfilled paymentStatus:unpaid shipmentStatus:created status:processing"
	want(refuse("POST", auditedPath+"/return", "{}", fault.CodeStateConflict),
		"fulfillmentStatus:unfulfilled paymentStatus:unpaid status:confirmed")
	s.must("POST", auditedPath+"/shipments", `{"provider":"courier_a","consignmentId":"C1"}`)
	want(refuse("POST", auditedPath+"/advances", `{"amount":50,"method":"bkash"}`, fault.CodeStateConflict), booked)
	want(refuse("PATCH", auditedPath, `{"deliveryCharge":0}`, fault.CodeStateConflict), booked)
	want(refuse("POST", auditedPath+"/shipments", `{"provider":"courier_a"}`, fault.CodeStateConflict), booked)
	s.must("POST", auditedPath+"/deliver", "{}")
	delivered := "fulfillmentStatus:delivered paymentStatus:paid shipmentStatus:delivered status:completed"
	for _, operation := range []string{"confirm", "refund"} {
		want(refuse("POST", auditedPath+"/"+operation, "{}", fault.CodeStateConflict), delivered)
	}
	want(refuse("POST", auditedPath+"/calls", `{"outcome":"refused"}`, fault.CodeNotCancellable), delivered)
	want(refuse("POST", auditedPath+"/cancel", "{}", fault.CodeNotCancellable), delivered)

	s.payment("refund_due")
	want(refuse("POST", "payments/PAYMENT/resolve", `{"accept":true}`, fault.CodeStateConflict), "status:refund_due")
	s.must("POST", "payments/PAYMENT/refund", "{}")
	want(refuse("POST", "payments/PAYMENT/refund", `{"amount":40}`, fault.CodeStateConflict), "status:refunded")
	want(refuse("POST", "payments/PAYMENT/mark-refunded", "{}", fault.CodeStateConflict), "status:refunded")
}
