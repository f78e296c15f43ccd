package simulator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

var gateways = []status.PaymentMethod{status.PayGatewayA, status.PayGatewayB}

// ref returns the shop's reference of an order's last payment attempt.
func ref(o *order.Placed) string { return o.Payment.Attempts[len(o.Payment.Attempts)-1].ID }

// wantPaid checks that an order was paid and confirmed.
func (s *site) wantPaid(id string) {
	s.tb.Helper()
	s.wantStatus(id, status.OrderConfirmed, status.PaymentPaid, status.AttemptSucceeded)
}

// eachGateway runs a test for each gateway, with a site of its own.
func eachGateway(t *testing.T, test func(t *testing.T, s *site, method status.PaymentMethod)) {
	t.Helper()
	for _, method := range gateways {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			test(t, newSite(t), method)
		})
	}
}

// eachPlacedOrder runs a test for each gateway, with an order that is to be paid there.
func eachPlacedOrder(t *testing.T, test func(t *testing.T, s *site, order *order.Placed)) {
	t.Helper()
	eachGateway(t, func(t *testing.T, s *site, method status.PaymentMethod) { test(t, s, s.place(method)) })
}

func TestPayment_Paid(t *testing.T) {
	t.Parallel()
	eachPlacedOrder(t, func(t *testing.T, s *site, order *order.Placed) {
		if order.Payment.RedirectURL == nil || order.Status != status.OrderPendingPayment {
			t.Fatalf("got placed order %s with payment %+v", order.Status, order.Payment)
		}
		s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
		s.finish(ref(order), simulator.Pays)
		s.wantPaid(order.ID)
	})
}

func TestPayment_RepeatedCallbacksAndWebhooks(t *testing.T) {
	t.Parallel()
	eachPlacedOrder(t, func(t *testing.T, s *site, order *order.Placed) {
		s.sim.Switch(simulator.WebhookTwice, true)
		ret := s.finish(ref(order), simulator.Pays)
		for range 3 {
			if ret.Method == http.MethodGet {
				s.openCallback(ret.URL)
				s.openCallback(strings.Replace(ret.URL, "status=success", "status=cancel", 1))
			} else {
				s.must(s.sim.SendWebhook(t.Context(), ref(order)))
				s.must(s.sim.SendWebhookAs(t.Context(), ref(order), "FAILED"))
			}
		}
		s.wantPaid(order.ID)
		if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); order.Payment.Method == status.PayGatewayB && n != 1 {
			t.Errorf("got %d executions, want 1", n)
		}
	})
}

func TestPayment_PaidAfterFailure(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayA)
	s.finish(ref(order), simulator.Fails)
	s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentUnpaid, status.AttemptFailed)
	s.finish(ref(order), simulator.Pays)
	s.wantPaid(order.ID)
}

func TestPayment_CancelledAndRestarted(t *testing.T) {
	t.Parallel()
	eachPlacedOrder(t, func(t *testing.T, s *site, bought *order.Placed) {
		s.finish(ref(bought), simulator.Cancels)
		s.wantStatus(bought.ID, status.OrderPendingPayment, status.PaymentUnpaid, status.AttemptCancelled)
		again, err := s.Orders.StartPayment(t.Context(), access.Caller{OrderToken: bought.OrderToken}, bought.ID,
			order.PaymentInput{PaymentMethod: bought.Payment.Method})
		s.must(err)
		if again.ID == ref(bought) || again.RedirectURL == nil {
			t.Fatalf("got restarted payment %+v", again)
		}
		s.finish(again.ID, simulator.Pays)
		s.wantPaid(bought.ID)
	})
}

func TestPayment_NeedsReview(t *testing.T) {
	t.Parallel()
	for fault, wrong := range map[simulator.Fault]string{
		simulator.WrongAmount: "captured ৳1, not ৳970", simulator.WrongCurrency: "USD", simulator.Risky: "risky",
	} {
		for _, method := range gateways {
			if method == status.PayGatewayB && fault == simulator.Risky {
				continue
			}
			t.Run(string(fault)+" "+string(method), func(t *testing.T) {
				t.Parallel()
				s := newSite(t)
				bought := s.place(method)
				s.sim.Switch(fault, true)
				s.finish(ref(bought), simulator.Pays)
				s.wantStatus(bought.ID, status.OrderPendingPayment, status.PaymentNeedsReview, status.AttemptNeedsReview)
				s.clock.Advance(48 * time.Hour)
				_, err := s.Orders.ExpireOrders(t.Context())
				s.must(err)
				s.wantStatus(bought.ID, status.OrderPendingPayment, status.PaymentNeedsReview, status.AttemptNeedsReview)
				attempts, err := s.Orders.ListPaymentAttempts(t.Context(), access.Operator(),
					order.AttemptFilter{Status: []status.Attempt{status.AttemptNeedsReview}})
				s.must(err)
				list := attempts.Nodes
				if len(list) != 1 || !strings.Contains(deref(list[0].Reason), wrong) {
					t.Fatalf("got attempts in review %+v, want one with reason …%s…", list, wrong)
				}
				_, err = s.Orders.ResolvePayment(t.Context(), access.Operator(), list[0].ID, true)
				s.must(err)
				s.wantPaid(bought.ID)
			})
		}
	}
}

func TestPayment_RejectedByStaff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayA)
	s.sim.Switch(simulator.Risky, true)
	s.finish(ref(order), simulator.Pays)
	_, err := s.Orders.ResolvePayment(t.Context(), access.Operator(), ref(order), false)
	s.must(err)
	s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentUnpaid, status.AttemptFailed)
	if _, err := s.Orders.ResolvePayment(t.Context(), access.Operator(), ref(order), true); !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("resolved twice: got %v, want state_conflict", err)
	}
}

func TestPayment_OtherMode(t *testing.T) {
	t.Parallel()
	eachPlacedOrder(t, func(t *testing.T, s *site, order *order.Placed) {
		s.mode(plugin.Sandbox)
		s.finish(ref(order), simulator.Pays) // live payment, reported in sandbox mode
		s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
		test := s.place(order.Payment.Method)
		if !test.Test {
			t.Error("got an order of sandbox mode that is not marked as a test")
		}
		s.finish(ref(test), simulator.Pays)
		s.wantPaid(test.ID)
		late := s.place(order.Payment.Method)
		s.mode(plugin.Live)
		s.finish(ref(late), simulator.Pays) // sandbox payment, reported in live mode
		s.wantStatus(late.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
		if order.Payment.Method == status.PayGatewayA { // the sweep uses the settings of the payment's mode
			s.mode(plugin.Sandbox)
			s.sweep(5 * time.Minute)
			s.wantPaid(order.ID)
		}
	})
}
