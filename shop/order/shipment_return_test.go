package order_test

import (
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/plugin"
)

// The return barcode is no second shipment, in whatever order it becomes known.
func TestShipments_ReturnConsignment(t *testing.T) {
	t.Parallel()
	bodies := []string{
		step(1, "order.picked"), step(2, "order.returned"),
		step(3, "order.return-id-created", "return_consignment_id", `"RT1"`, "return_type", `"return"`, "merchant_order_id", `"INVOICE"`),
		strings.Replace(step(4, "order.in-transit", "merchant_order_id", `"INVOICE"`), "DL1", "RT1", 1),
		strings.Replace(step(5, "order.return-in-transit", "return_type", `"return"`), "DL1", "RT1", 1),
		strings.Replace(step(6, "order.returned-to-merchant", "return_type", `"return"`, "merchant_order_id", `"INVOICE"`), "DL1", "RT1", 1),
	}
	for seed := range 20 {
		s := newCourierShop(t, "")
		invoice := s.place(t)
		s.recordShipment(t, invoice, plugin.CourierA, "DL1")
		for _, body := range (journey{bodies: bodies}).shuffled(uint64(seed)) {
			s.sendWebhook(t, plugin.CourierA, strings.Replace(body, "INVOICE", invoice, 1))
		}
		order, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), invoice)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := state(&order.Order), "[returned] returned returned unpaid"; got != want {
			t.Errorf("seed %d: got %s, want %s", seed, got, want)
		}
		if got := deref(order.Shipments[0].ReturnConsignmentID); got != "RT1" {
			t.Errorf("seed %d: got return consignment %q, want RT1", seed, got)
		}
		if got, want := s.ledgerTotals(t, plugin.CourierA), "expected 0, held 0, fees 0, payable 0, paid out 0"; got != want {
			t.Errorf("seed %d: got %s, want %s", seed, got, want)
		}
		if n := s.number(t, `SELECT COUNT(*) FROM provider_webhooks WHERE verdict <> 'applied'`); n != 0 {
			t.Errorf("seed %d: got %d webhooks that were not applied", seed, n)
		}
		s.checkBooks(t)
	}
}
