package simulator_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"storefront/provider/gatewaya"
	"storefront/provider/simulator"
	"storefront/shop"
)

var gateways = []shop.PaymentMethod{shop.PayGatewayA, shop.PayGatewayB}

// ref is the shop's name for an order's newest try to pay.
func ref(o *shop.PlacedOrder) string { return o.Payment.Attempts[len(o.Payment.Attempts)-1].ID }

// paid is what a payment that went well comes to.
func (s *site) wantPaid(id string) {
	s.tb.Helper()
	s.want(id, shop.OrderConfirmed, shop.PaymentPaid, shop.AttemptSucceeded)
}

// eachGateway runs a test for both.
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
			t.Fatalf("placed: %+v", order.Payment)
		}
		s.want(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
		s.finish(ref(order), simulator.Pays)
		s.wantPaid(order.ID)
	})
}

func TestPayment_ReloadsAndRepeatsChangeNothing(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		s.sim.Switch(simulator.NoticeTwice, true)
		back := s.finish(ref(order), simulator.Pays)
		for range 3 {
			if back.Method == http.MethodGet {
				s.comeBack(back.URL)
				s.comeBack(strings.Replace(back.URL, "status=success", "status=cancel", 1))
			} else {
				s.must(s.sim.Notify(t.Context(), ref(order)))
				s.must(s.sim.NotifyAs(t.Context(), ref(order), "FAILED"))
			}
		}
		s.wantPaid(order.ID)
		if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); order.Payment.Method == shop.PayGatewayB && n != 1 {
			t.Errorf("the money was asked for %d times, want once", n)
		}
	})
}

func TestPayment_FailsAndIsPaidAfterwards(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	s.finish(ref(order), simulator.Fails)
	s.want(order.ID, shop.OrderPendingPayment, shop.PaymentUnpaid, shop.AttemptFailed)
	s.finish(ref(order), simulator.Pays)
	s.wantPaid(order.ID)
}

func TestPayment_CancelledThenStartedAnew(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		s.finish(ref(order), simulator.Cancels)
		s.want(order.ID, shop.OrderPendingPayment, shop.PaymentUnpaid, shop.AttemptCancelled)
		again, err := s.StartPayment(t.Context(), shop.Caller{OrderToken: order.OrderToken}, order.ID, shop.PaymentInput{PaymentMethod: order.Payment.Method})
		s.must(err)
		if again.ID == ref(order) || again.RedirectURL == nil {
			t.Fatalf("started anew: %+v", again)
		}
		s.finish(again.ID, simulator.Pays)
		s.wantPaid(order.ID)
	})
}

// What goes wrong between paying and knowing of it is made good by the sweeper.
func TestPayment_FaultsThatTimeHeals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method shop.PaymentMethod
		fault  simulator.Fault
		stays  bool // the fault is still there when the sweeper first asks
	}{
		{"notice lost", shop.PayGatewayA, simulator.NoticeLost, true},
		{"validation down", shop.PayGatewayA, simulator.ValidationDown, false},
		{"validation down for longer", shop.PayGatewayA, simulator.ValidationDown, true},
		{"execute lost", shop.PayGatewayB, simulator.ExecuteLost, true},
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
				t.Errorf("something is still to be asked, at %v", next)
			}
			calls, err := s.FindCalls(t.Context(), shop.CallFilter{Verdict: shop.VerdictStored})
			s.must(err)
			if len(calls.Nodes) != 0 {
				t.Errorf("calls are left: %+v", calls.Nodes)
			}
		})
	}
}

// An answer lost both times: the money moved, and nobody said so until asked.
func TestPayment_ExecuteAndQueryLost(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayB)
	s.sim.Switch(simulator.ExecuteLost, true)
	s.sim.Switch(simulator.ValidationDown, true)
	back := s.finish(ref(order), simulator.Pays)
	s.want(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
	s.comeBack(back.URL) // within the claim: nobody is asked
	s.sim.Switch(simulator.ValidationDown, false)
	s.sweep(time.Minute)
	s.wantPaid(order.ID)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 1 {
		t.Errorf("the money was asked for %d times, want once", n)
	}
}

func TestPayment_WhatHasToBeLookedAt(t *testing.T) {
	t.Parallel()
	for _, fault := range []simulator.Fault{simulator.WrongAmount, simulator.WrongCurrency, simulator.Risky} {
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
				s.want(order.ID, shop.OrderPendingPayment, shop.PaymentNeedsReview, shop.AttemptNeedsReview)
				s.clock.Advance(48 * time.Hour)
				_, err := s.ExpireOrders(t.Context())
				s.must(err)
				s.want(order.ID, shop.OrderPendingPayment, shop.PaymentNeedsReview, shop.AttemptNeedsReview)
				list, err := s.FindPayments(t.Context(), shop.AttemptNeedsReview)
				s.must(err)
				if len(list) != 1 || list[0].Reason == nil {
					t.Fatalf("to be looked at: %+v", list)
				}
				_, err = s.SettlePayment(t.Context(), list[0].ID, true)
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
	_, err := s.SettlePayment(t.Context(), ref(order), false)
	s.must(err)
	s.want(order.ID, shop.OrderPendingPayment, shop.PaymentUnpaid, shop.AttemptFailed)
	if _, err := s.SettlePayment(t.Context(), ref(order), true); !shop.HasCode(err, shop.CodeStateConflict) {
		t.Errorf("settled twice: %v", err)
	}
}

func TestPayment_ForgedNoticesChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	s.sim.Switch(simulator.NoticeForged, true)
	s.finish(ref(order), simulator.Pays)
	s.want(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
	if n := s.sim.Calls("/gateway_a/validator/api/validationserverAPI.php"); n != 0 {
		t.Errorf("the gateway was asked %d times about a forgery", n)
	}
	refused, err := s.FindRefusedCalls(t.Context(), shop.GatewayA)
	s.must(err)
	calls, err := s.FindCalls(t.Context(), shop.CallFilter{})
	s.must(err)
	if len(refused) != 1 || len(calls.Nodes) != 0 {
		t.Errorf("noted %+v, kept %+v", refused, calls.Nodes)
	}
}

func TestCallback_OfAnotherPaymentOrSignatureCallsNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayB)
	back, err := s.sim.Finish(t.Context(), ref(order), simulator.Pays)
	s.must(err)
	u, err := url.Parse(back.URL)
	s.must(err)
	for _, change := range []func(url.Values){
		func(q url.Values) { q.Set("signature", "0123456789") },
		func(q url.Values) { q.Del("signature") },
		func(q url.Values) { q.Set("paymentID", "TR0011nobody") },
		func(q url.Values) { clear(q) },
	} {
		query := u.Query()
		change(query)
		got, configured, err := s.visit(t.Context(), query)
		s.must(err)
		if !configured || got.Result != shop.ReturnFailed || got.OrderID != "" || got.URL != "https://shop.example/done?lang=bn&payment=failed" {
			t.Errorf("%v: %+v", query, got)
		}
	}
	s.want(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute") + s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/payment/status"); n != 0 {
		t.Errorf("the gateway was called %d times", n)
	}
	if got := s.comeBack(back.URL); got.Result != shop.ReturnSuccess || got.OrderID != order.ID {
		t.Errorf("the right one afterwards: %+v", got)
	}
}

func TestCallback_OfAnotherShop(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayB)
	back, err := s.sim.Finish(t.Context(), ref(order), simulator.Pays)
	s.must(err)
	other := newSite(t)
	if got, _, err := other.visit(t.Context(), mustQuery(t, back.URL)); err != nil || got.OrderID != "" {
		t.Errorf("another shop: %+v, %v", got, err)
	}
	s.comeBack(back.URL)
	s.wantPaid(order.ID)
}

func mustQuery(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

func TestPayment_OfTheOtherModeStaysAsItIs(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		s.mode(shop.Sandbox)
		s.finish(ref(order), simulator.Pays) // live, heard in sandbox mode
		s.want(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
		test := s.place(order.Payment.Method)
		if !test.Test {
			t.Error("an order of sandbox mode is not marked as a test")
		}
		s.finish(ref(test), simulator.Pays)
		s.wantPaid(test.ID)
		s.mode(shop.Live)
		if order.Payment.Method == shop.PayGatewayA { // the sweeper asks with the payment's own settings
			s.mode(shop.Sandbox)
			s.sweep(5 * time.Minute)
			s.wantPaid(order.ID)
		}
	})
}

func TestPayment_MoneyForADeadOrderGoesBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	_, err := s.CancelOrder(t.Context(), shop.Caller{Operator: true}, order.ID, "")
	s.must(err)
	s.finish(ref(order), simulator.Pays)
	s.want(order.ID, shop.OrderCancelled, shop.PaymentRefundDue, shop.AttemptRefundDue)

	s.sim.Switch(simulator.RefundLost, true)
	if _, err := s.RefundPayment(t.Context(), ref(order)); !shop.HasCode(err, shop.CodeUnavailable) {
		t.Fatalf("a lost refund: %v", err)
	}
	s.want(order.ID, shop.OrderCancelled, shop.PaymentRefundDue, shop.AttemptRefundDue)
	s.sim.Switch(simulator.RefundLost, false)
	s.sweep(time.Hour) // it asks again and hears that it is under way
	s.sweep(time.Hour) // and that it is done
	s.want(order.ID, shop.OrderCancelled, shop.PaymentRefunded, shop.AttemptRefunded)
}

func TestPayment_ExecuteOnlyForAnOrderThatWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayB)
	_, err := s.CancelOrder(t.Context(), shop.Caller{Operator: true}, order.ID, "")
	s.must(err)
	s.finish(ref(order), simulator.Pays)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 0 {
		t.Errorf("money was taken for a cancelled order")
	}
	s.sweep(time.Hour)
	if o := s.order(order.ID); o.PaymentStatus != shop.PaymentUnpaid || o.Status != shop.OrderCancelled {
		t.Errorf("order %s, payment %s", o.Status, o.PaymentStatus)
	}
}

func TestPayment_RefundThroughGatewayB(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayB)
	s.finish(ref(order), simulator.Pays)
	_, err := s.CancelOrder(t.Context(), shop.Caller{Operator: true}, order.ID, "")
	s.must(err)
	s.sim.Switch(simulator.RefundLost, true)
	if _, err := s.RefundPayment(t.Context(), ref(order)); !shop.HasCode(err, shop.CodeUnavailable) {
		t.Fatalf("a lost refund: %v", err)
	}
	record, err := s.RefundPayment(t.Context(), ref(order)) // it looks before it asks a second time
	s.must(err)
	if record.Status != shop.AttemptRefunded {
		t.Errorf("refunded: %+v", record)
	}
	if n := s.sim.Calls("/gateway_b/v2/tokenized-checkout/refund/payment/transaction"); n != 1 {
		t.Errorf("asked to give back %d times, want once", n)
	}
}

func TestPayment_ThatCanNotBeStarted(t *testing.T) {
	t.Parallel()
	for _, method := range gateways {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.sim.Switch(simulator.StartFails, true)
			order := s.place(method)
			if order.Payment.RedirectURL != nil || order.Payment.ErrorCode == nil {
				t.Errorf("placed: %+v", order.Payment)
			}
			s.sim.Switch(simulator.StartFails, false)
			again, err := s.StartPayment(t.Context(), shop.Caller{OrderToken: order.OrderToken}, order.ID, shop.PaymentInput{PaymentMethod: method})
			s.must(err)
			s.finish(again.ID, simulator.Pays)
			s.wantPaid(order.ID)
		})
	}
}

func TestPayment_AmountsThatTheGatewayDoesNotTake(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	method := shop.PayGatewayA
	_, err := s.PlaceOrder(t.Context(), shop.Caller{}, shop.OrderInput{
		Items:           []shop.OrderItemInput{{ProductID: s.mug.ID, Quantity: 999}}, // ৳449,550 and delivery is within
		Customer:        &shop.OrderCustomerInput{Name: new("Rahima"), PhoneNumber: new("01711-223344")},
		ShippingAddress: &shop.Address{Line1: "House 12", City: "Dhaka"}, PaymentMethod: &method,
	}, "")
	s.must(err)
	dear, err := s.SaveProduct(t.Context(), shop.ProductInput{Title: "Car", Variants: []shop.VariantInput{{Price: 500_001_00}}})
	s.must(err)
	_, err = s.PlaceOrder(t.Context(), shop.Caller{}, shop.OrderInput{
		Items:           []shop.OrderItemInput{{ProductID: dear.ID, Quantity: 1}},
		Customer:        &shop.OrderCustomerInput{Name: new("Rahima"), PhoneNumber: new("01711-223344")},
		ShippingAddress: &shop.Address{Line1: "House 12", City: "Dhaka"}, PaymentMethod: &method,
	}, "")
	if !shop.HasCode(err, shop.CodePaymentMethodUnavailable) {
		t.Errorf("error = %v", err)
	}
}

func TestPlugins_CredentialsAreChecked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, of := range []shop.Provider{shop.GatewayA, shop.GatewayB} {
		report, err := s.ValidatePlugin(t.Context(), shop.Caller{Operator: true}, of)
		s.must(err)
		if !report.Valid {
			t.Errorf("%s: %+v", of, report)
		}
	}
	s.configure(shop.GatewayA, map[string]any{"store_password": "wrong-secret"})
	s.configure(shop.GatewayB, map[string]any{"password": "wrong-secret"})
	for _, of := range []shop.Provider{shop.GatewayA, shop.GatewayB} {
		report, err := s.ValidatePlugin(t.Context(), shop.Caller{Operator: true}, of)
		s.must(err)
		text := ""
		for _, check := range report.Checks {
			text += check.Message
		}
		if report.Valid || strings.Contains(text, "wrong-secret") {
			t.Errorf("%s: %+v", of, report)
		}
	}
}

// A notice that could not be decided is kept, and staff can have it decided.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	s.sim.Switch(simulator.ValidationDown, true)
	s.finish(ref(order), simulator.Pays)
	calls, err := s.FindCalls(t.Context(), shop.CallFilter{Verdict: shop.VerdictStored})
	s.must(err)
	if len(calls.Nodes) != 1 || calls.Nodes[0].OrderID == nil || *calls.Nodes[0].OrderID != order.ID {
		t.Fatalf("kept: %+v", calls.Nodes)
	}
	id := calls.Nodes[0].ID
	call, err := s.ReplayCall(t.Context(), id) // still down
	s.must(err)
	if call.Verdict != shop.VerdictStored {
		t.Errorf("verdict %s while the gateway is down", call.Verdict)
	}
	s.sim.Switch(simulator.ValidationDown, false)
	call, err = s.ReplayCall(t.Context(), id)
	s.must(err)
	if call.Verdict != shop.VerdictApplied {
		t.Errorf("verdict %s", call.Verdict)
	}
	s.wantPaid(order.ID)
	if _, err := s.ReplayCall(t.Context(), id); !shop.HasCode(err, shop.CodeStateConflict) {
		t.Errorf("replayed twice: %v", err)
	}
	if body := *call.Body; strings.Contains(body, "411111") || !strings.Contains(body, "tran_id="+ref(order)) {
		t.Errorf("shown:\n%s", body)
	}
}

// Coming back from gateway_a tells the buyer what is known and decides nothing.
func TestReturn_DecidesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	visit := func(ref, hint string) shop.BuyerReturn {
		back, configured, err := s.VisitReturn(t.Context(), shop.GatewayA, ref, hint)
		s.must(err)
		if !configured {
			t.Error("not configured")
		}
		return back
	}
	for hint, want := range map[string]shop.ReturnResult{
		"success": shop.ReturnPending, "failed": shop.ReturnFailed, "cancelled": shop.ReturnCancelled, "paid": shop.ReturnPending, "": shop.ReturnPending,
	} {
		if got := visit(ref(order), hint); got.Result != want || got.OrderID != order.ID {
			t.Errorf("%q: %+v, want %s", hint, got, want)
		}
	}
	s.want(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
	if got := visit("nothing-of-ours", "success"); got.Result != shop.ReturnFailed || got.OrderID != "" {
		t.Errorf("a payment of nobody: %+v", got)
	}
	s.finish(ref(order), simulator.Pays)
	got := visit(ref(order), "failed")
	if want := "https://shop.example/done?lang=bn&order=" + order.ID + "&payment=success"; got.URL != want {
		t.Errorf("sent to %s, want %s", got.URL, want)
	}
}

// A gateway that is out of reach for good keeps no order open for good.
func TestPayment_NoAnswerForADay(t *testing.T) {
	t.Parallel()
	eachGateway(t, func(t *testing.T, s *site, order *shop.PlacedOrder) {
		s.sim.Switch(simulator.ValidationDown, true)
		for hour := range 30 {
			s.sweep(time.Hour)
			_, err := s.ExpireOrders(t.Context())
			s.must(err)
			if o := s.order(order.ID); hour < 22 && o.Status != shop.OrderPendingPayment {
				t.Fatalf("after %d hours the order is %s", hour+1, o.Status)
			}
		}
		s.want(order.ID, shop.OrderExpired, shop.PaymentUnpaid, shop.AttemptExpired)
		next, err := s.SweepPayments(t.Context())
		s.must(err)
		if !next.IsZero() {
			t.Errorf("something is still to be asked, at %v", next)
		}
	})
}

// Two shops with one account at the gateway: a notice for the one is nothing to the other.
func TestNotice_OfAnotherTenantsPayment(t *testing.T) {
	t.Parallel()
	s, other := newSite(t), newSite(t)
	order := s.place(shop.PayGatewayA)
	form := url.Values{
		"tran_id": {ref(order)}, "status": {"FAILED"}, "amount": {"970.00"}, "currency": {"BDT"}, "store_id": {"live"},
	}
	gatewaya.Sign(form, []string{"amount", "currency", "status", "store_id", "tran_id"}, "hush-a")
	authentic, err := other.ReceiveNotice(t.Context(), shop.GatewayA, "", []byte(form.Encode()))
	s.must(err)
	calls, err := other.FindCalls(t.Context(), shop.CallFilter{})
	s.must(err)
	if !authentic || len(calls.Nodes) != 1 || calls.Nodes[0].Verdict != shop.VerdictUnmatched {
		t.Errorf("authentic: %v, calls: %+v", authentic, calls.Nodes)
	}
	s.want(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
}
