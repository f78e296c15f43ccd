package simulator_test

import (
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// expire advances the clock to a time after placing an order and expires what is due.
func (s *site) expire(order *order.Placed, after time.Duration) {
	s.tb.Helper()
	s.clock.Advance(order.PlacedAt.Add(after).Sub(s.clock.Now()))
	_, err := s.Orders.ExpireOrders(s.tb.Context())
	s.must(err)
}

// An order with an open payment expires after 30 minutes if its gateway reports that nothing was
// paid.
func TestExpireOrders_OpenPayment(t *testing.T) {
	t.Parallel()
	eachPlacedOrder(t, func(t *testing.T, s *site, order *order.Placed) {
		s.expire(order, 30*time.Minute-time.Millisecond)
		s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
		s.expire(order, 30*time.Minute)
		s.wantStatus(order.ID, status.OrderExpired, status.PaymentUnpaid, status.AttemptExpired)
		s.finish(ref(order), simulator.Pays) // too late
		s.sweep(time.Hour)
		if s.sim.HasMoney(ref(order)) {
			s.wantStatus(order.ID, status.OrderExpired, status.PaymentRefundDue, status.AttemptRefundDue)
		}
		s.checkInvariants()
	})
}

func TestExpireOrders_PaidUnnoticed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayA)
	s.sim.Switch(simulator.WebhookLost, true)
	s.finish(ref(order), simulator.Pays)
	s.expire(order, 30*time.Minute)
	s.wantPaid(order.ID)
}

// An order stays open while its gateway does not respond, and expires soon after it does again.
func TestExpireOrders_GatewayDown(t *testing.T) {
	t.Parallel()
	eachPlacedOrder(t, func(t *testing.T, s *site, order *order.Placed) {
		s.sim.Switch(simulator.ValidationDown, true)
		s.expire(order, 30*time.Minute)
		s.expire(order, 34*time.Minute)
		s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
		s.sim.Switch(simulator.ValidationDown, false)
		s.expire(order, 35*time.Minute)
		s.wantStatus(order.ID, status.OrderExpired, status.PaymentUnpaid, status.AttemptExpired)
	})
}

// An order does not expire while a payment of it is being captured.
func TestExpireOrders_DuringCapture(t *testing.T) {
	t.Parallel()
	var meanwhile func()
	s := newSiteWith(t, func(g plugin.Gateway) plugin.Gateway { return interfering{g, &meanwhile} })
	order := s.place(status.PayGatewayB)
	s.clock.Advance(29*time.Minute + 59*time.Second)
	meanwhile = func() { s.expire(order, 30*time.Minute) }
	s.finish(ref(order), simulator.Pays)
	s.wantPaid(order.ID)
}
