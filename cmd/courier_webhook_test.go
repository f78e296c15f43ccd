package cmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/cmd"
	"storefront/shop/cash"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// newWebhookFixture returns a fixture whose couriers are configured and accept webhooks.
func newWebhookFixture(t *testing.T) *courierFixture {
	t.Helper()
	f := newCourierFixture(t)
	f.must("plugin", "configure", "acme", "courier_a", "webhook_secret=hush", "client_id=c", "client_secret=s",
		"username=u", "password=p", "store_id=1")
	f.must("plugin", "configure", "acme", "courier_b", "webhook_token=hush", "api_key=k", "secret_key=s")
	return f
}

// sendA sends a webhook of courier_a about a consignment, of minute at of a day.
func (f *courierFixture) sendA(at int, consignment, event, more string) {
	f.t.Helper()
	body := fmt.Sprintf("\xEF\xBB\xBF"+`{"event":"order.%s","consignment_id":%q,"timestamp":"2026-01-05T10:%02d:00Z"%s}`, event, consignment, at, more)
	if status := f.sendWebhook(f.ready.URL+"/courier/webhook/courier_a/acme", "hush", body); status != http.StatusAccepted {
		f.t.Fatalf("%s: got status %d, want 202", body, status)
	}
}

// statuses returns the statuses of an order in one line: of its shipments, then of the order and
// its payment.
func (f *courierFixture) statuses(invoice string) string {
	f.t.Helper()
	o := f.order(invoice)
	text := ""
	for _, p := range o.Shipments {
		text += string(p.Status) + " "
	}
	return text + string(o.Status) + " " + string(o.PaymentStatus)
}

// Events about cash on shipments that counted as over, of returns and of goods that are lost, over
// HTTP: the order's statuses and flags after them.
func TestCourierWebhooks_OrderAndFlags(t *testing.T) {
	t.Parallel()
	f := newCourierFixture(t)
	f.must("plugin", "configure", "acme", "courier_a", "webhook_secret=hush") // nothing else: it can't be queried
	type event struct{ name, more string }
	type codes = []order.FlagCode
	delivered := event{"delivered", `,"collected_amount":TOTAL.000000000000001`}
	for name, tt := range map[string]struct {
		events []event
		want   string
		flags  codes
	}{
		"delivered after a cancelled pick-up": {
			[]event{{"pickup-cancelled", ""}, delivered}, "cancelled processing unpaid",
			codes{"cash_undelivered", "contradicted"}},
		"delivered after the return began": {
			[]event{{"picked", ""}, {"returned", ""}, delivered}, "delivered completed paid", nil},
		"cancelled after delivery": {
			[]event{{"picked", ""}, delivered, {"pickup-cancelled", ""}}, "delivered completed paid",
			codes{"contradicted"}},
		"exchanged for nothing": {
			[]event{{"picked", ""}, {"exchanged", `,"collected_amount":0`}}, "exchanged processing unpaid",
			codes{"cash_differs"}},
		"exchanged without an amount": {
			[]event{{"picked", ""}, {"exchanged", ""}}, "exchanged processing unpaid",
			codes{"cash_unreported"}},
		"lost": {[]event{{"picked", ""}, {"lost", ""}}, "on_hold processing unpaid",
			codes{"courier_problem"}},
		"damaged": {[]event{{"picked", ""}, {"damaged", ""}}, "on_hold processing unpaid",
			codes{"courier_problem"}},
		"paid out and never delivered": {
			[]event{{"picked", ""}, {"paid", `,"invoice_id":"I-1"`}}, "picked processing unpaid",
			codes{"paid_out_undelivered"}},
		"the return's own consignment ID": {[]event{
			{"picked", ""}, {"return-id-created", `,"return_consignment_id":"RCONSIGNMENT","return_type":"return"`},
			{"return-in-transit", `,"consignment_id":"RCONSIGNMENT"`}, {"returned-to-merchant", `,"consignment_id":"RCONSIGNMENT"`},
		}, "returned returned unpaid", nil},
	} {
		t.Run(name, func(t *testing.T) {
			invoice := f.place()
			consignment := "DL-" + invoice
			f.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--consignment", consignment)
			total := fmt.Sprint(f.order(invoice).Total.Amount / 100)
			for i, e := range tt.events {
				id := consignment
				more := strings.NewReplacer("TOTAL", total, "RCONSIGNMENT", "R"+consignment).Replace(e.more)
				if rest, found := strings.CutPrefix(more, `,"consignment_id":`); found { // of the way back
					id, more = strings.Trim(rest, `"`), ""
				}
				f.sendA(i, id, e.name, more)
			}
			if got := f.statuses(invoice); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			f.wantFlags(invoice, tt.flags...)
			list := f.must("order", "list", "acme", "--limit", "1")
			for _, code := range tt.flags {
				if !strings.Contains(list, string(code)) {
					t.Errorf("order list has no %s", code)
				}
			}
		})
	}
	var report cash.Report
	f.json(&report, "api", "acme", "getCash")
	var problems []string
	for _, d := range report.Differences {
		problems = append(problems, d.Problem)
	}
	slices.Sort(problems)
	want := []string{
		"The courier collected a different amount than was due.",
		"The courier collected cash with a shipment that it did not report as delivered.",
		"The courier exchanged the shipment and reported no cash.",
		"The courier paid out for a shipment that it did not report as delivered.",
		"The courier reported the shipment as cancelled after it was delivered: " +
			"check it in the courier's panel.",
		"The courier reported the shipment as delivered after it was cancelled: " +
			"check it in the courier's panel.",
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("cod report (-want +got):\n%s", diff)
	}
	if out := f.run("doctor", "acme").stdout; !strings.Contains(out, "Flags for a staff member to check: ") {
		t.Errorf("doctor: got\n%s\nwant the flags counted", out)
	}
}

// An order that was cancelled after booking and is delivered all the same is completed, with its
// stock, and its public page says nothing of a refund.
func TestCourierWebhooks_DeliveredAfterCancel(t *testing.T) {
	t.Parallel()
	f := newWebhookFixture(t)
	f.must("stock", "set", "acme", f.variant, "77")
	wantStock := func(when string, want int) {
		t.Helper()
		_, body := get(t, f.ready.URL+"/api/v1/products?limit=-1", "acme")
		if !strings.Contains(string(body), fmt.Sprintf(`"availableQuantity":%d`, want)) {
			t.Errorf("%s: got no product with %d units", when, want)
		}
	}
	invoice := f.place()
	f.must("order", "ship", "acme", invoice, "--courier", "courier_b")
	wantStock("booked", 76)
	f.must("order", "cancel", "acme", invoice)
	wantStock("cancelled", 77)
	f.must("simulate", "acme", "courier_b", "delivered", "--order", invoice)
	wantStock("delivered", 76)
	if got, want := f.statuses(invoice), "delivered completed paid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	status, page := get(t, f.ready.URL+"/api/v1/orders/"+invoice, "acme")
	if status != http.StatusOK || strings.Contains(string(page), "refund_due") || strings.Contains(string(page), "will be refunded") {
		t.Errorf("got %d, %s; want no refund", status, page)
	}
	f.wantFlags(invoice, order.FlagDeliveredAfterCancel, order.FlagNeverHandedOver)
}

// The courier's text of a tracking update is for staff, and for the buyer who is signed in or has
// the order token.
func TestCourierWebhooks_TrackingText(t *testing.T) {
	t.Parallel()
	f := newWebhookFixture(t)
	demo := f.ready
	demo.Demo.UID = "acme"
	b := &buyerOf{t: t, r: demo, transport: "REST"}
	var auth struct{ AccessToken string }
	b.call("/api/v1/auth/register", "", map[string]any{"name": "Rahima", "phoneNumber": "01711-223344", "password": "correct horse battery"}, &auth)
	b.bearer = auth.AccessToken
	var placed struct{ InvoiceUID, OrderToken string }
	code := b.call("/api/v1/orders", "", map[string]any{
		"items": []any{json.RawMessage(f.product)}, "shippingAddress": map[string]any{"line1": "House 12, Road 5", "city": "Dhaka"},
	}, &placed)
	if code != "" {
		t.Fatalf("place order: got %s", code)
	}
	f.must("order", "ship", "acme", placed.InvoiceUID, "--courier", "courier_b", "--consignment", "77")
	f.sendB("hush", `{"notification_type":"tracking_update","consignment_id":77,"tracking_message":"Left with Karim, 01811-222333."}`)
	for name, proof := range map[string][2]string{
		"anyone": {}, "the guest": {"X-Order-Token", placed.OrderToken}, "the owner": {"Authorization", "Bearer " + b.bearer},
		"a wrong token": {"X-Order-Token", placed.OrderToken + "x"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.ready.URL+"/api/v1/orders/"+placed.InvoiceUID, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("x-tenant", "acme")
		if proof[0] != "" {
			r.Header.Set(proof[0], proof[1])
		}
		whole := strings.HasPrefix(name, "the ")
		if _, page := send(t, r); strings.Contains(string(page), "Karim") != whole || !strings.Contains(string(page), "shipment_update") {
			t.Errorf("%s: got %s", name, page)
		}
	}
}

// courier_b changes the amount to collect, and reports a returned part with both of its spellings.
func TestCourierBWebhooks_DueAndReturnedPart(t *testing.T) {
	t.Parallel()
	f := newWebhookFixture(t)
	invoice := f.place()
	f.must("order", "ship", "acme", invoice, "--courier", "courier_b", "--consignment", "78")
	f.sendB("hush", `{"notification_type":"consignment_update","consignment_id":"78","cod_amount":"150.00"}`)
	f.wantFlags(invoice, order.FlagDueChanged)
	var staff order.StaffOrder
	f.json(&staff, "api", "acme", "getOrder", "--order-id", invoice)
	if staff.Shipments[0].AmountToCollect.Amount != 150_00 {
		t.Errorf("got %s due, want ৳150", staff.Shipments[0].AmountToCollect.Text())
	}
	for i, st := range []string{"partial_delivered_return_received", "partial_delivery_return_received"} {
		part := f.place()
		consignment := fmt.Sprint(80 + i)
		f.must("order", "ship", "acme", part, "--courier", "courier_b", "--consignment", consignment)
		for _, s := range []string{"partial_delivered", st} {
			f.sendB("hush", `{"notification_type":"delivery_status","consignment_id":`+consignment+`,"status":"`+s+`","cod_amount":100}`)
		}
		if got := f.order(part).Shipments[0].Status; got != status.ShipmentPartiallyDelivered {
			t.Errorf("%s: got shipment %s, want partially_delivered", st, got)
		}
		f.wantFlags(part, order.FlagCashDiffers, order.FlagCourierProblem, order.FlagNeverHandedOver)
	}

	known := f.placeBody(`{"items":[` + strings.Replace(f.product, `"quantity":1`, `"quantity":2`, 1) + `],"customer":{"name":"Rahima Khatun",` +
		`"phoneNumber":"01711-223344"},"shippingAddress":{"line1":"House 12, Road 5","area":"Mirpur","city":"Dhaka"}}`)
	f.must("order", "ship", "acme", known, "--courier", "courier_b", "--consignment", "90")
	f.sendB("hush", `{"notification_type":"delivery_status","consignment_id":90,"status":"partial_delivered","cod_amount":100}`)
	f.must("order", "deliver", "acme", known, "--restock", f.order(known).Items[0].VariantID+"=1")
	f.sendB("hush", `{"notification_type":"delivery_status","consignment_id":90,"status":"partial_delivered_return_received"}`)
	f.wantFlags(known, order.FlagCashDiffers) // no reminder of units that are restocked
}

// The courier's share of the cash is saved from its price, and a statement that is correct with it
// has no differences.
func TestCODReconcile_ShareOfCash(t *testing.T) {
	t.Parallel()
	f := newWebhookFixture(t)
	invoice := f.place()
	f.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--consignment", "DL1")
	reconcile := func() string {
		total := f.order(invoice).Total.Amount / 100
		file := filepath.Join(t.TempDir(), "statement.csv")
		text := fmt.Sprintf("consignment,collected,fee,paid\nDL1,%d,60,%.2f\n", total, float64(total-60)-float64(total)/100)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return f.must("cod", "reconcile", "acme", file, "--courier", "courier_a", "--dry-run")
	}
	f.sendA(1, "DL1", "picked", "")
	f.sendA(2, "DL1", "delivered", fmt.Sprintf(`,"collected_amount":%d,"delivery_fee":60`, f.order(invoice).Total.Amount/100))
	before := reconcile()
	f.must("api", "acme", "priceShipment", "--order-id", invoice, "--provider", "courier_a", "--city", "1", "--zone", "298")
	if after := reconcile(); !strings.Contains(before, "DL1") || strings.Contains(after, "DL1") {
		t.Errorf("without the share: got\n%s\nwith it:\n%s\nwant a difference only before", before, after)
	}

	// courier_b reports no share: the merchant sets it.
	f.must("plugin", "configure", "acme", "courier_b", "cod_basis_points=150")
	second := f.place()
	f.must("order", "ship", "acme", second, "--courier", "courier_b", "--consignment", "77")
	total := f.order(second).Total.Amount
	f.sendB("hush", fmt.Sprintf(`{"notification_type":"delivery_status","consignment_id":77,"status":"delivered","cod_amount":%d,"delivery_charge":60}`,
		total/100))
	var report cash.Report
	f.json(&report, "api", "acme", "getCash")
	for _, c := range report.Couriers {
		if c.Provider == plugin.CourierB && (c.Held.Amount != total || c.Payable.Amount != total-60_00-total*150/10_000) {
			t.Errorf("courier_b: got held %d, payable %d of %d; want 60.00 and 1.5 %% less", c.Held.Amount, c.Payable.Amount, total)
		}
	}
	f.fails(cmd.ExitFailed, "cod_basis_points", "plugin", "configure", "acme", "courier_b", "cod_basis_points=1%")
}

// A refused booking has the courier's own words, and no secret.
func TestOrderShip_RefusalText(t *testing.T) {
	t.Parallel()
	f := newWebhookFixture(t)
	f.must("plugin", "configure", "acme", "courier_a", "password=wrong")
	f.fails(cmd.ExitFailed, "The user credentials were incorrect.", "order", "ship", "acme", f.place(), "--courier", "courier_a")
	f.must("plugin", "configure", "acme", "courier_b", "secret_key=wrong")
	f.fails(cmd.ExitFailed, "Unauthorized", "order", "ship", "acme", f.place(), "--courier", "courier_b")
	var order struct{ Shipments []json.RawMessage }
	f.json(&order, "order", "show", "acme", f.place())
	if len(order.Shipments) != 0 {
		t.Errorf("got shipments %s, want none", order.Shipments)
	}
}
