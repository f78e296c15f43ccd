package cmd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"storefront/cmd"
	"storefront/shop/inbox"
	"storefront/shop/order"
)

// fakeCourier answers as both couriers do, with bodies that a test sets.
type fakeCourier struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // "status body" by the end of the path
	calls   []string          // paths
}

// newAnswerFixture returns a fixture whose couriers are configured, and the fake that they call.
func newAnswerFixture(t *testing.T) (*courierFixture, *fakeCourier) {
	t.Helper()
	fake := &fakeCourier{answers: map[string]string{}}
	fake.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fake.mu.Lock()
		defer fake.mu.Unlock()
		fake.calls = append(fake.calls, r.URL.Path)
		status, body := http.StatusNotFound, `{"message":"Not found"}`
		for end, answer := range fake.answers {
			if !strings.HasSuffix(r.URL.Path, end) {
				continue
			}
			_, err := fmt.Sscanf(answer, "%d", &status)
			if _, body, _ = strings.Cut(answer, " "); err != nil {
				t.Errorf("answer %q is not \"status body\"", answer)
			}
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(fake.Close)
	fake.answer("/issue-token", `200 {"token_type":"Bearer","expires_in":432000,"access_token":"t","refresh_token":"r"}`)
	f := newWebhookFixture(t)
	f.env["STOREFRONT_PROVIDER_URL"] = fmt.Sprintf("courier_a:live=%[1]s/a,courier_b:live=%[1]s/b", fake.URL)
	return f, fake
}

// answer sets the answer to calls whose path ends with end.
func (c *fakeCourier) answer(end, answer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[end] = answer
}

// called returns how often a path that ends with end was called.
func (c *fakeCourier) called(end string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, path := range c.calls {
		if strings.HasSuffix(path, end) {
			n++
		}
	}
	return n
}

// Goods of courier_b are known to be back by the address of returns alone, which is called for
// shipments on their way back and after a partial delivery, and for no other.
func TestOrderTrack_ReturnAddress(t *testing.T) {
	t.Parallel()
	f, fake := newAnswerFixture(t)
	for i, tt := range []struct {
		reported, answer, want string
		flags                  []order.FlagCode
	}{
		{
			"cancelled", `"delivery_status":"cancelled","return_status":"cancelled_return_received"`,
			"returned returned unpaid", nil,
		},
		{"cancelled", `"delivery_status":"cancelled_return_received"`, "returned returned unpaid", nil},
		{
			"partial_delivered", `"delivery_status":"partial_delivered_return_received"`,
			"partially_delivered processing unpaid",
			[]order.FlagCode{order.FlagCashDiffers, order.FlagCourierProblem},
		},
	} {
		id := fmt.Sprint(700 + i)
		invoice := f.place()
		f.must("order", "ship", "acme", invoice, "--courier", "courier_b", "--consignment", id)
		fake.answer("/status_by_cid/"+id, `200 {"status":200,"delivery_status":"in_review"}`)
		fake.answer("/status_with_return_status_by_cid/"+id, "200 \xEF\xBB\xBF"+`{"status":"200",`+tt.answer+`}`)
		f.must("order", "track", "acme", invoice)
		if n := fake.called("/status_with_return_status_by_cid/" + id); n != 0 {
			t.Errorf("%s, before: got %d calls of the return address, want 0", tt.reported, n)
		}
		f.sendB("hush", "\xEF\xBB\xBF"+`{"notification_type":"delivery_status","consignment_id":`+id+`,"status":"`+tt.reported+`","cod_amount":0}`)
		f.must("order", "track", "acme", invoice)
		if got := f.statuses(invoice); got != tt.want {
			t.Errorf("%s, %s: got %s, want %s", tt.reported, tt.answer, got, tt.want)
		}
		f.wantFlags(invoice, tt.flags...)
	}
}

// Both couriers report a deleted shipment with their 404, as a status or in the body. Cancelling is
// suggested if it was never picked up.
func TestOrderTrack_DeletedShipment(t *testing.T) {
	t.Parallel()
	f, fake := newAnswerFixture(t)
	for i, tt := range []struct{ courier, path, answer string }{
		{"courier_a", "/orders/D0/info", `404 {"type":"error","code":404,"message":"Order not found"}`},
		{"courier_a", "/orders/D1/info", `200 {"type":"error","code":404,"message":"Order not found"}`},
		{"courier_b", "/status_by_cid/D2", `404 {"status":404,"message":"Not found"}`},
		{"courier_b", "/status_by_cid/D3", `200 {"status":"404","message":"Not found"}`},
	} {
		id := fmt.Sprint("D", i)
		fake.answer(tt.path, tt.answer)
		invoice := f.place()
		total := f.order(invoice).Total.Text()
		f.must("order", "ship", "acme", invoice, "--courier", tt.courier, "--consignment", id)
		f.fails(cmd.ExitFailed, "cancel the shipment", "order", "track", "acme", invoice)
		type entry struct {
			ConsignmentID, Status string
			Due                   struct{ Amount int64 }
		}
		ledger := nodes[entry](f.console, "api", "acme", "listLedger", "--limit", "1")
		if len(ledger) != 1 || ledger[0].ConsignmentID != id || ledger[0].Due.Amount == 0 {
			t.Fatalf("%s: got ledger %+v, want cash due with %s", tt.answer, ledger, id)
		}
		f.must("api", "acme", "cancelShipment", "--order-id", invoice)
		ledger = nodes[entry](f.console, "api", "acme", "listLedger", "--limit", "1")
		if ledger[0].Status != "cancelled" || ledger[0].Due.Amount != 0 {
			t.Errorf("%s, cancelled: got ledger %+v, want nothing due with %s", tt.answer, ledger, id)
		}
		if out := f.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--consignment", id+"-2"); strings.Count(out, total) != 1 {
			t.Errorf("%s, replacement: got\n%s\nwant %s to collect once", tt.answer, out, total)
		}
	}
	picked := f.place()
	f.must("order", "ship", "acme", picked, "--courier", "courier_a", "--consignment", "D9")
	f.sendA(1, "D9", "picked", "")
	if r := f.run("order", "track", "acme", picked); r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "no shipment D9") ||
		strings.Contains(r.stderr, "cancel the shipment") {
		t.Errorf("picked up: got exit code %d, %s; want no suggestion to cancel", r.code, r.stderr)
	}
}

// The couriers explain refusals as text, a list or an object. Staff read their words, without the
// shop's secrets; the order is as before.
func TestOrderShip_RefusalBodies(t *testing.T) {
	t.Parallel()
	f, fake := newAnswerFixture(t)
	f.must("plugin", "configure", "acme", "courier_b", "secret_key=s3cr3t-key-value")
	invoice := f.place()
	for _, tt := range []struct{ courier, answer, want string }{
		{"courier_a", `422 {"type":"error","code":422,"message":"Please fix the given errors","errors":{"recipient_phone":["The phone is invalid."]}}`,
			"recipient_phone: The phone is invalid."},
		{"courier_a", `400 {"msg":"Merchant is in arrears"}`, "Merchant is in arrears"},
		{"courier_a", `200 {"type":"error","code":"402","message":"Balance is low"}`, "Balance is low"},
		{"courier_b", `200 {"status":400,"errors":{"invoice":["The invoice has already been taken."]}}`, "invoice: The invoice has already been taken."},
		{"courier_b", `400 {"errors":["Recipient is blocked."]}`, "Recipient is blocked."},
		{"courier_b", "422 \xEF\xBB\xBF" + `{"status":"400","errors":"Invalid area"}`, "Invalid area"},
		{"courier_a", `404 {"type":"error","code":404,"message":"Store not found"}`, "Store not found"},
		{"courier_b", `200 {"status":404,"message":"Merchant not found"}`, "Merchant not found"},
		{"courier_b", `401 {"message":"Key s3cr3t-key-value is unknown"}`, "Key *** is unknown"},
	} {
		fake.answer("/orders", tt.answer)
		fake.answer("/create_order", tt.answer)
		f.fails(cmd.ExitFailed, tt.want, "order", "ship", "acme", invoice, "--courier", tt.courier)
	}
	if got := f.order(invoice); len(got.Shipments) != 0 {
		t.Errorf("got shipments %+v, want none", got.Shipments)
	}
	_, page := get(t, f.ready.URL+"/api/v1/orders/"+invoice, "acme")
	if strings.Contains(string(page), "blocked") || strings.Contains(string(page), "taken") {
		t.Errorf("the buyer reads the courier's words: %s", page)
	}
}

// courier_b's status is a text, and courier_a's amounts have long decimals.
func TestOrderShip_UnusualAnswers(t *testing.T) {
	t.Parallel()
	f, fake := newAnswerFixture(t)
	invoice := f.place()
	fake.answer("/create_order", "200 \xEF\xBB\xBF"+
		`{"status":"200","message":"Created","consignment":{"consignment_id":"501","tracking_code":"TC1","status":"in_review"}}`)
	if out := f.must("order", "ship", "acme", invoice, "--courier", "courier_b"); !strings.Contains(out, "501") {
		t.Errorf("courier_b: got\n%s\nwant shipment 501", out)
	}
	fake.answer("/orders", `200 {"code":"200","data":{"consignment_id":"DLX","order_status":"Pending","delivery_fee":82.30000000000001}}`)
	f.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--another")
	fake.answer("/merchant/price-plan", `200 {"code":200,"data":{"final_price":60.333333333333333333333,"cod_percentage":0.0100000000000000002}}`)
	price := f.must("api", "acme", "priceShipment", "--order-id", invoice, "--provider", "courier_a", "--city", "1", "--zone", "2")
	if ledger := f.must("api", "acme", "listLedger"); !strings.Contains(price, "৳60.33\n") || !strings.Contains(ledger, "৳82.30") {
		t.Errorf("got price %q, ledger\n%s\nwant ৳60.33 and a fee of ৳82.30", price, ledger)
	}
}

// Each shipment whose cash is not as due has a difference in the report, and a reason in the list
// of webhooks.
func TestCODReport_EveryDifference(t *testing.T) {
	t.Parallel()
	f := newWebhookFixture(t)
	type event struct{ name, more string }
	for name, events := range map[string][]event{
		"CANCELLED": {{"pickup-cancelled", ""}, {"delivered", `,"collected_amount":200`}},
		"RETURNING": {{"picked", ""}, {"paid-return", `,"collected_amount":60`}},
		"LESS":      {{"picked", ""}, {"delivered", `,"collected_amount":200`}},
		"EXCHANGED": {{"picked", ""}, {"exchanged", `,"collected_amount":0`}},
		"UNKNOWN":   {{"picked", ""}, {"exchanged", ""}},
		"INVOICE":   {{"picked", ""}, {"paid", `,"invoice_id":"I-1"`}},
		"NEGATIVE":  {{"picked", ""}, {"returned", ""}, {"paid", `,"invoice_id":"I-2","delivery_fee":60`}},
	} {
		invoice := f.place()
		f.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--consignment", name)
		for i, e := range events {
			f.sendA(i, name, e.name, e.more)
		}
		var report struct {
			Differences []struct{ ConsignmentID, What string }
		}
		f.json(&report, "api", "acme", "getCash")
		found := false
		for _, d := range report.Differences {
			found = found || d.ConsignmentID == name && d.What != ""
		}
		var webhooks struct{ Nodes []inbox.Webhook }
		f.json(&webhooks, "webhook", "list", "acme", "--limit", "1")
		if !found || len(webhooks.Nodes) != 1 || webhooks.Nodes[0].Reason == "" {
			t.Errorf("%s: got differences %+v, last webhook %+v; want a difference and a reason", name, report.Differences, webhooks.Nodes)
		}
	}
}
