package simulator_test

import (
	"context"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// The second payment of a buyer who pays twice on one page is refunded.
func TestPayment_PaidTwiceOnOnePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bought := s.place(status.PayGatewayA)
	first := ref(bought)
	s.sim.Switch(simulator.PaysTwice, true)
	s.finish(first, simulator.Pays)
	s.finish(first, simulator.Pays)
	s.must(s.sim.SendWebhook(t.Context(), first)) // repeats the second payment's webhook
	list, err := s.Orders.ListPaymentAttempts(t.Context(), access.Operator(), order.AttemptFilter{Status: []status.Attempt{status.AttemptRefundDue}})
	s.must(err)
	due := list.Nodes
	if len(due) != 1 || due[0].ID == first || due[0].OrderID != bought.ID || due[0].Amount != bought.Total || deref(due[0].Reason) == "" {
		t.Fatalf("got refunds due %+v, want the second payment", due)
	}
	if o := s.order(bought.ID); o.PaymentStatus != status.PaymentPaid || o.Status != status.OrderConfirmed || len(o.Payment.Attempts) != 2 {
		t.Errorf("got order %s, payment %s, %d attempts; want confirmed, paid, 2", o.Status, o.PaymentStatus, len(o.Payment.Attempts))
	}
	record, err := s.Orders.RefundPayment(t.Context(), access.Operator(), due[0].ID, refundInput{})
	s.must(err)
	if record.Status != status.AttemptRefundDue || record.RefundID == nil {
		t.Errorf("got %+v, want refund_due with a refund ID", record)
	}
	s.sweep(time.Hour)
	if o := s.order(bought.ID); o.PaymentStatus != status.PaymentPaid || o.Payment.Attempts[1].Status != status.AttemptRefunded {
		t.Errorf("got payment %s, attempts %+v", o.PaymentStatus, o.Payment.Attempts)
	}
}

// interfering is a gateway that runs meanwhile before its next status query or capture.
type interfering struct {
	plugin.Gateway
	meanwhile *func()
}

func (m interfering) interfere() {
	if do := *m.meanwhile; do != nil {
		*m.meanwhile = nil
		do()
	}
}

func (m interfering) QueryStatus(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	m.interfere()
	return m.Gateway.QueryStatus(ctx, access, q)
}

func (m interfering) Capture(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	m.interfere()
	return m.Gateway.Capture(ctx, access, q)
}

// Of two payments of one order, approved in two tabs, only one is captured.
func TestPayment_TwoTabs(t *testing.T) {
	t.Parallel()
	var meanwhile func()
	s := newSiteWith(t, func(g plugin.Gateway) plugin.Gateway { return interfering{g, &meanwhile} })
	bought := s.place(status.PayGatewayB)
	s.clock.Advance(16 * time.Minute)
	other, err := s.Orders.StartPayment(
		t.Context(),
		access.Caller{OrderToken: bought.OrderToken},
		bought.ID,
		order.PaymentInput{PaymentMethod: status.PayGatewayB},
	)
	s.must(err)
	ret, err := s.sim.Finish(t.Context(), other.ID, simulator.Pays)
	s.must(err)
	meanwhile = func() {
		if got := s.openCallback(ret.URL); got.Result != order.ReturnPending {
			t.Errorf("second tab: got %s, want pending", got.Result)
		}
	}
	s.finish(ref(bought), simulator.Pays)
	s.openCallback(ret.URL)
	o := s.order(bought.ID)
	if o.PaymentStatus != status.PaymentPaid || o.Payment.Attempts[0].Status != status.AttemptSucceeded || s.sim.HasMoney(other.ID) {
		t.Errorf("got payment %s, attempts %+v", o.PaymentStatus, o.Payment.Attempts)
	}
}

func deref[S ~string](text *S) S {
	if text == nil {
		return ""
	}
	return *text
}
