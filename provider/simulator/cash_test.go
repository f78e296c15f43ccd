package simulator_test

import (
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// payInCash changes an order to cash on delivery, as its buyer does.
func (s *site) payInCash(bought *order.Placed) *order.Order {
	s.tb.Helper()
	changed, err := s.Orders.SetPaymentMethod(s.tb.Context(), access.Caller{OrderToken: bought.OrderToken}, bought.ID,
		order.PaymentMethodInput{PaymentMethod: status.PayCOD})
	s.must(err)
	return changed
}

func TestSetPaymentMethod_PaidAtTheGateway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayA)
	changed := s.payInCash(order)
	if changed.Payment.RedirectURL != nil || changed.Payment.Attempts[0].RedirectURL != nil || changed.Payment.Method != status.PayCOD {
		t.Errorf("got payment %+v, want cash without a redirect URL", changed.Payment)
	}
	s.wantStatus(order.ID, status.OrderPending, status.PaymentUnpaid, status.AttemptCancelled)
	s.finish(ref(order), simulator.Pays)
	s.wantPaid(order.ID)
	if o := s.order(order.ID); o.Payment.Method != status.PayGatewayA || o.Total != order.Total || o.Rounding.Amount != 0 {
		t.Errorf("got method %s, total %s, rounding %s; want gateway_a and the total of the attempt", o.Payment.Method,
			o.Total.Formatted, o.Rounding.Formatted)
	}
}

// The webhook of a paid attempt is lost: the sweep finds the money.
func TestSetPaymentMethod_PaidAndWebhookLost(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayA)
	s.payInCash(order)
	s.sim.Switch(simulator.WebhookLost, true)
	s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, status.OrderPending, status.PaymentUnpaid, status.AttemptCancelled)
	s.sweep(time.Hour)
	s.wantPaid(order.ID)
}

// A courier collects the cash: the money at the gateway is due for refund, and the order is paid
// once.
func TestSetPaymentMethod_PaidAtTheGatewayAfterShipping(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bought := s.place(status.PayGatewayA)
	s.payInCash(bought)
	_, err := s.Orders.RecordShipment(t.Context(), access.Operator(), bought.ID, order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "C1"})
	s.must(err)
	s.finish(ref(bought), simulator.Pays)
	s.wantStatus(bought.ID, status.OrderProcessing, status.PaymentUnpaid, status.AttemptRefundDue)
	_, err = s.Orders.MarkDelivered(t.Context(), access.Operator(), bought.ID, nil)
	s.must(err)
	s.wantStatus(bought.ID, status.OrderCompleted, status.PaymentPaid, status.AttemptRefundDue)
	_, err = s.Orders.RefundPayment(t.Context(), access.Operator(), ref(bought), refundInput{})
	s.must(err)
	s.sweep(time.Hour)
	s.wantStatus(bought.ID, status.OrderCompleted, status.PaymentPaid, status.AttemptRefunded)
}

// gateway_b captures only for an order that awaits its payment.
func TestSetPaymentMethod_NoCapture(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayB)
	s.payInCash(order)
	s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, status.OrderPending, status.PaymentUnpaid, status.AttemptCancelled)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 0 {
		t.Errorf("got %d captures of an order paid in cash, want 0", n)
	}
}

func TestCancelOrder_TokenThenPaid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bought := s.place(status.PayGatewayA)
	_, err := s.Orders.CancelOrder(t.Context(), access.Caller{OrderToken: bought.OrderToken}, bought.ID, "")
	s.must(err)
	s.finish(ref(bought), simulator.Pays)
	s.wantStatus(bought.ID, status.OrderCancelled, status.PaymentRefundDue, status.AttemptRefundDue)

	paid := s.place(status.PayGatewayA)
	s.finish(ref(paid), simulator.Pays)
	if _, err := s.Orders.CancelOrder(
		t.Context(), access.Caller{OrderToken: paid.OrderToken}, paid.ID, "",
	); !fault.HasCode(err, fault.CodeNotCancellable) {
		t.Errorf("cancel a paid order by its token: got %v, want %s", err, fault.CodeNotCancellable)
	}
	_, err = s.Orders.SetPaymentMethod(t.Context(), access.Caller{OrderToken: paid.OrderToken}, paid.ID, order.PaymentMethodInput{
		PaymentMethod: status.PayCOD,
	})
	if !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("change a paid order to cash: got %v, want %s", err, fault.CodeStateConflict)
	}
}
