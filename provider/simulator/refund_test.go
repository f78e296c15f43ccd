package simulator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/staff"
	"storefront/shop/status"
)

// refundDue returns an order that was paid and then cancelled.
func (s *site) refundDue(method status.PaymentMethod) *order.Placed {
	s.tb.Helper()
	order := s.place(method)
	s.finish(ref(order), simulator.Pays)
	_, err := s.Orders.CancelOrder(s.tb.Context(), access.Operator(), order.ID, "")
	s.must(err)
	s.wantStatus(order.ID, status.OrderCancelled, status.PaymentRefundDue, status.AttemptRefundDue)
	return order
}

// wantRefunded checks the status of a refunded order, the cause of the refund in its timeline and
// how often the gateway has refunded it.
func (s *site) wantRefunded(order *order.Placed, cause order.Cause, byGateway int) {
	s.tb.Helper()
	s.wantStatus(order.ID, status.OrderCancelled, status.PaymentRefunded, status.AttemptRefunded)
	var got []string
	for _, entry := range s.order(order.ID).Timeline {
		if entry.Type == "attempt_refunded" || entry.Type == "payment_refunded" {
			got = append(got, fmt.Sprintf("%s by %s", entry.Type, entry.Cause))
		}
	}
	want := []string{fmt.Sprintf("attempt_refunded by %s", cause), fmt.Sprintf("payment_refunded by %s", cause)}
	if diff := cmp.Diff(want, got); diff != "" {
		s.tb.Errorf("timeline of the refund (-want +got):\n%s", diff)
	}
	s.wantRefunds(order, byGateway)
}

func (s *site) wantRefunds(order *order.Placed, want int) {
	s.tb.Helper()
	if _, got := s.sim.CountTransactions(order.ID); got != want {
		s.tb.Errorf("got %d refunds at the gateway, want %d", got, want)
	}
}

// attempt returns an order's last payment attempt as staff see it.
func (s *site) attempt(bought *order.Placed, st status.Attempt) order.AttemptRecord {
	s.tb.Helper()
	list, err := s.Orders.ListPaymentAttempts(s.tb.Context(), access.Operator(), order.AttemptFilter{Status: []status.Attempt{st}})
	s.must(err)
	for _, record := range list.Nodes {
		if record.ID == ref(bought) {
			return record
		}
	}
	s.tb.Fatalf("got no attempt %s with status %s", ref(bought), st)
	return order.AttemptRecord{}
}

// Payments are found by gateway, order number and the gateway's number of the payment, in both
// directions of time.
func TestListPaymentAttempts_Filters(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first, second := s.refundDue(status.PayGatewayA), s.refundDue(status.PayGatewayB)
	transaction := *s.attempt(second, status.AttemptRefundDue).TransactionID
	for name, tc := range map[string]struct {
		filter order.AttemptFilter
		want   []string
	}{
		"oldest first":          {order.AttemptFilter{Sort: page.Ascending}, []string{ref(first), ref(second)}},
		"newest first":          {order.AttemptFilter{}, []string{ref(second), ref(first)}},
		"a gateway":             {order.AttemptFilter{Method: []status.PaymentMethod{status.PayGatewayB}}, []string{ref(second)}},
		"order number":          {order.AttemptFilter{Search: fmt.Sprint(" #", first.OrderNumber)}, []string{ref(first)}},
		"a part of a number":    {order.AttemptFilter{Search: transaction[1:]}, nil},
		"transaction":           {order.AttemptFilter{Search: strings.ToLower(transaction)}, []string{ref(second)}},
		"transaction elsewhere": {order.AttemptFilter{Search: transaction, Method: []status.PaymentMethod{status.PayGatewayA}}, nil},
	} {
		list, err := s.Orders.ListPaymentAttempts(t.Context(), access.Operator(), tc.filter)
		s.must(err)
		var got []string
		for _, one := range list.Nodes {
			got = append(got, one.ID)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || list.Meta.TotalCount != len(got) {
			t.Errorf("%s: got %+v (-want +got):\n%s", name, list.Meta, diff)
		}
	}
	_, err := s.Orders.ListPaymentAttempts(t.Context(), access.Operator(), order.AttemptFilter{Method: []status.PaymentMethod{status.PayCOD}})
	if !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("cash: got %v, want validation_failed", err)
	}
}

// wantMarkRefused checks that an attempt cannot be marked as refunded, and that nothing changes.
func (s *site) wantMarkRefused(order *order.Placed, caller access.Caller, code fault.Code) {
	s.tb.Helper()
	before := s.order(order.ID)
	if _, err := s.Orders.MarkRefunded(s.tb.Context(), caller, ref(order), refundInput{}); !fault.HasCode(err, code) {
		s.tb.Errorf("got %v, want %s", err, code)
	}
	if diff := cmp.Diff(before, s.order(order.ID)); diff != "" {
		s.tb.Errorf("order changed by a refused command (-before +after):\n%s", diff)
	}
}

func TestMarkRefunded(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, method status.PaymentMethod) {
		bought := s.refundDue(method)
		record, err := s.Orders.MarkRefunded(t.Context(), access.Operator(), ref(bought), refundInput{})
		s.must(err)
		if record.Status != status.AttemptRefunded || record.OrderID != bought.ID || record.RefundID != nil {
			t.Errorf("got %+v, want a refunded attempt of %s without a refund ID", record, bought.ID)
		}
		s.wantRefunded(bought, order.ByStaff, 0)

		if _, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(bought), refundInput{}); !fault.HasCode(err, fault.CodeStateConflict) {
			t.Errorf("refund at the gateway: got %v, want state_conflict", err)
		}
		s.sweep(48 * time.Hour)
		s.wantRefunded(bought, order.ByStaff, 0)
	})
}

// While the result of a refund at the gateway is open, the buyer could be refunded twice.
func TestMarkRefunded_RefundInProgress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method status.PaymentMethod
		lost   bool // the gateway refunds, and its response is lost
	}{
		{"processing", status.PayGatewayA, false},
		{"result unknown", status.PayGatewayA, true},
		{"result unknown", status.PayGatewayB, true},
	}
	for _, tt := range tests {
		t.Run(string(tt.method)+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			bought := s.refundDue(tt.method)
			s.sim.Switch(simulator.RefundLost, tt.lost)
			_, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(bought), refundInput{})
			if tt.lost != fault.HasCode(err, fault.CodeUnavailable) || !tt.lost && err != nil {
				t.Fatalf("got %v from the gateway, response lost: %v", err, tt.lost)
			}
			s.sim.Switch(simulator.RefundLost, false)
			before := s.attempt(bought, status.AttemptRefundDue)
			s.wantMarkRefused(bought, access.Operator(), fault.CodeStateConflict)
			if diff := cmp.Diff(before, s.attempt(bought, status.AttemptRefundDue)); diff != "" {
				t.Errorf("attempt changed (-before +after):\n%s", diff)
			}
			s.sweep(time.Hour)
			s.sweep(time.Hour)
			s.wantRefunded(bought, order.ByShop, 1)
			s.wantMarkRefused(bought, access.Operator(), fault.CodeStateConflict)
			s.wantRefunds(bought, 1)
		})
	}
}

// refunder is a gateway that runs meanwhile before each refund and, if refused is set, refuses it.
type refunder struct {
	plugin.Gateway
	meanwhile func()
	refused   bool
}

func (g *refunder) Refund(ctx context.Context, adapter plugin.Access, r plugin.RefundRequest) (plugin.RefundResult, error) {
	if g.meanwhile != nil {
		g.meanwhile()
	}
	if g.refused {
		return plugin.RefundResult{}, fmt.Errorf("%w: balance too low", plugin.ErrGatewayRefused)
	}
	return g.Gateway.Refund(ctx, adapter, r)
}

func TestMarkRefunded_DuringGatewayRequest(t *testing.T) {
	t.Parallel()
	during := &refunder{}
	s := newSiteWith(t, func(g plugin.Gateway) plugin.Gateway {
		return &refunder{Gateway: g, meanwhile: func() { during.meanwhile() }}
	})
	bought := s.refundDue(status.PayGatewayB)
	requests := 0
	during.meanwhile = func() {
		requests++
		s.wantMarkRefused(bought, access.Operator(), fault.CodeStateConflict)
	}
	_, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(bought), refundInput{})
	s.must(err)
	if requests != 1 {
		t.Errorf("got %d refund requests, want 1", requests)
	}
	s.wantRefunded(bought, order.ByStaff, 1)
}

func TestMarkRefunded_AfterRefusalByGateway(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(g plugin.Gateway) plugin.Gateway { return &refunder{Gateway: g, refused: true} })
	bought := s.refundDue(status.PayGatewayB)
	if _, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(bought), refundInput{}); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Fatalf("got %v from the gateway, want unavailable", err)
	}
	_, err := s.Orders.MarkRefunded(t.Context(), access.Operator(), ref(bought), refundInput{})
	s.must(err)
	s.wantRefunded(bought, order.ByStaff, 0)
}

func TestMarkRefunded_OtherStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status  status.Attempt
		prepare func(s *site) *order.Placed
	}{
		{status.AttemptPending, func(s *site) *order.Placed { return s.place(status.PayGatewayB) }},
		{status.AttemptSucceeded, func(s *site) *order.Placed { return s.finished(simulator.Pays) }},
		{status.AttemptFailed, func(s *site) *order.Placed { return s.finished(simulator.Fails) }},
		{status.AttemptCancelled, func(s *site) *order.Placed { return s.finished(simulator.Cancels) }},
		{status.AttemptNeedsReview, func(s *site) *order.Placed {
			s.sim.Switch(simulator.WrongAmount, true)
			return s.finished(simulator.Pays)
		}},
	}
	for _, tt := range tests {
		t.Run(string(tt.status), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			order := tt.prepare(s)
			s.attempt(order, tt.status)
			s.wantMarkRefused(order, access.Operator(), fault.CodeStateConflict)
			s.attempt(order, tt.status)
		})
	}
	s := newSite(t)
	if _, err := s.Orders.MarkRefunded(t.Context(), access.Operator(), "unknown", refundInput{}); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("unknown attempt: got %v, want not_found", err)
	}
}

// finished returns an order after a buyer's action at gateway_b.
func (s *site) finished(result simulator.Result) *order.Placed {
	s.tb.Helper()
	order := s.place(status.PayGatewayB)
	s.finish(ref(order), result)
	return order
}

func TestMarkRefunded_Caller(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bought := s.refundDue(status.PayGatewayA)
	customer, err := s.Accounts.Register(t.Context(), access.Caller{},
		account.RegisterInput{Name: "Rahima", Email: new("rahima@example.com"), Password: "correct horse battery"})
	s.must(err)
	apiKey, _, err := s.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "back office"})
	s.must(err)
	for _, refused := range []struct {
		name   string
		caller access.Caller
		code   fault.Code
	}{
		{"guest", access.Caller{}, fault.CodeUnauthenticated},
		{"buyer", access.Caller{OrderToken: bought.OrderToken}, fault.CodeUnauthenticated},
		{"customer", access.Caller{Bearer: customer.AccessToken}, fault.CodeForbidden},
		{"wrong API key", access.Caller{Bearer: apiKey[:len(apiKey)-1] + "-"}, fault.CodeUnauthenticated},
	} {
		t.Run(refused.name, func(t *testing.T) {
			here := *s
			here.tb = t
			here.wantMarkRefused(bought, refused.caller, refused.code)
		})
	}
	_, err = s.Orders.MarkRefunded(t.Context(), access.Caller{Bearer: apiKey}, ref(bought), refundInput{})
	s.must(err)
	s.wantRefunded(bought, order.ByStaff, 0)
}

// The timeline records whether a staff member or the sweep has completed a refund.
func TestRefundPayment_Cause(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		method status.PaymentMethod
		cause  order.Cause
	}{
		{"completed at once", status.PayGatewayB, order.ByStaff},
		{"completed later", status.PayGatewayA, order.ByShop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			order := s.refundDue(tt.method)
			_, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(order), refundInput{})
			s.must(err)
			s.sweep(time.Hour)
			s.sweep(time.Hour)
			s.wantRefunded(order, tt.cause, 1)
		})
	}
}

// A staff member who repeats a refund whose response was lost completes it.
func TestRefundPayment_CauseOfRepeat(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bought := s.refundDue(status.PayGatewayB)
	s.sim.Switch(simulator.RefundLost, true)
	if _, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(bought), refundInput{}); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Fatalf("got %v, want unavailable", err)
	}
	s.sim.Switch(simulator.RefundLost, false)
	if _, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(bought), refundInput{}); !fault.HasCode(err, fault.CodeStateConflict) {
		t.Fatalf("repeated at once: got %v, want state_conflict", err)
	}
	s.clock.Advance(3 * time.Minute)
	_, err := s.Orders.RefundPayment(t.Context(), access.Operator(), ref(bought), refundInput{})
	s.must(err)
	s.wantRefunded(bought, order.ByStaff, 1)
}
