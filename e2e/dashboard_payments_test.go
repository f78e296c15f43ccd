package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"testing"
)

// A payment that staff have looked up at its gateway is accepted, and a refund that was made
// elsewhere is recorded, with no more than is left of it.
func testPayments(t *testing.T, p *process, _ string) {
	m := openDashboard(t, p, 360)
	first := func(status string) (id string) {
		m.show("payments?status="+status, ".payments .actions")
		m.Eval(`document.querySelector(".payments a.reach").hash.split("/").pop()`, &id)
		return id
	}
	statusOf := func(id string) (status string) {
		m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((r) => r.json()).then((order) => order.paymentStatus)`, id), &status)
		return status
	}
	id := first("needs_review")
	m.Click(".payments .actions .button:first-child")
	m.WaitVisible("dialog form .primary")
	m.check("payment-accept")
	m.Click("dialog form .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	if got := statusOf(id); got != "paid" {
		t.Errorf("got the order %s after its payment was accepted, want paid", got)
	}
	id = first("refund_due")
	m.Click(".payments .actions .button:last-child")
	m.Fill("#amount", "99,99,999")
	m.Click("dialog form .primary")
	m.Wait(`document.activeElement.id === "amount" && document.querySelector("#amount-error")`)
	m.Fill("#amount", "১০")
	m.Click("dialog form .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.waitText(".payments", "৳10") // of it
	if got := statusOf(id); got == "refunded" {
		t.Error("got the order refunded after a part of it")
	}

	// What the gateway captured differs, and staff refuse it. Another payment is refunded by it.
	id, number := payAt(t, p, "wrong_amount")
	m.show("payments?status=needs_review&search="+number, ".payments .actions")
	m.waitText(".payments", "The gateway received ৳1, and ৳")
	m.Click(".payments .actions .button:last-child")
	m.WaitVisible("dialog form .primary")
	m.check("payment-refuse")
	m.Click("dialog form .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	if got := statusOf(id); got == "paid" || got == "needs_review" {
		t.Errorf("got the order %s after its payment was refused", got)
	}
	id, number = payAt(t, p, "")
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s/cancel", {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"})
		.then((r) => r.ok)`, id), nil)
	m.show("payments?status=refund_due&search="+number, ".payments .actions")
	m.Click(".payments .actions .button:first-child")
	m.WaitVisible("dialog form .primary")
	m.check("payment-refund")
	m.Click("dialog form .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	var refund string // the gateway confirms it when it is queried
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((r) => r.json()).then((order) =>
		order.payments.flatMap((one) => one.refunds.map((refund) => refund.amount.amount === order.total.amount && refund.status)).join())`, id), &refund)
	if refund != "processing" && refund != "done" {
		t.Errorf("got the refunds %q, want one of the whole amount that the gateway has accepted", refund)
	}
}

// payAt places an order and pays it at the simulated gateway, which has a fault; "": none. It
// returns the order's invoice UID and number.
func payAt(t *testing.T, p *process, fault string) (id, number string) {
	t.Helper()
	product, _ := p.product("demo", "mango-pickle")
	order := orderOf(product, 1)
	order["paymentMethod"] = "gateway_a"
	placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order})
	page, err := url.Parse(placed.text("payment", "redirectUrl"))
	if err != nil {
		t.Fatal(err)
	}
	control := func(what string, form url.Values) {
		t.Helper()
		response, err := http.PostForm("http://"+page.Host+"/control/"+what, form)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode >= http.StatusBadRequest {
			t.Fatalf("control %s: got %s", what, response.Status)
		}
	}
	if fault != "" {
		control("faults", url.Values{"fault": {fault}, "on": {"true"}})
		defer control("faults", url.Values{"fault": {fault}})
	}
	control("payments", url.Values{"payment": {path.Base(page.Path)}, "result": {"pay"}})
	return placed.text("_id"), fmt.Sprint(placed.at("orderNumber"))
}
