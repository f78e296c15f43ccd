package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// placeBody is an order that came by phone, of one mug.
const placeBody = `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone",
	"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`

// place places an order by phone and returns its path.
func (s *auditShop) place() string {
	s.t.Helper()
	return "orders/" + s.must("POST", "orders", placeBody)["order"].(map[string]any)["_id"].(string)
}

// removeInserted deletes the orders that no use case has placed, which break the invariants, and
// their guests.
func (s *auditShop) removeInserted() {
	s.shop.Exec(s.t, `DELETE FROM orders WHERE id IN (?, ?)`, auditedOrder, secondOrder)
	s.shop.Exec(s.t, `DELETE FROM contacts`)
}

// While a courier books a shipment, the items of its order cannot be changed: the courier collects
// what the order costs. A new address is saved with a warning.
func TestAdmin_EditDuringBooking(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	placed := s.place()
	var items, address *reply
	s.courier.before = func(int64) {
		items = s.as("PATCH", placed, `{"items":[{"variantId":"<variant>","quantity":2}]}`, "Cookie", s.owner)
		address = s.as("PATCH", placed, `{"shippingAddress":{"line1":"House 8","city":"Dhaka"}}`, "Cookie", s.owner)
	}
	s.must("POST", placed+"/shipments", `{"provider":"courier_a"}`)
	items.problem(http.StatusConflict, fault.CodeStateConflict)
	if address.status != http.StatusOK || !strings.Contains(string(address.body), string(order.WarnOldAddress)) {
		t.Errorf("address during a booking: got %d: %s, want it with a warning", address.status, address.body)
	}
	s.checkCash()
}

// Of an edit and a booking at once, or of an edit and a pickup, each is whole: a courier collects
// what the order costs, and an edit that is refused has changed nothing.
func TestAdmin_EditAtOnce(t *testing.T) {
	t.Parallel()
	const orders = 6
	s := newAuditShop(t)
	s.removeInserted()
	s.must("POST", "stock/<variant>", `{"set":100}`)
	var wg sync.WaitGroup
	for range orders {
		placed := s.place()
		wg.Go(func() {
			got := s.send("PATCH", "/admin/v1/shops/test/"+placed, s.filled(`{"items":[{"variantId":"<variant>","quantity":3}]}`), "Cookie", s.owner)
			if got.status != http.StatusOK {
				got.problem(http.StatusConflict, fault.CodeStateConflict)
			}
		})
		wg.Go(func() {
			got := s.send("POST", "/admin/v1/shops/test/"+placed+"/shipments", `{"provider":"courier_a"}`, "Cookie", s.owner)
			if got.status != http.StatusCreated {
				t.Errorf("book: got %d: %s", got.status, got.body)
			}
		})
	}
	wg.Wait()
	s.checkCash()

	for range orders {
		placed := s.place()
		s.must("POST", placed+"/shipments", `{"provider":"courier_a"}`)
		var edited *reply
		wg.Go(func() {
			edited = s.send("PATCH", "/admin/v1/shops/test/"+placed, `{"note":"Ring twice"}`, "Cookie", s.owner)
		})
		wg.Go(func() { // the courier reports that it has picked the shipment up
			s.send("POST", "/admin/v1/shops/test/"+placed+"/track", "{}", "Cookie", s.owner).ok(http.StatusOK, &struct{}{})
		})
		wg.Wait()
		note, refused := fmt.Sprint(s.must("GET", placed, "")["note"]), edited.status != http.StatusOK
		if refused {
			edited.problem(http.StatusConflict, fault.CodeStateConflict)
		}
		if saved := note == "Ring twice"; saved == refused {
			t.Errorf("edit refused: %t, saved: %t, want one of them", refused, saved)
		}
		s.as("PATCH", placed, `{"note":"Too late"}`, "Cookie", s.owner).problem(http.StatusConflict, fault.CodeStateConflict)
	}
	s.checkCash()
}

// checkCash checks the shop's invariants, and that couriers collect what the orders cost.
func (s *auditShop) checkCash() {
	s.t.Helper()
	faults, err := s.shop.CheckInvariants(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, fault := range faults {
		s.t.Error(fault)
	}
	for id, cash := range s.courier.cash {
		total := s.shop.Number(s.t, `SELECT o.total FROM shipments s JOIN orders o ON o.id = s.order_id WHERE s.consignment_id = ?`, id)
		if cash != total {
			s.t.Errorf("shipment %s: got %d to collect, want the order's total %d", id, cash, total)
		}
	}
	if len(s.courier.cash) == 0 {
		s.t.Error("got no shipment, want some")
	}
}

// A request to place an order or to record an advance that is repeated, even at once, has its
// effect once and the same response each time.
func TestAdmin_OrderOnce(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for path, tc := range map[string]struct{ body, count string }{
		"orders":                  {placeBody, `SELECT COUNT(*) FROM orders WHERE source = 'phone'`},
		auditedPath + "/advances": {`{"amount":30,"method":"bkash"}`, `SELECT COUNT(*) FROM order_advances`},
	} {
		answers := make([]*reply, 6)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				answers[i] = s.send("POST", "/admin/v1/shops/test/"+path, s.filled(tc.body), "Cookie", s.owner, "Idempotency-Key", "double-click")
			})
		}
		wg.Wait()
		replayed := 0
		for _, got := range answers {
			if got.status >= 300 || !bytes.Equal(got.body, answers[0].body) {
				t.Errorf("%s: got %d %s, want %s", path, got.status, got.body, answers[0].body)
			}
			if got.header.Get("Idempotent-Replayed") == "true" {
				replayed++
			}
		}
		if n := s.shop.Number(t, tc.count); n != 1 || replayed != len(answers)-1 {
			t.Errorf("%s: got %d records and %d replayed responses, want 1 and %d", path, n, replayed, len(answers)-1)
		}
		other := s.send("POST", "/admin/v1/shops/test/"+path, s.filled(strings.Replace(tc.body, "{", `{"note":"x",`, 1)), "Cookie", s.owner,
			"Idempotency-Key", "double-click")
		other.problem(http.StatusUnprocessableEntity, fault.CodeIdempotencyKeyReused)
	}
}

// An order as staff see it has what the couriers have reported of its shipments.
func TestAdmin_ShipmentHistory(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	history := func() []any { return s.must("GET", "orders/"+auditedOrder, "")["shipmentHistory"].([]any) }
	if got := history(); len(got) != 0 {
		t.Errorf("without a shipment: got %v, want none", got)
	}
	s.ship()
	s.shop.Exec(t, `
		INSERT INTO parcel_events (id, shipment_id, event, status, note, at, received_at)
		SELECT 'e' || n, shipments.id, 'order.hold', CASE n WHEN 1 THEN 'on_hold' ELSE '' END, 'Call ' || n, 10 - n, 10
		FROM shipments, (SELECT 1 AS n UNION ALL SELECT 2) notes`)
	got, err := json.Marshal(history())
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"at":"1970-01-01T00:00:00.008Z","consignmentId":"C1","event":"order.hold","note":"Call 2","provider":"courier_a",` +
		`"receivedAt":"1970-01-01T00:00:00.01Z","status":null},{"at":"1970-01-01T00:00:00.009Z","consignmentId":"C1","event":"order.hold",` +
		`"note":"Call 1","provider":"courier_a","receivedAt":"1970-01-01T00:00:00.01Z","status":"on_hold"}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The account of an order that a guest or staff placed follows its phone number: a customer whose
// number staff mistyped reads the order no more once it is corrected. An order that a customer
// placed signed in remains that customer's.
func TestAdmin_AccountFollowsContact(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	karim, salma := s.shop.SignIn(t, shoptest.KarimsPhone).AccessToken, s.shop.SignIn(t, "+8801611000000").AccessToken
	sees := func(order, token string) bool {
		t.Helper()
		got := s.get("/api/v1/orders", "Authorization", "Bearer "+token)
		const query = `{"query":"{ myOrders { nodes { invoiceUid } } }"}`
		alike := s.send("POST", "/graphql", query, "Authorization", "Bearer "+token)
		rest, graphQL := strings.Contains(string(got.body), order), strings.Contains(string(alike.body), order)
		if got.status != http.StatusOK || alike.status != http.StatusOK || rest != graphQL {
			t.Errorf("got REST %d %t, GraphQL %d %t, want the same lists", got.status, rest, alike.status, graphQL)
		}
		one := s.get("/api/v1/orders/"+order, "Authorization", "Bearer "+token)
		if whole := strings.Contains(string(one.body), "House 7"); whole != rest {
			t.Errorf("got %s, want the address to be shown: %t", one.body, rest)
		}
		return rest
	}
	place := func(phone string, header ...string) string {
		t.Helper()
		body := s.filled(`{"items":[{"productId":"<product>","quantity":1}],"customer":{"name":"Rahim","phoneNumber":"` + phone + `"},
			"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
		var placed struct{ InvoiceUID string }
		got := s.send("POST", "/api/v1/orders", body, header...)
		if got.status != http.StatusCreated || json.Unmarshal(got.body, &placed) != nil || placed.InvoiceUID == "" {
			t.Fatalf("place an order: got %d: %s", got.status, got.body)
		}
		return placed.InvoiceUID
	}
	edit := func(order, phone string) {
		s.must("PATCH", "orders/"+order, `{"customer":{"phoneNumber":"`+phone+`"}}`)
	}
	byPhone := strings.TrimPrefix(s.place(), "orders/") // for Karim's number
	if !sees(byPhone, karim) {
		t.Error("placed by staff: got an order that Karim does not see, want it to be his")
	}
	for by, order := range map[string]string{"staff": byPhone, "a guest": place("01911-111111")} {
		for _, phone := range []struct {
			number, whose string
			karim, salma  bool
		}{
			{"01811-000000", "Karim's", true, false}, {"01911-111111", "nobody's", false, false}, {"01611-000000", "Salma's", false, true},
			{"01811-000000", "Karim's again", true, false}, {"01911-222222", "nobody's again", false, false},
		} {
			edit(order, phone.number)
			if k, m := sees(order, karim), sees(order, salma); k != phone.karim || m != phone.salma {
				t.Errorf("placed by %s, with a number of %s: got Karim %t, Salma %t", by, phone.whose, k, m)
			}
		}
	}
	own := place("01811-000000", "Authorization", "Bearer "+karim)
	for _, number := range []string{"01611-000000", "01911-111111"} {
		edit(own, number)
		if !sees(own, karim) || sees(own, salma) {
			t.Errorf("placed by Karim, with %s: got an order that is not Karim's alone", number)
		}
	}
	if faults, err := s.shop.CheckInvariants(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("got %v, %v, want no broken invariants", faults, err)
	}
}
