package cmd_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop/order"
	"storefront/shop/status"
)

// A payment is refunded in parts by command, and buyers see how much.
func TestPaymentRefund_Parts(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	_, r := serveDemo(t, c.dir)
	bought := placeOnline(t, r, "gateway_b")
	simulator := bought.Payment.RedirectURL[:strings.Index(bought.Payment.RedirectURL, "/gateway_b")]
	c.must("simulate", "demo", "gateway_b", "pay", "--order", bought.ID, "--simulator", simulator)
	payment := bought.Payment.Attempts[0].ID
	refund := func(args ...string) []string {
		return append([]string{"payment", "refund", "demo", payment, "--private-providers", "--provider-url",
			"gateway_b:live=" + simulator + "/gateway_b"}, args...)
	}
	var record order.AttemptRecord
	c.json(&record, refund("--amount", "100")...)
	if record.RefundedAmount.Amount != 100_00 || record.Status != status.AttemptSucceeded {
		t.Errorf("got %+v, want ৳100 of a succeeded payment refunded", record)
	}
	c.json(&record, "payment", "refund", "demo", payment, "--amount", "50.50", "--by-hand")
	if _, status := paymentStatus(t, r, bought.ID); record.RefundedAmount.Amount != 150_50 || status != "partially_refunded" {
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
	for _, shown := range []string{c.must("api", "demo", "getPayment", "--id", payment), c.must("order", "show", "demo", bought.ID)} {
		if !strings.Contains(shown, "Insufficient Balance") {
			t.Errorf("got %s, want the gateway's words", shown)
		}
	}
}

// At both gateways a payment is refunded in parts until all of it went back, one of them in the
// gateway's panel. The merchant reads why a part was refused, without the shop's secrets; the buyer
// does not.
func TestPaymentRefund_UntilAll(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	_, r := serveDemo(t, c.dir)
	c.env["STOREFRONT_PRIVATE_PROVIDERS"] = "true"
	c.env["STOREFRONT_PROVIDER_URL"] = strings.ReplaceAll("gateway_a:live=SIM/gateway_a,gateway_b:live=SIM/gateway_b", "SIM", r.Simulator)
	c.must("plugin", "configure", "demo", "gateway_a", "store_id=demo", "store_password=a-secret-of-the-shop")
	for method, words := range map[string]string{"gateway_a": "Insufficient store balance, password ***", "gateway_b": "Insufficient Balance"} {
		bought := placeOnline(t, r, method)
		c.must("simulate", "demo", method, "pay", "--order", bought.ID, "--simulator", r.Simulator)
		payment := bought.Payment.Attempts[0].ID
		var record order.AttemptRecord
		refund := func(args ...string) {
			t.Helper()
			c.must(append([]string{"payment", "refund", "demo", payment}, args...)...)
			c.run("payment", "refund", "demo", payment) // gateway_a is queried whether it is complete
			c.json(&record, "api", "demo", "getPayment", "--id", payment)
		}
		want := func(refunded int64, status string) {
			t.Helper()
			if _, got := paymentStatus(t, r, bought.ID); got != status || record.RefundedAmount.Amount != refunded {
				t.Errorf("%s: got %d refunded, payment %s; want %d, %s", method, record.RefundedAmount.Amount, got, refunded, status)
			}
		}
		refund("--amount", "100")
		want(100_00, "partially_refunded")
		refund("--amount", "50.50", "--by-hand")
		want(150_50, "partially_refunded")
		simulatorFault(t, r, "refund_refused", true)
		c.fails(cmd.ExitFailed, words, "payment", "refund", "demo", payment, "--amount", "1")
		simulatorFault(t, r, "refund_refused", false)
		for _, shown := range []string{c.must("api", "demo", "getPayment", "--id", payment), c.must("order", "show", "demo", bought.ID)} {
			if !strings.Contains(shown, words) || strings.Contains(shown, "a-secret-of-the-shop") {
				t.Errorf("%s: got %s\nwant %q", method, shown, words)
			}
		}
		if _, page := get(t, r.URL+"/api/v1/orders/"+bought.ID, "demo"); strings.Contains(string(page), "Insufficient") {
			t.Errorf("%s: the buyer reads the gateway's words: %s", method, page)
		}
		paid := record.Amount.Amount
		rest := fmt.Sprintf("%d.%02d", (paid-150_50)/100, (paid-150_50)%100)
		c.fails(cmd.ExitFailed, "can still be refunded", "payment", "refund", "demo", payment, "--amount", fmt.Sprint(paid/100))
		refund("--amount", rest)
		want(paid, "refunded")
	}
	if out := c.run("doctor", "demo").stdout; !strings.Contains(out, "Stock, orders, coupons and prices are consistent.") {
		t.Errorf("doctor: got\n%s\nwant correct totals", out)
	}
}

// simulatorFault switches a fault of the simulated providers.
func simulatorFault(t *testing.T, r ready, name string, on bool) {
	t.Helper()
	res, err := http.PostForm(r.Simulator+"/control/faults", url.Values{"fault": {name}, "on": {fmt.Sprint(on)}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
}
