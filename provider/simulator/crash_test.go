package simulator_test

import (
	"context"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// crashing is a gateway that simulates a crash of the program: before a call, or after the provider
// has handled it and before anything is stored.
type crashing struct {
	plugin.Gateway
	step *string // "before start", "after query" and so on; "" means never
}

// crash panics at a step, once.
func (m crashing) crash(step string) {
	if *m.step == step {
		*m.step = ""
		panic(step)
	}
}

func (m crashing) Start(ctx context.Context, access plugin.Access, order plugin.PaymentStart) (plugin.StartedPayment, error) {
	m.crash("before start")
	defer m.crash("after start")
	return m.Gateway.Start(ctx, access, order)
}

func (m crashing) QueryStatus(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	m.crash("before query")
	defer m.crash("after query")
	return m.Gateway.QueryStatus(ctx, access, q)
}

func (m crashing) Capture(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	m.crash("before query")
	defer m.crash("after query")
	return m.Gateway.Capture(ctx, access, q)
}

func (m crashing) Refund(ctx context.Context, access plugin.Access, r plugin.RefundRequest) (plugin.RefundResult, error) {
	m.crash("before refund")
	defer m.crash("after refund")
	return m.Gateway.Refund(ctx, access, r)
}

// newCrashingSite returns a site that crashes at the step that step is set to.
func newCrashingSite(t *testing.T) (s *site, step *string) {
	t.Helper()
	step = new(string)
	return newSiteWith(t, func(g plugin.Gateway) plugin.Gateway { return crashing{g, step} }), step
}

// recoverCrash runs do until it panics. Only the file survives, because a shop holds no payments in
// memory.
func recoverCrash(do func()) {
	defer func() { _ = recover() }()
	do()
}

// eachCrash runs a test for each gateway and step, on a site that crashes once at the step that
// crashAt is set to.
func eachCrash(t *testing.T, steps []string, test func(t *testing.T, s *site, method status.PaymentMethod, step string, crashAt *string)) {
	t.Helper()
	for _, method := range gateways {
		for _, step := range steps {
			t.Run(string(method)+" "+step, func(t *testing.T) {
				t.Parallel()
				s, crashAt := newCrashingSite(t)
				test(t, s, method, step, crashAt)
			})
		}
	}
}

func TestPayment_CrashDuringStart(t *testing.T) {
	t.Parallel()
	eachCrash(t, []string{"before start", "after start"}, func(t *testing.T, s *site, method status.PaymentMethod, step string, crashAt *string) {
		*crashAt = step
		recoverCrash(func() { s.place(method) })
		orders, err := s.Orders.ListOrders(t.Context(), access.Operator(), order.ListFilter{})
		s.must(err)
		if len(orders.Nodes) != 1 {
			t.Fatalf("got %d orders, want 1", len(orders.Nodes))
		}
		id := orders.Nodes[0].ID
		s.wantStatus(id, status.OrderPendingPayment, status.PaymentPending, status.AttemptInitiated)
		s.sweep(3 * time.Minute)
		s.wantStatus(id, status.OrderPendingPayment, status.PaymentUnpaid, status.AttemptFailed)
		s.clock.Advance(time.Hour)
		_, err = s.Orders.ExpireOrders(t.Context())
		s.must(err)
		if o := s.order(id); o.Status != status.OrderExpired {
			t.Errorf("got order %s, want expired", o.Status)
		}
	})
}

// A buyer who gets no response sends the order again, and can pay it once the claim of the crashed
// program has ended.
func TestPayment_CrashBeforeStartAndReplayedOrder(t *testing.T) {
	t.Parallel()
	eachCrash(t, []string{"before start"}, func(t *testing.T, s *site, method status.PaymentMethod, step string, crashAt *string) {
		*crashAt = step
		recoverCrash(func() { _, _ = s.placeByKey(method, "again") })
		s.clock.Advance(3 * time.Minute)
		order, err := s.placeByKey(method, "again")
		s.must(err)
		if !order.Replayed || order.Payment.RedirectURL == nil {
			t.Fatalf("got replayed %v, payment %+v", order.Replayed, order.Payment)
		}
		s.finish(ref(order), simulator.Pays)
		s.wantPaid(order.ID)
	})
}

func TestPayment_CrashDuringStatusQuery(t *testing.T) {
	t.Parallel()
	eachCrash(t, []string{"before query", "after query"}, func(t *testing.T, s *site, method status.PaymentMethod, step string, crashAt *string) {
		order := s.place(method)
		*crashAt = step
		if method == status.PayGatewayA { // the server handles the webhook in its own goroutine
			s.finish(ref(order), simulator.Pays)
		} else {
			recoverCrash(func() { s.finish(ref(order), simulator.Pays) })
		}
		s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
		s.sweep(10 * time.Minute)
		if method == status.PayGatewayB && step == "before query" {
			// The money was not captured, and nobody captures it later.
			s.sweep(time.Hour)
			if o := s.order(order.ID); o.PaymentStatus != status.PaymentUnpaid || s.sim.HasMoney(ref(order)) {
				t.Errorf("got payment %s, captured %v; want unpaid, not captured", o.PaymentStatus, s.sim.HasMoney(ref(order)))
			}
			return
		}
		s.wantPaid(order.ID)
	})
}

// A gateway may report a payment long after the last status query. The webhook is stored before it
// is applied, so a crash does not lose it.
func TestPayment_CrashDuringLateWebhook(t *testing.T) {
	t.Parallel()
	s, crashAt := newCrashingSite(t)
	order := s.place(status.PayGatewayA)
	for range 40 {
		s.sweep(time.Hour)
	}
	_, err := s.Orders.ExpireOrders(t.Context())
	s.must(err)
	s.wantStatus(order.ID, status.OrderExpired, status.PaymentUnpaid, status.AttemptExpired)
	*crashAt = "before query"
	s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, status.OrderExpired, status.PaymentUnpaid, status.AttemptExpired)
	s.sim.Switch(simulator.ValidationDown, true)
	s.sweep(time.Minute)
	s.sim.Switch(simulator.ValidationDown, false)
	s.sweep(10 * time.Minute)
	s.wantStatus(order.ID, status.OrderExpired, status.PaymentRefundDue, status.AttemptRefundDue)
}

func TestPayment_CrashDuringRefund(t *testing.T) {
	t.Parallel()
	eachCrash(t, []string{"before refund", "after refund"}, func(t *testing.T, s *site, method status.PaymentMethod, step string, crashAt *string) {
		order := s.place(method)
		s.finish(ref(order), simulator.Pays)
		_, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, order.ID, "")
		s.must(err)
		*crashAt = step
		recoverCrash(func() { _, _ = s.Orders.RefundPayment(t.Context(), access.Operator(), ref(order), refundInput{}) })
		s.wantStatus(order.ID, status.OrderCancelled, status.PaymentRefundDue, status.AttemptRefundDue)
		s.sweep(time.Hour)
		s.sweep(time.Hour)
		s.wantStatus(order.ID, status.OrderCancelled, status.PaymentRefunded, status.AttemptRefunded)
	})
}

func TestPayment_CrashDuringPartialRefund(t *testing.T) {
	t.Parallel()
	eachCrash(t, []string{"before refund", "after refund"}, func(t *testing.T, s *site, method status.PaymentMethod, step string, crashAt *string) {
		order := s.paid(method)
		s.must(s.refund(order, 100_00))
		s.sweep(time.Hour)
		*crashAt = step
		recoverCrash(func() { _ = s.refund(order, 100_00) })
		if err := s.refund(order, 100_00); !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("after the crash: got %v, want state_conflict", err)
		}
		s.sweep(time.Hour)
		s.sweep(time.Hour)
		s.wantRefundedAmount(order, status.PaymentPartiallyRefunded, 200_00, 200_00)
	})
}
