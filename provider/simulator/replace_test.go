package simulator_test

import (
	"context"
	"testing"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// duringCapture is a gateway that calls a function once the money is captured and before the shop
// knows.
type duringCapture struct {
	plugin.Gateway
	then *func()
}

func (g duringCapture) Capture(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	defer (*g.then)()
	return g.Gateway.Capture(ctx, access, q)
}

// replace places an order that replaces another.
func (s *site) replace(first *order.Placed) (*order.Placed, error) {
	in := shoptest.GuestOrder(s.mug.ID, 1)
	in.ReplacesOrderID = &first.ID
	return s.Orders.PlaceOrder(s.tb.Context(), access.Caller{OrderToken: first.OrderToken}, in, "")
}

// A buyer replaces an order while the payment that was authorised in another tab is captured: the
// order is paid and stays.
func TestReplaceOrder_DuringCapture(t *testing.T) {
	t.Parallel()
	then := func() {}
	s := newSiteWith(t, func(g plugin.Gateway) plugin.Gateway { return duringCapture{g, &then} })
	first := s.place(status.PayGatewayB)
	called := false
	then = func() {
		called = true
		if _, err := s.replace(first); !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("during the capture: got %v, want %s", err, fault.CodeStateConflict)
		}
	}
	s.finish(ref(first), simulator.Pays)
	s.wantPaid(first.ID)
	if !called {
		t.Error("nothing was captured")
	}
	if _, err := s.replace(first); !fault.HasCode(err, fault.CodeNotCancellable) {
		t.Errorf("after the capture: got %v, want %s", err, fault.CodeNotCancellable)
	}
}

// A buyer pays an order that was replaced: gateway_b captures nothing, and what gateway_a has
// captured is refunded. The new order is not affected.
func TestReplaceOrder_PaidAfterwards(t *testing.T) {
	t.Parallel()
	for _, method := range gateways {
		s := newSite(t)
		first := s.place(method)
		second, err := s.replace(first)
		s.must(err)
		s.finish(ref(first), simulator.Pays)
		if method == status.PayGatewayA {
			s.wantStatus(first.ID, status.OrderCancelled, status.PaymentRefundDue, status.AttemptRefundDue)
		} else if o := s.order(first.ID); s.sim.HasMoney(ref(first)) || o.Status != status.OrderCancelled {
			t.Errorf("%s: got order %s, captured %v; want cancelled, not captured", method, o.Status, s.sim.HasMoney(ref(first)))
		}
		if o := s.order(second.ID); o.Status != status.OrderPending || o.PaymentStatus != status.PaymentUnpaid {
			t.Errorf("%s: got new order %s, payment %s; want pending, unpaid", method, o.Status, o.PaymentStatus)
		}
		products, err := s.Catalogue.FindProduct(t.Context(), s.mug.ID)
		s.must(err)
		if got := *products.Variants[0].AvailableQuantity; got != stock-1 {
			t.Errorf("%s: got %d mugs, want %d", method, got, stock-1)
		}
	}
}
