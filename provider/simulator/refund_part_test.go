package simulator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

type refundInput = order.RefundInput

// paid returns an order of ৳970 that was paid.
func (s *site) paid(method status.PaymentMethod) *order.Placed {
	s.tb.Helper()
	order := s.place(method)
	s.finish(ref(order), simulator.Pays)
	s.wantPaid(order.ID)
	return order
}

// refund refunds a part of an order's last payment.
func (s *site) refund(order *order.Placed, amount int64) error {
	s.tb.Helper()
	_, err := s.Orders.RefundPayment(
		s.tb.Context(),
		access.Operator(),
		ref(order),
		refundInput{Amount: &amount},
	)
	return err
}

// wantRefundedAmount checks how much of an order's payment is refunded by the shop's records and by
// the gateway's, and the sums that doctor checks.
func (s *site) wantRefundedAmount(
	order *order.Placed,
	payment status.Payment,
	recorded, byGateway int64,
) {
	s.tb.Helper()
	o := s.order(order.ID)
	if o.PaymentStatus != payment || o.Payment.RefundedAmount.Amount != recorded {
		s.tb.Errorf(
			"got payment %s, refunded %d; want %s, %d",
			o.PaymentStatus,
			o.Payment.RefundedAmount.Amount,
			payment,
			recorded,
		)
	}
	if got := s.sim.Refunded(ref(order)); got != byGateway {
		s.tb.Errorf("got %d refunded by the gateway, want %d", got, byGateway)
	}
	s.checkInvariants()
}

func (s *site) checkInvariants() {
	s.tb.Helper()
	faults, err := s.CheckInvariants(s.tb.Context())
	s.must(err)
	if len(faults) > 0 {
		s.tb.Errorf("got broken invariants %v", faults)
	}
}

func TestRefundPayment_Parts(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, method status.PaymentMethod) {
		order := s.paid(method)
		if _, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(order), refundInput{}); !fault.HasCode(
			err,
			fault.CodeStateConflict,
		) {
			t.Errorf("no amount and nothing due: got %v, want state_conflict", err)
		}
		s.must(s.refund(order, 100_00))
		s.sweep(time.Hour)
		s.wantRefundedAmount(order, status.PaymentPartiallyRefunded, 100_00, 100_00)
		if o := s.order(order.ID); o.Status != status.OrderConfirmed ||
			o.Payment.Attempts[0].Status != status.AttemptSucceeded {
			t.Errorf(
				"got order %s, attempt %s; want confirmed, succeeded",
				o.Status,
				o.Payment.Attempts[0].Status,
			)
		}
		for _, amount := range []int64{870_01, 0, -1} {
			if err := s.refund(order, amount); err == nil ||
				fault.HasCode(err, fault.CodeUnavailable) {
				t.Errorf("refund of %d: got %v, want a refusal", amount, err)
			}
		}
		_, err := s.Orders.MarkRefunded(
			t.Context(),
			access.Operator(),
			ref(order),
			refundInput{Amount: new(int64(70_00))},
		) // made in the gateway's panel
		s.must(err)
		s.wantRefundedAmount(order, status.PaymentPartiallyRefunded, 170_00, 100_00)
		s.must(s.refund(order, 800_00))
		s.sweep(time.Hour)
		s.wantRefundedAmount(order, status.PaymentRefunded, 970_00, 900_00)
		if err := s.refund(order, 1); !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("refund of a refunded payment: got %v, want state_conflict", err)
		}
		s.wantStatus(
			order.ID,
			status.OrderConfirmed,
			status.PaymentRefunded,
			status.AttemptRefunded,
		)
		var types []string
		for _, e := range s.order(order.ID).Timeline {
			if strings.Contains(string(e.Type), "refunded") {
				types = append(types, string(e.Type))
			}
		}
		want := "attempt_partially_refunded payment_partially_refunded attempt_partially_refunded attempt_refunded payment_refunded"
		if got := strings.Join(types, " "); got != want {
			t.Errorf("got timeline %s, want %s", got, want)
		}
	})
}

// What is refunded reduces the order once: also while the gateway is sending it, if the gateway
// refused it before, and for units that come back.
func TestRefundPayment_Credits(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, method status.PaymentMethod) {
		placed := s.paid(method)
		want := func(when string, returned, refunded, due, refundable int64) {
			t.Helper()
			o := s.order(placed.ID)
			record, err := s.Orders.FindPaymentAttempt(t.Context(), access.Operator(), ref(placed))
			s.must(err)
			got := []int64{
				o.ReturnedAmount.Amount,
				o.Refunded.Amount,
				o.Due.Amount,
				record.Refundable.Amount,
			}
			if want := []int64{returned, refunded, due, refundable}; !slices.Equal(got, want) {
				t.Errorf("%s: got returned, refunded, due, refundable %v, want %v", when, got, want)
			}
			s.checkInvariants()
		}
		want("paid", 0, 0, 0, 970_00)
		s.sim.Switch(simulator.RefundRefused, true)
		if err := s.refund(placed, 100_00); !fault.HasCode(err, fault.CodeUnavailable) {
			t.Fatalf("got %v, want unavailable", err)
		}
		s.sim.Switch(simulator.RefundRefused, false)
		want("refused", 100_00, 0, -100_00, 970_00)
		s.must(s.refund(placed, 100_00))
		if err := s.refund(placed, 100_00); !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("the same amount again: got %v, want state_conflict", err)
		}
		s.sweep(time.Hour)
		want("refunded", 100_00, 100_00, 0, 870_00)
		for _, confirmed := range []bool{false, true, true} {
			_, err := s.Orders.RefundPayment(
				t.Context(),
				access.Operator(),
				ref(placed),
				refundInput{Amount: new(int64(50_00)), ConfirmDuplicate: confirmed},
			)
			s.must(err)
		}
		s.sweep(time.Hour)
		want("three equal parts", 250_00, 250_00, 0, 720_00)
		item := placed.Items[0]
		units := refundInput{Items: []order.RefundItem{{VariantID: item.VariantID, Quantity: 1}}}
		if _, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(placed), units); !fault.HasCode(
			err,
			fault.CodeStateConflict,
		) {
			t.Errorf("units before the delivery: got %v, want state_conflict", err)
		}
		_, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), placed.ID, nil)
		s.must(err)
		_, err = s.Orders.RefundPayment(t.Context(), access.Operator(), ref(placed), units)
		s.must(err)
		s.sweep(time.Hour)
		price := item.UnitPrice.Amount
		want("a unit", 250_00+price, 250_00+price, 0, 720_00-price)
	})
}

// An order that is cancelled after a partial refund is due for the rest.
func TestRefundPayment_RestAfterCancel(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, method status.PaymentMethod) {
		order := s.paid(method)
		s.must(
			s.refund(order, 270_00),
		) // gateway_a is still processing it when the order is cancelled
		_, err := s.Orders.CancelOrder(t.Context(), access.Operator(), order.ID, "")
		s.must(err)
		s.checkInvariants()
		s.sweep(time.Hour)
		s.wantRefundedAmount(order, status.PaymentRefundDue, 270_00, 270_00)
		_, err = s.Orders.RefundPayment(t.Context(), access.Operator(), ref(order), refundInput{})
		s.must(err)
		s.sweep(time.Hour)
		s.wantRefundedAmount(order, status.PaymentRefunded, 970_00, 970_00)
	})
}

// Of refunds at the same time, no more succeed than the payment covers.
func TestRefundPayment_Concurrent(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, method status.PaymentMethod) {
		order := s.paid(method)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				err := s.refund(order, 400_00)
				if err != nil && !fault.HasCode(err, fault.CodeStateConflict) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		s.sweep(time.Hour)
		if got := s.sim.Refunded(ref(order)); got == 0 || got > 970_00 {
			t.Errorf("got %d refunded, want at most the payment", got)
		}
		s.wantRefundedAmount(
			order,
			status.PaymentPartiallyRefunded,
			s.sim.Refunded(ref(order)),
			s.sim.Refunded(ref(order)),
		)
	})
}

// While the result of a refund is unknown its amount is reserved, and no other refund is requested.
func TestRefundPayment_ResponseLost(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, method status.PaymentMethod) {
		order := s.paid(method)
		s.must(s.refund(order, 100_00))
		s.sweep(time.Hour)
		s.sim.Switch(simulator.RefundLost, true)
		if err := s.refund(order, 100_00); !fault.HasCode(err, fault.CodeUnavailable) {
			t.Fatalf("got %v, want unavailable", err)
		}
		s.sim.Switch(simulator.RefundLost, false)
		s.wantRefundedAmount(order, status.PaymentPartiallyRefunded, 100_00, 200_00)
		if err := s.refund(order, 50_00); !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("got %v, want state_conflict", err)
		}
		_, err := s.Orders.MarkRefunded(
			t.Context(),
			access.Operator(),
			ref(order),
			refundInput{Amount: new(int64(100_00))},
		)
		if !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("recorded by hand: got %v, want state_conflict", err)
		}
		s.sweep(time.Hour)
		s.sweep(time.Hour)
		s.wantRefundedAmount(order, status.PaymentPartiallyRefunded, 200_00, 200_00)
	})
}

// gateway_a refuses a reference that it has. Whether it has refunded is then looked up by staff.
func TestRefundPayment_Unclear(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{true, false} {
		t.Run(fmt.Sprintf("done %v", done), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			order := s.paid(status.PayGatewayA)
			s.sim.Switch(simulator.RefundLost, true)
			s.sim.Switch(simulator.RefundOnce, true)
			if err := s.refund(order, 100_00); !fault.HasCode(err, fault.CodeUnavailable) {
				t.Fatalf("got %v, want unavailable", err)
			}
			s.sim.Switch(simulator.RefundLost, false)
			s.sweep(time.Hour)
			refund := s.attempt(order, status.AttemptSucceeded).Refunds[0]
			if refund.Status != plugin.RefundUnclear ||
				!strings.Contains(deref(refund.Reason), "Duplicate refund_trans_id") {
				t.Fatalf("got %+v, want an unclear refund with the gateway's words", refund)
			}
			backlog, err := s.FindBacklog(t.Context(), access.Operator())
			s.must(err)
			if backlog.UnclearRefunds != 1 {
				t.Errorf("got backlog %+v, want 1 unclear refund", backlog)
			}
			if err := s.refund(order, 50_00); !fault.HasCode(err, fault.CodeStateConflict) {
				t.Errorf("another refund: got %v, want state_conflict", err)
			}
			_, err = s.Orders.ResolvePayment(t.Context(), access.Operator(), refund.ID, done)
			s.must(err)
			if _, err := s.Orders.ResolvePayment(t.Context(), access.Operator(), refund.ID, done); !fault.HasCode(
				err,
				fault.CodeStateConflict,
			) {
				t.Errorf("resolved again: got %v, want state_conflict", err)
			}
			if done {
				s.wantRefundedAmount(order, status.PaymentPartiallyRefunded, 100_00, 100_00)
			} else {
				s.wantRefundedAmount(order, status.PaymentPaid, 0, 100_00)
			}
		})
	}
}

// A refused refund releases its amount, and staff read the gateway's words.
func TestRefundPayment_Refused(t *testing.T) {
	t.Parallel()
	for method, words := range map[status.PaymentMethod]string{
		status.PayGatewayA: "Insufficient store balance, password ***", status.PayGatewayB: "code 2023: Insufficient Balance",
	} {
		s := newSite(t)
		order := s.paid(method)
		s.sim.Switch(simulator.RefundRefused, true)
		if err := s.refund(order, 970_00); !fault.HasCode(err, fault.CodeUnavailable) ||
			!strings.Contains(errText(err), words) {
			t.Errorf("%s: got %v, want unavailable with …%s…", method, err, words)
		}
		record, err := s.Orders.FindPaymentAttempt(t.Context(), access.Operator(), ref(order))
		s.must(err)
		if !strings.Contains(deref(record.Reason), words) ||
			record.Refunds[0].Status != plugin.RefundFailed {
			t.Errorf("%s: got %+v, want a failed refund with …%s…", method, record, words)
		}
		s.sim.Switch(simulator.RefundRefused, false)
		s.must(s.refund(order, 970_00))
		s.sweep(time.Hour)
		s.wantRefundedAmount(order, status.PaymentRefunded, 970_00, 970_00)
	}
}

func errText(err error) string {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e.Message
	}
	return fmt.Sprint(err)
}
