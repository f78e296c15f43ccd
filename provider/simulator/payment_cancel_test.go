package simulator_test

import (
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/status"
)

func TestPayment_RefundForCancelledOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayA)
	_, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, order.ID, "")
	s.must(err)
	s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, status.OrderCancelled, status.PaymentRefundDue, status.AttemptRefundDue)

	s.sim.Switch(simulator.RefundLost, true)
	if _, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(order), refundInput{}); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Fatalf("lost refund: got %v, want unavailable", err)
	}
	s.wantStatus(order.ID, status.OrderCancelled, status.PaymentRefundDue, status.AttemptRefundDue)
	s.sim.Switch(simulator.RefundLost, false)
	s.sweep(time.Hour) // requests the refund again: processing
	s.sweep(time.Hour) // refunded
	s.wantStatus(order.ID, status.OrderCancelled, status.PaymentRefunded, status.AttemptRefunded)
}

func TestPayment_NoExecuteForCancelledOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayB)
	_, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, order.ID, "")
	s.must(err)
	s.finish(ref(order), simulator.Pays)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 0 {
		t.Errorf("got %d executions for a cancelled order, want 0", n)
	}
	s.sweep(time.Hour)
	if o := s.order(order.ID); o.PaymentStatus != status.PaymentUnpaid || o.Status != status.OrderCancelled {
		t.Errorf("got order %s, payment %s; want cancelled, unpaid", o.Status, o.PaymentStatus)
	}
}

func TestPayment_RefundThroughGatewayB(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayB)
	s.finish(ref(order), simulator.Pays)
	_, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, order.ID, "")
	s.must(err)
	s.sim.Switch(simulator.RefundLost, true)
	if _, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(order), refundInput{}); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Fatalf("lost refund: got %v, want unavailable", err)
	}
	s.clock.Advance(3 * time.Minute)
	record, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(order), refundInput{}) // queries the earlier request first
	s.must(err)
	if record.Status != status.AttemptRefunded {
		t.Errorf("got %+v, want refunded", record)
	}
	if n := s.sim.Calls("/gateway_b/v2/tokenized-checkout/refund/payment/transaction"); n != 1 {
		t.Errorf("got %d refund requests, want 1", n)
	}
}
