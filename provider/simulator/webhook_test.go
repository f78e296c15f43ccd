package simulator_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"storefront/provider/gatewaya"
	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/inbox"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

func TestPayment_ForgedWebhook(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayA)
	s.sim.Switch(simulator.WebhookForged, true)
	s.finish(ref(order), simulator.Pays)
	s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
	if n := s.sim.Calls("/gateway_a/validator/api/validationserverAPI.php"); n != 0 {
		t.Errorf("got %d validations of a forged webhook, want 0", n)
	}
	refused, err := s.Inbox.ListRefusedWebhooks(t.Context(), access.Operator(), plugin.GatewayA)
	s.must(err)
	webhooks, err := s.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{})
	s.must(err)
	if len(refused) != 1 || len(webhooks.Nodes) != 0 {
		t.Errorf("got refused %+v, stored %+v; want one refused, none stored", refused, webhooks.Nodes)
	}
}

func TestCallback_WrongPaymentOrSignature(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bought := s.place(status.PayGatewayB)
	ret, err := s.sim.Finish(t.Context(), ref(bought), simulator.Pays)
	s.must(err)
	u, err := url.Parse(ret.URL)
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
		if !configured || got.Result != order.ReturnFailed || got.OrderID != "" || got.URL != "https://shop.example/done?lang=bn&payment=failed" {
			t.Errorf("%v: got %+v, want a failed payment without order", query, got)
		}
	}
	s.wantStatus(bought.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
	const checkout = "/gateway_b/v1.2.0-beta/tokenized/checkout"
	if n := s.sim.Calls(checkout+"/execute") + s.sim.Calls(checkout+"/payment/status"); n != 0 {
		t.Errorf("got %d calls of the gateway, want 0", n)
	}
	if got := s.openCallback(ret.URL); got.Result != order.ReturnSuccess || got.OrderID != bought.ID {
		t.Errorf("correct callback: got %+v", got)
	}
}

func TestCallback_OtherShop(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayB)
	ret, err := s.sim.Finish(t.Context(), ref(order), simulator.Pays)
	s.must(err)
	other := newSite(t)
	if got, _, err := other.handleCallback(t.Context(), mustQuery(t, ret.URL)); err != nil || got.OrderID != "" {
		t.Errorf("other shop: got %+v, %v; want no order", got, err)
	}
	s.openCallback(ret.URL)
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

// Staff can replay a stored webhook that could not be applied.
func TestReplayWebhook(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	order := s.place(status.PayGatewayA)
	s.sim.Switch(simulator.ValidationDown, true)
	s.finish(ref(order), simulator.Pays)
	webhooks, err := s.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{Verdict: inbox.VerdictStored})
	s.must(err)
	if len(webhooks.Nodes) != 1 || webhooks.Nodes[0].OrderID == nil || *webhooks.Nodes[0].OrderID != order.ID {
		t.Fatalf("got stored webhooks %+v, want one of the order", webhooks.Nodes)
	}
	id := webhooks.Nodes[0].ID
	webhook, err := s.Orders.ReplayWebhook(t.Context(), access.Operator(), id) // still down
	s.must(err)
	if webhook.Verdict != inbox.VerdictStored {
		t.Errorf("gateway unavailable: got verdict %s, want stored", webhook.Verdict)
	}
	s.sim.Switch(simulator.ValidationDown, false)
	webhook, err = s.Orders.ReplayWebhook(t.Context(), access.Operator(), id)
	s.must(err)
	if webhook.Verdict != inbox.VerdictApplied {
		t.Errorf("got verdict %s, want applied", webhook.Verdict)
	}
	s.wantPaid(order.ID)
	if _, err := s.Orders.ReplayWebhook(t.Context(), access.Operator(), id); !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("replayed twice: got %v, want state_conflict", err)
	}
	if body := *webhook.Body; strings.Contains(body, "411111") || !strings.Contains(body, "tran_id="+ref(order)) {
		t.Errorf("got body\n%s", body)
	}
}

// A callback is stored with its order, and staff can replay it.
func TestReplayWebhook_Callback(t *testing.T) {
	t.Parallel()
	s, crashAt := newCrashingSite(t)
	order := s.place(status.PayGatewayB)
	*crashAt = "after query"
	recoverCrash(func() { s.finish(ref(order), simulator.Pays) })
	webhooks, err := s.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{Verdict: inbox.VerdictStored})
	s.must(err)
	if len(webhooks.Nodes) != 1 {
		t.Fatalf("got stored webhooks %+v, want 1", webhooks.Nodes)
	}
	s.clock.Advance(3 * time.Minute) // the claim of the crashed program has ended
	webhook, err := s.Orders.ReplayWebhook(t.Context(), access.Operator(), webhooks.Nodes[0].ID)
	s.must(err)
	if webhook.Verdict != inbox.VerdictApplied || deref(webhook.OrderID) != order.ID {
		t.Errorf("got %+v, want applied to the order", webhook)
	}
	s.wantPaid(order.ID)
	if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 1 {
		t.Errorf("got %d executions, want 1", n)
	}
	again := s.place(status.PayGatewayB)
	s.finish(ref(again), simulator.Cancels)
	webhooks, err = s.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{})
	s.must(err)
	if got := webhooks.Nodes[0]; got.Event != "cancel" || deref(got.OrderID) != again.ID {
		t.Errorf("cancelled: got stored webhook %+v", got)
	}
}

// The return from gateway_a only shows the payment's status.
func TestHandleReturn_ChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bought := s.place(status.PayGatewayA)
	handleReturn := func(ref, hint string) order.ReturnTarget {
		target, configured, err := s.Orders.HandleReturn(t.Context(), plugin.GatewayA, ref, hint)
		s.must(err)
		if !configured {
			t.Error("got configured false")
		}
		return target
	}
	for hint, want := range map[string]order.ReturnResult{
		"success": order.ReturnPending, "failed": order.ReturnFailed, "cancelled": order.ReturnCancelled,
		"paid": order.ReturnPending, "": order.ReturnPending,
	} {
		if got := handleReturn(ref(bought), hint); got.Result != want || got.OrderID != bought.ID {
			t.Errorf("%q: got %+v, want %s", hint, got, want)
		}
	}
	s.wantStatus(bought.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
	if got := handleReturn("unknown-reference", "success"); got.Result != order.ReturnFailed || got.OrderID != "" {
		t.Errorf("unknown payment: got %+v, want failed without order", got)
	}
	s.finish(ref(bought), simulator.Pays)
	got := handleReturn(ref(bought), "failed")
	if want := "https://shop.example/done?lang=bn&order=" + bought.ID + "&payment=success"; got.URL != want {
		t.Errorf("got redirect to %s, want %s", got.URL, want)
	}
}

// Two shops share an account at the gateway. A webhook for one has no effect on the other.
func TestWebhook_OtherTenantsPayment(t *testing.T) {
	t.Parallel()
	s, other := newSite(t), newSite(t)
	order := s.place(status.PayGatewayA)
	form := url.Values{
		"tran_id": {ref(order)}, "status": {"FAILED"}, "amount": {"970.00"}, "currency": {"BDT"}, "store_id": {"live"},
	}
	gatewaya.Sign(form, []string{"amount", "currency", "status", "store_id", "tran_id"}, "hush-a")
	authentic, err := other.Orders.HandlePaymentWebhook(t.Context(), plugin.GatewayA, "", []byte(form.Encode()))
	s.must(err)
	webhooks, err := other.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{})
	s.must(err)
	if !authentic || len(webhooks.Nodes) != 1 || webhooks.Nodes[0].Verdict != inbox.VerdictUnmatched {
		t.Errorf("got authentic %v, webhooks %+v; want one unmatched", authentic, webhooks.Nodes)
	}
	s.wantStatus(order.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
}
