package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// carried inserts orders of yesterday, to a place that a courier has delivered or returned.
func (s *auditShop) carried(courier, city, area string, delivered, returned int) {
	s.t.Helper()
	at := s.shop.Clock.Now().Add(-24 * time.Hour).UnixMilli()
	for i := range delivered + returned {
		id := fmt.Sprintf("%016d", s.shop.Number(s.t, `SELECT COUNT(*) FROM orders`))
		s.shop.InsertOrder(s.t, id, shoptest.KarimsPhone)
		status, payment := "completed", "paid"
		if i >= delivered {
			status, payment = "returned", "refunded"
		}
		s.shop.Exec(s.t, `
			UPDATE orders
			SET status = ?, fulfillment_status = ?, payment_status = ?, courier = ?, city = ?, area = ?, placed_at = ?
			WHERE id = ?`, status, map[string]string{"completed": "delivered", "returned": "returned"}[status], payment,
			courier, city, area, at, id)
	}
}

// The courier that delivers best in an order's area is suggested with its figures, otherwise that
// of the city, and none without enough shipments or with figures alike.
func TestAdmin_SuggestCourier(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.carried("courier_a", "Dhaka", "Mirpur", 18, 2)
	s.carried("courier_b", "ঢাকা", "mirpur", 12, 8)       // another spelling
	s.carried("courier_a", "Dhaka", "Uttara", 20, 30)     // in all of Dhaka it is worse
	s.carried("courier_b", "Dhaka", "Gulshan", 40, 0)     //
	s.carried("courier_a", "Sylhet", "Zindabazar", 19, 0) // one too few
	s.carried("courier_b", "Sylhet", "Zindabazar", 10, 10)
	s.carried("courier_a", "Khulna", "", 20, 1)
	s.carried("courier_b", "Khulna", "", 20, 0) // alike
	if _, err := s.shop.Sales.CountDays(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ city, area, want string }{
		{"Dhaka", "Mirpur", "courier_a in Mirpur: courier_a 18+2 900, courier_b 12+8 600"},
		{"Dhaka", "Banani", "courier_b in Dhaka: courier_b 52+8 867, courier_a 38+32 543"},
		{"Sylhet", "Zindabazar", "none in Sylhet: courier_b 10+10 500"},
		{"Khulna", "Sadar", "none in Khulna: courier_b 20+0 1000, courier_a 20+1 952"},
		{"Bogura", "", "none in Bogura: "},
	} {
		body := strings.Replace(placeBody, `"line1":"House 7, Road 3"`, fmt.Sprintf(`"line1":"House 7, Road 3","area":%q`, tt.area), 1)
		body = strings.Replace(body, `"city":"Dhaka"`, fmt.Sprintf(`"city":%q`, tt.city), 1)
		uid := s.must("POST", "orders", body)["order"].(map[string]any)["_id"].(string)
		var got order.CourierSuggestion
		s.as("GET", "orders/"+uid+"/courier-suggestion", "", "Cookie", s.owner).ok(200, &got)
		text, place := "none", got.City
		if got.Provider != nil {
			text = string(*got.Provider)
		}
		if got.Area != nil {
			place = *got.Area
		}
		var figures []string
		for _, c := range got.Couriers {
			figures = append(figures, fmt.Sprintf("%s %d+%d %d", c.Provider, c.Delivered, c.Returned, c.DeliveryRate))
		}
		if text += " in " + place + ": " + strings.Join(figures, ", "); text != tt.want {
			t.Errorf("got %s\nwant %s", text, tt.want)
		}
	}
}
