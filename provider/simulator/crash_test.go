package simulator_test

import (
	"context"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop"
)

// crashing is a gateway at which the program ends: before a call, or when the provider has done what
// it was asked and before anything of it is written down.
type crashing struct {
	shop.Gateway
	step *string // "before start", "after prove", …; "": never
}

// crash ends the program at a step, once.
func (m crashing) crash(step string) {
	if *m.step == step {
		*m.step = ""
		panic(step)
	}
}

func (m crashing) Start(ctx context.Context, access shop.PluginAccess, order shop.PaymentStart) (shop.StartedPayment, error) {
	m.crash("before start")
	defer m.crash("after start")
	return m.Gateway.Start(ctx, access, order)
}

func (m crashing) QueryStatus(ctx context.Context, access shop.PluginAccess, q shop.StatusQuery) (shop.GatewayStatus, error) {
	m.crash("before prove")
	defer m.crash("after prove")
	return m.Gateway.QueryStatus(ctx, access, q)
}

func (m crashing) Refund(ctx context.Context, access shop.PluginAccess, r shop.RefundRequest) (shop.RefundResult, error) {
	m.crash("before refund")
	defer m.crash("after refund")
	return m.Gateway.Refund(ctx, access, r)
}

// newCrashingSite is a site whose program ends at the step that when says.
func newCrashingSite(t *testing.T) (s *site, when *string) {
	t.Helper()
	when = new(string)
	return newSiteWith(t, func(g shop.Gateway) shop.Gateway { return crashing{g, when} }), when
}

// recoverCrash runs what ends in the middle. Nothing but the file outlives it: a shop keeps nothing of a
// payment in memory.
func recoverCrash(do func()) {
	defer func() { _ = recover() }()
	do()
}

func TestPayment_CrashDuringStart(t *testing.T) {
	t.Parallel()
	for _, method := range gateways {
		for _, step := range []string{"before start", "after start"} {
			t.Run(string(method)+" "+step, func(t *testing.T) {
				t.Parallel()
				s, when := newCrashingSite(t)
				*when = step
				recoverCrash(func() { s.place(method) })
				orders, err := s.ListOrders(t.Context(), shop.OrderListFilter{})
				s.must(err)
				if len(orders.Nodes) != 1 {
					t.Fatalf("%d orders are there, want the one", len(orders.Nodes))
				}
				id := orders.Nodes[0].ID
				s.wantStatus(id, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptInitiated)
				s.sweep(3 * time.Minute)
				s.wantStatus(id, shop.OrderPendingPayment, shop.PaymentUnpaid, shop.AttemptFailed)
				s.clock.Advance(time.Hour)
				_, err = s.ExpireOrders(t.Context())
				s.must(err)
				if o := s.order(id); o.Status != shop.OrderExpired {
					t.Errorf("the order is %s", o.Status)
				}
			})
		}
	}
}

// A buyer who hears nothing sends the order again, and can pay it as soon as nobody else may be at it.
func TestPayment_CrashBeforeStartAndReplayedOrder(t *testing.T) {
	t.Parallel()
	for _, method := range gateways {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			s, when := newCrashingSite(t)
			*when = "before start"
			recoverCrash(func() { _, _ = s.placeByKey(method, "again") })
			s.clock.Advance(3 * time.Minute)
			order, err := s.placeByKey(method, "again")
			s.must(err)
			if !order.Replayed || order.Payment.RedirectURL == nil {
				t.Fatalf("replayed: %v, payment %+v", order.Replayed, order.Payment)
			}
			s.finish(ref(order), simulator.Pays)
			s.wantPaid(order.ID)
		})
	}
}

func TestPayment_CrashDuringStatusQuery(t *testing.T) {
	t.Parallel()
	for _, method := range gateways {
		for _, step := range []string{"before prove", "after prove"} {
			t.Run(string(method)+" "+step, func(t *testing.T) {
				t.Parallel()
				s, when := newCrashingSite(t)
				order := s.place(method)
				*when = step
				if method == shop.PayGatewayA { // the notice is heard in the server's own goroutine
					s.finish(ref(order), simulator.Pays)
				} else {
					recoverCrash(func() { s.finish(ref(order), simulator.Pays) })
				}
				s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
				s.sweep(10 * time.Minute)
				if method == shop.PayGatewayB && step == "before prove" {
					// The money was not taken, and the buyer's reload takes it no more than once.
					s.sweep(time.Hour)
					if o := s.order(order.ID); o.PaymentStatus != shop.PaymentUnpaid || s.sim.HasMoney(ref(order)) {
						t.Errorf("payment %s, taken: %v", o.PaymentStatus, s.sim.HasMoney(ref(order)))
					}
					return
				}
				s.wantPaid(order.ID)
			})
		}
	}
}

// Long after the last question a gateway may still tell of a payment: it is kept, so it is not lost.
func TestPayment_CrashDuringLateWebhook(t *testing.T) {
	t.Parallel()
	s, when := newCrashingSite(t)
	order := s.place(shop.PayGatewayA)
	for range 40 {
		s.sweep(time.Hour)
	}
	_, err := s.ExpireOrders(t.Context())
	s.must(err)
	s.wantStatus(order.ID, shop.OrderExpired, shop.PaymentUnpaid, shop.AttemptExpired)
	*when = "before prove"
	s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, shop.OrderExpired, shop.PaymentUnpaid, shop.AttemptExpired)
	s.sim.Switch(simulator.ValidationDown, true)
	s.sweep(time.Minute)
	s.sim.Switch(simulator.ValidationDown, false)
	s.sweep(10 * time.Minute)
	s.wantStatus(order.ID, shop.OrderExpired, shop.PaymentRefundDue, shop.AttemptRefundDue)
}

func TestPayment_CrashDuringRefund(t *testing.T) {
	t.Parallel()
	for _, method := range gateways {
		for _, step := range []string{"before refund", "after refund"} {
			t.Run(string(method)+" "+step, func(t *testing.T) {
				t.Parallel()
				s, when := newCrashingSite(t)
				order := s.place(method)
				s.finish(ref(order), simulator.Pays)
				_, err := s.CancelOrder(t.Context(), shop.Caller{Operator: true}, order.ID, "")
				s.must(err)
				*when = step
				recoverCrash(func() { _, _ = s.RefundPayment(t.Context(), ref(order)) })
				s.wantStatus(order.ID, shop.OrderCancelled, shop.PaymentRefundDue, shop.AttemptRefundDue)
				s.sweep(time.Hour)
				s.sweep(time.Hour)
				s.wantStatus(order.ID, shop.OrderCancelled, shop.PaymentRefunded, shop.AttemptRefunded)
			})
		}
	}
}
