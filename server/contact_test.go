package server_test

import (
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
)

// REST and GraphQL refuse orders of blocked numbers with the same codes.
func TestPlaceOrder_Blocked(t *testing.T) {
	t.Parallel()
	s := newSiteOf(t, shoptest.New(t, nil), nil)
	_, products := stockShop(t, s.shop)
	for block, want := range map[order.Block]refusal{
		order.BlockCash: {Status: 422, Code: fault.CodePaymentMethodUnavailable}, order.BlockAll: {Status: 403, Code: fault.CodeForbidden},
	} {
		if _, err := s.shop.Orders.UpdateContact(t.Context(), access.Operator(), "01711000001", order.ContactChange{Blocked: &block}); err != nil {
			t.Fatal(err)
		}
		for _, transport := range []string{"REST", "GraphQL"} {
			for _, phone := range []string{"01711-000001", "+8801711000001"} {
				got := s.placeBy(t, transport, products[0], 1, phone)
				if got == nil || got.Status != want.Status || got.Code != want.Code {
					t.Errorf("%s, %s, blocked from %s: got %+v, want %+v", transport, phone, block, got, want)
				}
			}
		}
	}
	if refused := s.placeBy(t, "REST", products[0], 1, "01711000002"); refused != nil {
		t.Errorf("another number: got %+v, want the order placed", refused)
	}
}

// Staff work on an order and its buyer over HTTP, and do not overwrite each other's contact.
func TestAdmin_CallsAndContacts(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	cookie := s.session(t, staff.RoleStaff)
	send := func(method, path, body string, header ...string) *reply {
		t.Helper()
		header = append([]string{"x-tenant", "", "Content-Type", "application/json", "Cookie", cookie}, header...)
		return s.send(method, "/admin/v1/shops/test/"+path, body, header...)
	}
	const path = "orders/0123456789ABCDEF"
	var got order.StaffOrder
	for _, request := range [][3]string{
		{"POST", path + "/claim", "{}"}, {"POST", path + "/notes", `{"text":"Gift"}`}, {"PUT", path + "/tags", `{"tags":["gift"]}`},
		{"POST", path + "/calls", `{"outcome":"confirmed","note":"Fine"}`},
	} {
		if r := send(request[0], request[1], request[2]); r.status != 200 {
			t.Fatalf("%s: got %d: %s", request[1], r.status, r.body)
		}
	}
	send("GET", path, "").decode(&got)
	if got.Status != status.OrderConfirmed || len(got.Notes) != 2 || len(got.Tags) != 1 || got.ClaimedBy == nil || got.Record.Orders != 1 {
		t.Errorf("got %+v, want a confirmed order with what staff recorded", got)
	}
	send("POST", path+"/calls", `{"outcome":"hung_up"}`).problem(422, fault.CodeValidationFailed)
	if r := send("DELETE", path+"/notes/"+got.Notes[0].ID, ""); r.status != 200 {
		t.Errorf("delete the note: got %d: %s", r.status, r.body)
	}
	var list struct{ Nodes []order.Row }
	if send("GET", "orders?calls=some&tags=GIFT&sortBy=callDue", "").decode(&list); len(list.Nodes) != 1 {
		t.Errorf("got %d rows, want the order", len(list.Nodes))
	}

	contact := "contacts/" + "01711-000001"
	tag := send("GET", contact, "").header.Get("ETag")
	if r := send("PATCH", contact, `{"blocked":"cash","tags":["late"]}`, "If-Match", tag); r.status != 200 {
		t.Errorf("change a contact: got %d: %s", r.status, r.body)
	}
	send("PATCH", contact, `{"blocked":"none"}`, "If-Match", tag).problem(412, fault.CodeChangedMeanwhile)
	send("GET", "contacts/12", "").problem(404, fault.CodeNotFound)
}
