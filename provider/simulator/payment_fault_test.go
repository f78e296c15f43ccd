package simulator_test

import (
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/inbox"
	"storefront/shop/order"
	"storefront/shop/status"
)

// The sweep resolves every failure between the payment and its confirmation.
func TestPayment_FaultsResolvedBySweep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method status.PaymentMethod
		fault  simulator.Fault
		stays  bool // the fault lasts beyond the first sweep
	}{
		{"webhook lost", status.PayGatewayA, simulator.WebhookLost, true},
		{"validation down", status.PayGatewayA, simulator.ValidationDown, false},
		{"validation down during the first sweep", status.PayGatewayA, simulator.ValidationDown, true},
		{"webhook late", status.PayGatewayA, simulator.WebhookLate, true},
		{"execute lost", status.PayGatewayB, simulator.ExecuteLost, true},
		{"execute late", status.PayGatewayB, simulator.ExecuteLate, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			order := s.place(tt.method)
			s.sim.Switch(tt.fault, true)
			s.finish(ref(order), simulator.Pays)
			if tt.stays {
				s.sweep(5 * time.Minute)
			}
			s.sim.Switch(tt.fault, false)
			s.sweep(10 * time.Minute)
			s.wantPaid(order.ID)
			next, err := s.Orders.SweepPayments(t.Context())
			s.must(err)
			if !next.IsZero() {
				t.Errorf("got next check at %v, want none", next)
			}
			webhooks, err := s.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{Verdict: inbox.VerdictStored})
			s.must(err)
			if len(webhooks.Nodes) != 0 {
				t.Errorf("got unprocessed webhooks %+v", webhooks.Nodes)
			}
		})
	}
}

// The responses of execute and query are lost, although the money has moved.
func TestPayment_ExecuteAndQueryLost(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayB)
	s.sim.Switch(simulator.ExecuteLost, true)
	s.sim.Switch(simulator.ValidationDown, true)
	ret := s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
	s.openCallback(ret.URL) // within the claim, so the gateway is not queried
	s.sim.Switch(simulator.ValidationDown, false)
	s.sweep(time.Minute)
	s.wantPaid(order.ID)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 1 {
		t.Errorf("got %d executions, want 1", n)
	}
}

// An order expires even if its gateway never responds.
func TestPayment_NoResponseForADay(t *testing.T) {
	t.Parallel()
	eachPlacedOrder(t, func(t *testing.T, s *site, order *order.Placed) {
		s.sim.Switch(simulator.ValidationDown, true)
		for hour := range 30 {
			s.sweep(time.Hour)
			_, err := s.Orders.ExpireOrders(t.Context())
			s.must(err)
			if o := s.order(order.ID); hour < 22 && o.Status != status.OrderPendingPayment {
				t.Fatalf("after %d hours: got order %s, want pending_payment", hour+1, o.Status)
			}
		}
		s.wantStatus(order.ID, status.OrderExpired, status.PaymentUnpaid, status.AttemptExpired)
		next, err := s.Orders.SweepPayments(t.Context())
		s.must(err)
		if !next.IsZero() {
			t.Errorf("got next check at %v, want none", next)
		}
	})
}
