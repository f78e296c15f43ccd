package simulator_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// After a restart, the gateways refund what was paid before, once.
func TestRestore_Payments(t *testing.T) {
	t.Parallel()
	causes := map[status.PaymentMethod]order.Cause{status.PayGatewayA: order.ByShop, status.PayGatewayB: order.ByStaff}
	for method, cause := range causes {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			order := s.refundDue(method)
			s.restart(t)
			_, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(order), refundInput{})
			s.must(err)
			s.restart(t)
			s.sweep(48 * time.Hour) // gateway_a reports the result only in a query
			s.wantRefunded(order, cause, 1)
			s.wantRefunds(order, 1)
			if got := s.sim.Refunded(ref(order)); got != order.Total.Amount {
				t.Errorf("got %d refunded, want %d", got, order.Total.Amount)
			}
		})
	}
}

// After a restart, couriers still have the shipments of before, and the next one gets an ID of its
// own.
func TestRestore_Shipments(t *testing.T) {
	t.Parallel()
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		t.Run(string(courier), func(t *testing.T) {
			t.Parallel()
			s := newCourierSite(t)
			first, second := s.place(t), s.place(t)
			book := func(id string) string {
				order, err := s.Orders.BookShipment(t.Context(), access.Operator(), id, order.BookingInput{Provider: courier})
				if err != nil {
					t.Fatal(err)
				}
				return *order.Shipments[0].ConsignmentID
			}
			before := book(first)
			event := map[plugin.Provider]string{plugin.CourierA: "order.delivered", plugin.CourierB: "delivered"}[courier]
			s.sim.MoveShipment(courier, before, event)
			s.receive(t, courier, event, first, s.clock.Now())

			s.restart(t)
			if err := s.sim.Restore(t.Context(), s.Shop); err != nil { // again: nothing is added twice
				t.Fatal(err)
			}
			if after := book(second); after == before {
				t.Errorf("got the consignment ID %s of both orders", after)
			}
			if n := s.sim.Bookings(first); n != 1 {
				t.Errorf("got %d shipments of the first order, want 1", n)
			}
			order, err := s.Orders.TrackShipments(t.Context(), access.Operator(), first)
			if err != nil {
				t.Fatal(err)
			}
			if got := order.Shipments[0].Status; got != status.ShipmentDelivered {
				t.Errorf("got shipment %s, want delivered", got)
			}
		})
	}
}

// A consignment ID that another order has is refused with what to do, and the booking stays open.
func TestBooking_ConsignmentOfAnotherOrder(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	first, second := s.place(t), s.place(t)
	in := order.ShipmentInput{Provider: plugin.CourierB, ConsignmentID: "1424101"}
	if _, err := s.Orders.RecordShipment(t.Context(), access.Operator(), first, in); err != nil {
		t.Fatal(err)
	}
	_, err := s.Orders.BookShipment(t.Context(), access.Operator(), second, order.BookingInput{Provider: plugin.CourierB})
	if !fault.HasCode(err, fault.CodeStateConflict) || !strings.Contains(err.Error(), first) {
		t.Errorf("got %v, want state_conflict that names order %s", err, first)
	}
	order, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), second)
	if err != nil {
		t.Fatal(err)
	}
	if len(order.Shipments) != 0 {
		t.Errorf("got shipments %+v, want none", order.Shipments)
	}
}

// restart replaces the providers by new ones at the same addresses, which have what the shop names.
func (s *site) restart(t *testing.T) { s.sim = restarted(t, s.host, s.Shop) }

func (s *courierSite) restart(t *testing.T) { s.sim = restarted(t, s.host, s.Shop) }

func restarted(t *testing.T, host *httptest.Server, from *shop.Shop) *simulator.Simulator {
	t.Helper()
	sim := simulator.New()
	if err := sim.Restore(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	host.Config.Handler = sim.Handler()
	return sim
}
