package sales_test

import (
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// An order's sales are of its newest courier. A shipment's fee and outcome are of the courier that
// had it.
func TestReportSales_ShippedAgain(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, map[string]any{"openOrdersPerPhone": 10_000, "autoConfirm": true})
	ship := func(uid string, courier plugin.Provider, consignment string) {
		t.Helper()
		in := order.ShipmentInput{Provider: courier, ConsignmentID: consignment}
		if _, err := s.Orders.RecordShipment(t.Context(), access.Operator(), uid, in); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Hour)
	}
	uid := s.Place(t, access.Caller{}, shoptest.GuestOrder(s.Mug.ID, 1)).ID
	ship(uid, plugin.CourierA, "FIRST")
	csv := "consignment_id,collected,fee\nFIRST,0,120\n"
	shoptest.Reconcile(t, s.Shop, plugin.CourierA, csv)
	s.Move(t, plugin.CourierA, "FIRST", status.ShipmentReturned)
	s.Exec(t, `UPDATE orders SET status = 'confirmed', fulfillment_status = 'unfulfilled' WHERE id = ?`, uid) // it is sent once more
	ship(uid, plugin.CourierB, "SECOND")
	if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), uid, nil); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(24 * time.Hour)
	for _, counted := range []string{"orders", "stored sums"} {
		got := map[string][6]int64{}
		_, r := reportSales(t, s, sales.Filter{From: "2026-03-01", To: "2026-03-01", By: sales.ByCourier})
		for _, row := range r.Rows {
			got[row.Key] = [6]int64{int64(row.Orders), int64(*row.Shipments), row.Fees.Amount, int64(row.Delivered), int64(row.Returned),
				row.Sales.Amount}
		}
		if got["courier_a"] != [6]int64{0, 1, 120_00, 0, 1, 0} || got["courier_b"] != [6]int64{1, 1, 0, 1, 0, 450_00} {
			t.Errorf("of %s: got %v, want the return and its fee at the first courier, the delivery at the second", counted, got)
		}
		s.CountDays(t)
	}
	s.CheckDays(t)
}
