package simulator_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

var gateways = []shop.PaymentMethod{shop.PayGatewayA, shop.PayGatewayB}

// ref returns the shop's reference of an order's last payment attempt.
func ref(o *shop.PlacedOrder) string { return o.Payment.Attempts[len(o.Payment.Attempts)-1].ID }

// wantPaid checks that an order was paid and confirmed.
func (s *site) wantPaid(id string) {
	s.tb.Helper()
	s.wantStatus(id, shop.OrderConfirmed, shop.PaymentPaid, shop.AttemptSucceeded)
}

// eachGateway runs a test with an order at each gateway.
func eachGateway(t *testing.T, test func(t *testing.T, s *site, order *shop.PlacedOrder)) {
	t.Helper()
	for _, method := range gateways {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			test(t, s, s.place(method))
		})
	}
}

func TestPayment_Paid(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		if order.Payment.RedirectURL == nil || order.Status != shop.OrderPendingPayment {
			t.Fatalf("got placed order %s with payment %+v", order.Status, order.Payment)
		}
		s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
		s.finish(ref(order), simulator.Pays)
		s.wantPaid(order.ID)
	})
}

func TestPayment_RepeatedCallbacksAndWebhooks(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
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
		if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); order.Payment.Method == shop.PayGatewayB && n != 1 {
			t.Errorf("got %d executions, want 1", n)
		}
	})
}

func TestPayment_PaidAfterFailure(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	s.finish(ref(order), simulator.Fails)
	s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentUnpaid, shop.AttemptFailed)
	s.finish(ref(order), simulator.Pays)
	s.wantPaid(order.ID)
}

func TestPayment_CancelledAndRestarted(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		s.finish(ref(order), simulator.Cancels)
		s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentUnpaid, shop.AttemptCancelled)
		again, err := s.StartPayment(t.Context(), access.Caller{OrderToken: order.OrderToken}, order.ID,
			shop.PaymentInput{PaymentMethod: order.Payment.Method})
		s.must(err)
		if again.ID == ref(order) || again.RedirectURL == nil {
			t.Fatalf("got restarted payment %+v", again)
		}
		s.finish(again.ID, simulator.Pays)
		s.wantPaid(order.ID)
	})
}

// slow is a gateway that needs 100 ms to start a payment.
type slow struct{ shop.Gateway }

func (g slow) Start(ctx context.Context, access shop.PluginAccess, order shop.PaymentStart) (shop.StartedPayment, error) {
	time.Sleep(100 * time.Millisecond)
	return g.Gateway.Start(ctx, access, order)
}

// Concurrent and repeated starts of a payment redirect to the same page.
func TestPayment_ConcurrentStarts(t *testing.T) {
	t.Parallel()
	for _, method := range gateways {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			s := newSiteWith(t, func(g shop.Gateway) shop.Gateway { return slow{g} })
			pages := make([]string, 8)
			var wg sync.WaitGroup
			for i := range pages {
				wg.Go(func() {
					order, err := s.placeByKey(method, "twice")
					if err != nil {
						t.Error(err)
					} else if order.Payment.RedirectURL != nil {
						pages[i] = *order.Payment.RedirectURL
					}
				})
			}
			wg.Wait()
			if len(slices.Compact(slices.Clone(pages))) != 1 || pages[0] == "" {
				t.Errorf("got redirects to %q, want one page", pages)
			}
		})
	}
}

// The sweep resolves every failure between the payment and its confirmation.
func TestPayment_FaultsResolvedBySweep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method shop.PaymentMethod
		fault  simulator.Fault
		stays  bool // the fault lasts beyond the first sweep
	}{
		{"webhook lost", shop.PayGatewayA, simulator.WebhookLost, true},
		{"validation down", shop.PayGatewayA, simulator.ValidationDown, false},
		{"validation down during the first sweep", shop.PayGatewayA, simulator.ValidationDown, true},
		{"webhook late", shop.PayGatewayA, simulator.WebhookLate, true},
		{"execute lost", shop.PayGatewayB, simulator.ExecuteLost, true},
		{"execute late", shop.PayGatewayB, simulator.ExecuteLate, true},
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
			next, err := s.SweepPayments(t.Context())
			s.must(err)
			if !next.IsZero() {
				t.Errorf("got next check at %v, want none", next)
			}
			webhooks, err := s.ListWebhooks(t.Context(), access.Operator(), shop.WebhookFilter{Verdict: shop.VerdictStored})
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
	order := s.place(shop.PayGatewayB)
	s.sim.Switch(simulator.ExecuteLost, true)
	s.sim.Switch(simulator.ValidationDown, true)
	ret := s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
	s.openCallback(ret.URL) // within the claim, so the gateway is not queried
	s.sim.Switch(simulator.ValidationDown, false)
	s.sweep(time.Minute)
	s.wantPaid(order.ID)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 1 {
		t.Errorf("got %d executions, want 1", n)
	}
}

func TestPayment_NeedsReview(t *testing.T) {
	t.Parallel()
	for fault, wrong := range map[simulator.Fault]string{
		simulator.WrongAmount: "captured ৳1.00, not ৳970.00", simulator.WrongCurrency: "USD", simulator.Risky: "risky",
	} {
		for _, method := range gateways {
			if method == shop.PayGatewayB && fault == simulator.Risky {
				continue
			}
			t.Run(string(fault)+" "+string(method), func(t *testing.T) {
				t.Parallel()
				s := newSite(t)
				order := s.place(method)
				s.sim.Switch(fault, true)
				s.finish(ref(order), simulator.Pays)
				s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentNeedsReview, shop.AttemptNeedsReview)
				s.clock.Advance(48 * time.Hour)
				_, err := s.ExpireOrders(t.Context())
				s.must(err)
				s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentNeedsReview, shop.AttemptNeedsReview)
				list, err := s.ListPaymentAttempts(t.Context(), access.Operator(), shop.AttemptNeedsReview)
				s.must(err)
				if len(list) != 1 || !strings.Contains(deref(list[0].Reason), wrong) {
					t.Fatalf("got attempts in review %+v, want one with reason …%s…", list, wrong)
				}
				_, err = s.ResolvePayment(t.Context(), access.Operator(), list[0].ID, true)
				s.must(err)
				s.wantPaid(order.ID)
			})
		}
	}
}

func TestPayment_RejectedByStaff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	s.sim.Switch(simulator.Risky, true)
	s.finish(ref(order), simulator.Pays)
	_, err := s.ResolvePayment(t.Context(), access.Operator(), ref(order), false)
	s.must(err)
	s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentUnpaid, shop.AttemptFailed)
	if _, err := s.ResolvePayment(t.Context(), access.Operator(), ref(order), true); !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("resolved twice: got %v, want state_conflict", err)
	}
}

func TestPayment_OtherMode(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		s.mode(shop.Sandbox)
		s.finish(ref(order), simulator.Pays) // live payment, reported in sandbox mode
		s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
		test := s.place(order.Payment.Method)
		if !test.Test {
			t.Error("got an order of sandbox mode that is not marked as a test")
		}
		s.finish(ref(test), simulator.Pays)
		s.wantPaid(test.ID)
		late := s.place(order.Payment.Method)
		s.mode(shop.Live)
		s.finish(ref(late), simulator.Pays) // sandbox payment, reported in live mode
		s.wantStatus(late.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
		if order.Payment.Method == shop.PayGatewayA { // the sweep uses the settings of the payment's mode
			s.mode(shop.Sandbox)
			s.sweep(5 * time.Minute)
			s.wantPaid(order.ID)
		}
	})
}

func TestPayment_RefundForCancelledOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	_, err := s.CancelOrder(t.Context(), access.Caller{Operator: true}, order.ID, "")
	s.must(err)
	s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, shop.OrderCancelled, shop.PaymentRefundDue, shop.AttemptRefundDue)

	s.sim.Switch(simulator.RefundLost, true)
	if _, err := s.RefundPayment(t.Context(), access.Operator(), ref(order), nil); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Fatalf("lost refund: got %v, want unavailable", err)
	}
	s.wantStatus(order.ID, shop.OrderCancelled, shop.PaymentRefundDue, shop.AttemptRefundDue)
	s.sim.Switch(simulator.RefundLost, false)
	s.sweep(time.Hour) // requests the refund again: processing
	s.sweep(time.Hour) // refunded
	s.wantStatus(order.ID, shop.OrderCancelled, shop.PaymentRefunded, shop.AttemptRefunded)
}

func TestPayment_NoExecuteForCancelledOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayB)
	_, err := s.CancelOrder(t.Context(), access.Caller{Operator: true}, order.ID, "")
	s.must(err)
	s.finish(ref(order), simulator.Pays)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 0 {
		t.Errorf("got %d executions for a cancelled order, want 0", n)
	}
	s.sweep(time.Hour)
	if o := s.order(order.ID); o.PaymentStatus != shop.PaymentUnpaid || o.Status != shop.OrderCancelled {
		t.Errorf("got order %s, payment %s; want cancelled, unpaid", o.Status, o.PaymentStatus)
	}
}

func TestPayment_RefundThroughGatewayB(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayB)
	s.finish(ref(order), simulator.Pays)
	_, err := s.CancelOrder(t.Context(), access.Caller{Operator: true}, order.ID, "")
	s.must(err)
	s.sim.Switch(simulator.RefundLost, true)
	if _, err := s.RefundPayment(t.Context(), access.Operator(), ref(order), nil); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Fatalf("lost refund: got %v, want unavailable", err)
	}
	s.clock.Advance(3 * time.Minute)
	record, err := s.RefundPayment(t.Context(), access.Operator(), ref(order), nil) // queries the earlier request first
	s.must(err)
	if record.Status != shop.AttemptRefunded {
		t.Errorf("got %+v, want refunded", record)
	}
	if n := s.sim.Calls("/gateway_b/v2/tokenized-checkout/refund/payment/transaction"); n != 1 {
		t.Errorf("got %d refund requests, want 1", n)
	}
}

// A payment that could not be started is logged, its reason is there for staff only, and it can be
// started again.
func TestPayment_StartFailure(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fault  simulator.Fault
		method shop.PaymentMethod
		code   string
		reason string
	}{
		{simulator.StartFails, shop.PayGatewayA, "gateway_unavailable", "response incomplete or invalid"},
		{simulator.StartFails, shop.PayGatewayB, "gateway_unavailable", "response incomplete or invalid"},
		{simulator.StartBusy, shop.PayGatewayA, "gateway_unavailable", "status 429"},
		{simulator.StartBusy, shop.PayGatewayB, "gateway_unavailable", "code 9999: System Error."},
		{simulator.StartRefused, shop.PayGatewayA, "gateway_refused", "Store is De-active, password ***"},
		{simulator.StartRefused, shop.PayGatewayB, "gateway_refused", "code 2001: Invalid App Key ***"},
		{simulator.IDRepeated, shop.PayGatewayA, "gateway_refused", "returned the ID of payment"},
		{simulator.IDRepeated, shop.PayGatewayB, "gateway_refused", "returned the ID of payment"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %s", tt.fault, tt.method), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			first := s.place(tt.method)
			s.sim.Switch(tt.fault, true)
			order := s.place(tt.method)
			if got := order.Payment; got.RedirectURL != nil || deref(got.ErrorCode) != tt.code {
				t.Errorf("got error code %q, redirect %v; want %s and no redirect", deref(got.ErrorCode), got.RedirectURL, tt.code)
			}
			if got := deref(s.attempt(order, shop.AttemptFailed).Reason); !strings.Contains(got, tt.reason) {
				t.Errorf("got reason %q, want …%s…", got, tt.reason)
			}
			lines := s.log.text()
			if strings.Count(lines, "payment not started") != 1 || !strings.Contains(lines, ref(order)) || !strings.Contains(lines, tt.reason) {
				t.Errorf("got log %q, want one line with the payment and its reason", lines)
			}
			buyer, err := s.FindOrder(t.Context(), access.Caller{OrderToken: order.OrderToken}, order.ID)
			s.must(err)
			if text := fmt.Sprintf("%+v", buyer); strings.Contains(text, tt.reason) {
				t.Errorf("the buyer reads the gateway's reason: %s", text)
			}
			backlog, err := s.FindBacklog(t.Context()) // which doctor reports
			s.must(err)
			if backlog.FailedStarts != 1 || !strings.Contains(backlog.FailedStart, tt.reason) {
				t.Errorf("got backlog %+v, want 1 failed start with its reason", backlog)
			}
			s.sim.Switch(tt.fault, false)
			again, err := s.StartPayment(t.Context(), access.Caller{OrderToken: order.OrderToken}, order.ID, shop.PaymentInput{PaymentMethod: tt.method})
			s.must(err)
			s.finish(again.ID, simulator.Pays)
			s.wantPaid(order.ID)
			s.finish(ref(first), simulator.Pays)
			s.wantPaid(first.ID)
		})
	}
}

// The buyer of an order that another gateway's payment has paid sees success, and pays nothing more.
func TestPayment_CallbackOfOlderAttempt(t *testing.T) {
	t.Parallel()
	for _, result := range []simulator.Result{simulator.Pays, simulator.Fails, simulator.Cancels} {
		s := newSite(t)
		order := s.place(shop.PayGatewayB)
		older := ref(order)
		again, err := s.StartPayment(t.Context(), access.Caller{OrderToken: order.OrderToken}, order.ID, shop.PaymentInput{PaymentMethod: shop.PayGatewayA})
		s.must(err)
		s.finish(again.ID, simulator.Pays)
		s.wantPaid(order.ID)
		ret, err := s.sim.Finish(t.Context(), older, result)
		s.must(err)
		if got := s.openCallback(ret.URL); got.Result != shop.ReturnSuccess || !strings.Contains(got.URL, "payment=success") {
			t.Errorf("%s: got %+v, want payment=success", result, got)
		}
		if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 0 {
			t.Errorf("%s: got %d executions, want 0", result, n)
		}
		s.sweep(time.Hour)
		if o := s.order(order.ID); o.PaymentStatus != shop.PaymentPaid || s.sim.HasMoney(older) {
			t.Errorf("%s: got payment %s, captured twice: %v", result, o.PaymentStatus, s.sim.HasMoney(older))
		}
	}
}

func TestPayment_AmountOutOfRange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	method := shop.PayGatewayA
	dear, err := s.Catalogue.SaveProduct(t.Context(), access.Operator(), catalogue.ProductInput{Title: "Boat", Variants: []catalogue.VariantInput{{Price: 449_550_00}}})
	s.must(err)
	_, err = s.PlaceOrder(t.Context(), access.Caller{}, shop.OrderInput{
		Items:           []shop.OrderItemInput{{ProductID: dear.ID, Quantity: 1}}, // ৳449,550 plus delivery is within the limit
		Customer:        &shop.OrderCustomerInput{Name: new("Rahima"), PhoneNumber: new("01711-223344")},
		ShippingAddress: &account.Address{Line1: "House 12", City: "Dhaka"}, PaymentMethod: &method,
	}, "")
	s.must(err)
	expensive, err := s.Catalogue.SaveProduct(t.Context(), access.Operator(), catalogue.ProductInput{Title: "Car", Variants: []catalogue.VariantInput{{Price: 500_001_00}}})
	s.must(err)
	_, err = s.PlaceOrder(t.Context(), access.Caller{}, shop.OrderInput{
		Items:           []shop.OrderItemInput{{ProductID: expensive.ID, Quantity: 1}},
		Customer:        &shop.OrderCustomerInput{Name: new("Rahima"), PhoneNumber: new("01711-223344")},
		ShippingAddress: &account.Address{Line1: "House 12", City: "Dhaka"}, PaymentMethod: &method,
	}, "")
	if !fault.HasCode(err, fault.CodePaymentMethodUnavailable) {
		t.Errorf("got %v, want payment_method_unavailable", err)
	}
}

func TestPlugins_CheckCredentials(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, provider := range []shop.Provider{shop.GatewayA, shop.GatewayB} {
		report, err := s.ValidatePlugin(t.Context(), access.Caller{Operator: true}, provider)
		s.must(err)
		if !report.Valid {
			t.Errorf("%s: got %+v", provider, report)
		}
	}
	s.configure(shop.GatewayA, map[string]any{"store_password": "wrong-secret"})
	s.configure(shop.GatewayB, map[string]any{"password": "wrong-secret"})
	for _, provider := range []shop.Provider{shop.GatewayA, shop.GatewayB} {
		report, err := s.ValidatePlugin(t.Context(), access.Caller{Operator: true}, provider)
		s.must(err)
		text := ""
		for _, check := range report.Checks {
			text += check.Message
		}
		if report.Valid || strings.Contains(text, "wrong-secret") {
			t.Errorf("%s: got %+v", provider, report)
		}
	}
}

// The second payment of a buyer who pays twice on one page is refunded.
func TestPayment_PaidTwiceOnOnePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	first := ref(order)
	s.sim.Switch(simulator.PaysTwice, true)
	s.finish(first, simulator.Pays)
	s.finish(first, simulator.Pays)
	s.must(s.sim.SendWebhook(t.Context(), first)) // repeats the second payment's webhook
	due, err := s.ListPaymentAttempts(t.Context(), access.Operator(), shop.AttemptRefundDue)
	s.must(err)
	if len(due) != 1 || due[0].ID == first || due[0].OrderID != order.ID || due[0].Amount != order.Total || deref(due[0].Reason) == "" {
		t.Fatalf("got refunds due %+v, want the second payment", due)
	}
	if o := s.order(order.ID); o.PaymentStatus != shop.PaymentPaid || o.Status != shop.OrderConfirmed || len(o.Payment.Attempts) != 2 {
		t.Errorf("got order %s, payment %s, %d attempts; want confirmed, paid, 2", o.Status, o.PaymentStatus, len(o.Payment.Attempts))
	}
	record, err := s.RefundPayment(t.Context(), access.Operator(), due[0].ID, nil)
	s.must(err)
	if record.Status != shop.AttemptRefundDue || record.RefundID == nil {
		t.Errorf("got %+v, want refund_due with a refund ID", record)
	}
	s.sweep(time.Hour)
	if o := s.order(order.ID); o.PaymentStatus != shop.PaymentPaid || o.Payment.Attempts[1].Status != shop.AttemptRefunded {
		t.Errorf("got payment %s, attempts %+v", o.PaymentStatus, o.Payment.Attempts)
	}
}

// interfering is a gateway that runs meanwhile before its next status query or capture.
type interfering struct {
	shop.Gateway
	meanwhile *func()
}

func (m interfering) interfere() {
	if do := *m.meanwhile; do != nil {
		*m.meanwhile = nil
		do()
	}
}

func (m interfering) QueryStatus(ctx context.Context, access shop.PluginAccess, q shop.StatusQuery) (shop.GatewayStatus, error) {
	m.interfere()
	return m.Gateway.QueryStatus(ctx, access, q)
}

func (m interfering) Capture(ctx context.Context, access shop.PluginAccess, q shop.StatusQuery) (shop.GatewayStatus, error) {
	m.interfere()
	return m.Gateway.Capture(ctx, access, q)
}

// Of two payments of one order, approved in two tabs, only one is captured.
func TestPayment_TwoTabs(t *testing.T) {
	t.Parallel()
	var meanwhile func()
	s := newSiteWith(t, func(g shop.Gateway) shop.Gateway { return interfering{g, &meanwhile} })
	order := s.place(shop.PayGatewayB)
	s.clock.Advance(16 * time.Minute)
	other, err := s.StartPayment(t.Context(), access.Caller{OrderToken: order.OrderToken}, order.ID, shop.PaymentInput{PaymentMethod: shop.PayGatewayB})
	s.must(err)
	ret, err := s.sim.Finish(t.Context(), other.ID, simulator.Pays)
	s.must(err)
	meanwhile = func() {
		if got := s.openCallback(ret.URL); got.Result != shop.ReturnPending {
			t.Errorf("second tab: got %s, want pending", got.Result)
		}
	}
	s.finish(ref(order), simulator.Pays)
	s.openCallback(ret.URL)
	o := s.order(order.ID)
	if o.PaymentStatus != shop.PaymentPaid || o.Payment.Attempts[0].Status != shop.AttemptSucceeded || s.sim.HasMoney(other.ID) {
		t.Errorf("got payment %s, attempts %+v", o.PaymentStatus, o.Payment.Attempts)
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// An order expires even if its gateway never responds.
func TestPayment_NoResponseForADay(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		s.sim.Switch(simulator.ValidationDown, true)
		for hour := range 30 {
			s.sweep(time.Hour)
			_, err := s.ExpireOrders(t.Context())
			s.must(err)
			if o := s.order(order.ID); hour < 22 && o.Status != shop.OrderPendingPayment {
				t.Fatalf("after %d hours: got order %s, want pending_payment", hour+1, o.Status)
			}
		}
		s.wantStatus(order.ID, shop.OrderExpired, shop.PaymentUnpaid, shop.AttemptExpired)
		next, err := s.SweepPayments(t.Context())
		s.must(err)
		if !next.IsZero() {
			t.Errorf("got next check at %v, want none", next)
		}
	})
}

// expire advances the clock to a time after placing an order and expires what is due.
func (s *site) expire(order *shop.PlacedOrder, after time.Duration) {
	s.tb.Helper()
	s.clock.Advance(order.PlacedAt.Add(after).Sub(s.clock.Now()))
	_, err := s.ExpireOrders(s.tb.Context())
	s.must(err)
}

// An order with an open payment expires after 30 minutes if its gateway reports that nothing was paid.
func TestExpireOrders_OpenPayment(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		s.expire(order, 30*time.Minute-time.Millisecond)
		s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
		s.expire(order, 30*time.Minute)
		s.wantStatus(order.ID, shop.OrderExpired, shop.PaymentUnpaid, shop.AttemptExpired)
		s.finish(ref(order), simulator.Pays) // too late
		s.sweep(time.Hour)
		if s.sim.HasMoney(ref(order)) {
			s.wantStatus(order.ID, shop.OrderExpired, shop.PaymentRefundDue, shop.AttemptRefundDue)
		}
		s.checkInvariants()
	})
}

func TestExpireOrders_PaidUnnoticed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	s.sim.Switch(simulator.WebhookLost, true)
	s.finish(ref(order), simulator.Pays)
	s.expire(order, 30*time.Minute)
	s.wantPaid(order.ID)
}

// An order stays open while its gateway does not respond, and expires soon after it does again.
func TestExpireOrders_GatewayDown(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		s.sim.Switch(simulator.ValidationDown, true)
		s.expire(order, 30*time.Minute)
		s.expire(order, 34*time.Minute)
		s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
		s.sim.Switch(simulator.ValidationDown, false)
		s.expire(order, 35*time.Minute)
		s.wantStatus(order.ID, shop.OrderExpired, shop.PaymentUnpaid, shop.AttemptExpired)
	})
}

// An order does not expire while a payment of it is being captured.
func TestExpireOrders_DuringCapture(t *testing.T) {
	t.Parallel()
	var meanwhile func()
	s := newSiteWith(t, func(g shop.Gateway) shop.Gateway { return interfering{g, &meanwhile} })
	order := s.place(shop.PayGatewayB)
	s.clock.Advance(29*time.Minute + 59*time.Second)
	meanwhile = func() { s.expire(order, 30*time.Minute) }
	s.finish(ref(order), simulator.Pays)
	s.wantPaid(order.ID)
}
