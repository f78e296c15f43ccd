package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/staff"
)

// actionPermissions are the permissions that the actions of an order need.
var actionPermissions = map[string]access.Permission{
	"confirm": access.OrdersWrite, "cancel": access.OrdersWrite, "edit": access.OrdersWrite, "editItems": access.OrdersWrite,
	"advance": access.OrdersWrite, "book": access.OrdersFulfill, "enter": access.OrdersFulfill, "deliver": access.OrdersFulfill,
	"restock": access.OrdersFulfill, "return": access.OrdersFulfill, "refund": access.PaymentsWrite,
	"refundPart": access.PaymentsWrite, "removeCredit": access.OrdersWrite, "lookUpBuyer": access.CustomersRead,
}

// An order in whatever status offers to each role the actions that its status allows an owner, and
// of these only what the role permits. Nothing else is offered, and the server refuses it.
func TestAdmin_ActionsOfRoles(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.knowBuyers()
	callers := map[string][]string{"a key for reading": {"Authorization", s.key(t, string(access.OrdersRead))}}
	permits := map[string]map[access.Permission]bool{"a key for reading": {}}
	for role, granted := range map[staff.Role][]access.Permission{
		staff.RoleOwner:   {access.OrdersWrite, access.OrdersFulfill, access.PaymentsWrite, access.CustomersRead},
		staff.RoleManager: {access.OrdersWrite, access.OrdersFulfill, access.PaymentsWrite, access.CustomersRead},
		staff.RoleStaff:   {access.OrdersWrite, access.OrdersFulfill, access.CustomersRead},
		staff.RoleViewer:  {access.CustomersRead},
	} {
		callers[string(role)] = []string{"Cookie", "sf_admin=" + s.shop.Member(t, role, "actions-"+string(role)+"@example.com").Session}
		permits[string(role)] = map[access.Permission]bool{}
		for _, p := range granted {
			permits[string(role)][p] = true
		}
	}
	const confirm, enter = "/confirm", "/shipments"
	offered := map[string]bool{}
	for name, steps := range map[string][]string{
		"pending": {}, "confirmed": {confirm}, "cancelled": {"/cancel"}, "shipped": {confirm, enter}, "delivered": {confirm, enter, "/deliver"},
		"returned": {confirm, enter, "/deliver", "/return"}, "refunded": {confirm, enter, "/deliver", "/return", "/refund"},
		"refunded in part": {confirm, enter, "/deliver", "/refund"},
	} {
		placed := s.must("POST", "orders", strings.Replace(placeBody, `{`, `{"confirm":false,`, 1))
		path := "orders/" + placed["order"].(map[string]any)["_id"].(string)
		for _, step := range steps {
			body := "{}"
			if step == enter {
				body = `{"provider":"courier_a","consignmentId":"` + path + `"}`
			} else if name == "refunded in part" && step == "/refund" {
				body = `{"amount":100}`
			}
			s.must("POST", path+step, body)
		}
		actions := func(caller string) map[string]order.Action {
			var order struct{ Actions map[string]order.Action }
			s.as("GET", path, "", callers[caller]...).ok(http.StatusOK, &order)
			return order.Actions
		}
		of := actions(string(staff.RoleOwner))
		if len(of) != len(actionPermissions) {
			t.Errorf("got the actions %v, want %d", of, len(actionPermissions))
		}
		for caller := range callers {
			for action, got := range actions(caller) {
				p := actionPermissions[action]
				if of[action].Allowed {
					offered[action] = true
				}
				if want := of[action].Allowed && permits[caller][p]; got.Allowed != want {
					t.Errorf("%s, %s by %s: got allowed %v, want %v", name, action, caller, got.Allowed, want)
				}
				if !permits[caller][p] && (got.Code == nil || *got.Code != fault.CodeForbidden) {
					t.Errorf("%s, %s by %s: got %s, want forbidden", name, action, caller, fmt.Sprint(got.Code))
				}
			}
		}
		for _, action := range []string{"confirm", "cancel", "deliver", "return", "refund"} {
			for caller, header := range callers {
				if !permits[caller][actionPermissions[action]] {
					s.as("POST", path+"/"+action, "{}", header...).problem(http.StatusForbidden, fault.CodeForbidden)
				}
			}
		}
	}
	for action := range actionPermissions {
		if !offered[action] {
			t.Errorf("no status offers %s", action)
		}
	}
}

// What came back of an order is recorded with its delivery, audited, and can be corrected.
func TestAdmin_DeliverInPart(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	order := s.must("POST", "orders", strings.Replace(placeBody, `"quantity":1`, `"quantity":3`, 1))["order"].(map[string]any)
	path := "orders/" + order["_id"].(string)
	item := order["items"].([]any)[0].(map[string]any)
	back := func(units int) string {
		return fmt.Sprintf(`{"restock":[{"variantId":%q,"quantity":%d}]}`, item["variantId"], units)
	}
	all := int(item["quantity"].(float64))
	s.as("POST", path+"/deliver", back(all), "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	if got := s.must("GET", path, "")["fulfillmentStatus"]; got != "unfulfilled" {
		t.Fatalf("after a delivery of nothing: got %v, want unfulfilled", got)
	}
	for _, units := range []int{1, 0, all - 1} {
		s.must("POST", path+"/deliver", back(units))
		got := s.must("GET", path, "")
		sum := 0.0
		for _, one := range got["restocked"].([]any) {
			sum += one.(map[string]any)["quantity"].(float64)
		}
		if got["status"] != "completed" || int(sum) != units {
			t.Errorf("got %v with %v units back, want completed with %d", got["status"], sum, units)
		}
	}
	entry := s.must("GET", "audit?action=order.deliver&limit=1", "")["nodes"].([]any)[0].(map[string]any)
	if changes := fmt.Sprint(entry["changes"]); !strings.Contains(changes, "restocked") {
		t.Errorf("got the changes %s, want what was restocked", changes)
	}
}
