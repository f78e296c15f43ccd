package order_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// A shipment that was deleted in the courier's panel is cancelled by hand, and its replacement
// collects the cash.
func TestCancelShipment_Replacement(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	bought, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice, order.ShipmentSelection{})
	if err != nil || bought.Shipments[0].Status != status.ShipmentCancelled || bought.Shipments[0].AmountToCollect.Amount != 0 {
		t.Fatalf("got %+v, %v, want a cancelled shipment that collects nothing", bought, err)
	}
	if _, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice, order.ShipmentSelection{ConsignmentID: "DL1"}); err != nil {
		t.Errorf("again: %v", err)
	}
	if _, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice,
		order.ShipmentSelection{ConsignmentID: "DL9"}); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("unknown shipment: got %v, want not_found", err)
	}
	s.recordShipment(t, invoice, plugin.CourierB, "77")
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(1, "pending"))
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(2, "delivered"))
	if got, want := state(s.findOrder(t, invoice)), "[cancelled delivered] delivered completed paid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if a, b := s.ledgerTotals(t, plugin.CourierA), s.ledgerTotals(t, plugin.CourierB); !strings.HasPrefix(a, "expected 0, held 0,") ||
		!strings.HasPrefix(b, "expected 0, held 970,") {
		t.Errorf("got ledger %s and %s", a, b)
	}
	if got := s.flags(t, invoice); got != "" {
		t.Errorf("got flags %q, want none", got)
	}
	if _, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice,
		order.ShipmentSelection{ConsignmentID: "77"}); !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("delivered shipment: got %v, want state_conflict", err)
	}
}

// A late event from before the cancellation wins: the courier delivered first.
func TestCancelShipment_LateDelivery(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	delivered := func(at time.Time) string {
		return fmt.Sprintf(`{"event":"order.delivered","consignment_id":"DL1","collected_amount":970,"timestamp":%q}`, at.UTC().Format(time.RFC3339))
	}
	before := s.clock.Now()
	s.clock.Advance(time.Hour)
	if _, err := s.Orders.CancelShipment(t.Context(), access.Operator(), invoice, order.ShipmentSelection{}); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Hour)
	s.sendWebhook(t, plugin.CourierA, delivered(s.clock.Now()))
	if got, want := s.flags(t, invoice), "cash_undelivered contradicted"; got != want {
		t.Errorf("delivered later: got flags %q, want %q", got, want)
	}
	s.sendWebhook(t, plugin.CourierA, delivered(before))
	if got, want := state(s.findOrder(t, invoice)), "[delivered] delivered completed paid"; got != want {
		t.Errorf("delivered before: got %s, want %s", got, want)
	}
}

// A cancelled order that the courier delivers all the same is completed, and its stock is taken
// again.
func TestShipments_DeliveredAfterCancel(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	stock := func() int64 { return s.number(t, `SELECT stock FROM variants`) }
	full := stock()
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	if _, err := s.Orders.CancelOrder(t.Context(), access.Operator(), invoice, ""); err != nil {
		t.Fatal(err)
	}
	s.sendWebhook(t, plugin.CourierA, step(1, "order.picked"))
	if got := s.findOrder(t, invoice).Status; got != status.OrderCancelled {
		t.Errorf("picked up: got order %s, want cancelled", got)
	}
	s.sendWebhook(t, plugin.CourierA, step(2, "order.delivered", "collected_amount", "970"))
	s.sendWebhook(t, plugin.CourierA, step(2, "order.delivered", "collected_amount", "970")+" ")
	bought := s.findOrder(t, invoice)
	if got, want := state(bought), "[delivered] delivered completed paid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := stock(); got != full-2 {
		t.Errorf("got stock %d, want %d", got, full-2)
	}
	for _, e := range bought.Timeline {
		if strings.Contains(e.Message, "refund") {
			t.Errorf("got timeline entry %q, want none about a refund", e.Message)
		}
	}
	if got := s.flags(t, invoice); got != "delivered_after_cancel" {
		t.Errorf("got flags %q, want delivered_after_cancel", got)
	}
	s.checkBooks(t)

	// The stock was sold meanwhile: it stays at zero, and the flag names what is missing.
	second := s.place(t)
	s.recordShipment(t, second, plugin.CourierA, "DL2")
	if _, err := s.Orders.CancelOrder(t.Context(), access.Operator(), second, ""); err != nil {
		t.Fatal(err)
	}
	s.setStock(t, 1)
	s.sendWebhook(t, plugin.CourierA, strings.Replace(step(3, "order.delivered", "collected_amount", "970"), "DL1", "DL2", 1))
	list, err := s.Orders.ListFlags(t.Context(), access.Operator(), order.FlagFilter{OrderID: second})
	if err != nil || stock() != 1 || !slices.ContainsFunc(list.Nodes,
		func(f order.Flag) bool { return strings.Contains(f.Message, "2 × Mug is missing") }) {
		t.Errorf("got stock %d and flags %+v, %v", stock(), list, err)
	}
	s.checkBooks(t)
}

// A guest's order that the shop did not confirm in time has expired; the merchant sent it all the
// same, from the courier's panel.
func TestShipments_DeliveredAfterExpiry(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	stock := func() int64 { return s.number(t, `SELECT stock FROM variants`) }
	full := stock()
	invoice := s.place(t)
	s.clock.Advance(73 * time.Hour)
	if _, err := s.Orders.ExpireOrders(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.findOrder(t, invoice).Status; got != status.OrderExpired || stock() != full {
		t.Fatalf("got order %s and stock %d, want expired and %d", got, stock(), full)
	}
	s.sendWebhook(t, plugin.CourierA, step(1, "order.picked", "merchant_order_id", `"`+invoice+`"`))
	if got := s.findOrder(t, invoice).Status; got != status.OrderExpired {
		t.Errorf("picked up: got order %s, want expired", got)
	}
	s.sendWebhook(t, plugin.CourierA, step(2, "order.delivered", "collected_amount", "970"))
	if got, want := state(s.findOrder(t, invoice)), "[delivered] delivered completed paid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := stock(); got != full-2 {
		t.Errorf("got stock %d, want %d", got, full-2)
	}
	list, err := s.Orders.ListFlags(t.Context(), access.Operator(), order.FlagFilter{OrderID: invoice})
	if err != nil || !slices.ContainsFunc(list.Nodes, func(f order.Flag) bool {
		return f.Code == order.FlagDeliveredAfterCancel && strings.Contains(f.Message, "after it had expired")
	}) {
		t.Errorf("got flags %+v, %v; want delivered_after_cancel", list, err)
	}
	s.checkBooks(t)
}
