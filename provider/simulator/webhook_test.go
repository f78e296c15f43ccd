package simulator_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"storefront/provider/gatewaya"
	"storefront/provider/simulator"
	"storefront/shop"
)

func TestPayment_ForgedWebhook(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	s.sim.Switch(simulator.WebhookForged, true)
	s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
	if n := s.sim.Calls("/gateway_a/validator/api/validationserverAPI.php"); n != 0 {
		t.Errorf("the gateway was asked %d times about a forgery", n)
	}
	refused, err := s.ListRefusedWebhooks(t.Context(), shop.GatewayA)
	s.must(err)
	calls, err := s.ListWebhooks(t.Context(), shop.WebhookFilter{})
	s.must(err)
	if len(refused) != 1 || len(calls.Nodes) != 0 {
		t.Errorf("noted %+v, kept %+v", refused, calls.Nodes)
	}
}

func TestCallback_WrongPaymentOrSignature(t *testing.T) {
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
		got, configured, err := s.handleCallback(t.Context(), query)
		s.must(err)
		if !configured || got.Result != shop.ReturnFailed || got.OrderID != "" || got.URL != "https://shop.example/done?lang=bn&payment=failed" {
			t.Errorf("%v: %+v", query, got)
		}
	}
	s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute") + s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/payment/status"); n != 0 {
		t.Errorf("the gateway was called %d times", n)
	}
	if got := s.openCallback(back.URL); got.Result != shop.ReturnSuccess || got.OrderID != order.ID {
		t.Errorf("the right one afterwards: %+v", got)
	}
}

func TestCallback_OtherShop(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayB)
	back, err := s.sim.Finish(t.Context(), ref(order), simulator.Pays)
	s.must(err)
	other := newSite(t)
	if got, _, err := other.handleCallback(t.Context(), mustQuery(t, back.URL)); err != nil || got.OrderID != "" {
		t.Errorf("another shop: %+v, %v", got, err)
	}
	s.openCallback(back.URL)
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

// A notice that could not be decided is kept, and staff can have it decided.
func TestReplayWebhook(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	s.sim.Switch(simulator.ValidationDown, true)
	s.finish(ref(order), simulator.Pays)
	calls, err := s.ListWebhooks(t.Context(), shop.WebhookFilter{Verdict: shop.VerdictStored})
	s.must(err)
	if len(calls.Nodes) != 1 || calls.Nodes[0].OrderID == nil || *calls.Nodes[0].OrderID != order.ID {
		t.Fatalf("kept: %+v", calls.Nodes)
	}
	id := calls.Nodes[0].ID
	call, err := s.ReplayWebhook(t.Context(), id) // still down
	s.must(err)
	if call.Verdict != shop.VerdictStored {
		t.Errorf("verdict %s while the gateway is down", call.Verdict)
	}
	s.sim.Switch(simulator.ValidationDown, false)
	call, err = s.ReplayWebhook(t.Context(), id)
	s.must(err)
	if call.Verdict != shop.VerdictApplied {
		t.Errorf("verdict %s", call.Verdict)
	}
	s.wantPaid(order.ID)
	if _, err := s.ReplayWebhook(t.Context(), id); !shop.HasCode(err, shop.CodeStateConflict) {
		t.Errorf("replayed twice: %v", err)
	}
	if body := *call.Body; strings.Contains(body, "411111") || !strings.Contains(body, "tran_id="+ref(order)) {
		t.Errorf("shown:\n%s", body)
	}
}

// A visit is kept with its order, and staff can have it done again.
func TestReplayWebhook_Callback(t *testing.T) {
	t.Parallel()
	s, when := newCrashingSite(t)
	order := s.place(shop.PayGatewayB)
	*when = "after prove"
	recoverCrash(func() { s.finish(ref(order), simulator.Pays) })
	calls, err := s.ListWebhooks(t.Context(), shop.WebhookFilter{Verdict: shop.VerdictStored})
	s.must(err)
	if len(calls.Nodes) != 1 {
		t.Fatalf("kept: %+v", calls.Nodes)
	}
	s.clock.Advance(3 * time.Minute) // whoever took the money has ended
	call, err := s.ReplayWebhook(t.Context(), calls.Nodes[0].ID)
	s.must(err)
	if call.Verdict != shop.VerdictApplied || deref(call.OrderID) != order.ID {
		t.Errorf("replayed: %+v", call)
	}
	s.wantPaid(order.ID)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 1 {
		t.Errorf("the money was asked for %d times, want once", n)
	}
	again := s.place(shop.PayGatewayB)
	s.finish(ref(again), simulator.Cancels)
	calls, err = s.ListWebhooks(t.Context(), shop.WebhookFilter{})
	s.must(err)
	if got := calls.Nodes[0]; got.Event != "cancel" || deref(got.OrderID) != again.ID {
		t.Errorf("a cancelled one is kept as %+v", got)
	}
}

// Coming back from gateway_a tells the buyer what is known and decides nothing.
func TestHandleReturn_ChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(shop.PayGatewayA)
	visit := func(ref, hint string) shop.ReturnTarget {
		back, configured, err := s.HandleReturn(t.Context(), shop.GatewayA, ref, hint)
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
	s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
	if got := visit("nothing-of-ours", "success"); got.Result != shop.ReturnFailed || got.OrderID != "" {
		t.Errorf("a payment of nobody: %+v", got)
	}
	s.finish(ref(order), simulator.Pays)
	got := visit(ref(order), "failed")
	if want := "https://shop.example/done?lang=bn&order=" + order.ID + "&payment=success"; got.URL != want {
		t.Errorf("sent to %s, want %s", got.URL, want)
	}
}

// Two shops with one account at the gateway: a notice for the one is nothing to the other.
func TestWebhook_OtherTenantsPayment(t *testing.T) {
	t.Parallel()
	s, other := newSite(t), newSite(t)
	order := s.place(shop.PayGatewayA)
	form := url.Values{
		"tran_id": {ref(order)}, "status": {"FAILED"}, "amount": {"970.00"}, "currency": {"BDT"}, "store_id": {"live"},
	}
	gatewaya.Sign(form, []string{"amount", "currency", "status", "store_id", "tran_id"}, "hush-a")
	authentic, err := other.HandlePaymentWebhook(t.Context(), shop.GatewayA, "", []byte(form.Encode()))
	s.must(err)
	calls, err := other.ListWebhooks(t.Context(), shop.WebhookFilter{})
	s.must(err)
	if !authentic || len(calls.Nodes) != 1 || calls.Nodes[0].Verdict != shop.VerdictUnmatched {
		t.Errorf("authentic: %v, calls: %+v", authentic, calls.Nodes)
	}
	s.wantStatus(order.ID, shop.OrderPendingPayment, shop.PaymentPending, shop.AttemptPending)
}
