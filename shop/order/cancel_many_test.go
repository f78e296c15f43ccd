package order_test

import (
	"fmt"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

func TestCancelOrders(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"openOrdersPerPhone": 1000, "openOrdersPerClient": 1000})
	if _, err := s.Catalogue.ChangeStock(t.Context(), access.Operator(), s.mug.Variants[0].ID, catalogue.StockChange{Set: new(int64(500))}); err != nil {
		t.Fatal(err)
	}
	place := func(client int, phone string) string {
		in := guestOrder(wants(s.mug, 1))
		in.Customer.PhoneNumber = &phone
		return s.mustPlace(t, access.Caller{Client: clientAddress(client)}, in).ID
	}
	for range 120 { // more than one batch
		place(1, "01711000001")
	}
	shipped, confirmed, honest := place(1, "01711000001"), place(1, "01711000001"), place(2, "01711000002")
	mustShip(t, s.Orders, shipped, plugin.CourierA, "C1")
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), confirmed); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Hour)
	later := place(3, "01711000003")

	if _, err := s.Orders.CancelOrders(t.Context(), access.Operator(), order.CancelFilter{}, "", true); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("no filter: got %v, want %s", err, fault.CodeValidationFailed)
	}
	_, err := s.Orders.CancelOrders(t.Context(), access.Caller{}, order.CancelFilter{Phone: "01711000001"}, "", true)
	if !fault.HasCode(err, fault.CodeUnauthenticated) {
		t.Errorf("a guest: got %v, want %s", err, fault.CodeUnauthenticated)
	}
	for _, tt := range []struct {
		name   string
		filter order.CancelFilter
		dryRun bool
		want   int
	}{
		{"by phone, listed", order.CancelFilter{Phone: "+880 1711-000001"}, true, 120},
		{"another client", order.CancelFilter{Client: clientAddress(9)}, false, 0},
		{"by phone and time", order.CancelFilter{Phone: "01711000001", PlacedFrom: new(s.clock.Now())}, false, 0},
		{"by client", order.CancelFilter{Client: clientAddress(1)}, false, 120},
		{"again", order.CancelFilter{Client: clientAddress(1)}, false, 0},
		{"by time", order.CancelFilter{PlacedFrom: new(s.clock.Now())}, false, 1},
	} {
		orders, err := s.Orders.CancelOrders(t.Context(), access.Operator(), tt.filter, "attack", tt.dryRun)
		if err != nil || len(orders) != tt.want {
			t.Errorf("%s: got %d orders, %v; want %d", tt.name, len(orders), err, tt.want)
		}
	}
	for uid, want := range map[string]status.Order{
		shipped: status.OrderProcessing, confirmed: status.OrderConfirmed, honest: status.OrderPending, later: status.OrderCancelled,
	} {
		if o := s.mustFindAsStaff(t, uid); o.Status != want {
			t.Errorf("got order %s, want %s", o.Status, want)
		}
	}
	ipv6 := access.Caller{Client: "2001:db8:1:2::/64"}
	for i, client := range []string{"2001:db8:1:2::/64", "2001:db8:1:2:3::4", "2001:DB8:1:2:0:0:0:9"} {
		s.mustPlace(t, ipv6, s.orderBy(fmt.Sprint("0171100001", i)))
		if got, err := s.Orders.CancelOrders(
			t.Context(), access.Operator(), order.CancelFilter{Client: client}, "attack", false,
		); err != nil || len(got) != 1 {
			t.Errorf("by client %s: got %d orders, %v; want 1", client, len(got), err)
		}
	}
	if got := s.stock(t, s.mug, 0); got != 500-3 {
		t.Errorf("got %d mugs, want 497", got)
	}
	s.checkBooks(t)
}
