package cmd_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop"
)

// A payment is refunded in parts by command, and buyers see how much.
func TestPaymentRefund_Parts(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	_, r := serve(t, c.dir, "--dev")
	order := placeOnline(t, r, "gateway_b")
	simulator := order.Payment.RedirectURL[:strings.Index(order.Payment.RedirectURL, "/gateway_b")]
	c.must("simulate", "demo", "gateway_b", "pay", "--order", order.ID, "--simulator", simulator)
	payment := order.Payment.Attempts[0].ID
	refund := func(args ...string) []string {
		return append([]string{"payment", "refund", "demo", payment, "--private-providers", "--provider-url",
			"gateway_b:live=" + simulator + "/gateway_b"}, args...)
	}
	var record shop.AttemptRecord
	c.json(&record, refund("--amount", "100")...)
	if record.RefundedAmount.Amount != 100_00 || record.Status != shop.AttemptSucceeded {
		t.Errorf("got %+v, want ৳100.00 of a succeeded payment refunded", record)
	}
	c.json(&record, "payment", "refund", "demo", payment, "--amount", "50.50", "--by-hand")
	if _, status := paymentStatus(t, r, order.ID); record.RefundedAmount.Amount != 150_50 || status != "partially_refunded" {
		t.Errorf("got %d refunded, payment %s; want 15050, partially_refunded", record.RefundedAmount.Amount, status)
	}
	c.fails(cmd.ExitFailed, "can still be refunded", "payment", "refund", "demo", payment, "--amount", "1000000")
	c.fails(cmd.ExitUsage, "--amount must be", "payment", "refund", "demo", payment, "--amount", "-1")

	res, err := http.PostForm(simulator+"/control/faults", url.Values{"fault": {"refund_refused"}, "on": {"true"}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	c.fails(cmd.ExitFailed, "Insufficient Balance", refund("--amount", "1")...)
	for _, shown := range []string{c.must("payment", "show", "demo", payment), c.must("order", "show", "demo", order.ID)} {
		if !strings.Contains(shown, "Insufficient Balance") {
			t.Errorf("got %s, want the gateway's words", shown)
		}
	}
}
