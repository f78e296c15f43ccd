package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"storefront/shop"
	"storefront/shop/fault"
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
	if address.status != http.StatusOK || !strings.Contains(string(address.body), string(shop.WarnOldAddress)) {
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
		"orders":            {placeBody, `SELECT COUNT(*) FROM orders WHERE source = 'phone'`},
		order + "/advances": {`{"amount":30,"method":"bkash"}`, `SELECT COUNT(*) FROM order_advances`},
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
